"""Value networks: zero-sum, masked losses, and leaves that equal the exact ones where the network is exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cardai.poker.ranges.leaves import CheckedDown  # noqa: E402
from cardai.poker.values.match_ups import legal_hands  # noqa: E402
from cardai.poker.values.network import (  # noqa: E402
    Description,
    ValueNetwork,
    bucket_means,
    codes,
    hand_buckets,
    load_network,
    of_hands,
)
from cardai.poker.values.network_leaves import NetworkLeaves  # noqa: E402
from cardai.poker.values.prepared import prepare  # noqa: E402
from cardai.poker.values.range_codes import range_code  # noqa: E402
from cardai.poker.values.situations import HOLDEM_GAME, situation  # noqa: E402
from cardai.poker.values.torch_networks import BucketNetwork, masked_huber  # noqa: E402
from tests.poker.chance_nodes import chance_node  # noqa: E402


def checking_down(street: str = "river") -> ValueNetwork:
    """Return our network with weights that leave nothing but the value of checking to the end."""
    network = ValueNetwork(Description(kind="hands", street=street, width=4, context=4))
    with torch.no_grad():
        network.module.context[4].weight.zero_()
        network.module.context[4].bias.zero_()
    return network


@pytest.mark.long
def test_leaves_of_a_network_that_checks_down_are_those_of_checking_down() -> None:
    one = situation(1, 3, "turn")
    hands = legal_hands(one.board)
    rng = np.random.default_rng(0)
    reach = rng.random((2, 2, len(hands))) * one.ranges[:, None, hands]
    nodes = [chance_node((300, 300)), chance_node((900, 1100))]
    exact, leaves = CheckedDown(one.board, hands), NetworkLeaves(checking_down(), one.board, hands, HOLDEM_GAME)
    for player in range(2):
        wanted = exact.evaluate(player, reach, nodes)
        found = leaves.evaluate(player, reach, nodes)
        assert np.abs(found - wanted).max() <= 2e-3 * np.abs(wanted).max()
    assert found.shape == (2, len(hands))


@pytest.mark.parametrize("kind", ["hands", "buckets"])
def test_both_players_together_win_nothing(kind: str) -> None:
    torch.manual_seed(1)
    network = ValueNetwork(Description(kind=kind, street="river", code="range_1326", hidden=8, layers=2))
    data = prepare([situation(1, number, "river") for number in range(3)])
    with torch.no_grad():
        for weight in network.module.parameters():
            weight += 0.1 * torch.randn_like(weight)
    ranges = data.ranges.astype(np.float64) / data.ranges.shape[2]
    values = network.values(data)
    assert np.abs(values).max() > 0.05
    assert (ranges * values).sum(axis=(1, 2)) == pytest.approx(0, abs=2e-3)


def test_the_masked_loss_is_the_mean_over_what_counts() -> None:
    # DeepStack-Leduc's multiplier took the mask the other way round (its issue 34): then this were 1.5 times as much
    found, wanted = torch.tensor([[0.5, 9.0, 3.0]]), torch.tensor([[0.0, 1.0, 1.0]])
    mask = torch.tensor([[1.0, 0.0, 1.0]])
    assert float(masked_huber(found, wanted, mask)) == pytest.approx((0.125 + 1.5) / 2)


def test_the_outer_network_takes_half_of_the_surplus_from_each() -> None:
    network = BucketNetwork(3, 7, 5, 1)
    inputs = torch.tensor([[0.5, 0.5, 0.0, 0.0, 0.25, 0.75, 0.1]])
    inner = network.inner(inputs).view(2, 3)
    surplus = 0.5 * inner[0, 0] + 0.5 * inner[0, 1] + 0.25 * inner[1, 1] + 0.75 * inner[1, 2]
    assert torch.allclose(network(inputs)[0], inner - 0.5 * surplus)


def test_buckets_are_means_of_their_hands_and_codes_their_masses() -> None:
    data = prepare([situation(1, 3, "river")])
    own = range_code("e_hs2:bins=20")
    buckets = hand_buckets(own, data)
    values = np.random.default_rng(2).random((1, 2, 1081)).astype(np.float32)
    means, mask = bucket_means(buckets, values, 20)
    code = codes(own, data, buckets)[0]
    ranges = data.ranges[0].astype(np.float64) / 1081
    for bucket in range(20):
        mine = buckets[0] == bucket
        assert mask[0, 0, bucket] == mine.any()
        if mine.any():
            assert means[0, 1, bucket] == pytest.approx(values[0, 1, mine].mean(), rel=1e-5)
            assert code[20 + bucket] == pytest.approx(ranges[1, mine].sum(), rel=1e-4)
    assert code[40] == pytest.approx(data.half_pots[0] / 20_000)
    assert (of_hands(means, buckets)[0, 0] == means[0, 0, buckets[0]]).all()


def test_a_network_is_kept_with_what_it_is(tmp_path: Path) -> None:
    network = ValueNetwork(Description(kind="buckets", street="turn", code="e_hs2:bins=30", hidden=6, layers=1))
    network.save(tmp_path)
    again = load_network(tmp_path)
    assert again.description == network.description
    for name, tensor in network.module.state_dict().items():
        assert (again.module.state_dict()[name] == tensor).all()
