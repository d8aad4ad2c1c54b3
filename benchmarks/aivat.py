"""AIVAT beside the chips: over many hands their difference is luck alone, so its 95 % interval holds 0.

    python benchmarks/aivat.py [--game short_deck:bets=half+pot+allin] [--games 5000] [--seeds 1]

Pairs of players on duplicate decks: two that play by rules, and an uneven pair. ``high_cards`` bets high cards and pairs, at
any game of two hole cards; the first of a pair is measured. ``--pair 2`` takes the second alone. ``--coverage 1000`` draws hands from those anew and prints how
often the intervals hold what they are for. ``--sparse 300`` prints the same, without playing, of hands of which few count: as those
along which a best response is measured, most of which never come to the street.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from attrs import evolve

from cardai import make
from cardai.arena.bootstrap import bootstrap, cautious
from cardai.arena.match import play
from cardai.arena.records import read
from cardai.arena.statistics import mean
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.legal import Legal, legal_columns
from cardai.solve.aivat import aivat

PAIRS = (("high_cards", "mix"), ("high_cards", "random"), ("random", "always_call"))


class HighCards(Agent):
    """Folds less and bets more, the higher its cards; a pair counts as seven ranks more."""

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        ranks = np.sort(views["hole"] % 13, axis=1)
        strength = (ranks.sum(axis=1) + 7.0 * (ranks[:, 0] == ranks[:, 1])) / 24
        weights = np.repeat(strength[:, None] ** 3, mask.shape[1], axis=1)
        weights[:, 0], weights[:, 1] = (1 - np.minimum(strength, 1)) ** 2, 0.7
        weights *= mask
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def main() -> None:
    """Print chips, AIVAT and their difference for each pair and seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="short_deck:bets=half+pot+allin")
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--coverage", type=int, default=0, metavar="N", help="samples of each size that are drawn")
    parser.add_argument("--pair", type=int, choices=range(1, len(PAIRS) + 1), help="one of the pairs alone")
    parser.add_argument(
        "--sparse", type=int, default=0, metavar="N", help="samples of each size of hands of which few count"
    )
    args = parser.parse_args()
    if args.sparse:
        show_sparse(args.sparse)
        return
    game = make.game(args.game)
    print(f"{args.game}, {args.games:,} hands, {game.unit} a hand")
    for names in PAIRS[args.pair - 1 : args.pair] if args.pair else PAIRS:
        players = [HighCards() if name == "high_cards" else make.agent(name) for name in names]
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "hands.jsonl"
                play(game, players, games=args.games, seed=seed, record=file, names=("a", "b"))
                found = aivat(game, players[0], read(file).hands, name=names[0], seed=seed)
            luck = evolve(found, values=found.chips - found.values).corrected
            print(
                f"{names[0]} against {names[1]}, seed {seed}: won {found.won.mean:+.1f} ± {found.won.half_width:.1f}, "
                f"AIVAT {found.corrected.mean:+.1f} ± {found.corrected.half_width:.1f}, difference {luck.mean:+.1f} ± "
                f"{luck.half_width:.1f}, {found.ratio:.3f} of the spread",
                flush=True,
            )
            if args.coverage:
                show_coverage(found.values, args.coverage, seed)


def show_coverage(values: Float64s, samples: int, seed: int) -> None:
    """Print how often 95 % intervals of hands drawn from ``values`` hold their mean: Student's, the bootstrap's, and the longer of both."""
    rng, mean_of_all = np.random.default_rng(seed), float(values.mean())
    skew = float((((values - mean_of_all) / values.std()) ** 3).mean())
    print(f"  coverage, skew {skew:.1f}, {samples:,} samples of each size:", flush=True)
    for size in (30, 100, 200, 1000):
        held = np.zeros(3)
        for _ in range(samples):
            drawn = rng.choice(values, size)
            for k, found in enumerate((mean(drawn), bootstrap(drawn, None, seed), cautious(drawn, seed))):
                held[k] += found.low <= mean_of_all <= found.high
        student, drawn_anew, ours = held / samples
        error = 1.96 * (0.05 * 0.95 / samples) ** 0.5
        print(
            f"  {size:5,} hands: Student {student:.3f}, bootstrap {drawn_anew:.3f}, the longer {ours:.3f} (± {error:.3f})",
            flush=True,
        )


def show_sparse(samples: int) -> None:
    """Print how often 95 % intervals hold the mean of hands that are 0 but for a share, and exponential there."""
    rng = np.random.default_rng(3)
    for size in (100, 200):
        for share in (0.025, 0.05, 0.1, 0.25):
            held, error = np.zeros(2), 1.96 * (0.05 * 0.95 / samples) ** 0.5
            for number in range(samples):
                drawn = np.where(rng.random(size) < share, rng.exponential(size=size), 0.0)
                for k, found in enumerate((mean(drawn), cautious(drawn, number))):
                    held[k] += found.low <= share <= found.high
            student, ours = held / samples
            print(
                f"{size} hands, {share:.1%} count: Student {student:.3f}, the longer {ours:.3f} (± {error:.3f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
