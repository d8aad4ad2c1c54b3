"""cardai's games in OpenSpiel: ``cardai.to_openspiel("leduc")`` registers one and returns it, as a Python game of theirs.

Everything of OpenSpiel that takes a sequential game takes it then: ``pyspiel.load_game("cardai_leduc")``, its solvers and
learners. Actions and chance outcomes are ours; the information state is the key of our state as text, and tensors are
views as an encoder has them. One hand is played.
"""

from __future__ import annotations

import math
import re
from typing import Any, cast

import numpy as np
import pyspiel

from cardai import make
from cardai.arena.display import view_text
from cardai.core import registry
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError, need_whole
from cardai.core.fields import pack_views, with_role
from cardai.core.game import CHANCE, Game, State
from cardai.core.numbers import NumberLayout
from cardai.core.one_table import RowSight
from cardai.core.row_state import RowState
from cardai.core.rows import RowGame

_REGISTERED: dict[str, tuple[Game, Encoder, float, int]] = {}  # by short name: what was asked for
LONGEST = 10_000
"""What OpenSpiel is told of a game that does not say how many moves a hand can have."""
WALKED = 50_000
"""States of a game that does not say how much can be won that are looked at to find it out."""


def to_openspiel(
    game: Game | str, encoder: Encoder | str = "flat", max_utility: float = 0.0, max_game_length: int = 0
) -> Any:
    """Register ``game`` with OpenSpiel and return it, a ``pyspiel.Game``.

    Its name there is ``cardai_`` and the spec (``cardai_leduc_suits_false``), with the other arguments behind it where they are
    not the default (``cardai_leduc_leduc_30``): OpenSpiel forgets no game. ``encoder`` makes its tensors. ``max_utility`` is the
    most that a hand can bring or cost (0: what the game says, else what all its hands bring, up to :data:`WALKED` states),
    ``max_game_length`` the most moves (0: the room of a betting history, else :data:`LONGEST`).

    Raises:
        UsageError: what can be won is not known, or the name stands for another game already.
    """
    made, shown = make.as_game(game), make.as_encoder(encoder)
    if not 0 <= max_utility < math.inf or max_game_length < 0:
        raise UsageError(
            f"max_utility and max_game_length must be 0 or more. Got {max_utility!r} and {max_game_length!r}."
        )
    need_whole("max_game_length", max_game_length)
    spec = game if isinstance(game, str) else registry.spec_of(game)
    said = "" if encoder == "flat" else f" {encoder if isinstance(encoder, str) else registry.spec_of(encoder)}"
    said += f" max_utility {max_utility:g}" if max_utility else ""
    said += f" max_game_length {max_game_length}" if max_game_length else ""
    name = "cardai_" + re.sub(r"\W+", "_", spec + said).strip("_")
    asked = made, shown, max_utility, max_game_length
    given = game, encoder, max_utility, max_game_length
    if name not in _REGISTERED:
        bounds = (-max_utility, max_utility) if max_utility else _utilities(made, spec)
        _register(name, spec, made, shown.for_game(made), bounds, max_game_length or _longest(made), given)
        _REGISTERED[name] = asked
    if _REGISTERED[name] != asked:
        raise UsageError(
            f"{name} is another game or encoder in OpenSpiel already, which forgets none: begin a new process, or give "
            f"a spec or an encoder that is written otherwise."
        )
    return pyspiel.load_game(name)


def _utilities(game: Game, spec: str) -> tuple[float, float]:
    """Return the least and the most that a hand can bring: what the game says, or what all its hands bring.

    Raises:
        UsageError: the game does not say, and has too many states to look.
    """
    if game.max_utility:
        return -game.max_utility, game.max_utility
    least, most, looked = 0.0, 0.0, 0
    waiting = [game.new_initial_state()]
    while waiting:
        looked += 1
        if looked > WALKED:
            raise UsageError(
                f"OpenSpiel must know what a hand of {spec} can bring. The game does not say (Game.max_utility), and has more than "
                f"{WALKED:,} states: give max_utility=, the most that a hand can bring or cost a seat."
            )
        state = waiting.pop()
        if state.is_terminal():
            returns = state.returns()
            least, most = min(least, *returns), max(most, *returns)
            continue
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            waiting.append(after)
    return least, most


def _longest(game: Game) -> int:
    history = with_role(game.view_fields, "actions")
    return LONGEST if history is None else history.size + 52


def _described(
    name: str, spec: str, game: Game, layout: Layout, bounds: tuple[float, float], longest: int
) -> tuple[Any, Any]:
    """Return what OpenSpiel is told of a game: its type and its sizes."""
    chance = pyspiel.GameType.ChanceMode
    kind = pyspiel.GameType(
        short_name=name,
        long_name=f"cardai's {spec}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if game.num_chance_outcomes else chance.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if game.zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=layout.lossless,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    more = {"utility_sum": 0.0} if game.zero_sum else {}
    info = pyspiel.GameInfo(
        num_distinct_actions=game.num_distinct_actions,
        max_chance_outcomes=game.num_chance_outcomes,
        num_players=game.num_players,
        min_utility=bounds[0],
        max_utility=bounds[1],
        max_game_length=longest,
        **more,
    )

    return kind, info


def _register(
    name: str, spec: str, game: Game, layout: Layout, bounds: tuple[float, float], longest: int, given: tuple[Any, ...]
) -> None:
    kind, info = _described(name, spec, game, layout, bounds, longest)

    class Theirs(pyspiel.Game):  # type: ignore[misc]
        """One of our games: OpenSpiel makes its instances."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self, *_: Any) -> Any:
            return TheirState(self, game)

        def __reduce__(self) -> Any:
            return to_openspiel, given  # also in a process that has not registered it

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return Observer(game, layout, iig_obs_type is None or iig_obs_type.perfect_recall)

    Theirs.__name__ = name
    pyspiel.register_game(kind, Theirs)


class _Hand:
    """Our game and state inside their state, which OpenSpiel copies deeply and pickles: by the game's name and history."""

    def __init__(self, name: str, game: Game, state: State) -> None:
        self.name, self.game, self.state = name, game, state

    def __deepcopy__(self, memo: Any) -> _Hand:
        return _Hand(self.name, self.game, self.state.clone())

    def __reduce__(self) -> Any:
        return _again, (self.name, self.state.history)


def _again(name: str, history: list[int]) -> _Hand:
    game = _REGISTERED[name][0]
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return _Hand(name, game, state)


def _replayed(theirs: Any, history: list[int]) -> Any:
    state = theirs.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


class TheirState(pyspiel.State):  # type: ignore[misc]
    """A hand of ours as a state of theirs."""

    def __init__(self, theirs: Any, game: Game) -> None:
        super().__init__(theirs)
        self._hand = _Hand(theirs.get_type().short_name, game, game.new_initial_state())

    def __reduce__(self) -> Any:
        return _replayed, (self.get_game(), self.history())

    @property
    def ours(self) -> State:
        """Our state."""
        return self._hand.state

    def current_player(self) -> int:
        """Return the seat to act, -1 chance, -4 over: both have the same numbers."""
        return self.ours.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.ours.legal_actions() if player == self.ours.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (outcome, probability) pairs, each outcome once."""
        shares: dict[int, float] = {}
        for outcome, probability in self.ours.chance_outcomes():
            shares[outcome] = shares.get(outcome, 0.0) + probability
        return list(shares.items())

    def _apply_action(self, action: int) -> None:
        self.ours.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self._hand.game
        return game.chance_to_string(action) if player == CHANCE else game.action_to_string(action)

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.ours.is_terminal()

    def returns(self) -> list[float]:
        """Return each seat's result in the game's unit."""
        return [float(x) for x in self.ours.returns()]

    def __str__(self) -> str:
        return " ".join(map(str, self.ours.history))


class Observer:
    """What a player knows, for OpenSpiel: the key as text or the view as text, and the view as an encoder has it."""

    def __init__(self, game: Game, layout: Layout, perfect_recall: bool) -> None:
        self._game, self._layout, self._perfect_recall = game, layout, perfect_recall
        self._sight: RowSight | None = None
        if isinstance(game, RowGame) and isinstance(layout, NumberLayout):
            self._sight = RowSight(game, layout)
        self.tensor = np.zeros(int(np.prod(layout.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(layout.shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Put what ``player`` knows in ``tensor``."""
        ours = cast(TheirState, state).ours
        if self._sight is not None and isinstance(ours, RowState):
            self.tensor[:] = self._sight.at(ours, player).ravel()
            return
        views = pack_views(self._game.view_fields, [ours.view(player)])
        self.tensor[:] = self._layout.encode(views)[0].ravel()

    def string_from(self, state: Any, player: int) -> str:
        """Return what ``player`` knows: its information state, or what it sees now."""
        ours = cast(TheirState, state).ours
        if self._perfect_recall:
            return ours.key(player).decode("latin-1")
        return view_text(self._game, ours.view(player))
