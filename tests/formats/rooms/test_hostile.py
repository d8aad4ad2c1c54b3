"""Rooms' files from strangers: cut off anywhere, of random bytes, of huge numbers and lines; and as long as one likes."""

from __future__ import annotations

import io
import random
import re
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from cardai.core.errors import CardaiError
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.lines import MAX_LINES
from tests.formats.rooms.texts import CASH, IPOKER, TEXTS
from tests.support import sizes


def read(text: str) -> list[object]:
    try:
        with room_hands(io.StringIO(text)) as hands:
            return list(hands)
    except CardaiError as error:
        return [error]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("step", sizes(151, 7))
def test_a_file_that_is_cut_off_is_a_hand_or_a_sentence(name: str, step: int) -> None:
    text = TEXTS[name]
    for end in range(0, len(text), step):
        found = read(text[:end])
        assert len(found) <= 1
        assert not any(isinstance(hand, RoomHand) and hand.pot <= 0 for hand in found)


@pytest.mark.parametrize("name", ["cash", "gg", "winamax", "party_old"])
def test_a_file_that_ends_within_what_was_won_has_no_such_hand(name: str) -> None:
    """ "collected $7.8" of $7.85: five cents were taken for rake. Cut where the words behind begin, nothing is missing."""
    text = TEXTS[name]
    last = list(re.finditer(r"(?:collected|wins) [$\u20ac]?([\d.]+)\D*?(?=[a-z\u20ac])", text, re.IGNORECASE))[-1]
    for end in range(last.start(1), last.end(1) + 1):
        assert not any(isinstance(hand, RoomHand) for hand in read(text[:end])), text[last.start() : end]
    (whole,), (cut,) = read(text), read(text[: last.end() + 1])
    assert isinstance(whole, RoomHand)
    assert isinstance(cut, RoomHand)
    assert [player.net for player in cut.players] == [player.net for player in whole.players]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("times", sizes(6, 100))
def test_changed_characters_never_crash_a_reader(name: str, times: int) -> None:
    rng = random.Random(name)
    for _ in range(times):
        text = list(TEXTS[name])
        for _ in range(rng.choice([1, 1, 3, 20])):
            place = rng.randrange(len(text))
            text[place] = rng.choice(
                ["", "9" * 400, "\x00", "(", ")", "[", "\n", "$", "-1", "é", ",", ".", text[rng.randrange(len(text))]]
            )
        read("".join(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("($5 in chips)", "($" + "9" * 300 + " in chips)"),
        ("raises $0.40 to $0.55", "raises $0.40 to $" + "9" * 15),
        ("Seat 1: a:b", "Seat " + "9" * 30 + ": a:b"),
        ("Seat #1 is", "Seat #" + "9" * 5000 + " is"),
        ("2025/12/24", "9999/99/99"),
        ("#74000000001", "#" + "7" * 25),
    ],
)
def test_huge_numbers_are_sentences(old: str, new: str) -> None:
    assert old in CASH
    (found,) = read(CASH.replace(old, new))
    assert isinstance(found, str | CardaiError | RoomHand)


@pytest.mark.parametrize(("text", "post"), [(CASH, "x [Ah] (y): posts big blind"), (IPOKER, '<action no="2"')])
def test_a_hand_of_thousands_of_posts_is_refused_before_they_are_tried(text: str, post: str) -> None:
    """Each would be tried as the big blind, with all others: 2,500 of them took seven seconds."""
    line = next(line for line in text.splitlines(keepends=True) if post in line)
    begun = time.process_time()
    (said,) = read(text.replace(line, 2500 * line))
    assert "more posts than a hand has" in str(said)
    assert time.process_time() - begun < 5


class Endless(io.TextIOBase):
    """``head``, then one line of ``characters``, made as it is read."""

    def __init__(self, head: str, characters: int) -> None:
        self._lines = io.StringIO(head)
        self._left = characters

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        line = self._lines.readline(size)
        if line or self._left <= 0:
            return line
        count = min(size if size > 0 else 1 << 16, self._left)
        self._left -= count
        return "<" * count


@pytest.mark.parametrize("text", [CASH, IPOKER], ids=["lines", "xml"])
def test_a_line_of_a_hundred_megabytes_takes_little_memory(text: str) -> None:
    begun = text[: len(text) // 2]
    tracemalloc.start()
    with room_hands(Endless(begun, 100_000_000)) as hands:  # type: ignore[arg-type]
        list(hands)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30_000_000


@pytest.mark.long
def test_many_hands_are_read_one_at_a_time() -> None:
    class Many(io.TextIOBase):
        def __init__(self, copies: int) -> None:
            self._lines = self._all(copies)

        def _all(self, copies: int) -> Iterator[str]:
            for number in range(copies):
                yield from CASH.replace("#74000000001", f"#{number + 1}").splitlines(keepends=True)

        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            return next(self._lines, "")

    tracemalloc.start()
    with room_hands(Many(400)) as hands:  # type: ignore[arg-type]
        count = sum(isinstance(hand, RoomHand) for hand in hands)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert most < 8_000_000


def test_a_hand_that_never_ends_is_cut_off() -> None:
    found = read(CASH.partition("*** SUMMARY")[0] + 'a:b said, "hello"\n' * (MAX_LINES + 10) + "\n" + CASH)
    assert [getattr(hand, "reason", "read") for hand in found] == ["too many lines", "read"]


def test_digits_that_are_no_numbers_are_sentences() -> None:
    for name in ("no", "seat"):
        assert read(re.sub(rf'{name}="\d+"', f'{name}="²"', IPOKER))


@pytest.mark.long
def test_what_stands_before_the_hands_costs_each_hand_little() -> None:
    tags = "".join(f"<t{number}>x</t{number}>\n" for number in range(20_000))
    games = '<game gamecode="1">\n</game>\n' * 200
    begun = time.process_time()
    assert len(read(f"<session>\n{tags}<gametype>Holdem NL {'1' * 480}</gametype>\n{games}")) == 200
    assert time.process_time() - begun < 2
