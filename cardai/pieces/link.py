"""A connection to a Ray cluster, and its actors: who is there, what each was given, and what each does."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cardai.core.errors import PluginError
from cardai.pieces.doers import Doer
from cardai.pieces.workers import Parcels

AHEAD = 2
"""Pieces that an actor is given at a time: the next one is there when one is done."""
BIRTHS = 5
"""How many actors may die one after another before any has begun."""
BORN_SECONDS = 5.0
"""Seconds in which an actor that has begun is to say so."""


class _Hand:
    """An actor as this process sees it."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.coming = actor.begin.remote()
        """What says that it has begun; None when it has."""
        self.busy = 0
        self.met: Any = None
        self.has: dict[int, bytes] = {}
        """The digests of its parcels."""


class Link:
    """Ray, connected; ``head`` is where its head is, None where it has begun on this machine."""

    def __init__(self, ray: Any, head: tuple[str, int] | None) -> None:
        self.ray, self.head = ray, head
        self.done: deque[int] = deque()
        """The handles of pieces that are done or lost, in that order."""
        self.results: dict[int, tuple[Any, _Hand]] = {}
        """Their references, and the actors that had them."""
        self._waiting: deque[tuple[int, tuple[Any, ...]]] = deque()
        self._by_reference: dict[Any, tuple[int, _Hand]] = {}
        self._number = 0
        self._deaths = 0
        self._parcels: dict[bytes, Any] = {}
        self._digests: list[bytes] = []
        self._meeting: tuple[Any, Any] = None, None
        self._make = ray.remote(num_cpus=1)(Doer).remote
        self.doers = [_Hand(self._make()) for _ in range(max(1, int(ray.cluster_resources().get("CPU", 1))))]

    def meet(self, meeting: Any, parcels: Parcels) -> None:
        """Let all pieces from now on be done with ``parcels``, by actors who have heard ``meeting``, :meth:`Doer.meet`'s arguments."""
        if self._meeting[0] != meeting:
            self._meeting = meeting, [self.ray.put(part) for part in meeting]
        self._digests = [parcel.digest for parcel in parcels]
        self._parcels = {
            parcel.digest: self._parcels.get(parcel.digest) or self.ray.put(parcel.packed) for parcel in parcels
        }

    def queue(self, arguments: tuple[Any, ...]) -> int:
        """Put a piece behind the others and return its handle."""
        self._number += 1
        self._waiting.append((self._number, arguments))
        return self._number

    def hand_out(self) -> None:
        """Give pieces to actors that have begun, to those first who have least to do."""
        ready = [hand for hand in self.doers if hand.coming is None and hand.busy < AHEAD]
        for level in range(AHEAD):
            for hand in ready:
                if not self._waiting:
                    return
                if hand.busy <= level:
                    self._give(hand, *self._waiting.popleft())

    def _give(self, hand: _Hand, handle: int, arguments: tuple[Any, ...]) -> None:
        try:
            if hand.met is not self._meeting[0]:
                hand.actor.meet.remote(*self._meeting[1])
                hand.met = self._meeting[0]
            for place, digest in enumerate(self._digests):
                if hand.has.get(place) != digest:
                    hand.actor.take.remote(place, self._parcels[digest])
                    hand.has[place] = digest
            reference = hand.actor.do.remote(len(self._digests), arguments)
        except self.ray.exceptions.RayActorError:
            self._waiting.appendleft((handle, arguments))
            self.replace(hand)
            return
        hand.busy += 1
        self._by_reference[reference] = handle, hand

    def wait(self, seconds: float) -> Sequence[Any]:
        """Return references that are done: whatever is there, or what comes first; nothing after so many seconds."""
        waited = [*self._by_reference, *(hand.coming for hand in self.doers if hand.coming is not None)]
        done, _ = self.ray.wait(waited, num_returns=len(waited), timeout=0)  # at once: it costs as much as for one
        if not done:
            done, _ = self.ray.wait(waited, num_returns=1, timeout=seconds)
        return done  # type: ignore[no-any-return]

    def hear(self, reference: Any) -> None:
        """Take note of a reference that is done."""
        if reference in self._by_reference:
            handle, hand = self._by_reference.pop(reference)
            hand.busy -= 1
            self.results[handle] = reference, hand
            self.done.append(handle)
            return
        hand = next(hand for hand in self.doers if hand.coming == reference)
        try:
            self.ray.get(reference, timeout=BORN_SECONDS)
            hand.coming, self._deaths = None, 0
        except self.ray.exceptions.RayError as error:
            self._deaths += 1
            if self._deaths == BIRTHS:
                last = [line.strip() for line in str(error).splitlines() if line.strip()][-1:]
                raise PluginError(f"A worker of the cluster could not begin: {' '.join(last)}") from error
            self.replace(hand)

    def replace(self, hand: _Hand) -> None:
        """Let a new actor begin in the place of a dead one."""
        if hand in self.doers:
            self.doers[self.doers.index(hand)] = _Hand(self._make())
            with suppress(Exception):  # one that Ray thinks is out of reach may live
                self.ray.kill(hand.actor)

    def drop(self, handle: int) -> None:
        """Begin a piece no more, if it has not been; what an actor does it does to its end."""
        self._waiting = deque(one for one in self._waiting if one[0] != handle)
