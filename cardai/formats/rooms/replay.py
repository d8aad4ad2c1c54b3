"""A hand that a file tells, played by cardai's rules: turns, amounts, cards, and what everybody won must agree.

The rules are those of the games themselves (:mod:`cardai.poker.rules._betting_kernels`), run as plain Python on one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from attrs import define, field

from cardai.core.kernel import interpreted_copy
from cardai.formats.rooms.hand import Action, Player, RoomHand
from cardai.formats.rooms.readings import Reading, Table, readings, seated, unposted
from cardai.formats.rooms.settled import Settled, settle
from cardai.formats.rooms.text import UNITS
from cardai.formats.rooms.told import Act, Refused, Told
from cardai.poker.rules.betting import CALL, CONTINUES, FOLD, RAISE, ROUND_OVER, SHOWDOWN, UNCONTESTED

rules = interpreted_copy("cardai.poker.rules._betting_kernels")


def replayed(told: Told) -> RoomHand:
    """Return the hand that ``told`` tells. Raises Refused, with the reason of the reading that went furthest."""
    if told.posters:
        raise Refused("a player without a seat", told.posters[0][:40])
    if told.acts and all(act.street for act in told.acts):
        raise Refused("a bomb pot", "nobody acts before the flop")
    try:
        if not told.ended:
            raise Refused("the hand is not whole", "nobody collects the pot")
        try:
            return _replayed(told, seated(told))
        except Refused:
            if not unposted(told):
                raise
            return _replayed(told, seated(told, moved=True))  # some of the seats were left before the hand
    except Refused:
        if told.strangers:
            raise Refused("a player without a seat", told.strangers[0][:40]) from None
        raise


def _replayed(told: Told, table: Table) -> RoomHand:
    """Return the hand by the first reading that holds. Raises Refused as :func:`replayed` does."""
    best: tuple[int, Refused] | None = None
    for reading in readings(told, table):
        played = Played(told, table, reading)
        try:
            played.post()
            played.act_all()
            return _hand(played, settle(told, table, played.row, played.law, played.over == SHOWDOWN, played.beyond))
        except Refused as error:
            if best is None or played.done > best[0]:
                best = played.done, error
    assert best is not None
    raise best[1]


@define
class Played:
    """A hand under way by one reading of its posts."""

    told: Told
    table: Table
    reading: Reading
    row: dict[str, Any] = field(init=False)
    law: dict[str, Any] = field(init=False)
    over: int = field(init=False, default=CONTINUES)
    done: int = field(init=False, default=-1)
    actions: list[Action] = field(init=False, factory=list)
    moves: list[int] = field(init=False, factory=list)
    early: set[int] = field(init=False, factory=set)
    """Who folded before it was their turn."""
    beyond: list[int] = field(init=False)
    """What each put in beyond all that the others had left, by position: it comes back."""

    def post(self) -> None:
        """Post, and compare with what the file says that everybody posted. Raises Refused."""
        table, unit = self.table, self.table.unit
        betting = self.reading.rules()
        self.row, self.law = betting.new_row(len(table.names) - 1, table.stacks), betting.rules()
        self.over = rules.post(self.row, self.law)
        self.beyond = [0] * len(table.names)
        given = dict.fromkeys(table.names, 0)
        for post in self.told.posts:
            given[post.name] += post.amount // unit
        for k, name in enumerate(table.names):
            put = self.row["spent"][k] + self.row["dead"][k]
            if given[name] and given[name] != put and not (name in self.reading.unsaid and given[name] < put):
                raise Refused(
                    "the posts are not those of the game", f"{name} posts {given[name]}, the rules take {put}"
                )

    def act_all(self) -> None:
        """Play every action that the file tells. Raises Refused."""
        at = {name: k for k, name in enumerate(self.table.names)}
        acts = self.told.acts
        left = [0] * len(at)
        for act in acts:
            left[at[act.name]] += 1
        self.done = 0
        for act in acts:
            seat = at[act.name]
            if act.kind == "fold" and self.reading.away and self.reading.away[seat]:
                pass  # folded when the hand began
            elif self.over in (SHOWDOWN, UNCONTESTED):
                self._idle(act, seat)
            elif self._turn(seat, left, act):
                self._play(act, seat)
            left[seat] -= 1
            self.done += 1
        while self.over in (CONTINUES, ROUND_OVER):
            if self.row["current"] in self.early:
                self._note(self.row["current"], FOLD, "fold")
            else:
                self._implied_fold(self.row["current"])
        if self.over == SHOWDOWN:
            self.done += 1

    def _idle(self, act: Act, seat: int) -> None:
        """Pass over what changes nothing once nobody has a choice: checks, a loser's late fold, a call of nothing."""
        folded = self.over == UNCONTESTED or bool(self.row["folded"][seat])
        if act.kind == "check" or (act.kind == "fold" and folded) or (act.kind == "call" and act.added in (0, -1)):
            return
        raise Refused("an action after the betting is over", f"{act.name} {act.kind}s")

    def _turn(self, seat: int, left: Sequence[int], act: Act) -> bool:
        """Fold those before ``seat`` of whom the file tells no more; whether it is now to act (a fold may come too early).

        Raises:
            Refused: another is to act.
        """
        while self.row["current"] != seat and self.over in (CONTINUES, ROUND_OVER):
            current = self.row["current"]
            if current in self.early:
                self._note(current, FOLD, "fold")
                continue
            if left[current] or self._wins(current):
                if act.kind == "fold" and left[seat] == 1:
                    self.early.add(seat)  # it folds when it is its turn
                    return False
                raise Refused("an action out of turn", f"{act.name} acts before {self.table.names[current]}")
            self._implied_fold(current)
        if self.over in (SHOWDOWN, UNCONTESTED):
            raise Refused("an action after the betting is over", f"{act.name} {act.kind}s")
        if act.street != self.row["round"]:
            raise Refused("an action on another street", f"{act.name} {act.kind}s")
        return True

    def _wins(self, seat: int) -> bool:
        return self.table.names[seat] in self.told.collected

    def _implied_fold(self, seat: int) -> None:
        if self._wins(seat):
            raise Refused("the betting is not over", f"{self.table.names[seat]} has still to act")
        self._note(seat, FOLD, "fold", implied=True)

    def _play(self, act: Act, seat: int) -> None:
        row, unit = self.row, self.table.unit
        need = rules.to_call(row, seat)
        before = row["spent"][seat] - row["round_spent"][seat]
        if act.kind == "fold":
            self._note(seat, FOLD, "fold")
        elif act.kind == "check" or (act.kind == "call" and need == 0 and act.added in (0, -1)):
            if need:
                raise Refused("a check where there is a bet", act.name)
            self._note(seat, CALL, "check")
        elif act.kind == "call":
            self._call(act, seat, need)
        else:
            to = before + act.to // unit if act.to >= 0 else row["spent"][seat] + act.added // unit
            if act.to < 0 and act.added < 0:
                raise Refused("a raise without an amount", act.name)
            self._raise(act, seat, to)

    def _call(self, act: Act, seat: int, need: int) -> None:
        row, unit = self.row, self.table.unit
        if act.added >= 0 and act.added // unit != need:
            most = max(spent for k, spent in enumerate(row["spent"]) if k != seat)
            paid = row["spent"][seat] + act.added // unit
            alone = rules.count_able(row, self.law) == 1
            if not (alone and most <= paid <= row["max_spent"]) and not self._calls_to(act, seat, need):
                raise Refused(
                    "a call of another amount", f"{act.name} calls {act.added // unit}, the bet is {need} more"
                )
        self._note(seat, CALL, "call")

    def _calls_to(self, act: Act, seat: int, need: int) -> bool:
        """Whether a call's amount is what the player has then put in on the street (some converters write it so)."""
        return bool(act.added // self.table.unit == self.row["round_spent"][seat] + need)

    def _raise(self, act: Act, seat: int, to: int) -> None:
        row = self.row
        stack, top = row["stack"][seat], row["max_spent"]
        if to > stack:
            raise Refused("a bet of more than the stack", f"{act.name} puts in {to} of {stack}")
        if to <= top:
            if to == stack or (act.kind == "put" and to == top):
                self._note(seat, CALL, "call" if top > row["spent"][seat] else "check")
                return
            raise Refused("a raise that is none", f"{act.name} raises to {to}, the bet is {top}")
        if rules.count_able(row, self.law) < 2:  # nobody can answer: what is more than the bet comes back
            self.beyond[seat] = to - top
            self._note(seat, CALL, "call")
            return
        low, high = rules.raise_bounds(row, self.law)
        if not low <= to <= high:
            raise Refused("a raise of no legal amount", f"{act.name} raises to {to}, legal are {low} to {high}")
        self._note(
            seat,
            to if self.law["no_limit"] else RAISE,
            "raise" if top > row["spent"][seat] - row["round_spent"][seat] else "bet",
        )

    def _note(self, seat: int, move: int, kind: str, implied: bool = False) -> None:
        row = self.row
        before, street, put = row["spent"][seat], row["round"], row["round_spent"][seat]
        self.over = rules.act(row, self.law, move)
        added = row["spent"][seat] - before
        all_in = added > 0 and row["spent"][seat] == row["stack"][seat]
        self.actions.append(Action(seat, street, kind, put + added, added, all_in, implied))
        self.moves.append(move)


def _hand(played: Played, settled: Settled) -> RoomHand:
    """Return what was played, with what it brought."""
    told, table, row = played.told, played.table, played.row
    unit, reading, showdown = table.unit, played.reading, played.over == SHOWDOWN
    at = {name: k for k, name in enumerate(table.names)}
    zoned = told.time is not None and told.time.tzinfo is not None
    return RoomHand(
        room=told.room,
        number=told.number,
        line=told.line,
        time=told.time if zoned else told.time and told.time.replace(tzinfo=UTC),
        table=told.table,
        tournament=told.tournament,
        currency=told.currency,
        chip=unit / UNITS,
        betting=told.betting,
        big_blind=reading.big_blind,
        players=_players(played, settled),
        button=table.button,
        hero=at.get(told.hero, -1),
        actions=tuple(played.actions),
        boards=settled.boards,
        pot=sum(row["spent"]) + sum(row["dead"]),
        rake=settled.rake,
        showdown=showdown,
        game=reading.spec(),
        moves=tuple(played.moves),
        returns=settled.returns,
        insured=tuple(at[name] for name in told.insured if name in at),
        zoned=zoned,
        big=reading.big,
    )


def _players(played: Played, settled: Settled) -> tuple[Player, ...]:
    """Return who played, by position, with what each posted and won."""
    told, table, row, ante = played.told, played.table, played.row, played.reading.ante
    return tuple(
        Player(
            name,
            told.seats[name].number,
            table.stacks[k],
            told.cards.get(name, ()),
            min(ante, row["stack"][k]),
            min(played.reading.blinds[k], row["stack"][k] - min(ante, row["stack"][k])),
            row["dead"][k],
            told.collected.get(name, 0) // table.unit,
            settled.net[k],
        )
        for k, name in enumerate(table.names)
    )
