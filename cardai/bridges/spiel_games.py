"""OpenSpiel's games as games of cardai: any sequential one with explicit chance, and information-state or observation strings.

Who sees a chance outcome OpenSpiel does not say: a player does if its information state differs between two outcomes. A
game without information states gets them from its observations: all that a player has observed, in order, and its own
actions. Keys hold the player's own actions in any case.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyspiel
from attrs import evolve, frozen

from cardai.bridges.spiel_worlds import determinize, said
from cardai.core.errors import nearest
from cardai.core.fields import Field
from cardai.core.game import CHANCE, Setup, State, Tables
from cardai.core.rng import Source
from cardai.core.spec import option
from cardai.core.states import StateGame

MOST_ACTIONS = 5_000
MOST_NUMBERS = 10**9
"""Numbers in the tensors of the longest hand: chess has 23 million, 19x19 go one."""
_COMPARED = 64  # outcomes that are compared to find out who sees a chance event
_SCALE = 1000  # tensors with fractions are kept in thousandths
_SAMPLES = 20  # hands that are played to see what a game's tensors hold
_KEPT = 4096  # states that are kept for bots
_OPENED = re.compile(r"(\w*(?:file|path|root|dir)\w*)\s*=", re.IGNORECASE)  # parameters that name files


@cache
def loaded(name: str) -> Any:
    """Return an OpenSpiel game by its string. Raises ValueError, saying why, for one that cannot be a game here."""
    short = name.partition("(")[0]
    known = pyspiel.registered_names()
    if short not in known:
        raise ValueError(f"OpenSpiel has no game {short!r}.{nearest(short, known)}")
    wanted = next(kind for kind in pyspiel.registered_games() if kind.short_name == short)
    if name == short and not wanted.default_loadable:
        needs = ", ".join(wanted.parameter_specification)
        raise ValueError(f"OpenSpiel cannot load {short!r} without its parameters ({needs}): {short}(...=...).")
    try:
        game = pyspiel.load_game(name)
    except (
        pyspiel.SpielError,
        LookupError,
        RuntimeError,
        ValueError,
    ) as error:  # what a game's constructor lets through
        raise ValueError(f"OpenSpiel cannot load {name!r}: {(str(error) or repr(error)).splitlines()[0]}") from error
    kind = game.get_type()
    why = ""
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        why = "its players move at the same time (turn_based_simultaneous_game(game=...) makes them move in turn)"
    elif kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        why = "its chance is sampled inside, not explicit"
    elif not (kind.provides_information_state_string or kind.provides_observation_string):
        why = "it says in no string what a player knows"
    elif not (kind.provides_information_state_tensor or kind.provides_observation_tensor):
        why = "it has no tensor of what a player knows"
    elif not game.num_distinct_actions():
        why = "it has no actions"
    elif game.num_distinct_actions() > MOST_ACTIONS:
        why = f"it has {game.num_distinct_actions():,} actions, more than {MOST_ACTIONS:,}"
    elif (numbers := _numbers(game)) > MOST_NUMBERS:
        why = f"the tensors of one hand may have {numbers:,} numbers, more than {MOST_NUMBERS:,}"
    if why:
        raise ValueError(f"OpenSpiel's {short} cannot be played here: {why}.")
    return game


def _numbers(game: Any) -> int:
    """Return how many numbers the tensors of a game's longest hand have."""
    kind = game.get_type()
    known = kind.provides_information_state_tensor
    shape = game.information_state_tensor_shape() if known else game.observation_tensor_shape()
    return int(math.prod(shape) * game.max_game_length())


def _reads(name: str) -> str:
    """Return in words what an OpenSpiel string would open, "" for nothing: any parameter of a game in it may be a file."""
    found = _OPENED.search(name)
    return f"OpenSpiel's parameter {found[1]!r} of" if found else ""


def _playable(instance: Any, attribute: Any, value: str) -> None:
    loaded(value)


@frozen
class OpenSpiel(StateGame):
    """An OpenSpiel game by its string. Its views hold the player and OpenSpiel's tensor of what it knows."""

    name: str = option(
        "kuhn_poker", holds=_reads, help="OpenSpiel's string: liars_dice, leduc_poker(players=3)", validator=_playable
    )
    text: bool = option(
        False, help="views hold what the player knows as text too, for people (encoders: fields=tensor)"
    )

    unit: ClassVar[str] = "points"

    def for_people(self) -> OpenSpiel:
        """Return the same with OpenSpiel's text of what a player knows."""
        return evolve(self, text=True)

    @property
    def theirs(self) -> Any:
        """OpenSpiel's game."""
        return loaded(self.name)

    @property
    def shows_later(self) -> bool:  # type: ignore[override]
        """Whether it is one of the games in which moves turn up cards."""
        return self.theirs.get_type().short_name in _SHOWING

    @property
    def title(self) -> str:  # type: ignore[override]
        """What OpenSpiel calls it: "Liars Dice"."""
        return str(self.theirs.get_type().long_name)

    @property
    def rules(self) -> str:  # type: ignore[override]
        """What OpenSpiel says of it."""
        return f"OpenSpiel's {self.theirs.get_type().long_name} ({self.name}); its rules are in OpenSpiel's own pages."

    @property
    def zero_sum(self) -> bool:  # type: ignore[override]
        """Whether OpenSpiel says so."""
        return bool(self.theirs.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM)

    @property
    def max_utility(self) -> float:
        """What OpenSpiel says of gains and losses."""
        return max(float(self.theirs.max_utility()), -float(self.theirs.min_utility()))

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return int(self.theirs.num_players())

    @property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        return int(self.theirs.num_distinct_actions())

    @property
    def num_chance_outcomes(self) -> int:  # type: ignore[override]
        return int(self.theirs.max_chance_outcomes())

    @cached_property
    def shape(self) -> _Shape:
        """What the game's tensors and texts hold, as far as random hands show."""
        return _Shape(self.theirs)

    @property
    def recent(self) -> Recent:
        """States whose views were asked for in this process, for bots and for :meth:`determinize`."""
        return _recent(self.name)

    def expect_determinize(self) -> None:
        self.recent.watched = True

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands of a state that this process has shown as ``view`` since :meth:`expect_determinize` was called.

        What ``view``'s player has not noticed is drawn anew (:mod:`cardai.bridges.spiel_worlds`). No weights.
        """
        return determinize(self, view, rng, count, weights)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        """The player, the tensor, and with ``text`` the text as UTF-8, cut at twice the longest that random hands have."""
        shape = self.shape
        doc = f"OpenSpiel's {shape.tensor_name} tensor" + (f", times {shape.scale}" if shape.scale > 1 else "")
        fields = [Field("player", "seat", "whose view it is", self.num_players - 1, role="player")]
        if shape.binary:
            fields.append(Field("tensor", "flag", doc, 1, shape.size, role="own"))
        else:
            fields.append(Field("tensor", "chips", doc, shape.maximum, shape.size, role="own"))
        if self.text:
            fields.append(Field("text", "private_history", "what the player knows", 255, 2 * shape.longest, role="own"))
        return tuple(fields)

    def new_initial_state(self, setup: Setup | None = None) -> SpielState:
        return SpielState(self, self.theirs.new_initial_state())

    @cached_property
    def action_names(self) -> tuple[str, ...]:
        """Each action in OpenSpiel's words where random hands met it; equal words get the action's number behind them."""
        names = [self.shape.names.get(action, str(action)) for action in range(self.num_distinct_actions)]
        return tuple(f"{name} ({a})" if names.count(name) > 1 else name for a, name in enumerate(names))

    def action_to_string(self, action: int) -> str:
        return self.action_names[action]

    def draw(self, view: Mapping[str, Any]) -> str | None:
        if not self.text:
            return None
        return bytes(view["text"]).decode("utf-8", "replace")


_SHOWING = frozenset({"bridge", "hanabi"})
"""Games whose moves turn up cards: the first lead the dummy's, a card that is played or thrown away itself to who held it."""


class _Shape:
    """What a game's tensors and texts hold: found by playing random hands with a fixed seed."""

    def __init__(self, game: Any) -> None:
        kind = game.get_type()
        self.of_information = bool(kind.provides_information_state_tensor)
        self.tensor_name = "information state" if self.of_information else "observation"
        self.size = int(game.information_state_tensor_size() if self.of_information else game.observation_tensor_size())
        self.strings = bool(kind.provides_information_state_string)
        self.binary, whole, most, self.longest = True, True, 1.0, 16
        self.names: dict[int, str] = {}
        rng = np.random.default_rng(0)
        for _ in range(_SAMPLES):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                if not state.is_chance_node():
                    for action in legal:
                        self.names.setdefault(action, " ".join(state.action_to_string(action).split()) or str(action))
                state.apply_action(int(rng.choice(legal)))
                if state.is_chance_node():
                    continue
                for player in range(game.num_players()):
                    values = self.raw(state, player)
                    self.binary &= bool(((values == 0) | (values == 1)).all())
                    whole &= bool((values == np.rint(values)).all())
                    most = max(most, float(np.abs(values).max(initial=0)))
                    self.longest = max(self.longest, len(said(state, player, self.strings).encode()))
        self.scale = 1 if whole else _SCALE
        self.maximum = min(2 * self.scale * math.ceil(most), 2**31 - 1)

    def raw(self, state: Any, player: int) -> npt.NDArray[np.float64]:
        """Return OpenSpiel's tensor."""
        ask = state.information_state_tensor if self.of_information else state.observation_tensor
        return np.array(ask(player), np.float64)

    def tensor(self, state: Any, player: int) -> npt.NDArray[np.int64]:
        """Return the tensor as whole numbers within bounds."""
        values = np.rint(self.raw(state, player) * self.scale).astype(np.int64)
        return np.clip(values, 0, 1) if self.binary else np.clip(values, -self.maximum, self.maximum)


class SpielState(State):
    """An OpenSpiel state. ``_own`` and ``_observed`` are each player's actions and (a hash of) past observations."""

    drawn = False
    """Whether it is a world that somebody drew, and not a hand that is played."""

    def __init__(self, game: OpenSpiel, state: Any) -> None:
        self._game, self.spiel = game, state
        self._own: list[tuple[int, ...]] = [()] * game.num_players
        self._observed = [b""] * game.num_players

    def current_player(self) -> int:
        return int(self.spiel.current_player())

    def legal_actions(self) -> list[int]:
        return [] if self.spiel.is_terminal() else [int(a) for a in self.spiel.legal_actions()]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(int(outcome), float(p)) for outcome, p in self.spiel.chance_outcomes()]

    def chance_seen_by(self) -> tuple[int, ...]:
        outcomes = self.legal_actions()
        if len(outcomes) == 1:  # a child can be dear: bridge solves a deal when its last card is dealt
            return ()
        step = -(-len(outcomes) // _COMPARED)
        children = [self.spiel.child(outcome) for outcome in outcomes[::step]]
        strings = self._game.shape.strings
        return tuple(p for p in range(self._game.num_players) if len({said(c, p, strings) for c in children}) > 1)

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        self.play(action)

    def play(self, action: int) -> None:
        """Do the same as :meth:`apply_action` for an action that is known to be legal."""
        player = self.current_player()
        if player != CHANCE:
            self._own[player] = (*self._own[player], int(action))
        self.spiel.apply_action(int(action))
        if not self._game.shape.strings and not self.drawn:
            for seat, before in enumerate(self._observed):
                now = said(self.spiel, seat, False).encode()
                if not self.spiel.is_chance_node():  # a tensor can say more than the text, and views are tensors
                    now += self._game.shape.tensor(self.spiel, seat).tobytes()
                self._observed[seat] = hashlib.blake2b(before + now, digest_size=16).digest()

    def view(self, player: int) -> dict[str, Any]:
        game = self._game
        tensor = game.shape.tensor(self.spiel, player)
        game.recent.note(player, tensor, self.spiel, self.drawn)
        values = tensor.astype(bool) if game.shape.binary else tensor
        view: dict[str, Any] = {"player": player, "tensor": values.tolist()}
        if game.text:
            view["text"] = list(said(self.spiel, player, game.shape.strings).encode()[: 2 * game.shape.longest])
        return view

    def key(self, player: int) -> bytes:
        own = ",".join(map(str, self._own[player]))
        shape = self._game.shape
        if shape.strings:
            seen = said(self.spiel, player, True).encode()
        else:
            now = shape.tensor(self.spiel, player).tobytes()
            seen = self._seen()[player] + hashlib.blake2b(now, digest_size=16).digest()
        return f"{player}|{own}|".encode() + seen

    def _seen(self) -> list[bytes]:
        """Return each player's hash of past observations: in a drawn world, where hardly anybody asks for it, told again."""
        if not self.drawn:
            return self._observed
        again = self._game.new_initial_state()
        for action in self.history:
            again.play(action)
        return again._observed

    def returns(self) -> list[float]:
        return [float(x) for x in self.spiel.returns()] if self.spiel.is_terminal() else [0.0] * self._game.num_players

    def clone(self) -> State:
        other = SpielState(self._game, self.spiel.clone())
        other._own, other._observed = list(self._own), list(self._observed)
        other.drawn = self.drawn
        return other

    @property
    def history(self) -> list[int]:
        return [int(action) for action in self.spiel.history()]


class Recent:
    """OpenSpiel states by what a player saw in them: for who wants a state, not a view.

    A bot of OpenSpiel's gets some state in which the player sees what it sees here. Those that look at nothing but the
    player's observations, as the seated ones do, learn nothing that the view does not say; nor does who draws worlds.

    Hands that are played are kept apart from worlds that are drawn: a search of one table looks at thousands of those, and
    the other tables' hands must still be there when it is their turn.
    """

    def __init__(self) -> None:
        self.watched = False
        # of hands that are played, of drawn worlds: those that were kept last
        self._states: tuple[OrderedDict[bytes, Any], OrderedDict[bytes, Any]] = (OrderedDict(), OrderedDict())

    def note(self, player: int, tensor: npt.NDArray[Any], state: Any, drawn: bool = False) -> None:
        """Keep a copy of ``state``, ``drawn`` or played, as one that looks so to ``player``, if anybody wants it."""
        if self.watched:
            kept, key = self._states[drawn], self._key(player, tensor)
            kept[key] = state.clone()
            kept.move_to_end(key)
            if len(kept) > _KEPT:
                kept.popitem(last=False)

    def state(self, player: int, tensor: npt.NDArray[Any]) -> Any:
        """Return a state that looks so to ``player``. Raises KeyError where none was kept."""
        played, drawn = self._states
        key = self._key(player, tensor)
        return played[key] if key in played else drawn[key]

    def _key(self, player: int, tensor: npt.NDArray[Any]) -> bytes:
        return bytes([player]) + np.asarray(tensor, np.int64).tobytes()


@cache
def _recent(name: str) -> Recent:
    """Return what is kept of one OpenSpiel game: a player that travels to another process finds that process's."""
    return Recent()
