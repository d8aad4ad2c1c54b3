"""Hands as PokerStars writes them, so that trackers import them: money, streets, pots, showdown and summary."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from attrs import frozen

from cardai.cards.text import cards_text
from cardai.formats.rooms.played import Bet, Hand
from cardai.poker.contract import BoardGame
from cardai.poker.rules.betting import Betting
from cardai.poker.rules.showdown import hand_name

STREETS = ("", "FLOP", "TURN", "RIVER")
_WHERE = ("before Flop", "on the Flop", "on the Turn", "on the River")
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_SIZES = (2, 6, 9, 10)


@frozen
class Setting:
    """What a hand's text needs that a record does not say: its number, time, table, money, and whose cards are dealt openly.

    ``cents`` is how many hundredths of the currency (of play money's or a tournament's chips) a chip is; 0: it is one of the
    latter. ``dealt`` are the positions whose cards are told at once, the hero first. ``rake`` goes to the room, ``collected`` is by position after it
    (none: what the pots hold). ``hidden`` are positions whose cards nobody saw.
    """

    number: int
    time: datetime
    table: str
    cents: float
    currency: str
    dealt: tuple[int, ...]
    seats: tuple[int, ...]
    tournament: str = ""
    rake: int = 0
    collected: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()


def hand_text(game: BoardGame, hand: Hand, setting: Setting) -> str:
    """Return the text of one hand, with its last line end."""
    writer = _Writer(game, hand, setting)
    return "\n".join(writer.lines()) + "\n"


@frozen
class _Writer:
    game: BoardGame
    hand: Hand
    setting: Setting

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        for position in self.setting.dealt:
            yield f"Dealt to {self.hand.names[position]} [{cards_text(self.hand.holes[position], ' ')}]"
        yield from self._streets()
        yield from self._end()
        yield from self._summary()

    def money(self, chips: int, whole: bool = False) -> str:
        """Return chips as an amount; ``whole``: always with cents where there are any (as in heads)."""
        if not self.setting.cents:
            return str(chips)
        cents = round(chips * self.setting.cents)
        plain = f"{cents // 100}" if cents % 100 == 0 and not whole else f"{cents / 100:.2f}"
        return _SIGNS.get(self.setting.currency, "") + plain

    def _seat(self, position: int) -> int:
        return self.setting.seats[position]

    def _head(self) -> Iterator[str]:
        setting, hand, n = self.setting, self.hand, len(self.hand.names)
        betting = hand.betting
        kind = "Pot Limit" if betting.pot_limit else "No Limit" if betting.no_limit else "Limit"
        low, high = self._stakes(betting)
        stakes = f"{self.money(low, True)}/{self.money(high, True)}"
        when = setting.time.strftime("%Y/%m/%d %H:%M:%S UTC")
        if setting.tournament:
            yield (
                f"PokerStars Hand #{setting.number}: Tournament #{setting.tournament}, Freeroll  Hold'em {kind} - "
                f"Level I ({stakes}) - {when}"
            )
        else:
            code = f" {setting.currency}" if setting.currency else ""
            yield f"PokerStars Hand #{setting.number}:  Hold'em {kind} ({stakes}{code}) - {when}"
        size = next((size for size in _SIZES if size >= max(n, *setting.seats)), 10)
        money = " (Play Money)" if not setting.currency and not setting.tournament else ""
        yield f"Table '{setting.table}' {size}-max{money} Seat #{self._seat(n - 1)} is the button"
        for position in sorted(range(n), key=self._seat):
            stack = self.money(hand.stacks[position])
            yield f"Seat {self._seat(position)}: {hand.names[position]} ({stack} in chips)"

    def _stakes(self, betting: Betting) -> tuple[int, int]:
        if not betting.no_limit:
            return betting.raise_sizes[0], betting.raise_sizes[-1]
        big = self.game.big_blind
        return min((b for b in betting.blinds if 0 < b < big), default=big // 2 or big), big

    def _posts(self) -> Iterator[str]:
        hand, betting = self.hand, self.hand.betting
        left = list(hand.stacks)
        for position, name in enumerate(hand.names):
            if ante := min(betting.ante, left[position]):
                left[position] -= ante
                yield f"{name}: posts the ante {self._posted(ante, left[position])}"
        order = range(len(left))
        if len(left) == 2 and betting.first[0] == 1:
            order = range(1, -1, -1)
        for position in sorted(order, key=lambda p: self._post_order(p)):
            dead = min(betting.dead[position], left[position])
            live = min(betting.blinds[position], left[position] - dead)
            left[position] -= dead + live
            name, all_chips = hand.names[position], left[position]
            ante = position == (betting.dead_position if betting.dead_ante else self._big())  # for the table
            if dead and not live:
                yield f"{name}: posts {'the ante' if ante else 'small blind'} {self._posted(dead, all_chips)}"
            elif dead and ante:
                yield f"{name}: posts the ante {self._posted(dead, live + all_chips)}"
                yield f"{name}: {self._blind(position)} {self._posted(live, all_chips)}"
            elif dead:
                yield f"{name}: posts small & big blinds {self._posted(dead + live, all_chips)}"
            elif live:
                yield f"{name}: {self._blind(position)} {self._posted(live, all_chips)}"

    def _post_order(self, position: int) -> tuple[int, int]:
        """Return a key: the small blind, the big one, straddles, then who posts beside them."""
        words = self._blind(position)
        usual = ("posts small blind", "posts big blind", "posts straddle").index(words)
        regular = position <= self._big() or (len(self.hand.names) == 2)
        return (0 if regular else 2 if usual < 2 else 1, usual if regular else position)

    def _big(self) -> int:
        blinds = self.hand.betting.blinds
        return next((p for p, blind in enumerate(blinds) if blind == self.game.big_blind), len(blinds) - 1)

    def _blind(self, position: int) -> str:
        blind, big = self.hand.betting.blinds[position], self.game.big_blind
        return f"posts {'small blind' if blind < big else 'big blind' if blind == big else 'straddle'}"

    def _posted(self, chips: int, left: int) -> str:
        return self.money(chips) + (" and is all-in" if left == 0 else "")

    def _streets(self) -> Iterator[str]:
        hand, street = self.hand, 0
        for position, away in enumerate(hand.betting.away):
            if away:
                yield f"{hand.names[position]}: folds"
        for bet in hand.bets:
            while street < bet.round:
                street += 1
                yield self._board(street)
            yield self._bet(bet)
        for position, back in enumerate(hand.returned):
            if back:
                yield f"Uncalled bet ({self.money(back)}) returned to {hand.names[position]}"
        shown = {3: 1, 4: 2, 5: 3}.get(len(hand.board), 0)
        while street < shown:
            street += 1
            yield self._board(street)

    def _board(self, street: int) -> str:
        board, dealt = self.hand.board, street + 2
        if street == 1:
            return f"*** FLOP *** [{cards_text(board[:3], ' ')}]"
        return f"*** {STREETS[street]} *** [{cards_text(board[: dealt - 1], ' ')}] [{cards_text(board[dealt - 1 : dealt])}]"

    def _bet(self, bet: Bet) -> str:
        name = self.hand.names[bet.position]
        last = " and is all-in" if bet.all_in else ""
        if bet.kind in ("fold", "check"):
            return f"{name}: {bet.kind}s"
        if bet.kind == "raise":
            return f"{name}: raises {self.money(bet.to - bet.before)} to {self.money(bet.to)}{last}"
        return f"{name}: {bet.kind}s {self.money(bet.added)}{last}"

    def _won(self) -> list[tuple[int, int, int]]:
        """Return (pot, position, chips) of each share, the last pot first, after rake."""
        hand, setting = self.hand, self.setting
        shares = [(k, p, won) for k, pot in enumerate(hand.pots) for p, won in enumerate(pot) if won]
        if not setting.collected:
            return sorted(shares, key=lambda share: -share[0])
        out = []
        for position, total in enumerate(setting.collected):
            own = [share for share in shares if share[1] == position]
            less = sum(won for *_, won in own) - total
            for k, p, won in own:
                cut = min(less, won)
                less -= cut
                if won > cut:
                    out.append((k, p, won - cut))
        return sorted(out, key=lambda share: -share[0])

    def _end(self) -> Iterator[str]:
        hand, pots = self.hand, len(self.hand.pots)
        if hand.showdown:
            yield "*** SHOW DOWN ***"
            for position, name in enumerate(hand.names):
                if hand.folded[position] >= 0:
                    continue
                if position in self.setting.hidden:
                    yield f"{name}: mucks hand"
                else:
                    yield f"{name}: shows [{cards_text(hand.holes[position], ' ')}] ({self._made(position)})"
        for pot, position, won in self._won():
            which = "pot" if pots == 1 else "main pot" if pot == 0 else "side pot" if pots == 2 else f"side pot-{pot}"
            yield f"{hand.names[position]} collected {self.money(won)} from {which}"
        if not hand.showdown:
            winner = next((p for p, round_ in enumerate(hand.folded) if round_ < 0), 0)
            yield f"{hand.names[winner]}: doesn't show hand"

    def _made(self, position: int) -> str:
        return hand_name(self.game, self.hand.holes[position], self.hand.board) or "high card"

    def _summary(self) -> Iterator[str]:
        hand, setting = self.hand, self.setting
        totals = [sum(pot) for pot in hand.pots]
        parts = [f"Total pot {self.money(sum(totals))}"]
        if len(totals) > 1:
            names = [
                "Main pot",
                *(["Side pot"] if len(totals) == 2 else [f"Side pot-{k}" for k in range(1, len(totals))]),
            ]
            parts += [f"{name} {self.money(total)}." for name, total in zip(names, totals, strict=True)]
        yield "*** SUMMARY ***"
        yield f"{' '.join(parts)} | Rake {self.money(setting.rake)}"
        if hand.board:
            yield f"Board [{cards_text(hand.board, ' ')}]"
        for position in sorted(range(len(hand.names)), key=self._seat):
            yield f"Seat {self._seat(position)}: {hand.names[position]}{self._role(position)} {self._outcome(position)}"

    def _role(self, position: int) -> str:
        n, blind = len(self.hand.names), self.hand.betting.blinds[position]
        words = " (button)" if position == n - 1 else ""
        if blind == self.game.big_blind and position == self._big():
            return f"{words} (big blind)"
        small = position == (1 if n == 2 else 0) and 0 < blind < self.game.big_blind
        return f"{words} (small blind)" if small else words

    def _outcome(self, position: int) -> str:
        hand = self.hand
        won = sum(chips for _, p, chips in self._won() if p == position)
        if hand.folded[position] >= 0:
            idle = hand.folded[position] == 0 and not hand.put[position]
            return f"folded {_WHERE[hand.folded[position]]}{' (didn' + chr(39) + 't bet)' if idle else ''}"
        if not hand.showdown:
            return f"collected ({self.money(won)})"
        if position in self.setting.hidden:
            return "mucked" if not won else f"collected ({self.money(won)})"
        cards, made = cards_text(hand.holes[position], " "), self._made(position)
        return f"showed [{cards}] and {f'won ({self.money(won)})' if won else 'lost'} with {made}"
