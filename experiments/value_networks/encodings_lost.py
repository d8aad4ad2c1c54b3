"""What is lost where every hand's value is replaced by the mean of its bucket: arXiv 1807.00900, table 1.

python experiments/value_networks/encodings_lost.py data/turn
python experiments/value_networks/encodings_lost.py data/river --code e_hs2 --code range_1326
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cardai.commands.evaluate_values import figures, table
from cardai.commands.invocation import out, print_json
from cardai.core.errors import CardaiError, UsageError
from cardai.poker.values.measures import PUBLISHED, Losses, encoding_losses
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.range_codes import range_code
from cardai.poker.values.situation_set import check_fingerprint, load

CODES = ("e_hs2", "public_nested", "potential_aware")
Rows = dict[str, tuple[Losses, Losses]]
"""By code: the losses of values, and of equity-valued ones."""


def main(words: list[str] | None = None) -> None:
    """Print the losses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="solved situations (cardai situations)")
    parser.add_argument("--code", "-c", action="append", help=f"a code of ranges (default: {' '.join(CODES)})")
    parser.add_argument("--most", type=int, default=100_000, help="situations to measure with")
    parser.add_argument("--json", action="store_true", help="print JSON")
    o = parser.parse_args(words)
    count, street, rows = losses(o.directory, o.code or CODES, o.most)
    if o.json:
        print_json({spec: {"values": a.as_json(), "equity_valued": b.as_json()} for spec, (a, b) in rows.items()})
        return
    out().print(f"What encodings lose on {count:,} situations of the {street} ({o.directory}):")
    show(street, rows)


def losses(directory: Path, codes: list[str] | tuple[str, ...], most: int) -> tuple[int, str, Rows]:
    """Return how many situations were measured with, their street, and the losses of each code."""
    found = load(directory)
    made = [(spec, range_code(spec)) for spec in codes]
    check_fingerprint(found)
    shards = found.numbers[: -(-most // found.recipe.per_shard)]
    if not shards:
        raise UsageError(f"{directory} has no solved situation yet. Go on with: cardai situations {directory}")
    data = load_prepared(found, shards)
    rows = {spec: (encoding_losses(one, data), encoding_losses(one, data, True)) for spec, one in made}
    return len(data), found.recipe.street, rows


def show(street: str, rows: Rows) -> None:
    """Print a table of losses, beside what is published."""
    columns = ("huber_player", "mse_player", "huber_pot", "mse_pot")
    shown = table("code", "Huber/player", "MSE/player", "Huber/pot", "MSE/pot", "ratio", "published", "its ratio")
    first, reference = next(iter(rows.values()))[0].of("huber_player"), PUBLISHED["e_hs2"][0]
    assert first is not None
    for spec, (values, equity_valued) in rows.items():
        published = PUBLISHED.get(spec) if street == "turn" else None
        own = values.of("huber_player")
        assert own is not None
        texts = (
            ("", "")
            if published is None
            else (f"{published[0]:.4f} {published[1]:.4f}", f"{published[0] / reference:.3f}")
        )
        shown.add_row(spec, *figures(values, columns), f"{own.mean / first.mean:.3f}", *texts)
        shown.add_row("  equity-valued", *figures(equity_valued, columns), "", "", "")
    out().print(shown)
    out().print("± is half a 95% interval over situations. Ratios are of Huber per player, to the first code.")


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
