"""Each check of the conformance kit catches a planted fault of its kind, and passes what is sound."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import evolve, frozen

import cardai
from cardai import testing
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.encoder import Encoder, Layout, Plane
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import Family, Field
from cardai.core.game import CHANCE, TERMINAL, Game, State
from cardai.core.spec import option
from cardai.core.states import StateGame, StateTables
from cardai.core.trainer import Trainer, Training
from cardai.plugins.games.kuhn import Kuhn, KuhnState

_count = itertools.count()


def failures(kind: str, plugin: Any, **settings: Any) -> dict[str, str]:
    """Return the failed checks of a plugin with their reasons."""
    cases = testing.checks_for(kind, plugin, **settings)
    return {r.check: r.reason for r in testing.run_checks(cases) if r.status == "failed"}


def reason(kind: str, plugin: Any, check: str, **settings: Any) -> str:
    """Return why one check fails, in lower case; nothing if it does not fail."""
    cases = [case for case in testing.checks_for(kind, plugin, **settings) if case.check.name == check]
    (result,) = testing.run_checks(cases)
    assert result.status in ("ok", "failed")
    return result.reason.lower()


# -- games: Kuhn poker with one thing wrong ------------------------------------------------------------------------------


class Base(KuhnState):
    """Kuhn's state whose clones keep the fault."""

    def clone(self) -> Any:
        other = type(self)()
        other.cards, other.bets = self.cards[:], self.bets[:]
        return other


def kuhn(state: type[State] = KuhnState, **changes: Any) -> Game:
    """Return Kuhn poker over another State, or with other attributes."""
    body = {"new_initial_state": lambda self, setup=None: state(), **changes}
    return frozen(type("Broken", (Kuhn,), body))()


class ViewLeaks(Base):
    def view(self, player: int) -> dict[str, Any]:
        seen = super().view(player)
        return {**seen, "card": self.cards[1 - player] if len(self.cards) == 2 and self.bets else seen["card"]}


class KeyLeaks(Base):
    def key(self, player: int) -> bytes:
        return super().key(player) + bytes([self.cards[1] == 2] if len(self.cards) == 2 else [])


class LegalOrderLeaks(Base):
    def legal_actions(self) -> list[int]:
        legal = super().legal_actions()
        return legal[::-1] if legal == [0, 1] and 2 in self.cards else legal


class LegalSetLeaks(Base):
    def legal_actions(self) -> list[int]:
        legal = super().legal_actions()
        return [0] if legal == [0, 1] and 2 in self.cards and len(self.bets) == 1 else legal


class ViewBehindTheKey(Base):
    def key(self, player: int) -> bytes:
        return f"{player} {self.cards[player] if player < len(self.cards) else -1} {len(self.bets)}".encode()


class KeyWithoutCard(Base):
    def key(self, player: int) -> bytes:
        return f"{player} {self.bets}".encode()


class SharedKeys(Base):
    def key(self, player: int) -> bytes:
        return repr([self.cards[player : player + 1], len(self.bets) // 2]).encode()


class WrongReturns(Base):
    def returns(self) -> list[float]:
        return [1.0, 0.0] if self.is_terminal() else [0.0, 0.0]


class InfiniteReturns(Base):
    def returns(self) -> list[float]:
        return [float("inf"), float("-inf")] if self.is_terminal() else [0.0, 0.0]


class EarlyReturns(Base):
    def returns(self) -> list[float]:
        return super().returns() if self.is_terminal() else [-1.0, -1.0]


class SharedClone(Base):
    def clone(self) -> SharedClone:
        other = SharedClone()
        other.cards, other.bets = self.cards[:], self.bets
        return other


class SharedView(Base):
    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "history": self.bets}


class TooHigh(Base):
    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "card": 3}


class NotInDtype(Base):
    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "card": 300}


class OthersEyes(Base):
    """Each player believes the view to be the other's."""

    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "player": 1 - player}


class OwnWords(Base):
    """Player 1 sees the first action late."""

    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "history": self.bets[player:]}


class FieldMissing(Base):
    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "history": self.bets[:]}


class AcceptsAnything(Base):
    def check_legal(self, action: int) -> None:
        pass


class ProbabilitiesOff(Base):
    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(card, 0.4) for card in self.legal_actions()]


class HistoryWithoutCards(Base):
    @property
    def history(self) -> list[int]:
        return self.bets


class OwnRandomness(Base):
    def __init__(self) -> None:
        super().__init__()
        self.number = next(_count) % 2

    def key(self, player: int) -> bytes:
        return super().key(player) + bytes([self.number])


class Endless(Base):
    def current_player(self) -> int:
        return max(0, super().current_player())

    def legal_actions(self) -> list[int]:
        return [0, 1]


class SeenByNobody(Base):
    def chance_seen_by(self) -> tuple[int, ...]:
        return ()


class Forgetful(Base):
    """Player 0 acts a second time without knowing what they did first (everybody checks first here)."""

    def key(self, player: int) -> bytes:
        shown = self.bets[1:] if player == 0 else self.bets
        return f"{player} {self.cards[player : player + 1]} {shown} {len(self.bets)}".encode()

    def current_player(self) -> int:
        if len(self.cards) < 2:
            return CHANCE
        return TERMINAL if len(self.bets) == 3 else len(self.bets) % 2

    def returns(self) -> list[float]:
        return [0.0, 0.0]


@pytest.mark.parametrize(
    ("state", "check", "said"),
    [
        (ViewLeaks, "nothing-leaks", "LEAK: player 0's view"),
        (KeyLeaks, "nothing-leaks", "LEAK: player 0's key"),
        (KeyLeaks, "keys-hide-what-was-not-seen", "player 0's key leaks"),
        (LegalOrderLeaks, "nothing-leaks", "legal actions (or their order)"),
        (LegalOrderLeaks, "legal-actions-are-sorted", "must ascend"),
        (LegalSetLeaks, "nothing-leaks", "legal actions"),
        (SeenByNobody, "nothing-leaks", "view and key"),
        (ViewBehindTheKey, "equal-keys-mean-equal-knowledge", "One key but two views"),
        (KeyWithoutCard, "keys-hold-what-was-seen", "an outcome that player 0 sees"),
        (SharedKeys, "keys-differ-by-player", "share the key"),
        (Forgetful, "nothing-is-forgotten", "forgets own actions"),
        (Forgetful, "keys-hold-what-was-seen", "what player 0 did"),
        (WrongReturns, "returns-are-sound", "zero-sum"),
        (InfiniteReturns, "returns-are-sound", "finite"),
        (EarlyReturns, "returns-are-sound", "before the hand is over"),
        (SharedClone, "clone-is-independent", "changes its original"),
        (SharedView, "views-are-copies", "shares a list"),
        (TooHigh, "views-fit-their-fields", "above its maximum"),
        (NotInDtype, "views-fit-their-fields", "cannot hold 300"),
        (OthersEyes, "roles-hold", "'player' says [1, 0], not whose view it is"),
        (OwnWords, "roles-hold", "player 0 sees [0] and player 1 []"),
        (FieldMissing, "views-fit-their-fields", "['history', 'player'] stand"),
        (AcceptsAnything, "illegal-actions-are-refused", "was not refused"),
        (ProbabilitiesOff, "chance-probabilities-sum-to-one", "sum to 1.2"),
        (HistoryWithoutCards, "history-replays", "not the actions"),
        (OwnRandomness, "history-replays", "differ"),
        (Endless, "hand-ends", "was not over after"),
    ],
)
def test_a_fault_in_a_state_is_caught(state: type[State], check: str, said: str) -> None:
    assert said.lower() in reason("game", kuhn(state), check)


def _fields(**changes: Any) -> tuple[Field, ...]:
    """Return Kuhn's view fields with the card's changed."""
    return tuple(evolve(f, **changes) if f.name == "card" else f for f in Kuhn().view_fields)


def _history(**changes: Any) -> tuple[Field, ...]:
    """Return Kuhn's view fields with the history's changed."""
    return tuple(evolve(f, **changes) if f.name == "history" else f for f in Kuhn().view_fields)


def _kuhn_family(**changes: Any) -> Family:
    """Return a family of Kuhn's fields, the card's changed."""
    return Family("kuhn", "games of one card", _fields(**changes))


class OneStarter(StateTables):
    """Tables that show every player what player 0 may know."""

    def views(self, player: int, rows: Any) -> Any:
        return super().views(0, rows)


class Crowded(StateTables):
    """Tables whose views depend on how many rows are asked for."""

    def views(self, player: int, rows: Any) -> Any:
        views = super().views(player, rows)
        views["card"] = (views["card"] + (len(rows) == 1)) % 3
        return views


class ResetsAll(StateTables):
    def reset(self, seeds: Any, decks: Any = None, rows: Any = None, setups: Any = None) -> None:
        if rows is not None:
            super().reset(np.zeros(self.count, np.uint64) + seeds[0])
        super().reset(seeds, decks, rows, setups)


class HalfApplied(StateTables):
    def apply(self, rows: Any, actions: Any) -> None:
        for row, action in zip(rows, actions, strict=True):
            super().apply(np.array([row]), np.array([action]))


class WideCurrent(StateTables):
    def current_players(self) -> Any:
        return super().current_players().astype(np.int64)


class SharesCopies(StateTables):
    def copy_rows(self, source: Any, rows: Any) -> None:
        super().copy_rows(source, rows)
        for k, row in enumerate(rows):
            self._states[k] = source.state(int(row))


def _with_tables(tables: type[StateTables]) -> Game:
    return kuhn(tables=lambda self, count: tables(self, count))


@pytest.mark.parametrize(
    ("game", "check", "said"),
    [
        (_with_tables(OneStarter), "tables-agree-with-states", "Tables and States disagree: player 1's view"),
        (_with_tables(OneStarter), "tables-agree-in-a-match", "disagree in a match"),
        (_with_tables(Crowded), "tables-do-not-depend-on-size", "player 0's view"),
        (_with_tables(ResetsAll), "single-rows-reset", "changed others"),
        (_with_tables(HalfApplied), "tables-refuse-illegal-actions", "changed a row"),
        (_with_tables(SharesCopies), "copied-rows-go-on-alike", "changed the hand that it was copied from"),
        (_with_tables(WideCurrent), "table-arrays-are-typed", "int64"),
        (kuhn(rules=""), "description-is-complete", "no rules"),
        (kuhn(view_fields=_fields(doc=" ")), "description-is-complete", "has no doc"),
        (kuhn(view_fields=_fields(name="player")), "description-is-complete", "one name"),
        (kuhn(view_fields=_fields(role="public")), "roles-hold", "Everybody sees the field 'card'"),
        (kuhn(view_fields=_history(role="seat_of:said")), "roles-hold", "names the history 'said'"),
        (kuhn(view_fields=_history(role="by_seat")), "roles-hold", "3 entries, which are not equally many a seat"),
        (kuhn(view_fields=_history(maximum=2)), "roles-hold", "actions up to 2, the last one is 1"),
        (kuhn(view_fields=_history(scope="match")), "scopes-hold", "'history' is of the match, but it changes"),
        (kuhn(families=(_kuhn_family(name="rank"),)), "families-are-spoken", "has a field 'rank', the game has not"),
        (kuhn(families=(_kuhn_family(role="public"),)), "families-are-spoken", "of the role 'public'; it is 'own'"),
        (kuhn(families=(_kuhn_family(maximum=3),)), "families-are-spoken", "of the maximum 3; it is 2"),
        (kuhn(families=("kuhn",)), "families-are-spoken", "'kuhn', which is no Family"),
        (kuhn(action_to_string=lambda self, action: "play"), "actions-have-names", "one text"),
        (kuhn(draw=lambda self, view: 7), "display-works", "not a text"),
        (kuhn(action_words=lambda self, action, view: "play"), "display-works", "several the same"),
        (kuhn(match_over=lambda self, score, hands: False), "matches-are-sound", "not over after"),
        (kuhn(next_hands=lambda self, *a: np.zeros(4)), "matches-are-sound", "dtype float64"),
        (kuhn(next_hand=lambda self, *a: cardai.core.game.Setup(starter=2)), "matches-are-sound", "seat [2"),
        (kuhn(), "game-pickles", "pickle"),  # a class that cannot be imported
    ],
)
def test_a_fault_in_a_game_is_caught(game: Game, check: str, said: str) -> None:
    assert said.lower() in reason("game", game, check)


class Scored(Base):
    """A view that shows the score of the match."""

    def __init__(self, score: tuple[float, ...] = ()) -> None:
        super().__init__()
        self.score = score

    def view(self, player: int) -> dict[str, Any]:
        return {**super().view(player), "points": int(sum(self.score))}


@pytest.mark.parametrize(
    ("scope", "said"), [("hand", "of the hand, but with another score it is 3, not 0"), ("match", "")]
)
def test_what_depends_on_the_score_is_of_the_match(scope: Any, said: str) -> None:
    points = Field("points", "count", "points of both", 100, scope=scope)
    body = {
        "new_initial_state": lambda self, setup=None: Scored(setup.score if setup else ()),
        "view_fields": (*Kuhn().view_fields, points),
    }
    assert said in reason("game", frozen(type("ScoredKuhn", (Kuhn,), body))(), "scopes-hold")


def test_a_family_with_what_games_may_have_is_spoken_without_it() -> None:
    pattern = Field("rank", "count", "a rank")
    family = Family("kuhn", "games of one card", Kuhn().view_fields, (pattern,))
    assert reason("game", kuhn(families=(family,)), "families-are-spoken") == ""


def test_an_option_without_help_or_default_is_caught() -> None:
    @frozen
    class Optioned(Kuhn):
        ante: int = 1

    assert "no help" in reason("game", Optioned(), "options-are-described")


def test_a_preset_of_an_unknown_option_is_caught() -> None:
    game = kuhn(presets={"rich": {"ante": 5}})
    assert "no option 'ante'" in reason("game", game, "presets-can-be-built")


# -- a game too big for its whole tree: the leak check redraws -----------------------------------------------------------


class Draws(State):
    """Two players take cards from 40, seen by their owner alone, and say yes or no after each, nine cards each."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.events: list[int] = []

    @property
    def history(self) -> list[int]:
        return self.events

    def cards(self, player: int) -> list[int]:
        return self.events[0::2][player::2]

    def said(self) -> list[int]:
        return self.events[1::2]

    def current_player(self) -> int:
        if len(self.events) == 36:
            return TERMINAL
        return CHANCE if len(self.events) % 2 == 0 else len(self.events) // 2 % 2

    def chance_seen_by(self) -> tuple[int, ...]:
        return (len(self.events) // 2 % 2,)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = [c for c in range(40) if c not in self.events[0::2]]
        return [(card, 1 / len(left)) for card in left]

    def legal_actions(self) -> list[int]:
        if self.is_terminal():
            return []
        if self.is_chance_node():
            return [card for card, _ in self.chance_outcomes()]
        player = self.current_player()
        if self.fault == "told":  # what is said is the card itself
            return [self.cards(player)[-1]]
        if self.fault == "nearly told" and (card := self.cards(player)[-1]) > 1:  # all but two cards are
            return [card]
        if self.fault == "legal" and len(self.said()) > 8 and max(self.cards(1 - player)) > 37:
            return [1]
        return [0, 1]

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        self.events.append(action)

    def view(self, player: int) -> dict[str, Any]:
        others = self.cards(1 - player)
        peeked = others[2] if self.fault == "view" and len(others) > 2 else -1
        return {"player": player, "own": self.cards(player), "said": self.said(), "peeked": peeked}

    def key(self, player: int) -> bytes:
        leak = sum(self.cards(1 - player)) > 200 if self.fault == "key" else 0
        return f"{player} {self.cards(player)} {self.said()} {leak}".encode()

    def returns(self) -> list[float]:
        return [0.0, 0.0]

    def clone(self) -> State:
        other = Draws(self.fault)
        other.events = self.events[:]
        return other


@frozen
class DrawGame(StateGame):
    num_players, num_distinct_actions, num_chance_outcomes = 2, 40, 40
    rules = "Take cards and talk."
    view_fields = (
        Field("player", "seat", "whose view", maximum=1),
        Field("own", "cards", "own cards", maximum=39, size=9),
        Field("said", "public_history", "yes or no", maximum=39, size=18),
        Field("peeked", "card", "nothing, unless it leaks", maximum=39),
    )
    fault: str = option("", help="what is wrong: view, key, legal, told")

    def new_initial_state(self, setup: Any = None) -> State:
        return Draws(self.fault)

    def action_to_string(self, action: int) -> str:
        return f"say {action}"


def test_a_sound_big_game_passes_every_check() -> None:
    assert failures("game", DrawGame()) == {}


@pytest.mark.parametrize("fault", ["view", "key", "legal"])
def test_a_leak_in_a_big_game_is_caught(fault: str) -> None:
    assert f"leak: player 0's {fault}" in reason("game", DrawGame(fault), "nothing-leaks")


class ShowingGame(DrawGame):
    """The same, which says that moves can turn up cards."""

    shows_later = True


@pytest.mark.parametrize("fault", ["view", "key", "legal"])
def test_a_game_whose_moves_turn_up_cards_is_not_excused_for_what_is_known_as_it_is_dealt(fault: str) -> None:
    assert f"leak: player 0's {fault}" in reason("game", ShowingGame(fault), "nothing-leaks")


class DealtOut(Draws):
    """A deck of 18 that is dealt out; nobody is said to see its last card, the only one that there is."""

    def chance_seen_by(self) -> tuple[int, ...]:
        return super().chance_seen_by() if len(self.chance_outcomes()) > 1 else ()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = [card for card, _ in super().chance_outcomes() if card < 18]
        return [(card, 1 / len(left)) for card in left]

    def clone(self) -> State:
        other = DealtOut(self.fault)
        other.events = self.events[:]
        return other


def test_a_card_that_had_to_come_is_not_exchanged() -> None:
    """Else its owner would notice, though no outcome was said to be seen."""

    class Game(DrawGame):
        def new_initial_state(self, setup: Any = None) -> State:
            return DealtOut()

    next(case for case in testing.checks_for("game", Game()) if case.check.name == "nothing-leaks")()


def test_a_game_whose_replays_all_become_illegal_is_not_exercised() -> None:
    assert "not exercised: only 0" in reason("game", DrawGame("told"), "nothing-leaks")
    few = re.search("not exercised: only ([0-9]+) effective", reason("game", DrawGame("nearly told"), "nothing-leaks"))
    assert few is not None
    assert 0 < int(few[1]) < 100


def test_a_game_without_hidden_cards_needs_no_leak_check() -> None:
    @frozen
    class Open(Kuhn):
        view_fields = (
            *Kuhn().view_fields[:2],
            Field("other", "card", "the other's card", maximum=2),
            Kuhn().view_fields[2],
        )

        def new_initial_state(self, setup: Any = None) -> State:
            return OpenState()

    class OpenState(Base):
        def chance_seen_by(self) -> tuple[int, ...]:
            return (0, 1)

        def view(self, player: int) -> dict[str, Any]:
            return {**super().view(player), "other": [*self.cards, -1, -1][1 - player]}

    cases = testing.checks_for("game", Open())
    status = {r.check: r.status for r in testing.run_checks(cases)}
    assert status["nothing-leaks"] == "skipped"
    assert "failed" not in {s for name, s in status.items() if name != "game-pickles"}


# -- agents --------------------------------------------------------------------------------------------------------------


@frozen
class Sound(Agent):
    """Bets with a probability, evenly drawn."""

    bet: float = option(0.3, help="the probability to bet")

    def policy(self, views: Any, legal: Any) -> Any:
        weights = np.where(np.arange(legal.shape[1]) == 1, self.bet, 1 - self.bet) * legal
        return weights / weights.sum(axis=1, keepdims=True)


@frozen
class Illegal(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.full(len(views), 2)


@frozen
class WrongShape(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.zeros((len(views), 1), int)


@frozen
class Floats(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.zeros(len(views))


@frozen
class LooksAtNeighbours(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return (np.arange(len(views)) % 2).astype(int)


@frozen
class OwnDice(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.array([next(_count) // 7 % 2 for _ in views], int)


@frozen
class Writes(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        views["card"] = 0
        return np.zeros(len(views), int)


@frozen
class NotOne(Sound):
    def policy(self, views: Any, legal: Any) -> Any:
        return super().policy(views, legal) * 0.9


@frozen
class PolicyOfIllegal(Sound):
    def policy(self, views: Any, legal: Any) -> Any:
        return np.full(legal.shape, 1 / legal.shape[1])


@frozen
class WritesLegal(Sound):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        legal[:, 0] = False
        return np.ones(len(views), int)


@frozen
class PolicyOfTheBatch(Sound):
    def policy(self, views: Any, legal: Any) -> Any:
        return Sound(1 / (1 + len(views))).policy(views, legal)


@frozen
class AnswersInPieces(Sound):
    """From the thousandth hand on it says again what it said of the first ones: small batches show nothing."""

    def policy(self, views: Any, legal: Any) -> Any:
        raising = (views["hole"].sum(axis=1) % 3 == 0).astype(float)
        raising[1000:] = raising[: max(len(views) - 1000, 0)]
        weights = np.stack([np.zeros(len(views)), 1 + 0 * raising, raising], axis=1) * legal
        return weights / weights.sum(axis=1, keepdims=True)


@frozen
class ValuesOfIllegal(Sound):
    """Leduc: a value for every action, also where it is not legal."""

    def action_values(self, views: Any, legal: Any) -> Any:
        return np.zeros(legal.shape)


class Unpicklable(Agent):
    def __init__(self) -> None:
        self.rule = lambda views: np.zeros(len(views), int)

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return self.rule(views)


class Remembers(ScalarAgent):
    """A stateful agent that does not start afresh in a new match."""

    stateful = True
    hands: ClassVar[list[int]] = []

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Any) -> int:
        return len(self.hands) // 8 % 2

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.hands.append(1)


@pytest.mark.parametrize(
    ("agent", "check", "said"),
    [
        (Illegal(), "actions-are-legal", "illegal action: 2"),
        (WrongShape(), "actions-are-legal", "must return (48,)"),
        (Floats(), "actions-are-legal", "integers"),
        (LooksAtNeighbours(), "batch-independent", "place in the batch"),
        (OwnDice(), "deterministic-by-seed", "randomness of its own"),
        (Writes(), "views-are-left-alone", "wrote into"),
        (NotOne(), "policy-sums-to-one", "do not sum to 1"),
        (PolicyOfTheBatch(), "policy-sums-to-one", "depends on its batch"),
        (Unpicklable(), "bound-agent-pickles", "pickle"),
        (Remembers(), "plays-whole-hands", "start from nothing"),
    ],
)
def test_a_fault_in_an_agent_is_caught(agent: Agent, check: str, said: str) -> None:
    assert said.lower() in reason("agent", agent, check, game="kuhn")


def test_a_weight_on_what_is_illegal_is_caught_where_something_is() -> None:
    assert "illegal action has a probability" in reason("agent", PolicyOfIllegal(), "policy-sums-to-one", game="leduc")
    assert "wrote into" in reason("agent", WritesLegal(), "views-are-left-alone", game="kuhn")
    said = reason("agent", ValuesOfIllegal(), "values-are-of-legal-actions", game="leduc")
    assert "illegal action has a value" in said


@pytest.mark.parametrize(
    ("amounts", "odds", "said"),
    [
        ((0, 1), (0.5, 0.5), "raise_to chose [20000], which raise_odds does not name"),
        ((1, 20_000), (0.5, 0.4), "must sum to 1"),
        ((20_001, 20_002), (0.5, 0.5), "names an illegal amount"),
        ((20_000, 200), (1.0, 0.0), "must rise"),
    ],
)
def test_a_player_that_raises_otherwise_than_it_says_is_caught(amounts: Any, odds: Any, said: str) -> None:
    class Says(Sound):
        def raise_to(self, views: Any, legal: Any, rng: Any) -> Any:
            return legal.max_amount

        def raise_odds(self, views: Any, legal: Any) -> Any:
            low = int(legal.min_amount[0])
            named = np.array([low + amount if amount < 2 else amount for amount in amounts])
            return named, np.tile(odds, (len(views), 1))

    assert said in reason("agent", Says(), "raise-odds-hold", game="acpc_nolimit_2p")


def test_a_player_that_answers_whole_ranges_otherwise_than_single_hands_is_caught() -> None:
    said = reason("agent", AnswersInPieces(), "whole-ranges-agree", game="acpc_limit_2p")
    assert "of one public state is played otherwise alone" in said
    assert not reason("agent", Sound(), "whole-ranges-agree", game="acpc_limit_2p")
    assert set(failures("agent", AnswersInPieces(), game="acpc_limit_2p")) == {"whole-ranges-agree"}


def test_a_sound_agent_passes_every_check() -> None:
    assert failures("agent", Sound(), game="kuhn") == {}


# -- encoders ------------------------------------------------------------------------------------------------------------


@frozen
class OneHot(Encoder):
    """The card one-hot and the history in two planes a place."""

    fault: str = option("", help="what is wrong")

    def for_game(self, game: Game) -> Layout:
        if not any(f.name == "card" for f in game.view_fields):
            raise UsageError("It needs the field 'card'.")
        return OneHotLayout(self.fault)


class OneHotLayout(Layout):
    shape = (9,)
    lossless = True

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.low, self.high = (0.0, 0.5) if fault == "high" else (0.5, 1.0) if fault == "low" else (0.0, np.ones(9))
        self.low = np.zeros(8) if fault == "bounds" else self.low
        cut = "3:8" if fault == "planes" else "3:9"
        self.planes = (Plane("card", "0:3", "the own card"), Plane("history", cut, "pass or bet, three times"))

    def encode(self, views: Any) -> Any:
        code = np.zeros((len(views), 9), np.float64 if self.fault == "dtype" else np.float32)
        rows = np.arange(len(views))
        if self.fault != "lossy":
            code[rows, views["card"]] = 1
        for place in range(3):
            for action in range(2):
                code[:, 3 + 2 * place + action] = views["history"][:, place] == action
        if self.fault == "writes":  # what no code depends on
            views["player"] = 0
        if self.fault == "batch" and len(views):
            code -= code.mean(axis=0)
        return code[:, :8] if self.fault == "shape" else code

    def decode(self, code: Any) -> dict[str, Any]:
        said = [int(a) for place in range(3) for a in range(2) if code[3 + 2 * place + a]]
        return {"card": 0 if self.fault == "decode" else int(code[:3].argmax()), "history": said}


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("dtype", "codes-are-float32"),
        ("shape", "codes-are-float32"),
        ("planes", "planes-cover-the-code"),
        ("low", "codes-lie-within-their-bounds"),
        ("high", "codes-lie-within-their-bounds"),
        ("bounds", "codes-lie-within-their-bounds"),
        ("batch", "codes-do-not-depend-on-the-batch"),
        ("lossy", "lossless-claim-holds"),
        ("decode", "decoding-inverts-encoding"),
    ],
)
def test_a_fault_in_an_encoder_is_caught(fault: str, check: str) -> None:
    assert reason("encoder", OneHot(fault), check, game="kuhn")


def test_an_encoder_that_writes_into_views_is_caught() -> None:
    said = reason("encoder", OneHot("writes"), "codes-do-not-depend-on-the-batch", game="kuhn")
    assert "encoding changed the views" in said


def test_a_sound_encoder_passes_every_check() -> None:
    assert failures("encoder", OneHot(), game="kuhn") == {}


# -- trainers ------------------------------------------------------------------------------------------------------------


@frozen
class Counter(Trainer):
    """Learns nothing but to count; its player bets more often the longer it has trained."""

    fault: str = option("", help="what is wrong")

    def check_game(self, game: Game) -> None:
        if self.fault == "foreign" and game.num_players > 2:
            raise IndexError("there is no third seat")
        if self.fault == "wordy" and game.num_players > 2:
            raise UsageError("No.\nThis is not for it.")
        if self.fault != "late" and game.num_players > 2:
            raise UsageError(f"Counter counts for two players. {game} has {game.num_players}.")

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        seats = {0: "first", 1: "second"}
        return Counting(self.fault if seats[game.num_players - 1] else "", seed)

    def agent_options(self) -> Mapping[str, str]:
        return {"mood": " " if self.fault == "options" else "how it feels"}

    def trained_agent(self, *a: Any) -> Agent:
        return Sound(0.9) if self.fault == "player" else super().trained_agent(*a)


class Counting(Training):
    def __init__(self, fault: str, seed: int) -> None:
        self.fault, self.seed, self.step = fault, seed, 0

    def train(self, steps: int) -> Iterator[dict[str, float]]:
        for done in range(steps + (self.fault == "step")):
            self.step += 1
            noise = next(_count) if self.fault == "noise" else 0
            loss = float("nan") if self.fault == "nan" else 1 / (self.step + self.seed)
            noise += done if self.fault == "window" else 0  # begins anew with each call, as a sum that is not saved
            yield {"loss": loss + noise, "seconds": float(next(_count))}

    def save(self, directory: Path) -> None:
        name = "state.pkl" if self.fault == "pickle" else "state.json"
        (directory / name).write_text(json.dumps({"step": self.step, "seed": self.seed}))

    def load(self, directory: Path) -> None:
        try:
            state = json.loads((directory / "state.json").read_text())
        except (OSError, ValueError) as error:
            if self.fault == "damage":
                return
            raise DamagedFileError("state.json is damaged.") from error
        self.step, self.seed = state["step"] * (self.fault != "load"), state["seed"] + (self.fault == "drift")

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return Illegal() if self.fault == "agent" else Sound(1 - 1 / (2 + self.step))


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("step", "metrics-are-finite"),
        ("nan", "metrics-are-finite"),
        ("noise", "deterministic-by-seed"),
        ("load", "resuming-changes-nothing"),
        ("window", "resuming-changes-nothing"),
        ("pickle", "files-are-safe"),
        ("damage", "damage-is-reported"),
        ("agent", "trained-agent-plays"),
        ("options", "agent-options-are-described"),
        ("player", "saved-player-is-the-trained-one"),
        ("foreign", "says-which-games-it-takes"),
        ("wordy", "says-which-games-it-takes"),
        ("late", "says-which-games-it-takes"),
    ],
)
def test_a_fault_in_a_trainer_is_caught(fault: str, check: str) -> None:
    assert reason("trainer", Counter(fault), check, game="kuhn")


def test_a_training_that_goes_on_otherwise_after_loading_is_caught_though_its_player_is_the_same() -> None:
    said = reason("trainer", Counter("drift"), "resuming-changes-nothing", game="kuhn")
    assert "after loading the metrics go on otherwise" in said


def test_a_sound_trainer_passes_every_check() -> None:
    assert failures("trainer", Counter(), game="kuhn") == {}


@frozen
class Reads(ScalarAgent):
    """A player that reads a file."""

    notes: str = option("", help="a file", holds="text")
    kept: str = option("", help="another", holds="path")

    def for_game(self, game: Game) -> Agent:
        for name in (self.notes, self.kept):
            if name:
                Path(name).read_text()
        return self

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Any) -> int:
        return legal[0]


def test_an_option_that_opens_what_it_does_not_say_is_caught_and_one_that_says_so_is_not() -> None:
    said = reason("agent", Reads(), "paths-and-programs-are-declared", game="kuhn")
    assert "the option 'notes' given '/" in said
    assert "declare what it holds" in said

    @frozen
    class Says(Reads):
        notes: str = option("", help="a file", holds="path")

    assert reason("agent", Says(), "paths-and-programs-are-declared", game="kuhn") == ""


# -- the kit itself ------------------------------------------------------------------------------------------------------


def test_every_check_has_a_planted_fault() -> None:
    text = Path(__file__).read_text()
    for checks in testing.CHECKS.values():
        for check in checks:
            if check.name != "plugin-pickles":  # the same fault as bound-agent-pickles
                assert f'"{check.name}"' in text, f"no planted fault for {check.name}"


def test_an_exempt_check_is_not_run_and_says_why() -> None:
    cases = testing.checks_for("game", kuhn(WrongReturns), exempt={"returns-are-sound": "a house takes a cut"})
    (result,) = (r for r in testing.run_checks(cases) if r.check == "returns-are-sound")
    assert (result.status, result.reason) == ("exempt", "a house takes a cut")


def test_an_exemption_from_an_unknown_check_is_refused() -> None:
    with pytest.raises(UsageError, match="Did you mean 'returns-are-sound'"):
        testing.checks_for("game", "kuhn", exempt={"return-is-sound": "because"})


def test_without_a_game_an_encoder_is_checked_on_all_that_it_takes() -> None:
    assert {case.about for case in testing.checks_for("encoder", OneHot())} >= {"OneHot-kuhn"}


def test_a_check_that_does_not_apply_is_skipped_by_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from cardai import testing
        from cardai.core.agent import ScalarAgent

        class First(ScalarAgent):
            def choose(self, view, legal, rng):
                return legal[0]

        @testing.parametrize_checks("agent", First(), game="kuhn", exempt={"plugin-pickles": "it is local"})
        def test_first(check):
            check()
        """
    )
    result = pytester.runpytest_inprocess("-rs", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=len(testing.CHECKS["agent"]) - 5, skipped=5)
    result.stdout.fnmatch_lines(["*exempt: it is local*"])
