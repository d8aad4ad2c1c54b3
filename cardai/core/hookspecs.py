"""The whole plugin API on one page: what a plugin module may offer, each hook with a complete example.

A plugin is a Python module with at least one of these functions, marked ``@cardai.hookimpl`` and named by an entry
point of the matching group (``cardai.games``, ``cardai.encoders``, ``cardai.agents``, ``cardai.trainers``,
``cardai.watchers``, ``cardai.commands``, ``cardai.formats``). The entry point's name is the plugin's public name::

    [project.entry-points."cardai.agents"]
    cautious = "my_bots"

A class may hold ``presets``, a mapping from names to options; each preset is an entry-point line of its own that points
at the same module and names the general plugin after a colon (``simple = "my_bots:cautious"``). A plugin that needs an
extra says so in brackets (``deep = "my_nets [torch]"``).

No hook is called once an action: :func:`cardai_hands_finished` is called once a batch of finished hands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pluggy

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.core.encoder import Encoder
    from cardai.core.format import Format
    from cardai.core.game import Game
    from cardai.core.trainer import Trainer

PROJECT = "cardai"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as one of :class:`Hooks`.

    from cardai import hookimpl

    @hookimpl
    def cardai_game():
        return MyGame
"""


class Hooks(Protocol):
    """Every hook of cardai."""

    @hookspec
    def cardai_game(self) -> type[Game] | Mapping[str, type[Game]]:
        """Return a game class, or a mapping from names to classes when one module offers several.

        Example::

            @cardai.hookimpl
            def cardai_game():
                return MyGame
        """
        raise NotImplementedError

    @hookspec
    def cardai_encoder(self) -> type[Encoder] | Mapping[str, type[Encoder]]:
        """Return an encoder class, or a mapping from names to classes.

        Example::

            @cardai.hookimpl
            def cardai_encoder():
                return {"my_planes": MyPlanes, "my_bits": MyBits}
        """
        raise NotImplementedError

    @hookspec
    def cardai_agent(self) -> type[Agent] | Mapping[str, type[Agent]]:
        """Return an agent class, or a mapping from names to classes.

        Example::

            from cardai import hookimpl
            from cardai.core.agent import ScalarAgent

            class First(ScalarAgent):
                def choose(self, view, legal, rng):
                    return legal[0]

            @hookimpl
            def cardai_agent():
                return First
        """
        raise NotImplementedError

    @hookspec
    def cardai_trainer(self) -> type[Trainer] | Mapping[str, type[Trainer]]:
        """Return a trainer class, or a mapping from names to classes.

        Example::

            @cardai.hookimpl
            def cardai_trainer():
                return MyTrainer
        """
        raise NotImplementedError

    @hookspec
    def cardai_command(self) -> Callable[..., Any] | Mapping[str, Callable[..., Any]]:
        """Return a function in typer's style (annotated options) or a ``typer.Typer``, or a mapping from names to them.

        It becomes a command, ``cardai NAME``, with ``--plugin``, ``--watch``, ``--quiet`` and ``--debug`` added. What it
        prints with ``say`` or ``print_json`` is its result, on stdout; a ``CardaiError`` that it raises is one line and an
        exit code. The first line of the module's docstring stands in ``cardai --help``.

        Example::

            '''The largest result of a hand.'''

            from typing import Annotated

            import typer

            import cardai
            from cardai.commands.invocation import Seed, say

            def largest(
                game: Annotated[str, typer.Option("--game", "-g", help="The game.")],
                agent: Annotated[str, typer.Option("--agent", "-a", help="Who plays against itself.")] = "random",
                seed: Seed = 0,
            ) -> None:
                players = [agent] * cardai.game(game).num_players
                played = cardai.play(game, players, games=1000, seed=seed)
                say(f"{abs(played.hands['returns']).max():g}")

            @cardai.hookimpl
            def cardai_command():
                return {"largest-result": largest}
        """
        raise NotImplementedError

    @hookspec
    def cardai_format(self) -> type[Format] | Mapping[str, type[Format]]:
        """Return a class of files of hands, or a mapping from names to classes.

        ``cardai convert``, ``replay`` and whatever reads hands then take such files, told by their first lines.

        Example::

            from attrs import frozen

            from cardai import hookimpl
            from cardai.core.format import Format, HandStream

            @frozen
            class MyRoom(Format):
                suffixes = (".myroom",)

                def detect(self, lines):
                    return next((k for k, line in enumerate(lines) if line.startswith("MyRoom hand ")), None)

                def read(self, lines, name):
                    return HandStream(name, "holdem_nolimit:players=6", ["anna", "ben"], my_records(lines))

            @hookimpl
            def cardai_format():
                return MyRoom
        """
        raise NotImplementedError

    @hookspec
    def cardai_hands_finished(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Watch hands: called in the parent process, in game order, once a batch, with the hands' records.

        Only for plugins named by ``--watch`` or ``--plugin``.

        Example::

            @cardai.hookimpl
            def cardai_hands_finished(records):
                for record in records:
                    print(record["returns"])
        """

    @hookspec
    def cardai_training_step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Watch training: called in the parent process with each row of metrics that a trainer yields.

        Only for plugins named by ``--watch`` or ``--plugin``.

        Example::

            @cardai.hookimpl
            def cardai_training_step(step, metrics):
                print(step, metrics["exploitability"])
        """


HOOK_OF_KIND = {
    "game": "cardai_game",
    "encoder": "cardai_encoder",
    "agent": "cardai_agent",
    "trainer": "cardai_trainer",
    "command": "cardai_command",
    "format": "cardai_format",
}
WATCHER_HOOKS = ("cardai_hands_finished", "cardai_training_step")
