"""A network of the turn asked about a flop's leaves at once: what it is shown, and what it says, are what they are one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.leaves import CheckedDown, showdowns
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import tree_after
from cardai.poker.values.flop_turns import FlopTurns
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network import Description
from cardai.poker.values.network_inputs import context_inputs, hand_inputs
from cardai.poker.values.network_leaves import TurnLeaves
from cardai.poker.values.plain_network import PlainNetwork, plain, read_plain, write_plain
from cardai.poker.values.prepared import prepare
from cardai.poker.values.situations import HOLDEM_GAME, Situation
from tests.poker.chance_nodes import chance_node
from tests.poker.values.plain_networks import network

FLOP = tuple(parse_cards("KsTh7s"))
HANDS = legal_hands(FLOP)
COUNT_OF_POTS = 9
"""One more than a sweep takes at a time."""


@pytest.fixture(scope="module")
def turns() -> FlopTurns:
    return FlopTurns(FLOP, HANDS)


def ranges_on(turns: FlopTurns, card: int) -> Float64s:
    reach = np.random.default_rng(5).random((2, COUNT_OF_POTS, len(HANDS))) ** 4
    blocked = np.ones(len(HANDS), np.bool_)
    blocked[turns.left[card]] = False
    reach[:, :, blocked] = 0
    reach[0, 1, reach[0, 1] < 0.9] = 0  # a range of few hands
    return np.asarray(reach / reach.sum(axis=2, keepdims=True))


@pytest.mark.parametrize("card", [0, 31])
def test_what_is_shown_of_many_pots_is_what_is_shown_of_each(turns: FlopTurns, card: int) -> None:
    ranges, half_pots = ranges_on(turns, card), np.linspace(150, 9000, COUNT_OF_POTS).round()
    context, hands, met = turns.inputs(card, ranges, half_pots, np.full(COUNT_OF_POTS, 20_000.0))
    whole = np.zeros((2, COUNT_OF_POTS, COUNT))
    whole[:, :, HANDS] = ranges
    board = (*FLOP, turns.cards[card])
    data = prepare([Situation(0, 0, board, int(half), whole[:, k]) for k, half in enumerate(half_pots)])
    shown, weight = hand_inputs(data, None)
    place = np.searchsorted(legal_hands(board), HANDS[turns.order(card)])
    curved = [12, 13, 14]  # logarithms magnify what halves of 16 bits lose
    assert np.abs(np.delete(hands - shown[:, :, place], curved, axis=3)).max() < 2e-3
    assert np.abs((hands - shown[:, :, place])[..., curved]).max() < 0.06
    assert np.abs(met - weight[:, :, place]).max() < 1e-3
    assert np.abs(context - context_inputs(data)).max() < 4e-3


def test_each_pot_is_shown_with_its_own_stacks(turns: FlopTurns) -> None:
    ranges, half_pots, stacks = ranges_on(turns, 7)[:, :2], np.array([300.0, 300.0]), np.array([20_000.0, 900.0])
    both = turns.inputs(7, ranges, half_pots, stacks)[0]
    for k in range(2):
        alone = turns.inputs(7, ranges[:, k : k + 1], half_pots[k:][:1], stacks[k:][:1])[0]
        assert both[k] == pytest.approx(alone[0])
    assert np.abs(both[0] - both[1]).max() > 0.5


def test_checked_down_hands_win_what_they_win_on_all_boards(turns: FlopTurns) -> None:
    assert np.array_equal(turns.showdowns, showdowns(FLOP)[np.ix_(HANDS, HANDS)])


def test_leaves_by_a_network_that_knows_checking_down_are_those(turns: FlopTurns) -> None:
    game = cardai.game("acpc_nolimit_2p")
    tree = tree_after(
        game.betting, (20_000, 20_000), 0, (300, 1, 1), menus("none", ["preflop", "flop", "turn", "river"]), until=1
    )
    nodes, reach = [tree.streets[0].chance[0], chance_node((20_000, 20_000), 1)], np.random.default_rng(3).random((2, 2, len(HANDS))) ** 4  # fmt: skip
    leaves, exact = TurnLeaves(network(False), FLOP, HANDS, HOLDEM_GAME), CheckedDown(FLOP, HANDS)
    for player in range(2):
        found, wanted = leaves.evaluate(player, reach, nodes), exact.evaluate(player, reach, nodes)
        assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()


def test_deeper_stacks_than_were_learned_count_as_the_deepest(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Float64s] = []
    leaves = TurnLeaves(network(True), FLOP, HANDS, HOLDEM_GAME, looks=1)
    true = FlopTurns.inputs

    def inputs(self: FlopTurns, card: int, ranges: Float64s, half_pots: Float64s, stack: Float64s) -> object:
        seen.append(stack)
        return true(self, card, ranges, half_pots, stack)

    monkeypatch.setattr(FlopTurns, "inputs", inputs)
    leaves.evaluate(0, np.ones((2, 2, len(HANDS))), [chance_node((50, 50), 1), chance_node((400, 400), 1)])
    assert seen[0].tolist() == [50 * 200, 20_000]  # 100 chips of 20,000 was the least that anybody had put in


def test_a_plain_network_computes_what_torch_does(turns: FlopTurns, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from cardai.poker.values.network import ValueNetwork
    from cardai.poker.values.torch_networks import hand_values

    made = network(True)
    known = ValueNetwork(made.description)
    known.module.load_state_dict({name: torch.from_numpy(one) for name, one in made.weights.items()})
    ranges = ranges_on(turns, 7)[:, :2]
    context, hands, met = turns.inputs(7, ranges, np.array([300.0, 900.0]), np.full(2, 20_000.0))
    own = ranges[:, :, turns.order(7)].transpose(1, 0, 2).astype(np.float32)
    write_plain(plain(known), tmp_path / "values")
    found = read_plain(tmp_path / "values").of_shown(context, hands, met, own)
    assert np.abs(found - hand_values(known.module, context, hands, met, own)).max() < 1e-4
    assert np.abs((own * found).sum(axis=(1, 2))).max() < 1e-5  # what one wins the other loses


def test_a_network_is_told_who_acts_first_and_not_who_has_which_seat(turns: FlopTurns) -> None:
    one = network(random=True)
    nodes = [chance_node((300, 300), 1), chance_node((900, 900), 1)]
    reach = np.random.default_rng(6).random((2, 2, len(HANDS)))
    first, second = (TurnLeaves(one, FLOP, HANDS, HOLDEM_GAME, 3, starter) for starter in (0, 1))
    for seat in range(2):
        found = [
            leaves.learn(player, some, nodes, 1.0)
            for leaves, player, some in ((first, seat, reach), (second, seat, reach))
        ]
        assert np.abs(found[0] - found[1]).max() > 1
    turned, straight = (TurnLeaves(one, FLOP, HANDS, HOLDEM_GAME, 0, starter) for starter in (1, 0))
    for seat in range(2):
        wanted = straight.evaluate(1 - seat, reach[::-1], nodes)
        assert turned.evaluate(seat, reach, nodes) == pytest.approx(wanted)
    trained = TurnLeaves(one, FLOP, HANDS, HOLDEM_GAME, 0, 1)
    for seat in range(2):  # the second player of an iteration takes what was said to the first
        assert trained.learn(seat, reach, nodes, 1.0) == pytest.approx(turned.evaluate(seat, reach, nodes))


def test_both_players_of_an_iteration_look_at_the_same_cards_and_the_next_at_others() -> None:
    """The second takes what was said to the first."""
    leaves = TurnLeaves(network(random=True), FLOP, HANDS, HOLDEM_GAME, 7)
    looked = [[leaves.sample(player).tolist() for player in range(2)] for _ in range(7)]
    assert all(first == second for first, second in looked)
    assert sorted(card for first, _ in looked for card in first) == list(range(49))


def test_who_never_gets_there_is_thought_to_hold_any_hand_that_the_board_leaves() -> None:
    leaves, nodes = TurnLeaves(network(random=True), FLOP, HANDS, HOLDEM_GAME, 1), [chance_node((300, 300), 1)]
    reach = np.random.default_rng(9).random((2, 1, len(HANDS)))
    reach[0] = 1e-3
    wanted = leaves.boards(0, reach, nodes, np.array([5]))
    reach[0] = 0
    assert leaves.boards(0, reach, nodes, np.array([5])) == pytest.approx(wanted, rel=1e-4, abs=1e-3)


def test_a_damaged_network_is_refused(tmp_path: Path) -> None:
    write_plain(network(True), tmp_path)
    (tmp_path / "weights.npz").write_bytes(b"PK")
    with pytest.raises(DamagedFileError, match=r"weights\.npz"):
        read_plain(tmp_path)
    described = Description("hands", "turn", width=9, context=8, blocks=1)
    write_plain(PlainNetwork(described, network(True).weights), tmp_path)  # of another width than it says
    with pytest.raises(DamagedFileError, match=r"weights\.npz"):
        read_plain(tmp_path)
