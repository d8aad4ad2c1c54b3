"""A connection to a Ray cluster, and its actors: who is there, what each was given, and what each does.

A piece costs the process that hands it out some 0.4 ms (``benchmarks/cluster.py`` measures it), which a thousand workers wait for
one after another. So where there are many, they have foremen, actors that hand out pieces and take results of some workers each: this
process tells a foreman many pieces at once, and is told many results at once.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from cardai.core.errors import PluginError
from cardai.pieces.doers import Doer
from cardai.pieces.workers import Lost

AHEAD = 2
"""Pieces that an actor is given at a time: the next one is there when one is done."""
BIRTHS = 5
"""How many actors may die one after another before any has begun."""
BORN_SECONDS = 5.0
"""Seconds in which an actor that has begun is to say so."""
DIRECT = 64
"""How many actors may be without foremen."""
LINGER = 0.01
"""Seconds for which a foreman that has a result waits for more before it tells them."""
GLANCE = 1.0
"""Seconds after which a foreman without a result says so, where it can be given more pieces."""

Outcome = tuple[Any, Exception | None, str]
"""What came of a piece: what it returned, or what it raised, or why it was lost."""


class Packed(NamedTuple):
    """A parcel as it is sent."""

    packed: bytes
    digest: bytes


class _Hand:
    """An actor as this process sees it: one that does pieces, or a foreman of ``width`` of them."""

    def __init__(self, actor: Any, width: int = 0) -> None:
        self.actor, self.width, self.foreman = actor, max(1, width), width > 0
        self.coming = actor.begin.remote()
        """What says that it has begun; None when it has."""
        self.handles: set[int] = set()
        """The pieces that it has."""
        self.speaking = False
        """Whether a foreman has been asked for results."""
        self.met: Any = None
        self.has: dict[int, bytes] = {}
        """The digests of its parcels."""

    @property
    def ready(self) -> bool:
        """Whether it can be given pieces."""
        return self.coming is None and not self.speaking and len(self.handles) < AHEAD * self.width


class Link:
    """Ray, connected; ``head`` is where its head is, None where it has begun on this machine. ``cpus``: all of them, or so many."""

    def __init__(self, ray: Any, head: tuple[str, int] | None, cpus: int = 0) -> None:
        self.ray, self.head = ray, head
        self.user: Any = None
        """Whose pieces these are; None where nobody's are under way."""
        self.done: deque[int] = deque()
        """The handles of pieces that are done or lost, in that order."""
        self._references: dict[int, tuple[Any, _Hand]] = {}
        self._told: dict[int, Outcome] = {}
        self._waiting: deque[tuple[int, tuple[Any, ...]]] = deque()
        self._by_reference: dict[Any, tuple[int, _Hand]] = {}
        self._number = 0
        self._deaths = 0
        self._parcels: dict[bytes, Any] = {}
        self._digests: list[bytes] = []
        self._meeting: tuple[Any, Any] = None, None
        self.count = cpus or max(1, int(ray.cluster_resources().get("CPU", 1)))
        each = widths(self.count, bool(cpus))
        self._portion = max(each) or math.inf
        self.hands = [self._hired(width) for width in each]

    def _hired(self, width: int) -> _Hand:
        """Return a new actor: a foreman of so many, or (0) one that does pieces itself."""
        if not width:
            return _Hand(self.ray.remote(num_cpus=1)(Doer).remote())
        options = {"num_cpus": 0, "scheduling_strategy": "SPREAD"}
        return _Hand(self.ray.remote(**options)(Foreman).remote(width), width)

    def meet(self, meeting: Any, parcels: Sequence[Any]) -> None:
        """Let all pieces from now on be done with ``parcels``, by actors who have heard ``meeting``, :meth:`Doer.meet`'s arguments."""
        if self._meeting[0] != meeting:
            self._meeting = meeting, [self.ray.put(part) for part in meeting]
        self._digests = [parcel.digest for parcel in parcels]
        self._parcels = {
            parcel.digest: self._parcels.get(parcel.digest) or self.ray.put(parcel.packed) for parcel in parcels
        }

    def queue(self, arguments: tuple[Any, ...]) -> int:
        """Put a piece behind the others and return its handle; a foreman with nothing to do is given as many as it has workers at once."""
        self._number += 1
        self._waiting.append((self._number, arguments))
        if len(self._waiting) >= self._portion:
            hand = next((hand for hand in self.hands if hand.ready and not hand.handles), None)
            if hand is not None:
                self._give(hand, [self._waiting.popleft() for _ in range(min(hand.width, len(self._waiting)))])
        return self._number

    def hand_out(self) -> None:
        """Give pieces to actors that have begun, to those first who have least to do, and ask foremen for results.

        Nobody is given a piece ahead that an actor may do at once who is about to begin.
        """
        ready = [hand for hand in self.hands if hand.ready]
        kept = sum(hand.width for hand in self.hands if hand.coming is not None)
        given: dict[_Hand, list[tuple[int, tuple[Any, ...]]]] = {hand: [] for hand in ready}
        queue = [(len(hand.handles) / hand.width, k) for k, hand in enumerate(ready)]
        heapify(queue)
        while queue and self._waiting:
            load, k = heappop(queue)
            if load >= 1 and len(self._waiting) <= kept:
                break
            given[ready[k]].append(self._waiting.popleft())
            if (count := len(ready[k].handles) + len(given[ready[k]])) < AHEAD * ready[k].width:
                heappush(queue, (count / ready[k].width, k))
        for hand in self.hands:
            if (pieces := given.get(hand)) or (hand.foreman and hand.handles and not hand.speaking):
                self._give(hand, pieces or [])

    def _give(self, hand: _Hand, given: list[tuple[int, tuple[Any, ...]]]) -> None:
        count = len(self._digests)
        try:
            if hand.met is not self._meeting[0]:
                hand.actor.meet.remote(*self._meeting[1])
                hand.met = self._meeting[0]
            for place, digest in enumerate(self._digests):
                if hand.has.get(place) != digest:
                    hand.actor.take.remote(place, self._parcels[digest])
                    hand.has[place] = digest
            while given and not hand.foreman:
                self._by_reference[hand.actor.do.remote(count, given[0][1])] = given[0][0], hand
                hand.handles.add(given.pop(0)[0])
            if hand.foreman:
                self._by_reference[hand.actor.exchange.remote(count, given)] = 0, hand
                hand.handles |= {handle for handle, _ in given}
                hand.speaking = True
        except self.ray.exceptions.RayActorError as error:
            self._waiting.extendleft(reversed(given))
            self.replace(hand, str(error))

    def wait(self, seconds: float) -> Sequence[Any]:
        """Return references that are done: whatever is there, or what comes first; nothing after so many seconds."""
        waited = [*self._by_reference, *(hand.coming for hand in self.hands if hand.coming is not None)]
        if not waited:
            return []
        done, _ = self.ray.wait(waited, num_returns=len(waited), timeout=0)  # at once: it costs as much as for one
        if not done:
            done, _ = self.ray.wait(waited, num_returns=1, timeout=seconds)
        return done  # type: ignore[no-any-return]

    def hear(self, reference: Any, fetch: Callable[[Any], Any]) -> None:
        """Take note of a reference that is done; ``fetch`` returns what it stands for, or raises Lost."""
        if reference not in self._by_reference:
            self._born(next(hand for hand in self.hands if hand.coming == reference), reference)
            return
        handle, hand = self._by_reference.pop(reference)
        if not hand.foreman:
            hand.handles.discard(handle)
            self._references[handle] = reference, hand
            self.done.append(handle)
            return
        hand.speaking = False
        try:
            outcomes = fetch(reference)
        except Lost as error:
            self.replace(hand, str(error))
            return
        for handle, outcome in outcomes:
            hand.handles.discard(handle)
            self._told[handle] = outcome
            self.done.append(handle)

    def _born(self, hand: _Hand, reference: Any) -> None:
        try:
            self.ray.get(reference, timeout=BORN_SECONDS)
            hand.coming, self._deaths = None, 0
        except self.ray.exceptions.RayError as error:
            self._deaths += 1
            if self._deaths == BIRTHS:
                last = [line.strip() for line in str(error).splitlines() if line.strip()][-1:]
                raise PluginError(f"A worker of the cluster could not begin: {' '.join(last)}") from error
            self.replace(hand, str(error))

    def outcome(self, handle: int, fetch: Callable[[Any], Any]) -> Outcome:
        """Return what came of a piece that is done; ``fetch`` as for :meth:`hear`."""
        if handle in self._told:
            return self._told.pop(handle)
        reference, hand = self._references.pop(handle)
        try:
            return (*fetch(reference), "")
        except Lost as error:
            if isinstance(error.__cause__, self.ray.exceptions.RayActorError):
                self.replace(hand, str(error))
            return None, None, str(error)

    def replace(self, hand: _Hand, why: str) -> None:
        """Let a new actor begin in the place of a dead one; what a foreman had is lost."""
        if hand not in self.hands:
            return
        self.hands[self.hands.index(hand)] = self._hired(hand.width if hand.foreman else 0)
        if hand.foreman:
            self._told |= dict.fromkeys(hand.handles, (None, None, why))
            self.done.extend(sorted(hand.handles))
        with suppress(Exception):  # one that Ray thinks is out of reach may live
            self.ray.kill(hand.actor)

    def drop(self, handle: int) -> None:
        """Begin a piece no more, if it has not been; what an actor does it does to its end."""
        self._waiting = deque(one for one in self._waiting if one[0] != handle)

    def forget(self, handle: int) -> None:
        """Keep nothing of what came of a piece that nobody waits for."""
        self._references.pop(handle, None)
        self._told.pop(handle, None)


def widths(cpus: int, direct: bool = False) -> list[int]:
    """Return of how many workers each actor of a link is the foreman, 0: it does pieces itself."""
    if direct or cpus <= DIRECT:
        return [0] * cpus
    foremen = math.ceil(math.sqrt(cpus / 6))
    return [cpus * (k + 1) // foremen - cpus * k // foremen for k in range(foremen)]


class Foreman:
    """A Ray actor that hands out pieces to ``width`` actors of its own."""

    def __init__(self, width: int) -> None:
        import ray

        self._link = Link(ray, None, width)
        self._meeting: Any = None
        self._parcels: dict[int, Packed] = {}
        self._handles: dict[int, int] = {}

    def begin(self) -> bool:
        """Say that it is there."""
        return True

    def meet(self, *meeting: Any) -> None:
        """Hear what its workers are to hear."""
        self._meeting = meeting

    def take(self, place: int, packed: bytes) -> None:
        """Take a parcel for its workers."""
        self._parcels[place] = Packed(packed, blake2b(packed, digest_size=16).digest())

    def exchange(self, count: int, pieces: list[tuple[int, tuple[Any, ...]]]) -> list[tuple[int, Outcome]]:
        """Take further pieces, done with the first ``count`` parcels, and return what came of some, by handle, once there is any.

        Where it has less than its workers can be given, it returns after :data:`GLANCE`, with nothing: further pieces may wait.
        """
        link, found, until = self._link, list[tuple[int, Outcome]](), math.inf
        link.meet(self._meeting, [self._parcels[place] for place in range(count)])
        self._handles |= {link.queue(arguments): handle for handle, arguments in pieces}
        if len(self._handles) < AHEAD * link.count:
            until = time.monotonic() + GLANCE
        while self._handles and (left := until - time.monotonic()) > 0:
            link.hand_out()
            for reference in link.wait(min(GLANCE, left)):
                link.hear(reference, self._fetched)
            while link.done:
                number = link.done.popleft()
                found.append((self._handles.pop(number), link.outcome(number, self._fetched)))
                until = min(until, time.monotonic() + LINGER)
        return found

    def _fetched(self, reference: Any) -> Any:
        errors = self._link.ray.exceptions
        try:
            return self._link.ray.get(reference)
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            raise Lost(str(error)) from error
