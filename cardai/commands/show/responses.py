"""What best responses win, as people and programs read it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from cardai.commands.invocation import out
from cardai.commands.show.figures import spread_json

if TYPE_CHECKING:
    from cardai.poker.responses.measure import Response

FEW_BOARDS = 10
"""Below so many boards an interval over them says little: its own ends vary as much as what it is for."""


def response_json(asked: dict[str, Any], found: Response, unit: str, seed: int) -> dict[str, Any]:
    """Return what a best response wins as plain values."""
    ends = {"mean": found.mbb.mean, "low": found.mbb.low, "high": found.mbb.high}
    figures = {name: value if isfinite(value) else None for name, value in ends.items()}
    if unit == "hands":
        figures = figures if found.skewed else spread_json(found.spread)
        counted = {"seed": seed, "hands": found.done, "reached": found.reached}
        return asked | counted | figures | _upper_json(found) | {"unit": "mbb/g"}
    asked |= {"boards": found.done, "seed": seed}
    return asked | figures | _upper_json(found) | {"unit": "mbb/g", "exact": found.exact}


def _upper_json(found: Response) -> dict[str, float]:
    """Return what answers win where they were chosen, and what was promised, if some were."""
    known = {"upper_estimate": found.upper, "promised": found.promised}
    return {name: one * 1000 / found.big_blind for name, one in known.items() if one is not None}


def show_response(whom: str, street: str, found: Response, unit: str, rivers: int | None = None) -> None:
    """Print what a best response wins; ``rivers`` were drawn for a hand, if it was said."""
    console = out()
    if found.exact and not found.finished:
        console.print("Nothing can be said before all flops are done.")
        return
    if found.exact:
        console.print(f"A best response to {whom}, exactly:")
        console.print(f"wins {found.mbb.mean:.2f} mbb a hand (exploitability).")
        return
    hands = f"along {found.done:,} hands ({found.reached:,} came there)"
    if found.upper is not None and unit == "boards":
        _show_two_sided(whom, found)
        return
    sampled = f"{found.done:,} boards" if unit == "boards" else hands
    console.print(f"A best response from the {street} to {whom}, {sampled}:")
    console.print(
        f"wins {found.mbb.text(1)} mbb a hand more than the player itself, which a perfect opponent wins at least."
    )
    if unit == "boards":
        console.print("In brackets: the 95 % interval over boards, by the bootstrap within strata.")
    elif found.skewed:
        console.print(
            "In brackets: the 95 % interval over hands, the longer on either side of Student's and the bootstrap's."
        )
    else:
        console.print("± is half a 95% interval over hands.")
    _show_beside(street, found, rivers)
    if unit == "boards" and found.done < FEW_BOARDS:
        console.print(f"Fewer than {FEW_BOARDS} boards decide nothing: take more.")


def _show_beside(street: str, found: Response, rivers: int | None) -> None:
    """Print what answers win where they were chosen, and what was promised, if some were."""
    from cardai.poker.responses.no_limit_hands import REST

    console, mbb = out(), 1000 / found.big_blind
    if found.upper is not None and found.mbb.mean < 0:
        console.print("Below 0 it proves nothing: more rivers choose better answers.")
    if found.upper is not None and rivers == REST:
        console.print(
            f"Chosen and scored on all {rivers} rivers: {mbb * found.upper:.1f} mbb a hand, all that these bets win there."
        )
    elif found.upper is not None:
        console.print(
            f"Scored on the rivers that chose the answers: {mbb * found.upper:.1f} mbb a hand, too high in the mean."
        )
    if found.promised is not None:
        console.print(
            f"The player had promised its opponent {mbb * found.promised:.1f} mbb a hand when the {street} began."
        )


def _show_two_sided(whom: str, found: Response) -> None:
    """Print what sampled flops say of exploitability itself."""
    console = out()
    console.print(f"A best response from before the flop to {whom}, {found.done:,} of {found.pieces:,} flops drawn:")
    upper = (found.upper or 0.0) * 1000 / found.big_blind
    if len(found.gains):
        console.print(
            f"wins at least {found.mbb.text(1)} mbb a hand: answers before the flop that the other half of the flops chose."
        )
        console.print("In brackets: the 95 % interval over flops, by the bootstrap within strata.")
    console.print(
        f"Upper estimate {upper:.1f} mbb a hand: answers scored on the flops that chose them, too high in the mean."
    )
    if found.done < FEW_BOARDS:
        console.print(f"Fewer than {FEW_BOARDS} flops decide nothing: take more.")
