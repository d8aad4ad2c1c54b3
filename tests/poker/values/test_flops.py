"""Flops: what a network of them is shown, what they are worth by a network of the turn, and what they are worth before the flop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cardai.cards.text import parse_cards
from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.poker.hand_classes import CLASSES, class_number, class_of
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.flops import Subset
from cardai.poker.ranges.leaves import CheckedDown, showdowns
from cardai.poker.resolving import preflop_solving
from cardai.poker.resolving.preflop import PreflopTable, ladder_tree, read_table, write_table
from cardai.poker.resolving.preflop_solving import FlopsBehind, TableRecipe, solve_depth, solve_table, worth
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.flop_labels import BehindFlop, flop_tree
from cardai.poker.values.flop_leaves import EACH, FlopLeaves, flop_inputs
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network_inputs import PUBLIC, context_inputs, hand_inputs
from cardai.poker.values.network_leaves import TurnLeaves
from cardai.poker.values.prepared import prepare
from cardai.poker.values.situations import HOLDEM_GAME, Situation, situation
from cardai.poker.values.splits import parts
from tests.poker.chance_nodes import chance_node
from tests.poker.values.plain_networks import network

FLOP = tuple(parse_cards("9h8h7h"))


@pytest.fixture(scope="module")
def inputs() -> FlopInputs:
    return FlopInputs(FLOP)


def drawn(flop: tuple[int, ...], pots: int = 1) -> Float64s:
    """Return (2, pots, 1326) ranges on a flop, which sum to 1; some hands are never held."""
    reach = np.random.default_rng(5).random((2, pots, COUNT)) ** 4
    reach[reach < 0.01] = 0.0
    reach[:, :, ~np.isin(np.arange(COUNT), legal_hands(flop))] = 0.0
    return np.asarray(reach / reach.sum(axis=2, keepdims=True))


def test_many_pots_are_shown_as_each_is_by_itself(inputs: FlopInputs) -> None:
    ranges, halves = drawn(FLOP, 9), np.linspace(100, 9000, 9).round()  # one more than are counted at a time
    context, hands, met = inputs.inputs(ranges, halves, np.full(9, 20_000.0))
    alone = prepare([Situation(0, 0, FLOP, int(half), ranges[:, k]) for k, half in enumerate(halves)])
    wanted, weights = hand_inputs(alone, None)
    back = np.argsort(inputs.order)  # those are in order of their numbers
    assert context == pytest.approx(context_inputs(alone), abs=4e-3)  # halves of 16 bits
    assert met[:, :, back] == pytest.approx(weights, abs=1e-3)
    assert hands[:, :, back][..., :12] == pytest.approx(wanted[..., :12], abs=5e-3)
    assert hands[:, :, back][..., 12:] == pytest.approx(wanted[..., 12:], abs=0.1)  # logarithms near 0
    nines_eights_sevens_of_one_suit = [0.0] * 5 + [1.0] * 3 + [0.0] * 5 + [1.5, 0.0, 0.0, 0.0, -1.0]
    assert (context[:, :, -PUBLIC:] == nines_eights_sevens_of_one_suit).all()


def test_flops_of_one_class_are_held_out_together() -> None:
    images = np.array([[13 * suit + card % 13 for card in FLOP] for suit in range(4)], np.int8)
    some = evolve(prepare([]), boards=np.tile(images, (10, 1)), numbers=np.arange(40))
    assert len(set(parts(some).tolist())) == 1


def test_a_flop_without_bets_is_worth_its_showdowns() -> None:
    one = Situation(0, 0, FLOP, 500, drawn(FLOP)[:, 0])
    assert [len(flop_tree(one, bets).streets[0].chance) for bets in ("none", "1+allin/allin")] == [1, 7]
    found = BehindFlop(network(random=False)).labels(one, 2, "none")
    for seat in range(2):
        wanted = one.ranges[1 - seat] @ showdowns(FLOP).T
        assert found.values[seat] == pytest.approx(wanted, abs=2e-3)
    assert found.exploitability == pytest.approx(0.0, abs=1e-3)


def test_who_acts_first_on_the_flop_acts_first_behind_it() -> None:
    one, asked, hands = Situation(0, 0, FLOP, 500, drawn(FLOP)[:, 0]), network(random=True), legal_hands(FLOP)
    assert flop_tree(one).root.actor == 0
    found = BehindFlop(asked).labels(one, 1, "none")
    behind = TurnLeaves(asked, FLOP, hands, HOLDEM_GAME)  # seat 0 acts first
    for seat in range(2):
        wanted = behind.evaluate(seat, one.ranges[:, None, hands], [chance_node((500, 500), 1)])[0] / 500
        assert found.values[seat, hands] == pytest.approx(wanted, abs=1e-4)


def test_who_looks_at_some_turns_finds_what_all_say() -> None:
    one = situation(3, 1, "flop", (3,))
    assert len(one.board) == 3
    behind = BehindFlop(network(random=False))
    whole, some = (behind.labels(one, 20, cards=cards) for cards in (0, 7))
    legal = legal_hands(one.board)
    assert np.abs(some.values - whole.values)[:, legal].mean() < 0.02
    assert np.abs(whole.values[:, legal]).mean() > 0.1
    assert some.exploitability < 1


def by_class(values: Float64s) -> Float64s:
    return np.bincount(class_of(), values, CLASSES) / np.bincount(class_of())


def test_a_class_wins_what_its_hands_win_on_all_images_of_a_flop(inputs: FlopInputs) -> None:
    flops = Subset(("9h8h7h",), (1.0,), 0.0, 0.0, 0.0)
    leaves = FlopLeaves(network(random=False), flops, [inputs], 10_000)
    reach = np.random.default_rng(2).random((2, 1, CLASSES))[:, :, class_of()]
    found = leaves._values(reach, [300], np.zeros(1, np.int64))
    wanted = np.zeros((2, COUNT))
    for suit in range(4):  # its images
        wins = showdowns([13 * suit + card % 13 for card in FLOP])
        wanted += [300 * (reach[1 - seat, 0] @ wins.T) / 4 for seat in range(2)]
    for seat in range(2):
        assert found[seat, 0, 0] == pytest.approx(by_class(wanted[seat])[class_of()], rel=2e-3, abs=2.0)


def test_flops_count_by_their_weights_and_who_has_the_button_acts_last_on_them(inputs: FlopInputs) -> None:
    both, shares, asked = (inputs, FlopInputs(parse_cards("AsAhAd"))), (0.3, 0.7), network(random=True)
    leaves = FlopLeaves(asked, Subset(("9h8h7h", "AsAhAd"), shares, 0.0, 0.0, 0.0), both, 10_000)
    reach = np.random.default_rng(2).random((2, 1, CLASSES))[:, :, class_of()]
    wanted = np.zeros((2, COUNT))
    for share, flop in zip(shares, both, strict=True):
        left = reach * np.isin(np.arange(COUNT), flop.order)
        ranges = (left / left.sum(axis=2, keepdims=True))[::-1]  # the big blind comes first
        shown = flop.inputs(ranges, np.array([300.0]), np.array([10_000.0]))
        found = asked.of_shown(*shown, ranges[:, :, flop.order].transpose(1, 0, 2).astype(np.float32))[0]
        for seat in range(2):
            hands = np.zeros(COUNT)
            hands[flop.order] = found[1 - seat] * 300 * left[1 - seat].sum()
            wanted[seat] += share / EACH * by_class(hands)[class_of()]
    for seat in range(2):
        assert leaves.evaluate(seat, reach, [chance_node((300, 300))])[0] == pytest.approx(wanted[seat], abs=1.0)
    assert np.abs(wanted).mean() > 100


def test_all_in_is_worth_exact_equities() -> None:
    leaves = FlopLeaves(network(random=False), Subset((), (), 0.0, 0.0, 0.0), [], 10_000)
    stakes = ladder_tree((-1.0,), 10).streets[0].chance
    reach = np.ones((2, len(stakes), COUNT))
    found = leaves.closed(0, reach, stakes)
    aces = np.flatnonzero(class_of() == class_number("AA"))
    share = found[:, aces] / (1225 * np.array([[min(node.spent)] for node in stakes]))
    assert share == pytest.approx(2 * 0.8520 - 1, abs=1e-4)  # aces against any hand
    sampled = CheckedDown((), np.arange(COUNT)).evaluate(0, reach.astype(np.float32), stakes)
    assert found / 1000 == pytest.approx(sampled / 1000, abs=40)  # 3,000 boards


def test_a_table_is_solved(inputs: FlopInputs) -> None:
    flops = Subset(("9h8h7h", "KsTd2c"), (0.3, 0.7), 0.0, 0.0, 0.0)
    behind = FlopsBehind(network(random=False), flops, [inputs, *flop_inputs(Subset(("KsTd2c",), (1.0,), 0, 0, 0))], 1)
    chances, found = solve_depth(behind, (1.0, -1.0), 5, 150)
    assert sum(found.values) == pytest.approx(0.0, abs=1.0)
    assert 0 <= found.exploitability < 3
    table = PreflopTable((1.0, -1.0), (5,), {5: chances})
    same = worth(behind, [table, table], 5)  # of all flops at the ranges that it brings there
    assert same.values == pytest.approx(found.values, abs=1.5)
    assert same.exploitability == pytest.approx(found.exploitability, abs=1.5)
    first = table.trees[5].root
    played = table.strategy(5, first)
    assert [action.kind for action in first.actions] == [0, 1, 2, 2]
    assert played[0, class_number("AA")] < 0.01
    assert played[0, class_number("72o")] > 0.5
    assert played.sum(axis=0) == pytest.approx(1.0)


def test_the_same_flops_make_the_same_table(inputs: FlopInputs) -> None:
    flops = Subset(("9h8h7h",), (1.0,), 0.0, 0.0, 0.0)
    behind = FlopsBehind(network(random=True), flops, [inputs])
    one, other = (solve_depth(behind, (-1.0,), 3, 4)[0] for _ in range(2))
    assert (one == other).all()


def test_who_always_folds_loses_his_blind_and_is_answered_best_by_anything(inputs: FlopInputs) -> None:
    flops = Subset(("9h8h7h",), (1.0,), 0.0, 0.0, 0.0)
    behind = FlopsBehind(network(random=False), flops, [inputs])
    tree = ladder_tree((-1.0,), 4)
    rows = [
        [float(action.kind == kind) for action in tree.node(number).actions]
        for number in tree.decisions
        for kind in (0, 1, 2)
    ]
    folds, calls, shoves = (
        PreflopTable(
            (-1.0,), (4,), {4: np.repeat(np.concatenate(rows[k::3])[:, None], CLASSES, axis=1).astype(np.float32)}
        )
        for k in (0, 1, 2)
    )
    found = worth(behind, [folds, calls], 4)
    assert found.values == pytest.approx((-50.0, 50.0), abs=0.1)
    assert found.responses[1] == pytest.approx(50.0, abs=0.1)
    assert found.responses[0] > 0  # against who only calls
    assert worth(behind, [shoves, folds], 4).values == pytest.approx((100.0, -100.0), abs=0.1)
    assert worth(behind, [calls, calls], 4).values == pytest.approx((0.0, 0.0), abs=0.5)
    with pytest.raises(UsageError, match="one ladder of bets"):
        worth(behind, [calls, evolve(calls, ladder=(1.0, -1.0))], 4)


def test_a_table_is_kept_depth_by_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = network(random=False, street="flop")
    recipe = TableRecipe(one.digest, (-1.0,), 2, flops=25, looks=1)
    calls: list[int] = []

    def solved(behind: FlopsBehind, ladder: tuple[float, ...], depth: int, iterations: int) -> tuple[object, object]:
        if depth == 7:
            raise KeyboardInterrupt
        calls.append(depth)
        return np.full((ladder_tree(ladder, depth).edges, CLASSES), 0.5, np.float32), None

    monkeypatch.setattr(preflop_solving, "solve_depth", solved)
    monkeypatch.setattr(preflop_solving, "flop_inputs", lambda flops: [])
    with pytest.raises(KeyboardInterrupt):
        solve_table(tmp_path / "x", one, recipe, [3, 7])
    assert solve_table(tmp_path / "x", one, recipe, [3, 5]).depths == read_table(tmp_path / "x").depths == (3, 5)
    assert calls == [3, 5]
    (tmp_path / "x" / "preflop.npz").write_bytes(b"PK")  # as where a process was killed while it wrote the table
    solve_table(tmp_path / "x", one, recipe, [3, 5])
    assert read_table(tmp_path / "x").chances[3].shape == (ladder_tree((-1.0,), 3).edges, CLASSES)
    (tmp_path / "x" / "recipe.json").unlink()
    with pytest.raises(UsageError, match="holds no table that was begun there"):
        solve_table(tmp_path / "x", one, recipe, [3])
    solve_table(tmp_path / "z", one, recipe, [3])
    (tmp_path / "z" / "depth-3.npz").write_bytes(b"PK")
    with pytest.raises(DamagedFileError, match=r"depth-3\.npz"):
        solve_table(tmp_path / "z", one, recipe, [3])
    solve_table(tmp_path / "w", one, recipe, [3])
    with pytest.raises(UsageError, match="by another recipe"):
        solve_table(tmp_path / "w", one, evolve(recipe, iterations=3), [3])
    with pytest.raises(UsageError, match="another network"):
        solve_table(tmp_path / "y", network(random=True, street="flop"), recipe, [3])
    (tmp_path / "v").mkdir()
    write_table(read_table(tmp_path / "x"), tmp_path / "v")
    with pytest.raises(UsageError, match="no table that was begun there"):  # somebody's table is not overwritten
        solve_table(tmp_path / "v", one, recipe, [7])
    assert read_table(tmp_path / "v").depths == (3, 5)
