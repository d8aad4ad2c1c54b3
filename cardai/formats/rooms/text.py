"""What lines of any room are made of: amounts of money in every spelling, cards, dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from cardai.cards.text import RANKS, SUITS

UNITS = 10_000
"""Amounts are read as whole numbers of ten-thousandths, and become chips when the whole hand is known."""

_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f]\d+| \d{3}(?!\d))*")
_GROUPS = re.compile(r"[ '\u2019\u00a0\u202f]")
_CARD = re.compile(r"(10|[2-9TJQKA])([cdhs])(?![a-z])", re.IGNORECASE)
_HALF = r"(?:\s?([AaPp])\.?[Mm]\b\.?)?"
"""AM or PM behind a time, if they are there."""
_DATE = re.compile(
    rf"(\d{{4}})[-/.](\d\d?)[-/.](\d\d?)[ T-]+(\d\d?)[:.](\d\d)(?:[:.](\d\d))?{_HALF}(?:\s+\(?([A-Z]{{2,5}})\b)?"
)
_DAY_FIRST = re.compile(rf"(\d\d?)[-/. ]([A-Za-z]{{3,9}}|\d\d?)[-/. ,]+(\d{{4}})[ -]+(\d\d?):(\d\d)(?::(\d\d))?{_HALF}")
_MONTH_FIRST = re.compile(
    rf"([A-Z][a-z]{{2,8}})\.? (\d\d?),? +(\d\d?):(\d\d):(\d\d){_HALF}(?: ([A-Z]{{2,5}}))? (\d{{4}})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_HOURS = {
    **{"UTC": 0.0, "GMT": 0.0, "WET": 0.0, "BST": 1.0, "WEST": 1.0, "CET": 1.0, "CEST": 2.0, "EET": 2.0, "EEST": 3.0},
    **{"MSK": 3.0, "IST": 5.5, "CCT": 8.0, "JST": 9.0, "AEST": 10.0, "AEDT": 11.0, "BRT": -3.0, "ART": -3.0},
    **{
        "AST": -4.0,
        "EDT": -4.0,
        "EST": -5.0,
        "CDT": -5.0,
        "CST": -6.0,
        "MDT": -6.0,
        "MST": -7.0,
        "PDT": -7.0,
        "PST": -8.0,
    },
}
"""Hours from UTC of the zones that rooms write."""


@lru_cache(4096)
def units(text: str) -> int:
    """Return a number as rooms write it ("1,234.56", "0,05", "1 500", "2.5") in :data:`UNITS`.

    A single comma or point before exactly three digits parts thousands ("0.125" and "0,125" excepted), any other the cents.
    """
    plain = _GROUPS.sub("", text)
    point, comma = plain.rfind("."), plain.rfind(",")
    if comma > point >= 0 and plain.count(",") == 1:
        plain = plain.replace(".", "").replace(",", ".")  # 1.234,56
    elif point >= 0 and not (plain.count(".") == 1 and comma < 0 and len(plain) - point == 4 and plain[0] != "0"):
        plain = plain.replace(",", "")
    elif point >= 0:
        plain = plain.replace(".", "")
    elif plain.count(",") == 1 and (len(plain) - comma != 4 or plain[0] == "0"):
        plain = plain.replace(",", ".")
    else:
        plain = plain.replace(",", "")
    if plain.count(".") > 1:
        plain = plain.replace(".", "")
    whole, _, part = plain.partition(".")
    return int(whole[:15]) * UNITS + int((part + "0000")[:4])


def amounts(text: str) -> list[int]:
    """Return every number in ``text`` in :data:`UNITS`."""
    return [units(number) for number in _NUMBER.findall(text)]


@lru_cache(4096)
def cards(text: str) -> tuple[int, ...]:
    """Return every card in ``text`` ("[Th 5c]", "10h, Kc")."""
    return tuple(
        13 * SUITS.index(suit.lower()) + (8 if rank == "10" else RANKS.index(rank.upper()))
        for rank, suit in _CARD.findall(text)
    )


def moment(text: str) -> datetime | None:
    """Return the first date and time in ``text``, in UTC, or without a zone where none is said that is known.

    ET (New York's time) is taken as summer time from April to October.
    """
    try:
        if found := _DATE.search(text):
            year, month, day, hour, minute = map(int, found.group(1, 2, 3, 4, 5))
            zone, second, half = found[8] or "", int(found[6] or 0), found[7]
        elif found := _MONTH_FIRST.search(text):
            month = _month(found[1])
            day, hour, minute, second, year = map(int, found.group(2, 3, 4, 5, 8))
            zone, half = found[7] or "", found[6]
        elif found := _DAY_FIRST.search(text):
            month = int(found[2]) if found[2].isdigit() else _month(found[2])
            day, year, hour, minute = map(int, found.group(1, 3, 4, 5))
            zone, second, half = "", int(found[6] or 0), found[7]
        else:
            return None
        if zone in ("ET", "EPT"):
            zone = "EDT" if 4 <= month <= 10 else "EST"
        if half:
            hour = hour % 12 + 12 * (half in "Pp")
        local = datetime(year, month, day, hour, minute, second)
        if zone not in _HOURS:
            return local
        return local.replace(tzinfo=timezone(timedelta(hours=_HOURS[zone]))).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "₹": "INR", "\x80": "EUR"}
_DOLLARS = {"C": "CAD", "CA": "CAD", "A": "AUD", "AU": "AUD", "R": "BRL", "MX": "MXN"}
_DOLLAR = re.compile(r"(?<![A-Za-z])(CA?|AU?|R|MX)\$")
_CODE = re.compile(r"\b(USD|EUR|GBP|CNY|CAD|INR|SEK|RSD|BRL|AUD|MXN|PLN|RUB|UAH|JPY|KRW|THB|TRY)\b")


def currency(text: str) -> str:
    """Return the code of the currency that ``text`` names by code or sign, or nothing."""
    if code := _CODE.search(text):
        return code[1]
    if dollar := _DOLLAR.search(text):
        return _DOLLARS[dollar[1]]
    return next((code for sign, code in CURRENCIES.items() if sign in text), "")
