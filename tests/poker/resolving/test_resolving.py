"""Re-solving: the gadget, what is carried, trees rooted at real bets, and Leduc's exploitability."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from attrs import evolve, frozen

import cardai
from cardai.arena.table import Table
from cardai.cards.text import parse_cards
from cardai.core.arrays import Float32s
from cardai.core.errors import UsageError
from cardai.plugins.games.poker.leduc import Leduc
from cardai.poker.contract import Deck
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import HOLDEM, LeducHands, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import FOLLOW, TERMINATE, PublicTree, betting_tree, gadget, tree_after
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solution import prepare
from cardai.poker.ranges.solver import Solver
from cardai.poker.ranges.spot import Spot
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.resolving.games import LIMIT, resolved_game, resolving_player
from cardai.poker.resolving.player import ResolvingPlayer, public_of
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import Resolver, _run
from cardai.poker.values.network_leaves import LeavesInTurn
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.situations import HOLDEM_GAME, labels, situation, situation_game
from cardai.solve.measures import measure
from tests.poker.values.plain_networks import network

BETS = menus("1+allin", ["first", "second"])


def leduc() -> cardai.Game:
    return cardai.game("leduc_deepstack")


def leduc_player(game: cardai.Game, settings: SolverSettings) -> ResolvingPlayer:
    return resolving_player(game, resolved_game(game), settings, DepthLimit())


def whole_leduc() -> PublicTree:
    return betting_tree(leduc().betting, (1200, 1200), BETS, button=0)


def solver_of(tree: PublicTree, promised: np.ndarray | None = None) -> Solver:
    ranges = np.ones((2, 6))
    boards = deal_boards(LeducHands(), (), 2, ranges, isomorphic=False)
    return Solver(TreeLayout(tree, LeducHands(), boards), ranges, promised=promised)


def test_the_game_is_that_of_deepstacks_release() -> None:
    # DeepStack-Leduc: the uniform strategy loses 175.521 chips where a hand is dealt without regard to the others' cards,
    # which is 5/6 of a dealt hand's
    assert solver_of(whole_leduc()).measure().exploitability == pytest.approx(175.521 * 6 / 5, abs=0.001)


def test_hands_take_a_promise_that_is_better_than_playing_on_and_no_other() -> None:
    solver = solver_of(whole_leduc())
    solver.run(300)
    worth = solver.root_values(1)[0]
    promised = worth + np.where(np.arange(6) < 4, 60.0, -60.0)
    tree = gadget(whole_leduc(), 1)
    again = solver_of(tree, promised)
    again.run(300)
    _, choice = again.average((), tree.root)
    assert [action.kind for action in tree.root.actions] == [TERMINATE, FOLLOW]
    assert (choice[0, :4] > 0.95).all()
    assert (choice[1, 4:] > 0.95).all()


def test_who_is_forced_plays_on_behind_the_gadget_whatever_was_promised() -> None:
    whole = solver_of(whole_leduc())
    forced, promised = np.array([0.5, 0.0, 0.0, 0.25, 0.0, 0.0]), np.full(6, 1e5)
    tree = gadget(whole_leduc(), 1)
    layout = TreeLayout(tree, LeducHands(), whole.layout.boards, forced=forced)
    again = Solver(layout, whole.ranges, promised=promised)
    again.run(300)
    _, choice = again.average((), tree.root)
    assert np.abs(choice[1] - forced).max() < 0.01


@pytest.fixture(scope="module")
def exploitability() -> dict[str, float]:
    efforts = {
        "safe": SolverSettings(200),
        "unsafe": SolverSettings(200, gadget=False),
        "reused": SolverSettings(200, reuse=True),
        "believed": SolverSettings(200, believed=0.3),
    }
    game = leduc()
    players = {name: leduc_player(game, settings) for name, settings in efforts.items()}
    return {name: measure(game, player).exploitability for name, player in players.items()}


@pytest.mark.long
def test_resolved_to_the_end_it_is_as_hard_to_exploit_as_the_solution(exploitability: dict[str, float]) -> None:
    solver = solver_of(whole_leduc())
    solver.run(200)
    own = solver.measure().exploitability
    assert 0.1 < own < 1.0  # chips a dealt hand, of an ante of 100
    assert exploitability["safe"] < own + 0.5
    assert exploitability["reused"] < own + 0.5
    assert exploitability["believed"] < own + 0.5


@pytest.mark.long
def test_without_the_gadget_it_can_be_exploited(exploitability: dict[str, float]) -> None:
    assert exploitability["unsafe"] > 20 * exploitability["safe"]


def test_what_is_believed_of_the_opponent_is_what_he_did_and_falls_where_that_is_hardly_done() -> None:
    """Else who bets what the solution never does, or with hands that would not, is answered as if he held the others."""
    players = [leduc_player(leduc(), SolverSettings(200, believed=share)) for share in (0.3, 0.0)]
    believing, plain = (player.resolver for player in players)
    check, all_in, odd = (believing.decision(Public(0, ((action, 0, 0),), 0, ()), 1) for action in (1, 1200, 250))
    assert check.belief == 0.3
    assert 0 < all_in.belief < 0.2
    assert odd.belief == 0
    assert (odd.strategy == plain.decision(odd.public, 1).strategy).all()
    bet = Public(0, ((1, 0, 0), (1, 0, 1), (300, 1, 0)), 1, (2,))
    first, then = believing.decision(bet.before(2, (0, 1)), 1), believing.decision(bet, 1)
    held = first.ranges[0] * first.strategy[[action.amount for action in first.root.actions].index(300)]
    assert then.ranges[0] == pytest.approx(held / held.sum(), abs=1e-6)
    assert held.std() > 0


def test_a_decision_does_not_depend_on_what_was_asked_before() -> None:
    game = leduc()
    public = Public(0, ((1, 0, 0), (300, 0, 1), (1, 0, 0), (1, 1, 0)), 1, (2,))
    other = Public(0, ((300, 0, 0), (900, 0, 1)), 0, ())
    fresh, used = (leduc_player(game, SolverSettings(30)).resolver for _ in range(2))
    used.decision(other, 0)
    used.decision(public.before(1, (0, 1)), 1)
    assert (fresh.decision(public, 1).strategy == used.decision(public, 1).strategy).all()


def test_a_bet_that_is_in_no_menu_is_met_as_it_is() -> None:
    betting = cardai.game("acpc_nolimit_2p").betting
    history = (250, 1, 387)  # raise to 250, call, bet 137 into 500 on the flop
    tree = tree_after(betting, (20_000, 20_000), 0, history, menus("1+allin", "pftr"), until=1)
    assert (sum(tree.root.spent), max(tree.root.spent), tree.root.street, tree.root.actor) == (637, 387, 1, 0)
    raises = [action.amount for action in tree.root.actions if action.kind == 2]
    assert raises == [387 + (637 + 137), 20_000]  # a pot-sized raise is the pot after the call
    assert {node.street for forest in tree.streets for node in forest.nodes} == {1}
    with pytest.raises(UsageError, match=r"Nobody is to act after the actions \[0\]"):
        tree_after(betting, (20_000, 20_000), 0, (0,), menus("1+allin", "pftr"))


def river_resolver(settings: SolverSettings) -> tuple[Resolver, Public]:
    game = cardai.game("acpc_nolimit_2p")
    table = RangeGame(
        game.betting, (20_000, 20_000), HOLDEM, HOLDEM_GAME.board_cards, menus("1+allin", "pftr"), first=3
    )
    public = Public(1, ((1000, 0, 1), (1, 0, 0), *[(1, r, s) for r in (1, 2) for s in (0, 1)]), 3, BOARD)
    return Resolver(table, settings, LIMIT, kept=4), public


BOARD = tuple(parse_cards("KsTh7s4d2c"))


def test_the_river_is_that_of_the_spot() -> None:
    resolver, public = river_resolver(SolverSettings(40))
    decision = resolver.decision(public, 0)
    spot = prepare(Spot("KsTh7s4d2c", 2000, (19_000, 19_000), ("random", "random"), "1+allin"))
    spot.solver.run(40)
    numbers, strategy = spot.solver.average((), spot.solver.layout.tree.root)
    assert [a.amount for a in decision.root.actions] == [0, 3000, 20_000]
    assert (
        np.abs((decision.strategy[:, numbers] - strategy).mean(axis=1)).max() < 1e-3
    )  # the ranges are scaled otherwise


def test_a_hand_of_a_cash_game_is_solved_with_the_stacks_that_it_began_with() -> None:
    """It was solved with those of the match's first hand, and ended in a division by zero where more was in than those."""
    resolver, public = river_resolver(SolverSettings(3))
    found = resolver.decision(evolve(public, stacks=(4500, 20_000)), 0)
    other = Resolver(evolve(resolver.game, stacks=(4500, 20_000)), SolverSettings(3), LIMIT)
    assert [action.amount for action in found.root.actions] == [0, 3000, 4500]
    assert (found.strategy == other.decision(public, 0).strategy).all()
    assert resolver.decision(public, 0).root.actions[-1].amount == 20_000
    table, said = Table("holdem_nolimit:stack=1000,cash=3,hands=50", [None, None], seed=3), resolver.game
    said, stacks = evolve(said, stacks=(1000, 1000)), []
    while len(stacks) < 4:
        seat = table.to_act
        assert seat is not None
        stacks.append(public_of(table.view(seat), said).stacks)
        table.act(200 if table.legal().kinds[0, 2] else 1)
        while not table.hand_over:
            table.act(1)
        table.next_hand()
    assert stacks[0] is None
    assert all(one is not None and sum(one) == 2000 and one != (1000, 1000) for one in stacks[1:])


@pytest.mark.long
def test_leduc_of_five_ranks_is_resolved_as_it_is_declared() -> None:
    """Its hands were taken for the six of three ranks."""
    wider = {"deck": Deck("10 cards, two suits of 5 ranks", tuple(range(10))), "presets": {}}
    game = frozen(type("Wider", (Leduc,), wider))(max_raises=(1, 1))
    lost = measure(game, leduc_player(game, SolverSettings(200))).exploitability
    assert lost < 0.02  # chips, of antes of 1
    played = situation_game(frozen(type("Wider", (Leduc,), wider))(ante=100, stack=1200, bets=("pot", "allin")))
    drawn = situation(1, 0, "second", game=played)
    found = labels(drawn, 400)
    assert found.values.shape == (2, 10)
    assert np.abs(found.values[:, drawn.board[0]]).max() == 0
    assert found.exploitability < 0.5  # % of the pot
    both = [float(drawn.ranges[seat] @ found.values[seat]) for seat in range(2)]
    assert sum(both) == pytest.approx(0, abs=1e-5)  # what one wins, the other loses
    assert max(both) > 0.01


def test_what_was_solved_is_taken_for_the_bets_that_were_made_and_no_others() -> None:
    resolver, public = river_resolver(SolverSettings(20, reuse=True))
    first = resolver.decision(public, 0)
    for amount, reused in ((3000, True), (1137, False)):  # the pot of 2,000 is on the menu
        after = Public(1, (*public.actions, (1, 3, 0), (amount, 3, 1)), 3, BOARD)
        answer = resolver.decision(after, 0)
        assert (answer.solver is first.solver) is reused
        assert tuple(answer.root.spent) == (1000, amount)


def test_a_decision_that_has_no_time_is_that_of_one_iteration() -> None:
    resolver, public = river_resolver(SolverSettings(1000, seconds=1e-9))
    decision = resolver.decision(public, 0)
    assert decision.solver.iterations == 1
    free = ~np.isin(HOLDEM.cards, BOARD).any(axis=1)
    assert np.abs(decision.strategy[:, free].sum(axis=0) - 1).max() < 1e-6


@pytest.mark.parametrize(("leaves", "expected"), [(True, 0.1), (False, 0.001)])
def test_iterations_end_in_time_whatever_a_network_takes(
    leaves: bool, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is guessed of an iteration knows nothing of the network at its leaves, which takes a hundred times as long here."""
    clock = SimpleNamespace(now=0.0)
    solver = SimpleNamespace(iterations=0, layout=SimpleNamespace(leaves=leaves, seconds=0.001))

    def iterate(count: int) -> None:
        solver.iterations += count
        clock.now += expected * count

    solver.run = iterate
    monkeypatch.setattr("cardai.poker.resolving.resolver.monotonic", lambda: clock.now)
    _run(cast(Solver, solver), SolverSettings(96), 1, 2.05, 0.0)
    assert clock.now <= 2.05
    assert solver.iterations == (20 if leaves else 96)


def test_a_decision_of_a_hand_takes_half_of_the_time_that_is_left() -> None:
    resolver, public = river_resolver(SolverSettings(4, hand_seconds=7.0))
    earlier = public.before(4, HOLDEM_GAME.board_cards)
    decision = resolver.decision(public, 0)
    elsewhere = evolve(public, board=(*BOARD[:4], 40))
    resolver._known.clear()
    for state, seconds in ((earlier, 4.0), (elsewhere, 100.0)):
        resolver._known[0, state] = evolve(decision, public=state, seconds=seconds)
    assert resolver._seconds(public, 0) == (7 - 4) / 2
    assert resolver._seconds(public, 1) == 7 / 2  # the other seat's decisions took no time of this one's


@pytest.mark.parametrize(
    ("actions", "round_", "expected"),
    [
        (((1, 0, 0),), 0, [2.0]),  # a check: what was solved for who checked holds behind it
        (((300, 0, 0),), 0, [2.0]),  # a bet that was looked at
        (((299, 0, 0),), 0, [1.0, 1.0]),  # another: two solutions share the time
        (((1, 0, 0), (1, 0, 1)), 1, [1.0, 1.0]),  # the round before, then this one
        (((299, 0, 0), (1, 0, 1)), 1, [2 / 3, 2 / 3, 2 / 3]),
        (((1, 0, 0), (1, 0, 1), (399, 1, 0)), 1, [1.0, 1.0]),  # met as it is, tied to what was promised before
    ],
)
def test_an_answer_takes_its_seconds_with_all_that_is_solved_on_the_way(
    actions: tuple[tuple[int, int, int], ...], round_: int, expected: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, given, clock = SolverSettings(4, seconds=2.0, reuse=True), [], SimpleNamespace(now=0.0)

    def run(solver: Solver, settings: SolverSettings, round_: int, seconds: float, began: float) -> None:
        given.append(seconds)
        clock.now += seconds
        solver.run(1)

    monkeypatch.setattr("cardai.poker.resolving.resolver._run", run)
    monkeypatch.setattr("cardai.poker.resolving.resolver.monotonic", lambda: clock.now)
    leduc_player(leduc(), settings).resolver.decision(Public(0, actions, round_, (0,) * round_), 1)
    assert given == pytest.approx(expected)


def test_what_is_tied_to_no_promise_is_solved_once_for_both_seats() -> None:
    resolver, public = river_resolver(SolverSettings(3))
    assert resolver.decision(public, 0).solver is resolver.decision(public, 1).solver


def test_what_was_solved_is_let_go_of_after_a_hand_and_is_the_same_again() -> None:
    resolver, public = river_resolver(SolverSettings(3))
    player = ResolvingPlayer(cardai.game("acpc_nolimit_2p"), resolver)
    found = resolver.decision(public, 0)
    player.rest()
    again = resolver.decision(public, 0)
    assert again.solver is not found.solver
    assert (again.strategy == found.strategy).all()


def test_ranges_are_carried_in_the_games_seats() -> None:
    # Leduc: the starter bets the pot with kings more than with jacks, the other has shown nothing
    resolver = leduc_player(leduc(), SolverSettings(60)).resolver
    first = Public(0, (), 0, ())
    begun = resolver.decision(first, 0)
    carried = resolver._after(begun, 1, Public(0, ((300, 0, 0),), 0, ()), 0)
    bet = next(k for k, action in enumerate(begun.root.actions) if action.amount == 300)
    assert carried.ranges[0] == pytest.approx(begun.strategy[bet] / begun.strategy[bet].sum(), abs=1e-6)
    assert carried.ranges[1] == pytest.approx(1 / 6)
    assert abs(carried.ranges[0] - 1 / 6).max() > 0.01


@pytest.mark.parametrize("me", [0, 1])
def test_a_promise_is_a_mean_over_the_range_that_it_was_worth_against(me: int) -> None:
    """What the other's hands are promised is divided by the weight of one's own range that they met, not of theirs."""
    resolver = leduc_player(leduc(), SolverSettings(60)).resolver
    begun = resolver.decision(Public(0, (), 0, ()), me)
    begun.ranges[me] *= 3.0  # a range of another weight: the same hands, three times as much of them
    begun.ranges[1 - me] *= 5.0
    later = Public(0, ((300, 0, 0), (1, 0, 1)), 1, (2,))
    carried = resolver._after(begun, me, later, 0)
    place, ranges = begun.place, begun.ranges
    for chosen in (next(k for k, one in enumerate(begun.root.actions) if one.amount == 300), 1):
        ranges, place, _ = resolver._acted(begun, place, chosen, ranges, 0.0, me)
    worth = resolver._worth_dealt(begun, place, 1 - me, (2,))
    assert carried.promised == pytest.approx(worth / ranges[me, [0, 1, 3, 4, 5]].sum())
    assert np.abs(carried.promised).max() > 10


@pytest.mark.parametrize(("name", "round_"), [("holdem", 1), ("leduc_deepstack", 0)])
def test_a_network_is_told_who_acts_first_behind_its_leaves_whoever_has_the_button(name: str, round_: int) -> None:
    game = cardai.game(name)
    played = evolve(resolved_game(game), first=round_)
    small = name == "leduc_deepstack"
    limit = DepthLimit(1, FirstWins()) if small else DepthLimit(2, network(random=True), 1)  # type: ignore[arg-type]
    worth = []
    for button in range(2):
        starter = button if small else 1 - button
        actions = () if small else ((1, 0, button), (1, 0, 1 - button))
        board = () if small else (0, 14, 28)
        resolver = Resolver(played, SolverSettings(100 if small else 2), limit)
        found = resolver.decision(Public(button, actions, round_, board), starter)
        assert found.root.actor == starter
        assert isinstance(found.solver.leaves, LeavesInTurn)
        assert found.solver.leaves.starter == starter
        worth.append(found.solver.root_values(starter)[0])
    if small:
        assert worth[1] == pytest.approx(worth[0], rel=0.05, abs=2.0)
        assert worth[0].mean() > 10


class FirstWins:
    """A network by which who acts first wins a half of what each has put in."""

    def values(self, data: Prepared) -> Float32s:
        return np.broadcast_to(np.array([0.5, -0.5], np.float32)[:, None], data.ranges.shape).copy()
