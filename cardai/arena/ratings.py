"""Ratings of a tournament's players: Elo by maximum likelihood with intervals, and alpha-rank where cycles matter.

Both start from each pairing's *share* s in [0, 1] of the first player. In games decided by wins it is the share of games
won. In games of returns it is Phi(mean / standard deviation) of the results of duplicate groups: how often a group would
go the first player's way, were results normal; unlike the share of hands won it orders players as their means do.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from cardai.arena import streaming
from cardai.core.arrays import Bools, Float64s
from cardai.core.statistics import Estimate

if TYPE_CHECKING:
    from cardai.arena.pairing import Pairing
    from cardai.arena.tournament import Standings

SCALE = 400 / math.log(10)
"""Elo's unit: a player 400 above another has ten times its expected share."""
EPSILON = 0.01
"""alpha-rank's noise: what is left of the step to a worse strategy, which keeps the chain irreducible."""
DRAWS = 1000
"""Tournaments drawn for the intervals of alpha-rank."""


@frozen
class Ratings:
    """A rating a player, in order of ``agents``; nan for who has met nobody that is compared with the others."""

    agents: tuple[str, ...]
    elo: tuple[Estimate, ...]
    """Elo, the mean of all players at 0, with 95 % intervals."""
    alpha_rank: tuple[Estimate, ...]
    """The mass of each player in alpha-rank's stationary distribution, the half-width half a 95 % interval; empty where
    not all have met."""


def ratings(standings: Standings) -> Ratings:
    """Return the ratings of a tournament's players."""
    count = len(standings.agents)
    shares, errors, games = np.full((3, count, count), np.nan)
    for (i, j), pairing in standings.pairings.items():
        if len(pairing) > 1:
            share, error = expected_share(pairing, standings.game.measure == "wins")
            shares[i, j], shares[j, i] = share, 1 - share
            errors[i, j] = errors[j, i] = error
            games[i, j] = games[j, i] = len(pairing)
    return Ratings(standings.agents, elo(shares, errors, games), alpha_rank(shares, errors))


def expected_share(pairing: Pairing, wins: bool) -> tuple[float, float]:
    """Return the first player's share of a pairing and its standard error.

    Half a group is added for each side, so that who won everything is rated by how much it has played. The error is that
    of the groups, at least that of as many coins that were added.
    """
    count = len(pairing)
    if wins:
        share, spread = _moments(pairing, "wins")
        variance = spread / count
    else:
        mean, spread = _moments(pairing, "returns")
        deviation = float(np.sqrt(spread))
        z = mean / deviation if deviation else math.copysign(math.inf, mean) if mean else 0.0
        share = NormalDist().cdf(max(-40.0, min(40.0, z)))
        slope = math.exp(-min(z * z, 1e3) / 2) / math.sqrt(2 * math.pi)
        variance = slope**2 * (1 + min(z * z, 1e3) / 2) / count  # of a mean and a standard deviation together
    share = (count * share + 0.5) / (count + 1)
    least = share * (1 - share) / (count + 1) ** 2
    return share, math.sqrt(max(variance * (count / (count + 1)) ** 2, least))


def _moments(pairing: Pairing, name: str) -> tuple[float, float]:
    """Return the mean and the variance of a column."""
    total = streaming.sums(pairing.column(name), 1, len(pairing))[0]
    return float(total / len(pairing)), float(streaming.variances(lambda: pairing.column(name), 1, len(pairing))[0])


def elo(shares: Float64s, errors: Float64s, games: Float64s) -> tuple[Estimate, ...]:
    """Return Elo of K players by maximum likelihood (Bradley and Terry 1952; Hunter 2004), their mean at 0.

    ``shares`` (K, K) is what the player of a row takes from that of a column, ``errors`` its standard errors, ``games``
    how many groups they played; nan where they have not met. The likelihood is that of groups won or lost. Intervals come
    from the Fisher information, corrected for what groups really spread (the sandwich of Huber 1967), so that duplicate
    deals, ties and shares count as they are. Who is not connected with the first player that has played is nan.
    """
    met = ~np.isnan(shares)
    chosen = np.flatnonzero(_connected(met))
    out = [Estimate(math.nan, math.nan, 0)] * len(shares)
    if len(chosen) < 2:
        return tuple(out)
    part = np.ix_(chosen, chosen)
    weight, share = np.where(met, games, 0.0)[part], np.where(met, shares, 0.5)[part]
    rating, information = _maximum_likelihood(weight, share)
    spread = weight**2 * np.where(met, errors, 0.0)[part] ** 2
    inverse = np.linalg.pinv(information)
    covariance = inverse @ (np.diag(spread.sum(axis=1)) - spread) @ inverse
    z = NormalDist().inv_cdf(0.975)
    for place, player in enumerate(chosen):
        width = z * SCALE * math.sqrt(max(float(covariance[place, place]), 0.0))
        out[player] = Estimate(SCALE * float(rating[place]), width, int(weight[place].sum()))
    return tuple(out)


def _maximum_likelihood(weight: Float64s, share: Float64s) -> tuple[Float64s, Float64s]:
    """Return the ratings (K,), mean 0, in natural units, and the Fisher information (K, K), by damped Newton steps."""
    rating = np.zeros(len(weight))
    for _ in range(100):
        expected = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
        slope = (weight * (share - expected)).sum(axis=1)
        each = weight * expected * (1 - expected)
        information = np.diag(each.sum(axis=1)) - each
        step = np.clip(np.linalg.pinv(information) @ slope, -1.0, 1.0)
        rating = rating + step - (rating + step).mean()
        if np.abs(step).max() < 1e-12:
            break
    return rating, information


def _connected(met: Bools) -> Bools:
    """Return (K,) who is connected by games with the first player that has played any."""
    reached = np.zeros(len(met), bool)
    played = np.flatnonzero(met.any(axis=1))
    reached[played[:1]] = True
    for _ in range(len(met)):
        reached |= met[reached].any(axis=0)
    return reached


def alpha_rank(shares: Float64s, errors: Float64s, draws: int = DRAWS) -> tuple[Estimate, ...]:
    """Return each player's mass in alpha-rank's stationary distribution, with intervals; nothing if some have not met.

    Omidshafiei et al., "alpha-Rank: Multi-Agent Evaluation by Evolution" (2019), one population, alpha infinite: a
    population of one strategy steps to another that beats it, rarely (:data:`EPSILON`) to one that it beats. In a cycle
    the mass is shared, where Elo would put one above the other. The intervals are those of ``draws`` tournaments whose
    shares are moved by their standard errors.
    """
    count = len(shares)
    off = ~np.eye(count, dtype=bool)
    if count < 2 or np.isnan(shares[off]).any():
        return ()
    payoff = np.where(off, shares, 0.5)
    mass = stationary(payoff[None])[0]
    upper = np.triu(np.where(off, errors, 0.0), 1)
    noise = np.random.default_rng(0).standard_normal((draws, count, count)) * upper
    drawn = stationary(payoff + noise - noise.transpose(0, 2, 1))
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return tuple(Estimate(float(m), float(half), draws) for m, half in zip(mass, (high - low) / 2, strict=True))


def stationary(payoff: Float64s, epsilon: float = EPSILON) -> Float64s:
    """Return (n, K) stationary distributions of alpha-rank's chain for payoffs (n, K, K) of rows against columns."""
    count = payoff.shape[-1]
    gain = payoff.transpose(0, 2, 1) - payoff  # [s, r]: what r takes from s beyond what s takes from r
    step = np.where(gain > 1e-14, 1 - epsilon, np.where(gain < -1e-14, epsilon, 0.5)) / (count - 1)
    step[:, np.arange(count), np.arange(count)] = 0.0
    step[:, np.arange(count), np.arange(count)] = 1 - step.sum(axis=2)
    system = step.transpose(0, 2, 1) - np.eye(count) + 1.0  # pi P = pi, and the sum of pi is 1
    return np.asarray(np.linalg.solve(system, np.ones((len(payoff), count, 1)))[..., 0])
