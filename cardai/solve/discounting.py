"""How much of earlier iterations is kept: the variants of counterfactual regret minimisation as three exponents.

Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization" (2019), section 3.
"""

# kernel constants

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from cardai.core.kernel import kernel

VARIANTS: Mapping[str, tuple[float, float, float, bool]] = {
    "cfr": (inf, inf, 0.0, False),
    "cfr_plus": (inf, -inf, 1.0, False),
    "linear": (1.0, 1.0, 1.0, False),
    "dcfr": (1.5, 0.0, 2.0, False),
    "pcfr_plus": (inf, -inf, 2.0, True),
    "pdcfr_plus": (2.3, -inf, 5.0, True),
}
"""(alpha, beta, gamma, predictive): every variant is a discounted CFR. Forgetting no regret is an exponent of infinity;
forgetting all negative regret, minus infinity, is regret matching+."""


@kernel
def discount(t: int, exponent: float) -> float:
    """Return t^a / (t^a + 1), by which accumulated regrets are multiplied after iteration t (DCFR, section 3)."""
    if t == 0 or exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power: float = float(t) ** exponent
    return power / (power + 1.0) if power < np.inf else 1.0


@kernel
def kept(t: int, gamma: float, delay: float) -> float:
    """Return how much of the average is kept at iteration t, where t weighs (t - delay)^gamma."""
    weight = float(t) - delay
    return float(((weight - 1.0) / weight) ** gamma) if weight > 1.0 else 0.0
