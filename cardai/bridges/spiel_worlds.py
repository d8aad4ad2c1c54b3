"""OpenSpiel states drawn to agree with what a player knows, for search.

Where OpenSpiel draws them itself (``resample_from_infostate``: hearts, oh hell, bridge, ...), it does. Other hands are told
again event by event: what the player did stays; what others did, and chance, may be whatever looks the same to the player.
Where somebody could then not have played what it was seen to play (a card that it does not hold), hidden outcomes are
exchanged until it could; where nothing is dealt, as in phantom games, the last moves that look alike are taken back until
all agrees. Each world so found is possible; they are not quite equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel
from attrs import define, frozen

from cardai.core.determinize import hand_seeds, need_count, need_view, seed_of
from cardai.core.errors import UsageError
from cardai.core.game import CHANCE
from cardai.core.rng import Source
from cardai.core.states import StateTables

if TYPE_CHECKING:
    from cardai.bridges.spiel_games import OpenSpiel, SpielState

_TRIES = 3_000
"""How often a hand is told for one world, at most."""
_STUCK = 60
"""Exchanges that lead no further before it is begun anew."""
_RESAMPLES = 20
"""How often OpenSpiel draws for each world, at most."""
_PLAIN, _SEARCHES, _MOVES = 20, 50, 2_000
"""Where nothing is dealt: tellings without taking back, searches after them, and moves of a search, at most."""


def determinize(game: OpenSpiel, view: Mapping[str, Any], rng: Source, count: int, weights: Any) -> StateTables:
    """Return ``count`` hands as :meth:`OpenSpiel.determinize` says.

    Raises:
        UsageError: weights, a view that this process has not shown, or one for which no hand was found.
    """
    need_count(count)
    need_view(game, view)
    if weights is not None:
        raise UsageError("OpenSpiel's games take no weights.")
    player = int(view["player"])
    try:
        state = game.recent.state(player, np.asarray(view["tensor"], np.int64))
    except KeyError:
        raise UsageError(
            f"OpenSpiel's {game.name} draws hands only for views that this process has shown since "
            "game.expect_determinize() was called."
        ) from None
    random = Random(seed_of(rng))
    drawn = _resampled(game, state, player, random, count) if _resamples(game.name, state, player) else None
    if drawn is None:
        told = _Told.of(game, state, player)
        drawn = [told.again(random) for _ in range(count)]
    tables = StateTables(game, count)
    seeds = hand_seeds(random.getrandbits(64), count)
    for row, spiel in enumerate(drawn):
        tables.take_state(row, *_with_past(game, spiel), int(seeds[row]))
    return tables


_KNOWN: dict[str, bool] = {}


def _resamples(name: str, state: Any, player: int) -> bool:
    """Whether OpenSpiel draws states of this game itself. Asked once a game: a refusal prints a line."""
    if name not in _KNOWN:
        try:
            state.resample_from_infostate(player, Random(0).random)
            _KNOWN[name] = True
        except (pyspiel.SpielError, RuntimeError, IndexError, ValueError):
            _KNOWN[name] = False
    return _KNOWN[name]


def _resampled(game: OpenSpiel, state: Any, player: int, random: Random, count: int) -> list[Any] | None:
    """Return states drawn by OpenSpiel, None where one does not look the same to the player."""
    wanted = said(state, player, game.shape.strings)
    drawn: list[Any] = []
    for _ in range(_RESAMPLES * count):
        if len(drawn) == count:
            break
        other = state.resample_from_infostate(player, random.random)
        if not _ends(other.clone(), random):
            continue
        told = _with_past(game, other)[0].spiel  # some games exchange cards and leave the history as it was
        if (
            told.current_player() != player
            or said(told, player, game.shape.strings) != wanted
            or str(told) != str(other)
        ):
            return None
        drawn.append(other)
    return drawn if len(drawn) == count else None


def _ends(state: Any, random: Random) -> bool:
    """Play on at random and return whether the hand comes to an end: hearts draws some in which a seat runs out of cards."""
    while not state.is_terminal():
        legal = state.legal_actions()
        if not legal:
            return False
        state.apply_action(random.choice(legal))
    return True


def _with_past(game: OpenSpiel, spiel: Any) -> tuple[SpielState, list[int]]:
    """Return a state of ours that went the way of OpenSpiel's, and the outcomes of chance on it."""
    out, rolled = game.new_initial_state(), []
    out.drawn = True
    for action in spiel.history():
        if out.current_player() == CHANCE:
            rolled.append(int(action))
        out.play(int(action))
    return out, rolled


def said(state: Any, player: int, information: bool) -> str:
    """Return what ``player`` knows (or, where a game has no information states, observes) in OpenSpiel's words."""
    return str(state.information_state_string(player) if information else state.observation_string(player))


@frozen
class _Event:
    """One event of the hand as it was: who acted, what, who saw it if chance did, and what the player read after it.

    ``public``: somebody else did it, and would have been seen to do anything else.
    """

    actor: int
    action: int
    seen_by: tuple[int, ...]
    read: str
    public: bool


@define(slots=False)
class _Told:
    """A hand as one player noticed it."""

    game: OpenSpiel
    player: int
    events: list[_Event]
    apart: bool
    """Whether chance never has an outcome twice in a hand, as when cards are dealt: it does not offer it again."""

    @classmethod
    def of(cls, game: OpenSpiel, state: Any, player: int) -> _Told:
        """Return the hand of ``state``, whose hidden parts are read for their kind alone."""
        told = game.new_initial_state()
        events: list[_Event] = []
        rolled: set[int] = set()
        apart = True
        for action in state.history():
            actor, strings = told.current_player(), game.shape.strings
            seen_by = told.chance_seen_by() if actor == CHANCE else ()
            if actor == CHANCE and len(seen_by) < game.num_players:  # what all see, as who passes to whom, is not dealt
                apart = apart and rolled.isdisjoint(told.legal_actions())
                rolled.add(int(action))
            others = []
            if actor not in (CHANCE, player):
                others = [said(told.spiel.child(a), player, strings) for a in told.legal_actions() if a != action]
            told.spiel.apply_action(action)
            read = said(told.spiel, player, strings)
            events.append(_Event(actor, int(action), seen_by, read, bool(others) and read not in others))
        return cls(game, player, events, apart and len(rolled) > 1)

    def again(self, random: Random) -> Any:
        """Return an OpenSpiel state that looks the same to the player, drawn at random. Raises UsageError: none found."""
        if not self.apart:
            return self._searched(random)
        outcomes: dict[int, int] = {}
        before, reached, since = outcomes, -1, _STUCK
        for _ in range(_TRIES):
            if since >= _STUCK:
                before = outcomes = self._outcomes(random)
                reached, since = -1, 0
            state, failed = self._played(outcomes, random)
            if failed < 0:
                return state
            since = since + 1 if failed <= reached else 0
            if failed >= reached:
                before, reached = outcomes, failed
            outcomes = self._exchanged(before, reached, random)
            since = since if len(outcomes) > 1 else _STUCK
        raise self._none()

    def _none(self) -> UsageError:
        return UsageError(f"No hand of OpenSpiel's {self.game.name} was found that agrees with what the player sees.")

    def _searched(self, random: Random) -> Any:
        """Return what :meth:`again` does where no outcomes can be exchanged: plainly if that succeeds, else depth first."""
        for _ in range(_PLAIN):
            state, failed = self._played({}, random)
            if failed < 0:
                return state
        for _ in range(_SEARCHES):
            found = self._search(random)
            if found is not None:
                return found
        raise self._none()

    def _search(self, random: Random) -> Any:
        """Return a state that agrees with all events, found depth first in random order; None: not in so many moves."""
        states = [self.game.theirs.new_initial_state()]
        untried = [self._shuffled(states[0], self.events[0], random)]
        for _ in range(_MOVES):
            while untried and not untried[-1]:
                untried.pop()
                states.pop()
            if not untried:
                return None
            number = len(untried)
            state = states[-1].child(untried[-1].pop())
            if said(state, self.player, self.game.shape.strings) != self.events[number - 1].read or state.is_terminal():
                continue
            if number == len(self.events):
                if state.current_player() == self.player:
                    return state
            elif state.current_player() == self.events[number].actor:
                states.append(state)
                untried.append(self._shuffled(state, self.events[number], random))
        return None

    def _shuffled(self, state: Any, event: _Event, random: Random) -> list[int]:
        """Return what may have been done in ``state``, the likeliest of chance's mostly last, which is tried first."""
        if event.actor == self.player or event.public or (event.actor == CHANCE and not self.hidden(event)):
            return [event.action] if event.action in state.legal_actions() else []
        odds = dict(state.chance_outcomes()) if event.actor == CHANCE else dict.fromkeys(state.legal_actions(), 1.0)
        drawn = {action: random.random() ** (1 / p) for action, p in odds.items() if p > 0}
        return sorted(drawn, key=drawn.__getitem__)

    def hidden(self, event: _Event) -> bool:
        """Whether chance did it and the player did not see what."""
        return event.actor == CHANCE and self.player not in event.seen_by

    def _outcomes(self, random: Random) -> dict[int, int]:
        """Return an outcome for each hidden event of chance, by its number, where outcomes are dealt apart.

        A seat is given first what it was seen to play, where that is a card.
        """
        if not self.apart:
            return {}
        left = self._unseen()
        random.shuffle(left)
        places = [i for i, e in enumerate(self.events) if self.hidden(e)]
        random.shuffle(places)
        found: dict[int, int] = {}
        for place in places:
            played = [k for k in left if any(k in self.played.get(seat, ()) for seat in self.events[place].seen_by)]
            if played:
                found[place] = played[0]
                left.remove(played[0])
        return found | dict(zip((i for i in places if i not in found), left, strict=False))

    def _unseen(self) -> list[int]:
        """Return the outcomes that the player has not seen dealt."""
        dealt = [e for e in self.events if e.actor == CHANCE and len(e.seen_by) < self.game.num_players]
        taken = {e.action for e in dealt if not self.hidden(e)}
        return [k for k in range(self.game.num_chance_outcomes) if k not in taken]

    def _plays_cards(self) -> bool:
        """Whether others play what they were dealt: where a seat was dealt another card in place of one that it was seen to
        play, it could not have played it. (In poker a call says nothing of the card that happens to have its number.)"""
        dealt = {e.action: i for i, e in enumerate(self.events) if self.hidden(e)}
        places = (dealt.get(e.action, -1) if e.public else -1 for e in self.events)
        for number, place in enumerate(places):
            actor = self.events[number].actor
            if place < 0 or actor not in self.events[place].seen_by:
                continue
            others = [k for k, i in dealt.items() if self.events[i].seen_by and actor not in self.events[i].seen_by]
            card = next(iter(others + [k for k in self._unseen() if k not in dealt]), None)
            if card is None:
                return False
            swapped = {card: self.events[number].action, self.events[number].action: card}
            state, failed = self._played({i: swapped.get(k, k) for k, i in dealt.items()}, Random(0))
            stuck = self.events[failed]
            return 0 <= failed <= number and stuck.actor != CHANCE and stuck.action not in state.legal_actions()
        return False

    @cached_property
    def played(self) -> dict[int, set[int]]:
        """What cards each other seat was seen to play."""
        out: dict[int, set[int]] = {}
        if not self._plays_cards():
            return out
        for event in self.events:
            if event.public:
                out.setdefault(event.actor, set()).add(event.action)
        return out

    def _played(self, outcomes: dict[int, int], random: Random) -> tuple[Any, int]:
        """Play the hand again and return its state, and the number of the event that could not be (-1: all could)."""
        state = self.game.theirs.new_initial_state()
        for number, event in enumerate(self.events):
            if state.is_terminal() or state.current_player() != event.actor:
                return state, number
            if event.actor == self.player or event.public or (event.actor == CHANCE and not self.hidden(event)):
                choices = [event.action]
            elif number in outcomes:
                choices = [outcomes[number]]
            elif event.actor == CHANCE:
                pairs = state.chance_outcomes()
                choices = [random.choices([k for k, _ in pairs], [p for _, p in pairs])[0]]
            else:
                choices = self._alike(state, event)
            legal = [action for action in choices if action in state.legal_actions()]
            if not legal:
                return state, number
            state.apply_action(random.choice(legal))
            if said(state, self.player, self.game.shape.strings) != event.read:
                return state, number
        return state, -1 if state.current_player() == self.player else len(self.events) - 1

    def _alike(self, state: Any, event: _Event) -> list[int]:
        """Return what another seat may have done here so that the player reads what it read."""
        strings = self.game.shape.strings
        return [a for a in state.legal_actions() if said(state.child(a), self.player, strings) == event.read]

    def _exchanged(self, outcomes: dict[int, int], failed: int, random: Random) -> dict[int, int]:
        """Return ``outcomes`` with one of the seat's that could not do the event ``failed`` exchanged for another one."""
        actor = self.events[failed].actor
        free = [i for i in outcomes if not any(outcomes[i] in self.played.get(s, ()) for s in self.events[i].seen_by)]
        own = [i for i in free if actor in self.events[i].seen_by]
        others = [i for i in free if actor not in self.events[i].seen_by]
        if not own or not others:
            return {}
        one, other = random.choice(own), random.choice(others)
        return {**outcomes, one: outcomes[other], other: outcomes[one]}
