"""Self-play written as PokerStars hand histories and read back, by cardai and by PokerKit: what is equal, and how fast.

    python benchmarks/hand_histories.py --hands 10000
    python benchmarks/hand_histories.py --file hands.txt
    python benchmarks/hand_histories.py --file pokerkit/data/pluribus

Self-play is of no-limit and limit hold'em, for two to six. Each hand that is read back must have its players, stacks, actions, board and results; PokerKit, which reads with a parser and
rules of its own, must pay everybody the same (to a chip a pot, where odd chips are split); limit hands it reads as no-limit
ones, under whose rules every one of their bets is allowed. Times are CPU seconds of one
process, from text to replayed hands. ``--file`` reads a file of a room instead, and counts what is refused by reason; hands
that PokerKit reads too are compared. Of PHH it reads a file or a folder of them.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cardai
from cardai.core import registry
from cardai.formats import read_hands
from cardai.formats.encodings import text_of
from cardai.formats.phh import Phh, hands_of
from cardai.formats.rooms import room_hands
from cardai.formats.rooms.hand import RoomHand

GAMES = (
    ("holdem_nolimit", "random"),
    ("holdem_nolimit:players=6,stack=10000", "random"),
    ("holdem_limit:players=2", "random"),
    ("holdem_limit:players=3", "random"),
    ("holdem_limit:players=6,stack=800", "always_call"),
    ("holdem_nolimit:bets=0.5+pot+allin", "always_call"),
)
"""Games and the player who fills their seats; the other seats are random."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hands", type=int, default=10_000, help="Hands of self-play in all.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="Read this file of a room instead.")
    given = parser.parse_args()
    if given.file and (given.file.is_dir() or given.file.suffix in Phh.suffixes):
        histories_of_phh(given.file)
        return
    if given.file:
        with text_of(given.file.open("rb")) as stream:
            text = stream.read()
        ours, _, seconds = read(text)
        report(str(given.file), ours, seconds, pokerkit(text, ours))
        return
    for game, agent in GAMES:
        self_play(game, agent, given.hands // len(GAMES), given.seed)


def self_play(game: str, agent: str, count: int, seed: int) -> None:
    """Play, write, read back and compare."""
    seats = cardai.game(game).num_players
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.jsonl"
        cardai.play(game, [agent] + ["random"] * (seats - 1), games=count, seed=seed, duplicate=False, record=path)
        records = read_hands(path).hands
    header = {"game": game, "agents": [f"player {k}" for k in range(seats)]}
    begun = time.process_time()
    written = registry.create("format", "pokerstars:dealt=all").write(header, records)
    took = time.process_time() - begun
    ours, problems, seconds = read(written.text)
    equal = sum(same(hand, record) for hand, record in zip(ours, records, strict=False))
    print(
        f"{game}: {written.hands:,} hands written in {took:.1f} s, {equal:,} read back equal, {len(problems)} refused"
    )
    report("  text", ours, seconds, pokerkit(written.text, ours))


def read(text: str) -> tuple[list[RoomHand], Counter[str], float]:
    """Return a text's hands, why others were refused, and CPU seconds."""
    begun = time.process_time()
    found: list[RoomHand] = []
    refused: Counter[str] = Counter()
    with room_hands(io.StringIO(text)) as hands:
        for hand in hands:
            if isinstance(hand, RoomHand):
                found.append(hand)
            else:
                refused[hand.reason] += 1
    return found, refused, time.process_time() - begun


def same(hand: RoomHand, record: dict[str, Any]) -> bool:
    """Whether a hand that was read is the record that was written."""
    n = len(hand.players)
    first = (record["setup"]["starter"] + 1) % n
    order = [(first + position) % n for position in range(n)]
    dealt = [card for player in hand.players for card in player.cards]
    return (
        [player.name for player in hand.players] == [f"player {record['seats'][seat]}" for seat in order]
        and list(hand.returns) == [record["returns"][seat] for seat in order]
        and dealt == list(record["deck"][: 2 * n])
        and list(hand.board) == list(record["deck"][2 * n : 2 * n + len(hand.board)])
        and len(hand.moves) == len(record["actions"])
    )


def independent_reader() -> Any:
    """Return PokerKit's reader of PokerStars' hands, which takes limit hold'em too: as no-limit, which allows all its bets."""
    from pokerkit.notation import PokerStarsParser

    class Reader(PokerStarsParser):  # type: ignore[misc]
        VARIANT = re.compile(r" (?P<variant>Hold'em (?:No )?Limit) ")
        VARIANTS = dict.fromkeys(("Hold'em No Limit", "Hold'em Limit"), "NT")

    return Reader()


def pokerkit(text: str, ours: list[RoomHand]) -> tuple[int, int, int, float]:
    """Return how many hands PokerKit reads, how many of ours it pays alike and otherwise, and its CPU seconds."""
    begun, read_by_it = time.process_time(), 0
    known = {hand.number: hand for hand in ours}
    alike = otherwise = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for history in histories(text):
            try:
                *_, state = history
            except Exception:  # PokerKit raises what it likes
                continue
            read_by_it += 1
            hand = known.get(str(history.hand))
            if hand is not None:
                paid = dict(zip(history.players or [], state.payoffs, strict=True))
                near = all(
                    abs(float(paid.get(player.name, -1e9)) - given * hand.chip) <= 2 * hand.chip
                    for player, given in zip(hand.players, hand.returns, strict=True)
                )
                alike, otherwise = alike + near, otherwise + (not near)
    return read_by_it, alike, otherwise, time.process_time() - begun


def histories_of_phh(place: Path) -> None:
    """Read PHH with both, and compare what everybody won by the rules (to an odd chip)."""
    from pokerkit import HandHistory

    files = sorted(place.rglob("*.phh*")) if place.is_dir() else [place]
    texts = [file.read_text(encoding="utf-8") for file in files]
    begun = time.process_time()
    ours = [read.hand for text in texts for read in hands_of(io.StringIO(text))]
    seconds, begun = time.process_time() - begun, time.process_time()
    read_by_it = alike = otherwise = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = [
            history
            for text, file in zip(texts, files, strict=True)
            for history in (HandHistory.loads_all(text) if file.suffix == ".phhs" else [HandHistory.loads(text)])
        ]
        for hand, history in zip(ours, theirs, strict=True):
            try:
                *_, state = history
            except Exception:  # PokerKit raises what it likes
                continue
            read_by_it += 1
            if isinstance(hand, RoomHand):
                paid = zip(state.payoffs, hand.returns, strict=True)
                odd = 1 if all(isinstance(one, int) for one in state.payoffs) else 2 * hand.chip
                near = all(abs(float(one) - given * hand.chip) <= odd for one, given in paid)
                alike, otherwise = alike + near, otherwise + (not near)
    its_seconds = time.process_time() - begun
    refused = Counter(str(hand).partition(":")[0] for hand in ours if not isinstance(hand, RoomHand))
    report(
        str(place),
        [hand for hand in ours if isinstance(hand, RoomHand)],
        seconds,
        (read_by_it, alike, otherwise, its_seconds),
    )
    for reason, count in refused.items():
        print(f"  {count:,} not read: {reason}")


def histories(text: str) -> Iterator[Any]:
    try:
        yield from independent_reader()(text, error_status=False)
    except Exception as error:
        print(f"  PokerKit stops: {type(error).__name__}: {str(error)[:100]}")


def report(name: str, ours: list[RoomHand], seconds: float, other: tuple[int, int, int, float]) -> None:
    read_by_it, alike, otherwise, its_seconds = other
    speed = len(ours) / max(seconds, 1e-9)
    its = read_by_it / max(its_seconds, 1e-9)
    print(
        f"{name}: cardai {len(ours):,} hands, {speed:,.0f} a CPU second; PokerKit {read_by_it:,}, {its:,.0f} a CPU second"
    )
    print(f"  paid alike by both: {alike:,}; otherwise: {otherwise:,}")


if __name__ == "__main__":
    main()
