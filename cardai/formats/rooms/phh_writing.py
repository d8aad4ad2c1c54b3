"""Hands of hold'em as PHH texts (arXiv 2312.11753) one by one: unequal stacks, antes, straddles, cards that nobody saw.

Players go from the first after the button, as PHH has them (of two the big blind first). What each text says is played by PokerKit,
and must pay what our rules pay.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from cardai.cards.text import cards_text
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.extras import need_extra
from cardai.core.format import LeftOut, Written
from cardai.core.text import one_line
from cardai.formats.rooms.played import Games, Hand, walked
from cardai.poker.contract import BoardGame

_STREETS = ((0, 3), (3, 4), (4, 5))


def written(header: Mapping[str, Any], hands: Sequence[Mapping[str, Any]]) -> Written:
    """Return records of hold'em, each with a game of its own, as a PHH file; those that it cannot say are left out.

    Raises:
        UsageError: the records' game is not hold'em. PluginError: PokerKit is not installed.
    """
    need_extra("pokerkit", "PHH", "phh")
    games = Games(header)
    names = [one_line(str(agent)) for agent in header.get("agents", ())]
    texts, left_out = list[str](), list[str]()
    for count, record in enumerate(hands):
        try:
            game, note = games.of(record), record.get("room") or {}
            if len(note.get("boards", ())) > 1:
                raise DamagedFileError("hands that are run more than once are not written.")
            hand = walked(game, record, names)
            hidden = {p for p, seat in enumerate(hand.seats) if seat in set(note.get("unknown", ()))}
            text = "\n".join(_lines(game, hand, hidden, note))
            _check(text, hand)
            texts.append(text)
        except (CardaiError, LookupError, TypeError, ValueError) as error:
            left_out.append(LeftOut(f"hand {count + 1}: {error}", "cannot be said in PHH"))
    if len(texts) == 1:
        return Written(texts[0] + "\n", 1, tuple(left_out))
    whole = "\n".join(f"[{number}]\n{text}\n" for number, text in enumerate(texts, 1))
    return Written(whole, len(texts), tuple(left_out))


def _lines(game: BoardGame, hand: Hand, hidden: set[int], note: Mapping[str, Any]) -> Iterator[str]:
    """Yield a hand's lines."""
    betting, n = hand.betting, len(hand.names)
    if betting.pot_limit or any(betting.away):
        raise DamagedFileError("pot-limit and players who are away are not written.")
    if n > 2 and any(low >= high for low, high in pairwise(betting.blinds) if high):
        raise DamagedFileError("posts beside the blinds are not written.")
    yield f"variant = {_quoted('NT' if betting.no_limit else 'FT')}"
    yield f"ante_trimming_status = {str(not any(betting.dead)).lower()}"  # one seat's ante would come back
    yield f"antes = {[betting.ante + dead for dead in betting.dead]}"
    yield f"blinds_or_straddles = {list(betting.blinds[::-1] if n == 2 else betting.blinds)}"
    if betting.no_limit:
        yield f"min_bet = {game.big_blind}"
    else:
        yield f"small_bet = {betting.raise_sizes[0]}"
        yield f"big_bet = {betting.raise_sizes[-1]}"
    yield f"starting_stacks = {list(hand.stacks)}"
    actions = ", ".join(map(_quoted, _actions(hand, hidden)))
    yield f"actions = [{actions}]"
    yield f"players = [{', '.join(map(_quoted, hand.names))}]"
    if note:
        yield f"seats = {[int(note['seats'][seat]) for seat in hand.seats]}"
        yield f"venue = {_quoted(str(note.get('name', '')))}"
        digits = "".join(c for c in str(note.get("number", "")) if c.isdigit())[-15:]
        if digits:
            yield f"hand = {int(digits)}"


def _quoted(text: str) -> str:
    """Return a text as TOML writes it."""
    plain = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _actions(hand: Hand, hidden: set[int]) -> Iterator[str]:
    """Yield a hand's actions in PHH's words."""
    for p, hole in enumerate(hand.holes):
        yield f"d dh p{p + 1} {'????' if p in hidden else cards_text(hole)}"
    street = 0
    for bet in hand.bets:
        for k in range(street, bet.round):
            yield _dealt(hand, k)
        street = max(street, bet.round)
        word = {"fold": "f", "check": "cc", "call": "cc"}.get(bet.kind, f"cbr {bet.to}")
        yield f"p{bet.position + 1} {word}"
    if not hand.showdown:
        return
    all_in = street < 3
    shows = [_shown(hand, p, hidden) for p in range(len(hand.holes)) if hand.folded[p] < 0]
    if all_in:
        yield from shows
    for k in range(street, 3):
        yield _dealt(hand, k)
    if not all_in:
        yield from _in_order(hand, hidden)


def _shown(hand: Hand, position: int, hidden: set[int]) -> str:
    """Return that a position shows its cards, or throws away what nobody saw."""
    return f"p{position + 1} sm {'' if position in hidden else cards_text(hand.holes[position])}".rstrip()


def _in_order(hand: Hand, hidden: set[int]) -> Iterator[str]:
    """Yield what is shown on the river: who bet or raised last first, else the first after the button."""
    bets = [bet.position for bet in hand.bets if bet.round == 3 and bet.kind in ("bet", "raise")]
    first, n = (bets[-1] if bets else 0), len(hand.holes)
    for k in range(n):
        p = (first + k) % n
        if hand.folded[p] < 0:
            yield _shown(hand, p, hidden)


def _dealt(hand: Hand, street: int) -> str:
    low, high = _STREETS[street]
    return f"d db {cards_text(hand.board[low:high])}"


def _check(text: str, hand: Hand) -> None:
    """Raise DamagedFileError where PokerKit refuses the hand, or pays other than our rules."""
    import pokerkit

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            *_, state = pokerkit.HandHistory.loads(text)
    except Exception as error:  # PokerKit raises what it likes
        raise DamagedFileError(f"PokerKit refuses the hand: {error}.") from error
    won = [sum(pot[p] for pot in hand.pots) + hand.returned[p] - hand.put[p] for p in range(len(hand.holes))]
    if state.status or any(abs(a - b) > len(won) for a, b in zip(won, state.payoffs, strict=True)):
        raise DamagedFileError(f"PokerKit pays {list(state.payoffs)}, cardai's rules {won}.")
