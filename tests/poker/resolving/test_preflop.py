"""A table of play before the flop: bets between rungs, any stacks, and what is read from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import write_json
from cardai.poker.contract import BoardGame, board_game
from cardai.poker.hands.combos import COUNT
from cardai.poker.notation import class_of
from cardai.poker.ranges.menus import ALL_IN
from cardai.poker.resolving.preflop import (
    CLASSES,
    Preflop,
    PreflopTable,
    ladder_tree,
    preflop_player,
    read_table,
    write_table,
)
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.translation import harmonic
from cardai.poker.values.plain_network import read_plain

LADDER = (0.5, 1.0, ALL_IN)


def said(game: str) -> BoardGame:
    found = board_game(cardai.game(game))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def table() -> PreflopTable:
    """A table that plays at random, each class and decision otherwise."""
    chances = {}
    for depth in (10, 100):
        tree = ladder_tree(LADDER, depth)
        rows = np.random.default_rng(depth).random((tree.edges, CLASSES)).astype(np.float32)
        first = 0
        for count in tree.num_children[tree.decisions].tolist():
            rows[first : first + count] /= rows[first : first + count].sum(axis=0)
            first += count
        chances[depth] = rows
    return PreflopTable(LADDER, (10, 100), chances)


def test_a_bet_between_two_rungs_counts_as_either_by_the_pseudo_harmonic_mapping() -> None:
    # f(x) = (B - x)(1 + A) / ((B - A)(1 + x)), Ganzfried and Sandholm 2013
    assert (harmonic(0.5, 0.5, 1.0), harmonic(0.5, 1.0, 1.0)) == (1.0, 0.0)
    assert harmonic(0.5, 0.75, 1.0) == pytest.approx(0.25 * 1.5 / (0.5 * 1.75))


@pytest.mark.parametrize("button", [0, 1])
def test_a_range_is_what_both_rungs_leave_of_it(table: PreflopTable, button: int) -> None:
    played = Preflop(said("holdem"), table)  # 100 blinds: rungs of the button are 200, 300 and all-in
    root = table.trees[100].root
    strategy = table.strategy(100, root)
    raised = played.ranges(Public(button, ((250, 0, button),), 1, ()))
    odds = harmonic(0.5, 0.75, 1.0)
    assert raised[button] == pytest.approx(COUNT * (odds * strategy[2] + (1 - odds) * strategy[3])[class_of()])
    assert np.ptp(raised[1 - button]) == pytest.approx(0)
    smaller = played.ranges(Public(button, ((200, 0, button),), 1, ()))
    assert smaller[button] == pytest.approx(COUNT * strategy[2][class_of()])


def test_what_it_does_after_a_bet_between_rungs_is_weighed_by_its_own_hands(table: PreflopTable) -> None:
    played = Preflop(said("holdem"), table)
    root = table.trees[100].root
    plan = played.plan(Public(0, ((250, 0, 0),), 0, ()))
    assert [action.amount for action in plan.actions if action.kind == 2] == [500, 750, 10_000]
    mass = [table.strategy(100, root)[k] @ np.bincount(class_of()) for k in (2, 3)]
    odds = [harmonic(0.5, 0.75, 1.0), 1 - harmonic(0.5, 0.75, 1.0)]
    weight = np.array([p * m for p, m in zip(odds, mass, strict=True)])
    folds = [table.strategy(100, root.children[k])[0] for k in (2, 3)]
    wanted = (weight[0] * folds[0] + weight[1] * folds[1]) / weight.sum()
    assert plan.strategy[0] == pytest.approx(wanted[class_of()], rel=1e-6)


@pytest.mark.parametrize("button", [0, 1])
def test_a_third_decision_is_weighed_by_what_both_have_done_on_both_lines(table: PreflopTable, button: int) -> None:
    """A raise to 250, between two rungs, raised by the pot to 750: whose line it is, each hand of the button says otherwise."""
    played = Preflop(said("holdem"), table)
    plan = played.plan(Public(button, ((250, 0, button), (750, 0, 1 - button)), 0, ()))
    root, odds = table.trees[100].root, harmonic(0.5, 0.75, 1.0)
    first, weight, folds = table.strategy(100, root), [], []
    for raised, share in ((2, odds), (3, 1 - odds)):
        node = root.children[raised]
        (pot,) = [k for k, one in enumerate(node.actions) if one.amount == 3 * root.actions[raised].amount]
        weight.append(share * first[raised] * (table.strategy(100, node)[pot] @ np.bincount(class_of())))
        folds.append(table.strategy(100, node.children[pot])[0])
    wanted = (weight[0] * folds[0] + weight[1] * folds[1]) / (weight[0] + weight[1])
    assert plan.actions[0].kind == 0
    assert plan.strategy[0] == pytest.approx(wanted[class_of()], rel=1e-6)


@pytest.mark.parametrize("button", [0, 1])
def test_who_posts_the_small_blind_opens_whoever_has_the_button(table: PreflopTable, button: int) -> None:
    """The table was made where the button posts it; ``reverse_blinds=false`` is the other way of dealing for two."""
    usual, other = Preflop(said("holdem_nolimit"), table), Preflop(said("holdem_nolimit:reverse_blinds=false"), table)
    opener = 1 - button
    for actions in ((), ((250, 0, opener),), ((250, 0, opener), (750, 0, button)), ((1, 0, opener),)):
        known, asked = Public(opener, actions, 0, ()), Public(button, actions, 0, ())
        assert other.plan(asked).actions == usual.plan(known).actions
        assert other.plan(asked).strategy == pytest.approx(usual.plan(known).strategy)
        assert other.ranges(asked) == pytest.approx(usual.ranges(known))


def test_all_in_is_all_in_at_any_depth(table: PreflopTable) -> None:
    """Also where it lies nearer to another rung, in proportion to the pot, than to the table's own all-in."""
    played, root = Preflop(said("holdem_nolimit:stack=1700"), table), table.trees[10].root
    strategy = table.strategy(10, root)
    plan = played.plan(Public(0, (), 0, ()))
    assert [one.amount for one in plan.actions if one.kind == 2] == [200, 300, 1700]
    assert plan.strategy[-1] == pytest.approx(strategy[-1][class_of()])
    raised = played.ranges(Public(0, ((1700, 0, 0),), 1, ()))
    assert raised[0] == pytest.approx(COUNT * strategy[-1][class_of()])
    short = Preflop(
        said("holdem_nolimit:stack=700"), table
    )  # all-in is three pots there, and four and a half in the table
    assert short.ranges(Public(0, ((700, 0, 0),), 1, ()))[0] == pytest.approx(COUNT * strategy[-1][class_of()])


def test_the_depth_is_the_nearest_in_proportion_in_big_blinds(table: PreflopTable) -> None:
    assert [table.depth(blinds) for blinds in (1, 30, 32, 40, 400)] == [10, 10, 100, 100, 100]
    root, small = table.trees[100].root, Preflop(said("holdem_nolimit:blinds=1+2,stack=200"), table)
    plan = small.plan(Public(0, (), 0, ()))
    assert [one.amount for one in plan.actions if one.kind == 2] == [4, 6, 200]
    assert plan.strategy == pytest.approx(table.strategy(100, root)[:, class_of()])


@pytest.mark.parametrize("blinds", [2, 10, 17, 33, 100, 250])
def test_any_stacks_and_any_bets_are_answered(table: PreflopTable, blinds: int) -> None:
    game = cardai.game(f"holdem_nolimit:stack={100 * blinds}")
    played, draw = Preflop(said(f"holdem_nolimit:stack={100 * blinds}"), table), np.random.default_rng(blinds)
    cash = Preflop(said("holdem"), table)  # whose hand began with other stacks than the game's
    first = played.plan(Public(0, (), 0, ()))
    for stacks in ((100 * blinds, 40_000), (40_000, 100 * blinds)):
        told = cash.plan(Public(0, (), 0, (), stacks))
        assert told.actions == first.actions
        assert (told.strategy == first.strategy).all()
    for seed in range(12):
        tables, row, actions = game.tables(1), np.zeros(1, np.int64), []
        tables.reset(np.array([seed], np.uint64))
        while (seat := int(tables.current_players()[0])) >= 0:
            view = tables.views(seat, row)[0]
            if int(view["round"]) > 0:
                break
            public = Public(int(view["button"]), tuple(actions), 0, ())
            plan, legal = played.plan(public), tables.legal(row)
            assert np.abs(plan.strategy.sum(axis=0) - 1).max() < 1e-9
            assert all(legal.kinds[0, action.kind] for action in plan.actions)
            amount = int(draw.integers(legal.min_amount[0], legal.max_amount[0] + 1)) if legal.kinds[0, 2] else 1
            action = amount if draw.random() < 0.6 else 1
            actions.append((action, 0, seat))
            tables.apply(row, np.array([action]))
        found = played.ranges(Public(int(view["button"]), tuple(actions), 1, ()))
        assert np.isfinite(found).all()
        assert (found.sum(axis=1) > 0).all()


def test_a_raise_of_the_pot_is_the_table_s_with_antes_too(table: PreflopTable) -> None:
    played, root = Preflop(said("holdem_nolimit:stack=10000,ante=25"), table), table.trees[100].root
    half, pot, most = (one.amount for one in played.plan(Public(0, (), 0, ())).actions if one.kind == 2)
    assert (half, pot, most) == (250, 375, 10_000)  # a call makes it 250
    strategy = table.strategy(100, root)
    for place, amount in zip((-3, -2, -1), (half, pot, most), strict=True):
        found = played.ranges(Public(0, ((amount, 0, 0),), 1, ()))[0]
        assert found == pytest.approx(COUNT * strategy[place][class_of()], rel=1e-5)


@pytest.mark.parametrize(("stack", "ante"), [("100+20000", 0), ("125+126", 25)])
def test_a_big_blind_that_nobody_can_raise_checks(table: PreflopTable, stack: str, ante: int) -> None:
    """In a cash game the button may have one blind left, and calls with it."""
    game = cardai.game(f"holdem_nolimit:stack={stack},ante={ante}")
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.zeros(1, np.uint64))
    tables.apply(row, np.array([1]))
    assert int(tables.current_players()[0]) == 1
    assert tables.legal(row).kinds.tolist() == [[False, True, False]]
    plan = Preflop(said(f"holdem_nolimit:stack={stack},ante={ante}"), table).plan(Public(0, ((1, 0, 0),), 0, ()))
    assert [action.kind for action in plan.actions] == [1]
    assert (plan.strategy == 1).all()


def test_a_table_is_read_as_it_was_written_and_a_damaged_one_refused(table: PreflopTable, tmp_path: Path) -> None:
    write_table(table, tmp_path)
    read = read_table(tmp_path)
    assert (read.ladder, read.depths) == (table.ladder, table.depths)
    assert np.abs(read.chances[100] - table.chances[100]).max() < 1e-3
    head = json.loads((tmp_path / "preflop.json").read_text())
    (tmp_path / "preflop.json").write_text(json.dumps({**head, "depths": [10, 90]}))
    with pytest.raises(DamagedFileError, match=r"preflop\.npz"):
        read_table(tmp_path)
    (tmp_path / "preflop.json").write_text(json.dumps({**head, "depths": [100, 10]}))
    with pytest.raises(DamagedFileError, match="rising"):
        read_table(tmp_path)


def test_a_link_in_the_place_of_a_table_s_or_a_network_s_file_is_refused(table: PreflopTable, tmp_path: Path) -> None:
    for name in ("whole", "links"):
        (tmp_path / name).mkdir()
    write_table(table, tmp_path / "whole")
    for file in (tmp_path / "whole").iterdir():
        (tmp_path / "links" / file.name).symlink_to(file)
    for read in (read_table, read_plain):
        with pytest.raises(DamagedFileError, match="is a link to"):
            read(tmp_path / "links")


def test_where_there_is_no_table_or_another_game_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"it has no preflop\.json"):
        preflop_player(str(tmp_path), cardai.game("holdem"))
    with pytest.raises(UsageError, match="no-limit hold'em of two players"):
        preflop_player(str(tmp_path), cardai.game("acpc_limit_2p"))


def test_more_depths_than_a_table_has_are_refused_before_their_trees_are_made(tmp_path: Path) -> None:
    write_json(
        tmp_path / "preflop.json", {"format": "cardai preflop 1", "ladder": [1.0], "depths": list(range(1, 9999))}
    )
    with pytest.raises(DamagedFileError, match="depths must be 1 to 32"):
        read_table(tmp_path)
