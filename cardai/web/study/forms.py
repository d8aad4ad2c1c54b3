"""What a page's form asks for: texts of a stranger, bounded, turned into the options that ``cardai solve`` is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import parse_qs

from attrs import frozen
from starlette.requests import Request

from cardai.core.errors import UsageError
from cardai.poker.ranges.spot import Spot
from cardai.poker.spot_options import BETS, ENOUGH, Limits, SpotOptions, percent

LONGEST = 1 << 16
"""Bytes of a form."""
MOST_FIELDS = 96
MOST = {"range": 20_000, "lock": 4_000, "line": 400}
"""Characters of a field."""
SHORT = 400
"""Characters of any other."""
MOST_LOCKS = 50
Form = Mapping[str, Sequence[str]]


@frozen
class Example:
    """A spot that is ready to be solved."""

    name: str
    title: str
    about: str
    options: SpotOptions


def _example(name: str, title: str, about: str, spot: tuple[str, str, str, str], ranges: tuple[str, str]) -> Example:
    board, pot, stack, bets = spot
    return Example(name, title, about, SpotOptions(board, pot, stack, list(ranges), bets, None, None, Limits()))


_CALLS = "22-JJ,A2s-AQs,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,ATo-AQo,KTo+,QTo+,JTo"
_OPENS = "22+,A2s+,K7s+,Q8s+,J8s+,T8s+,97s+,86s+,76s,65s,A8o+,KTo+,QTo+,JTo"
EXAMPLES = (
    _example(
        "river", "A river", "The big blind has called twice against the button: who bets, who calls?",
        ("KsTh7s4d2c", "200", "900", "0.5+1+allin"), (_CALLS, _OPENS),
    ),
    _example(
        "turn", "A turn", "The same hand a street earlier, with every river that can come: some seconds.",
        ("KsTh7s4d", "60", "270", "0.66+allin"), (_CALLS, _OPENS),
    ),
    _example(
        "flop", "A flop between two tight ranges", "A pot raised three times, to the river: some ten seconds.",
        ("QsJh2h", "24", "88", "0.5/allin,river=0.75/allin"), ("QQ+,AKs,AKo,AQs,KQs,A5s", "99-JJ,AQs,AJs,KQs,QJs,JTs,T9s"),
    ),
)  # fmt: skip
"""The ranges are ours, for the sake of an example."""


async def read_form(request: Request) -> Form | None:
    """Return a form's fields, None where it is longer than any form of ours."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            return None
    try:
        return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise UsageError("The form has too many fields.") from error


def text(form: Form, name: str, default: str = "") -> str:
    """Return a field's text without the blanks around it. Raises UsageError where it is too long."""
    return _bounded(name, form.get(name, [default])[0])


def texts(form: Form, name: str, most: int) -> list[str]:
    """Return the texts of the fields of that name that say something, at most so many. Raises UsageError."""
    found = [one for one in (_bounded(name, given) for given in form.get(name, ())) if one]
    if len(found) > most:
        raise UsageError(f"At most {most} of {name!r} can be given. Got {len(found)}.")
    return found


def _bounded(name: str, given: str) -> str:
    most = MOST.get(name.rstrip("01"), SHORT)
    if len(given) > most:
        raise UsageError(f"The field {name!r} takes at most {most:,} characters. Got {len(given):,}.")
    return given.strip()


def options_of(form: Form) -> SpotOptions:
    """Return the options that a form's fields are; a field that says nothing is an option that was not given.

    Raises:
        UsageError: a field is too long, or no number.
    """

    def given(name: str) -> str | None:
        return text(form, name) or None

    limits = Limits(
        cap=_whole(form, "cap"), minimum=_whole(form, "minimum"), add_allin=_pots(form, "add_allin"),
        force_allin=_pots(form, "force_allin"), merge=_pots(form, "merge"),
    )  # fmt: skip
    ranges = [text(form, name) or "random" for name in ("range0", "range1")]
    locks = [line.strip() for block in texts(form, "lock", MOST_LOCKS) for line in block.splitlines() if line.strip()]
    if len(locks) > MOST_LOCKS:
        raise UsageError(f"At most {MOST_LOCKS} locks can be given. Got {len(locks)}.")
    limit = given("limit")
    return SpotOptions(
        given("board"), given("pot"), given("stack"), ranges, None if limit else given("bets"), given("rake"),
        given("rake_cap"), limits, limit=limit, checked_down="check_down" in form, locks=locks or None,
        aggressor=given("aggressor"),
    )  # fmt: skip


def goal_of(form: Form) -> float:
    """Return the exploitability, in % of the pot, that a form asks for. Raises UsageError."""
    return percent(text(form, "to") or f"{ENOUGH}", "--to")


def _whole(form: Form, name: str) -> int:
    given = text(form, name)
    if given and not (given.isascii() and given.isdigit() and len(given) < 10):
        raise UsageError(f"--{name} is a whole number. Got {given[:40]!r}.")
    return int(given or 0)


def _pots(form: Form, name: str) -> float:
    given = text(form, name)
    try:
        found = float(given or 0)
    except ValueError:
        found = -1.0
    if not 0.0 <= found <= 100.0:
        raise UsageError(f"--{name.replace('_', '-')} is a number of pots from 0 to 100. Got {given[:40]!r}.")
    return found


def fields_of(spot: Spot) -> dict[str, str]:
    """Return what the form's fields say of a spot: the other way round."""
    from cardai.poker.ranges.locks import lock_text

    def number(value: float) -> str:
        return f"{value:.15g}" if value else ""

    return {
        "board": spot.board,
        "pot": number(spot.pot),
        "stack": "+".join(number(one) for one in dict.fromkeys(spot.stacks)),
        "range0": spot.ranges[0],
        "range1": spot.ranges[1],
        "bets": spot.bets if not spot.limit else BETS,
        "limit": "+".join(map(str, spot.limit)),
        "cap": number(spot.cap),
        "minimum": number(spot.minimum),
        "add_allin": number(spot.add_allin),
        "force_allin": number(spot.force_allin),
        "merge": number(spot.merge),
        "rake": f"{100 * spot.rake:.12g}%" if spot.rake else "",
        "rake_cap": number(spot.rake_cap),
        "check_down": "1" if spot.checked_down else "",
        "aggressor": ("first", "button")[spot.aggressor] if spot.aggressor >= 0 else "",
        "lock": _lines(map(lock_text, spot.locks)),
    }


def _lines(found: Iterable[str]) -> str:
    return "\n".join(found)
