"""Networks over hands without training."""

from __future__ import annotations

import numpy as np

from cardai.poker.values.network import Description
from cardai.poker.values.plain_network import PlainNetwork, _shapes


def network(random: bool, street: str = "turn") -> PlainNetwork:
    """Return a network with weights at random, or one that values hands as if both checked to the end."""
    described = Description("hands", street, width=8, context=8, blocks=1, zero_sum=random)
    draw = np.random.default_rng(4)
    weights = {name: draw.normal(0, 0.3, shape).astype(np.float32) for name, shape in _shapes(described).items()}
    return PlainNetwork(described, weights if random else {name: 0 * one for name, one in weights.items()})
