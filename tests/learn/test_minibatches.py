"""One step of an optimiser, and trainings that diverge."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from cardai.core.errors import CardaiError  # noqa: E402 (torch may be missing)
from cardai.learn.minibatches import take_step  # noqa: E402


@pytest.mark.parametrize("lost", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("other", [False, True])
def test_no_step_is_taken_where_losses_are_no_numbers(lost: float, other: bool) -> None:
    """Poker-CNN's training went on, and its player folded where nobody can."""
    network = torch.nn.Linear(2, 1)
    before = [weights.clone() for weights in network.parameters()]
    optimizer = torch.optim.SGD(network.parameters(), 1.0)

    def losses() -> list[torch.Tensor]:
        found = [network(torch.ones(1, 2)).sum(), lost * network.bias.sum().abs()]
        return found[::-1] if other else found

    with pytest.raises(CardaiError, match="no longer numbers: the learning rate is too high"):
        take_step(network, optimizer, 0.1, 1, 0, losses)
    assert all(torch.equal(a, b) for a, b in zip(before, network.parameters(), strict=True))
    assert take_step(network, optimizer, 0.1, 1, 0, lambda: losses()[int(other) : int(other) + 1])
    assert not all(torch.equal(a, b) for a, b in zip(before, network.parameters(), strict=True))
