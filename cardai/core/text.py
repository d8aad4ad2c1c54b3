"""Text from strangers, as it may be shown: names in files and sockets, plugins' metadata, what their programs say.

Such a text can hold what moves a terminal's cursor, turns the direction of writing, or is not seen at all, and what a
spreadsheet takes for a formula. What prints (:mod:`cardai.core.console`), the app (``ui/base.py``), pages and tables pass
every text through here; a test keeps all others from printing. Files and JSON keep what was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_JOINED = r"\u0620-\u06dc\u06de-\u06ff\u0750-\u077f\u0900-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa"
_JOINED += r"\u2190-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001fbff"
"""What may stand on both sides of a joiner: letters of the scripts that use it, and pictures."""
_SUSPECT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # controls, ends of lines, surrogates
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e007f"  # formats: directions of writing, and what takes no room
    r"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]"  # letters without a picture
)
_STAYS = re.compile(rf"\r(?=\n)|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])")
_CALCULATED = ("=", "+", "-", "@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"[+-]?(\d[\d,]*(\.\d*)?|\.\d+|inf|nan)(e[+-]?\d+)?( ?%)?", re.IGNORECASE)


def shown(text: str) -> str:
    """Return ``text`` with whatever cannot be seen, or does more than stand there, as an escape: ``\\x1b``, ``\\u202e``.

    Line ends and tabs stay, as does the joiner inside a letter or a picture that is made of several.
    """
    return "".join(parts(text)) if _SUSPECT.search(text) else text


def parts(text: str) -> Iterator[str]:
    """Yield ``text`` in parts that are shown as they are, each but the last followed by an escape."""
    at = 0
    for found in _SUSPECT.finditer(text):
        if _STAYS.match(text, found.start()) is None:
            yield text[at : found.start()]
            yield _escape(found)
            at = found.end()
    yield text[at:]


def shortened(text: str, most: int = 1000) -> str:
    """Return ``text``, of more than ``most`` characters its beginning and its end: nobody reads a spec of a million."""
    if len(text) <= most:
        return text
    return f"{text[: most - 200]} ... ({len(text):,} characters) ... {text[-100:]}"


def one_line(text: str) -> str:
    """Return a name, or what else is one line, as :func:`shown` does, its line ends and tabs as escapes too."""
    return re.sub(r"[\t\r\n]", _escape, shown(text))


def each_once(names: Iterable[str]) -> list[str]:
    """Return names, those that were there before numbered.

    >>> each_once(["Ann", "Bob", "Ann"])
    ['Ann', 'Bob', 'Ann#2']
    """
    taken: dict[str, None] = {}
    for plain in names:
        name, count = plain, 1
        while name in taken:
            count += 1
            name = f"{plain}#{count}"
        taken[name] = None
    return list(taken)


def _escape(found: re.Match[str]) -> str:
    """Return the first character of a match as its escape in Python."""
    return found[0].encode("unicode_escape", "surrogatepass").decode()


def cell(text: str) -> str:
    """Return a text for a cell of a CSV file: shown, and behind an apostrophe where a spreadsheet would calculate it.

    A number, or a dash for nothing, stays what it is. Source: OWASP, CSV injection.
    """
    formula = text.startswith(_CALCULATED) and text != "-" and _NUMBER.fullmatch(text) is None
    return ("'" if formula else "") + shown(text)


def clock(seconds: float) -> str:
    """Return a time in the unit in which it is read: "0.02 s", "40 s", "12 min", "5.5 h"."""
    if seconds < 1:
        return f"{seconds:.1g} s" if seconds >= 0.001 else "no time"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
