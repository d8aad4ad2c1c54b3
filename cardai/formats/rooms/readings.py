"""What posts may mean: who was dealt in, in which order, with which blinds. The rules then say which reading holds.

Files leave things open: whether a second small blind is live, which of two big blinds is the newcomer's, whether a blind
that nobody posted was there. Each reading is a game of ours; the first that the hand's own numbers agree with is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, field, frozen

from cardai.core.spec import write_value
from cardai.formats.rooms.told import Post, Refused, Told
from cardai.poker.rules.betting import MAX_CHIPS, Betting

MOST_POSTS = 60
"""Of one hand: antes, blinds, straddles and what players owe. Each may be the big blind, which is tried with all others."""
MOST = 10


@frozen
class Table:
    """The players of a hand by position, in whole chips of ``unit`` :data:`~cardai.formats.rooms.text.UNITS`."""

    names: tuple[str, ...]
    stacks: tuple[int, ...]
    unit: int
    button: int


@frozen
class Reading:
    """One way to understand the posts, all by position, in chips. ``big`` is the position of the big blind."""

    table: Table
    betting: str
    big: int
    ante: int = 0
    blinds: tuple[int, ...] = field(factory=tuple)
    dead: tuple[int, ...] = field(factory=tuple)
    straddle: int = -1
    away: tuple[int, ...] = field(factory=tuple)
    unsaid: tuple[str, ...] = ()
    """Who posted a blind that the file does not write."""
    sizes: tuple[int, ...] = (0, 0, 0, 0)
    completes: bool = False
    """Whether a limit raise completes a short all-in."""
    full: bool = True
    """Whether a big blind that is all-in for less is called in full."""

    @property
    def big_blind(self) -> int:
        return self.blinds[self.big]

    @property
    def first(self) -> int:
        """The position that acts first."""
        return (max(self.big, self.straddle) + 1) % len(self.blinds)

    def rules(self) -> Betting:
        """Return the betting rules of this reading."""
        return Betting(
            num_players=len(self.blinds),
            num_rounds=4,
            blinds=self.blinds,
            first=(self.first, 0, 0, 0),
            max_raises=(255,) * 4 if self.betting != "limit" else (60,) * 4,
            raise_sizes=self.sizes,
            no_limit=self.betting != "limit",
            pot_limit=self.betting == "potlimit",
            ante=self.ante,
            dead_posts=self.dead if any(self.dead) else (),
            away=self.away,
            full_blinds=self.full,
            completes=self.completes,
            fold_anytime=True,
            minimum_bet=self.big_blind,
            deepest=max(self.table.stacks),
        )

    def spec(self) -> str:
        """Return the spec of the game of this reading; stacks are the record's."""
        n = len(self.blinds)
        turned = n == 2 and self.big == 0
        ordered = self.blinds[::-1] if turned else self.blinds
        last = 1 if turned else self.big
        more = tuple(b if k > last and k != self.straddle else 0 for k, b in enumerate(ordered))
        straddles = () if self.straddle <= last else (0,) * (self.straddle - last - 1) + (ordered[self.straddle],)
        options: dict[str, Any] = {"players": n, "blinds": ordered[: last + 1]}
        if n == 2 and not turned:
            options["reverse_blinds"] = False
        options |= {
            name: value
            for name, value in (
                ("ante", self.ante),
                ("straddles", straddles),
                ("posts", more),
                ("dead", self.dead),
                ("away", self.away),
            )
            if (any(value) if isinstance(value, tuple) else value)
        }
        options |= {"full_blinds": True} if self.full else {}
        options["fold_anytime"] = True
        floor = self.ante + max(*self.blinds, *self.dead)
        deepest = max(*self.table.stacks, floor)
        if self.betting == "limit":
            options |= {"raise_sizes": self.sizes, "max_raises": (60,) * 4, "stack": deepest}
            options |= {"completes": True} if self.completes else {}
        else:
            options |= {"stack": (deepest,)}
        if self.betting == "potlimit":
            options["pot_limit"] = True
        name = "holdem_limit" if self.betting == "limit" else "holdem_nolimit"
        return f"{name}:{','.join(f'{key}={write_value(value)}' for key, value in options.items())}"


def seated(told: Told, moved: bool = False) -> Table:
    """Return who was dealt in, by position; ``moved``: none of them is one who neither posts nor acts. Raises Refused."""
    if len(told.posts) > MOST_POSTS:
        raise Refused("more posts than a hand has", f"{len(told.posts):,}")
    active = {post.name for post in told.posts} | {act.name for act in told.acts}
    if unposted(told) and not moved:
        active |= {name for name, seat in told.seats.items() if not seat.out}  # blinds that the file does not write
    active |= {name for name in told.cards if name in told.seats and not told.seats[name].out}
    names = sorted((name for name in told.seats if name in active), key=lambda name: told.seats[name].number)
    if not 2 <= len(names) <= MOST:
        raise Refused("fewer than two players" if len(names) < 2 else "more than ten players", f"{len(names)} act")
    numbers = [told.seats[name].number for name in names]
    if len(set(numbers)) < len(numbers):
        raise Refused("two players in a seat", str(numbers))
    start = next((k for k, number in enumerate(numbers) if number > told.button), 0)
    if not told.button:
        start = _start(told, names)
    ordered = tuple(names[start:] + names[:start])
    unit = _unit(told)
    stacks = tuple(told.seats[name].stack // unit for name in ordered)
    if min(stacks) < 1:
        raise Refused("a stack of nothing", ordered[stacks.index(min(stacks))])
    if max(stacks) > MAX_CHIPS or sum(stacks) >= 2**31:
        raise Refused("more chips than the rules count", f"{max(stacks):,}")
    button = next((k for k, name in enumerate(ordered) if told.seats[name].number == told.button), -1)
    return Table(ordered, stacks, unit, button)


def unposted(told: Told) -> bool:
    """Whether the file writes no blinds, but for its head."""
    return not any(post.kind != "ante" for post in told.posts) and len(told.stakes) > 1


def _start(told: Told, names: list[str]) -> int:
    """Return who is first after the button, where the file does not say who has it: the small blind (for two: the big one)."""
    wanted = "big" if len(names) == 2 else "small"
    return next((names.index(post.name) for post in told.posts if post.kind == wanted and post.name in names), 0)


def _unit(told: Told) -> int:
    """Return what a chip is in :data:`UNITS`: of 1, 1/100 and 1/10,000 the largest that divides all amounts of a hand.

    Where stacks are larger than the rules count, it may be 100 or 10,000.
    """
    given = [seat.stack for seat in told.seats.values()]
    given += [post.amount for post in told.posts]
    given += [amount for act in told.acts for amount in (act.added, act.to) if amount > 0]
    given += [*told.collected.values(), *told.returned.values(), *told.left.values()]
    whole = (10_000, 100, 1) if told.tournament or not told.currency else (100, 1)
    if max(given, default=0) > MAX_CHIPS * whole[0]:
        whole = (100_000_000, 1_000_000, *whole)
    return next(unit for unit in whole if all(amount % unit == 0 for amount in given))


def readings(told: Told, table: Table) -> Iterator[Reading]:
    """Yield the readings of a hand's posts, the usual one first."""
    unit = table.unit
    at = {name: k for k, name in enumerate(table.names)}
    posts = [evolve(post, amount=post.amount // unit) for post in told.posts]
    stakes = tuple(amount // unit for amount in told.stakes)
    antes = {at[post.name]: post.amount for post in posts if post.kind == "ante"}
    ante, dead_antes = _antes(antes, table.stacks)
    blinds = [post for post in posts if post.kind != "ante" and post.amount > 0]
    unsaid: list[Post] = []
    if not any(post.kind in ("big", "extra", "both") for post in blinds):
        unsaid = _unsaid(table, blinds, stakes, told.betting)
        blinds = [*blinds, *unsaid]
    named = max(stakes[:2], default=0) if told.betting != "limit" and len(stakes) > 1 else _called(told, table)
    for big_post in _bigs(blinds):
        for live in (False, True):
            base = Reading(table, told.betting, at[big_post.name], ante, away=_away(told, table))
            base = evolve(base, unsaid=tuple(post.name for post in unsaid))
            placed = _placed(base, blinds, big_post, at, named, live, dead_antes)
            if told.short_blinds and big_post.all_in:
                short = evolve(placed, full=False)
                yield from _sized(short, stakes, told) if told.betting == "limit" else (short,)
                if told.unpaid:
                    break
            if told.betting != "limit":
                yield placed
            else:
                yield from _sized(placed, stakes, told)
            if not any(post.kind in ("dead", "small", "extra", "both") for post in blinds if post is not big_post):
                break


def _away(told: Told, table: Table) -> tuple[int, ...]:
    """Return 1 for each position that is all-in with what it posts and folds all the same; none if nobody is."""
    posted = dict.fromkeys(table.names, 0)
    for post in told.posts:
        posted[post.name] += post.amount // table.unit
    folds = {act.name for act in told.acts if act.kind == "fold"}
    away = tuple(
        int(name in folds and posted[name] >= stack) for name, stack in zip(table.names, table.stacks, strict=True)
    )
    return away if any(away) else ()


def _antes(antes: dict[int, int], stacks: tuple[int, ...]) -> tuple[int, dict[int, int]]:
    """Return the ante of every seat, and what single seats put in as antes beside it (a big blind's for the table)."""
    if not antes:
        return 0, {}
    usual = max(set(antes.values()), key=lambda amount: (list(antes.values()).count(amount), amount))
    short = all(amount == usual or (amount < usual and amount == stacks[k]) for k, amount in antes.items())
    if short and len(antes) == len(stacks):
        return usual, {}
    return 0, antes


def _unsaid(table: Table, blinds: list[Post], stakes: tuple[int, ...], betting: str) -> list[Post]:
    """Return the blinds that a file does not write, where the head names them."""
    if len(stakes) < 2 or any(post.kind != "small" for post in blinds):
        if blinds:
            return []
        raise Refused("no blinds", "nobody posts a big blind")
    small, big = (stakes[0] // 2, stakes[0]) if betting == "limit" else stakes[:2]
    n = len(table.names)
    holders = (1, 0) if n == 2 else (0, 1)
    made = [Post(table.names[holders[0]], "small", min(small, table.stacks[holders[0]]))]
    return [*([] if blinds else made), Post(table.names[holders[1]], "big", min(big, table.stacks[holders[1]]))]


def _called(told: Told, table: Table) -> int:
    """Return what the first to enter calls before any raise, if nothing of it is a blind; else 0."""
    posted = {post.name for post in told.posts if post.kind != "ante"}
    small = {post.name: post.amount for post in told.posts if post.kind == "small"}
    for act in told.acts:
        if act.street or act.kind in ("bet", "raise", "put"):
            return 0
        if act.kind == "call" and act.name not in posted and not act.all_in:
            return max(act.added, 0) // table.unit
        if act.kind == "call" and act.added > 0 and not act.all_in and act.name in small:
            return (small[act.name] + act.added) // table.unit
    return 0


def _bigs(blinds: list[Post]) -> list[Post]:
    """Return the posts that may be the big blind, the first one first."""
    big = [post for post in blinds if post.kind == "big"]
    return big or [post for post in blinds if post.kind in ("extra", "both")] or blinds[-1:]


def _placed(
    base: Reading,
    posts: list[Post],
    big_post: Post,
    at: dict[str, int],
    named: int,
    live_small: bool,
    dead_antes: dict[int, int],
) -> Reading:
    """Return a reading with each post as live or dead chips; ``live_small``: small blinds out of position are live."""
    n, stacks = len(at), base.table.stacks
    others = [post.amount for post in posts if post.kind in ("big", "extra") and post is not big_post]
    big = big_post.amount
    if big + base.ante >= stacks[base.big] or big_post.all_in:  # short: the full blind is the head's
        big = max(big, named, *others, 0)
    live, dead, straddle = [0] * n, [dead_antes.get(k, 0) for k in range(n)], -1
    small_seen = False
    for post in posts:
        k, amount = at[post.name], post.amount
        if post is big_post:
            live[k] += big
        elif post.kind == "straddle":
            live[k] = max(live[k], 0) + amount if live[k] == 0 else amount
            straddle = k
        elif post.kind == "small" and not small_seen and not live[k]:
            small_seen, live[k] = True, amount
        elif amount > big:
            live[k], dead[k] = big, dead[k] + amount - big
        elif amount == big and not live[k]:
            live[k] = big
        elif live_small and not live[k]:
            live[k] = amount
        else:
            dead[k] += amount
    return evolve(base, blinds=tuple(live), dead=tuple(dead), straddle=straddle)


def _sized(reading: Reading, stakes: tuple[int, ...], told: Told) -> Iterator[Reading]:
    """Yield a limit game's reading with the bet sizes that the head or the big blind says, short all-ins completed or not."""
    found = []
    big = reading.big_blind
    if len(stakes) >= 2:
        found.append((stakes[-2], stakes[-1]))
        found.append((stakes[0], stakes[1]))
        found.append((stakes[-1], 2 * stakes[-1]))
    found.append((big, 2 * big))
    for small, large in dict.fromkeys(found):
        if 0 < small <= large:
            sized = evolve(reading, sizes=(small, small, large, large))
            yield sized
            if any(act.all_in for act in told.acts):
                yield evolve(sized, completes=True)
