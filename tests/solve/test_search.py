"""Search in hidden worlds: what it finds where the answer is known, for two players and more, and what it refuses."""

from __future__ import annotations

import itertools
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.core.agent import legal_of
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Field, pack_views
from cardai.core.game import CHANCE, TERMINAL, Game, Setup, State
from cardai.core.rng import Rows
from cardai.core.states import StateGame
from cardai.solve.measures import measure
from cardai.solve.search_tree import Node, offered
from cardai.testing import checks_for
from cardai.ui.match import Match
from tests.solve.small_games import ListState

AGENTS = ("pimc:simulations=120", "ismcts:simulations=120")


def asked(game: Game, spec: str, state: State) -> tuple[Any, Any]:
    """Return what the player would do at ``state``, and what it expects: (A,) probabilities and values."""
    agent = cardai.agent(spec).for_game(game)
    views = pack_views(game.view_fields, [state.view(state.current_player())])
    legal = np.zeros((1, game.num_distinct_actions), bool)
    legal[0, state.legal_actions()] = True
    return agent.policy(views, legal)[0], agent.action_values(views, legal)[0]


def after(game: Game, *actions: int) -> State:
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.parametrize("spec", AGENTS)
def test_what_is_sure_is_known_exactly(spec: str) -> None:
    """Kuhn: to a bet a king wins 2 and a jack loses 2 by calling; folding loses 1."""
    game = cardai.game("kuhn")
    for card, best, called in ((2, 1, 2.0), (0, 0, -2.0)):
        policy, values = asked(game, spec, after(game, 1, card, 1))
        assert policy.tolist() == [float(best == 0), float(best == 1)]
        assert values.tolist() == [-1.0, called]


def test_a_tree_learns_from_the_first_hands_before_many_go_on_at_once() -> None:
    """Kuhn: a king that faces a bet wins 2 by calling and loses 1 by folding, whatever the other holds."""
    game = cardai.game("kuhn")
    views = pack_views(game.view_fields, [after(game, 1, 2, 1).view(1)])
    agent: Any = cardai.agent("ismcts:simulations=32").for_game(game)
    assert agent.found(views, np.array([[True, True]])).visits[1] > 24


@pytest.mark.parametrize("spec", AGENTS)
def test_with_three_seats_each_plays_for_itself(spec: str) -> None:
    """Kuhn for three: the third seat holds the best card and faces a bet and a fold, or a bet and a call."""
    game = cardai.game("kuhn:players=3")
    for second in (0, 1):
        policy, values = asked(game, spec, after(game, 1, 0, 3, 1, second))
        assert policy.tolist() == [0, 1]
        assert values.tolist() == [-1, 3 + second]


class GuessState(ListState):
    """A coin falls unseen; seat 0 takes a quarter, or goes on and guesses how it fell for one."""

    def current_player(self) -> int:
        return CHANCE if not self.played else TERMINAL if self.played[1:2] == [0] or len(self.played) == 3 else 0

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "history": self.played[1:]}

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0]
        return [0.25 if len(self.played) == 2 else 1.0 if self.played[2] == self.played[0] else -1.0]


@frozen
class Guess(StateGame):
    """Guessing is worth nothing to who cannot see the coin."""

    num_players, num_distinct_actions, num_chance_outcomes = 1, 2, 2
    view_fields = (
        Field("player", "seat", "who looks", maximum=0, role="player"),
        Field("history", "public_history", "moves so far", maximum=1, size=2, role="actions"),
    )

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return GuessState(self)

    def action_to_string(self, action: int) -> str:
        return str(action)


def test_open_cards_fuse_strategies_and_one_tree_over_information_sets_does_not() -> None:
    """Frank and Basin ("Search in games with incomplete information", 1998): to who sees the coin in every world, guessing
    is worth 1 and the sure quarter nothing. Exactly: pimc gives the quarter away, ismcts does not."""
    game = Guess()
    policy, values = asked(game, "pimc:simulations=2000,worlds=8", after(game, 0))
    assert policy.tolist() == [0, 1]
    assert values[1] > 0.5
    policy, values = asked(game, "ismcts:simulations=300", after(game, 0))
    assert policy.tolist() == [1, 0]
    assert values[1] < 0.25
    losses = [
        measure(game, cardai.agent(name)).exploitability for name in ("pimc:simulations=2000", "ismcts", "random")
    ]
    assert losses == pytest.approx([0.25, 0.0, 0.125])  # a guess brings 0 on average, whoever makes it


def test_it_wins_from_random_play() -> None:
    for spec in AGENTS:
        result = cardai.play("liars_dice:faces=3", [spec, "random"], games=60, seed=1)
        gain = result.mean_return(0)
        assert gain.mean - gain.half_width > 0, spec


def test_hands_are_played_out_by_the_agent_that_is_named() -> None:
    """Who always calls never folds a bluff: what a bet is worth then is the same whoever holds what."""
    game = cardai.game("leduc")
    state = after(game, 5, 0)
    _, quiet = asked(game, "ismcts:simulations=64,rollout=always_call", state)
    _, wild = asked(game, "ismcts:simulations=64,rollout=always_raise", state)
    assert quiet[1:].tolist() != wild[1:].tolist()


@pytest.mark.parametrize(
    "game", ["leduc:players=3", "kuhn", "liars_dice:faces=3", 'openspiel:name="leduc_poker(players=3)"']
)
def test_what_is_played_at_random_without_looking_is_what_random_plays(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hands of States are played out without views where the rollout's agent says that it is uniform."""
    pytest.importorskip("pyspiel")
    found = []
    for uniform in (True, False):
        monkeypatch.setattr(type(cardai.agent("random")), "uniform", uniform)
        for spec in AGENTS:
            made = cardai.game(game)
            found.append(
                cardai.play(made, [spec, *["random"] * (made.num_players - 1)], games=6, seed=4).hands["returns"]
            )
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[1], found[3])


def test_a_search_takes_as_long_as_it_is_told() -> None:
    import time

    game = cardai.game("leduc")
    state = after(game, 5, 0)
    views, legal = pack_views(game.view_fields, [state.view(0)]), np.array([[False, True, True]])
    for spec, played in product(("pimc", "ismcts"), (1, 7, 50)):
        agent: Any = cardai.agent(f"{spec}:simulations={played}").for_game(game)
        assert agent.found(views, legal).visits.sum() == played, spec
    asked(game, "ismcts:simulations=1", state)  # compiles
    start = time.monotonic()
    policy, values = asked(game, "ismcts:seconds=0.3", state)
    assert 0.3 <= time.monotonic() - start < 30
    assert policy.sum() == 1
    assert np.isfinite(values[1:]).all()


@pytest.mark.parametrize("name", ["ismcts", "pimc"])
def test_a_person_does_not_wait_for_all_simulations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who plays at a person's table, or gives a hint there, stops at its patience; elsewhere time decides nothing."""
    monkeypatch.setattr(
        "cardai.solve.search.time.monotonic", itertools.count().__next__
    )  # a second each time it is asked
    game = cardai.game("leduc")
    views, legal = pack_views(game.view_fields, [after(game, 5, 0).view(0)]), np.array([[False, True, True]])

    def played(patience: int, person: bool) -> int:
        agent: Any = cardai.agent(f"{name}:simulations=400,patience={patience}").for_game(game)
        if person:
            Match.begin(game, [agent], seed=1)
        return int(agent.found(views, legal).visits.sum())

    assert played(3, person=False) == played(0, person=True) == 400
    assert 0 < played(3, person=True) < 400


class OfferState(ListState):
    """Seat 0 takes nothing, or leaves it to seat 1 who of them wins one."""

    def current_player(self) -> int:
        return TERMINAL if self.played == [0] or len(self.played) == 2 else len(self.played)

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "history": list(self.played)}

    def returns(self) -> list[float]:
        return [0.0, 0.0] if len(self.played) < 2 else [1.0, -1.0] if self.played[1] else [-1.0, 1.0]


@frozen
class Offer(StateGame):
    num_players, num_distinct_actions, num_chance_outcomes = 2, 2, 0
    view_fields = (
        Field("player", "seat", "who looks", maximum=1, role="player"),
        Field("history", "public_history", "moves so far", maximum=1, size=2, role="actions"),
    )

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return OfferState(self)

    def action_to_string(self, action: int) -> str:
        return str(action)


@pytest.mark.parametrize(
    "spec", ["pimc:simulations=100", "ismcts:simulations=100", "ismcts:simulations=100,plays=visits"]
)
def test_the_others_play_for_themselves_in_the_tree_too(spec: str) -> None:
    policy, values = asked(Offer(), spec, Offer().new_initial_state())
    assert values[0] == 0
    assert values[1] < -0.2
    if "visits" not in spec:
        assert policy.tolist() == [1, 0]
        return
    agent: Any = cardai.agent(spec).for_game(Offer())
    views = pack_views(Offer().view_fields, [Offer().new_initial_state().view(0)])
    visits = agent.found(views, np.array([True, True])).visits
    assert policy.tolist() == (visits / 100).tolist()
    assert 0.5 < policy[0] < 1


def test_each_round_of_one_tree_has_worlds_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    game = cardai.game("leduc")
    agent: Any = cardai.agent("ismcts:simulations=40").for_game(game)
    determinize, seeds = type(game).determinize, []

    def noted(self: Any, view: Any, rng: Any, count: int, weights: Any = None) -> Any:
        seeds.append(rng)
        return determinize(self, view, rng, count, weights)

    monkeypatch.setattr(type(game), "determinize", noted)
    agent.found(pack_views(game.view_fields, [after(game, 5, 0).view(0)]), np.array([False, True, True]))
    assert len(seeds) == len(set(seeds)) > 5


@pytest.mark.parametrize(("name", "least"), [("ismcts", 4), ("pimc", 5)])
def test_where_no_more_hands_are_found_those_that_were_decide_and_without_any_it_says_so(
    name: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = cardai.game("leduc")
    views, legal = pack_views(game.view_fields, [after(game, 5, 0).view(0)]), np.array([[False, True, True]])
    agent, drawn = (cardai.agent(f"{name}:simulations=60").for_game(game) for _ in range(2))
    determinize, left = type(game).determinize, [1]

    def few(*asked: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise UsageError("No hand was found.")
        return determinize(*asked)

    monkeypatch.setattr(type(game), "determinize", few)
    found: Any = agent
    assert least <= found.found(views, legal).visits.sum() <= 60
    with pytest.raises(AgentError, match=r"No hand was found\. Take another player") as caught:
        drawn.policy(views, legal)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("name", ["ismcts", "pimc"])
def test_by_time_no_more_worlds_are_drawn_than_there_is_time_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A world takes a second here, as the positions of some of OpenSpiel's games do."""
    game, clock = cardai.game("leduc"), [0.0]
    views, legal = pack_views(game.view_fields, [after(game, 5, 0).view(0)]), np.array([[False, True, True]])
    agent: Any = cardai.agent(f"{name}:seconds=0.5").for_game(game)
    determinize = type(game).determinize

    def slow(self: Any, view: Any, rng: Any, count: int, weights: Any = None) -> Any:
        clock[0] += count
        return determinize(self, view, rng, count, weights)

    monkeypatch.setattr(type(game), "determinize", slow)
    monkeypatch.setattr("cardai.solve.search.time.monotonic", lambda: clock.__setitem__(0, clock[0] + 0.1) or clock[0])
    assert agent.found(views, legal).visits.sum() >= 1
    assert clock[0] < 3.5


@pytest.mark.parametrize(
    ("game", "spec", "says"),
    [
        ("video_poker", "pimc", "offers no determinize"),
        ("gin", "ismcts:rollout=champion", "cannot play hands out: it remembers"),
    ],
)
def test_what_it_cannot_search_is_refused(game: str, spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        cardai.agent(spec).for_game(cardai.game(game))


def test_a_node_tries_everything_once_and_then_what_promises_most() -> None:
    node = Node([4, 7, 9], [0] * 3, [0] * 3, [0.0] * 3)
    assert [node.choose(1.0, luck=4) for _ in range(3)] == [1, 2, 0]  # an order of its own
    node.finished[:] = [1, 1, 1]
    node.total[:] = [0.0, 5.0, 0.0]
    assert node.choose(0.5, luck=2) == 1
    assert node.choose(0.5, luck=0) == 1  # what is under way brings nothing yet, and its mean is still 5
    assert node.choose(50.0, luck=3) == 0, "with much curiosity, what was tried less"
    assert (node.visits, node.begun) == (6, [2, 3, 1])


def dealt(name: str, *cards: int) -> tuple[Game, State]:
    """Return hold'em for two after the hole cards: the big blind's, then those of the small blind, who acts."""
    game = cardai.game(name)
    return game, after(game, *cards)


@pytest.mark.parametrize("name", ["holdem_limit", "holdem"])
def test_opponents_whose_cards_were_never_drawn_before_do_not_all_fold(name: str) -> None:
    """Against one who calls, a seven and a deuce lose by a raise, and aces win; to who thinks that opponents take the first
    action of a new node, which is to fold, every raise wins the blinds."""
    for cards, raising in (((0, 18), False), ((12, 25), True)):
        game, state = dealt(name, 4, 9, *cards)
        agent = cardai.agent("ismcts:simulations=120,rollout=always_call").for_game(game)
        legal, _ = legal_of(state, game)
        _, call, raises = agent.action_values(pack_views(game.view_fields, [state.view(0)]), legal)[0]
        assert (raises > call) == raising, cards


@pytest.mark.parametrize("spec", AGENTS)
def test_where_any_amount_can_be_bet_raises_that_have_a_name_are_tried(spec: str) -> None:
    """Half the pot and the pot, beyond a call and the least that may be raised; all-in, of fifty pots, is not tried."""
    game, state = dealt("holdem", 4, 9, 12, 25)
    legal, _ = legal_of(state, game)
    views = pack_views(game.view_fields, [state.view(0)])
    agent: Any = cardai.agent(spec).for_game(game)
    assert agent.rollout.for_game(game).policy(views, legal).tolist() == [[0, 1, 0]]
    assert agent.found(views, legal).actions.tolist() == [0, 1, 200, 300]
    assert agent.policy(views, legal)[0].tolist() == [0, 0, 1]
    amounts, odds = agent.raise_odds(views, legal)
    assert set(amounts.tolist()) <= {200, 300}
    assert odds.sum() == pytest.approx(1)
    assert agent.act(views, legal, Rows(np.array([5], np.uint64)))[0] in amounts[odds[0] > 0]


def test_all_in_is_tried_where_it_is_no_more_than_four_times_the_next_raise() -> None:
    game = cardai.game("holdem:stack=1000")
    state = after(game, 4, 9, 12, 25)
    legal, _ = legal_of(state, game)
    view = pack_views(game.view_fields, [state.view(0)])[0]
    assert offered(game, legal, 0, view) == [0, 1, 200, 300, 1000]


@pytest.mark.parametrize("spec", ["ismcts:simulations=6", "pimc:simulations=6,worlds=2"])
@pytest.mark.parametrize("check", ["actions-are-legal", "raise-odds-hold"])
def test_it_is_an_agent_where_any_amount_can_be_bet(spec: str, check: str) -> None:
    (found,) = (case for case in checks_for("agent", spec, game="omaha") if case.check.name == check)
    found()


@pytest.mark.parametrize("game", ["omaha", "short_deck", "holdem_nolimit:players=3"])
def test_games_of_amounts_are_played_to_the_end(game: str) -> None:
    made = cardai.game(game)
    result = cardai.play(made, ["ismcts:simulations=12", *["random"] * (made.num_players - 1)], games=6, seed=3)
    assert result.hands["returns"].sum() == pytest.approx(0)
    again = cardai.play(made, ["ismcts:simulations=12", *["random"] * (made.num_players - 1)], games=6, seed=3)
    assert np.array_equal(result.hands["returns"], again.hands["returns"])


def test_by_visits_a_raise_is_drawn_as_often_as_its_amounts_were_tried() -> None:
    game, state = dealt("holdem", 4, 9, 12, 25)
    legal, _ = legal_of(state, game)
    views = pack_views(game.view_fields, [state.view(0)])
    agent: Any = cardai.agent("ismcts:simulations=60,plays=visits").for_game(game)
    found = agent.found(views, legal)
    shares = found.visits / found.visits.sum()
    assert agent.policy(views, legal)[0] == pytest.approx([shares[0], shares[1], shares[2:].sum()])
    amounts, odds = agent.raise_odds(views, legal)
    assert amounts.tolist() == [200, 300]
    assert odds[0] == pytest.approx(shares[2:] / shares[2:].sum())
