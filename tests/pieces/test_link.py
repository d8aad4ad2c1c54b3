"""A link to a cluster whose workers have foremen, by a Ray that does everything at once in this process."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import pytest

from cardai.pieces import link
from cardai.pieces.link import Link, widths
from cardai.pieces.parcels import Parcel
from cardai.pieces.workers import Lost


class Actor:
    """An actor: its methods are done as they are called; one that is ``dead`` raises when a result is asked for."""

    def __init__(self, ray: FakeRay, made: Any) -> None:
        self._ray, self._made, self.dead = ray, made, False

    def __getattr__(self, name: str) -> Any:
        def remote(*arguments: Any) -> str:
            self._ray.calls[f"{type(self._made).__name__}.{name}"] += 1
            given = [
                self._ray.values[each] if isinstance(each, str) and each in self._ray.values else each
                for each in arguments
            ]
            value = self._ray.exceptions.RayActorError("it is dead") if self.dead else getattr(self._made, name)(*given)
            return self._ray.put(value)

        return SimpleNamespace(remote=remote)


class FakeRay:
    """What a link needs of Ray."""

    def __init__(self) -> None:
        error = type("RayError", (Exception,), {})
        self.exceptions = SimpleNamespace(
            RayError=error, RayActorError=type("RayActorError", (error,), {}), RayTaskError=type("RayTaskError", (error,), {})
        )  # fmt: skip
        self.values: dict[str, Any] = {}
        self.calls: Counter[str] = Counter()
        self.actors: list[Actor] = []
        self.slow: set[str] = set()
        """References that are not done."""

    def put(self, value: Any) -> str:
        reference = f"reference {len(self.values)}"
        self.values[reference] = value
        return reference

    def get(self, reference: str, timeout: float = 0.0) -> Any:
        value = self.values[reference]
        if isinstance(value, self.exceptions.RayError):
            raise value
        return value

    def wait(self, references: list[str], num_returns: int, timeout: float) -> tuple[list[str], list[str]]:
        done = [reference for reference in references if reference not in self.slow][:num_returns]
        return done, [reference for reference in references if reference not in done]

    def remote(self, **options: Any) -> Callable[[Any], Any]:
        def made(kind: Any) -> Any:
            def begin(*arguments: Any) -> Actor:
                self.actors.append(Actor(self, kind(*arguments)))
                return self.actors[-1]

            return SimpleNamespace(remote=begin)

        return made

    def kill(self, actor: Actor) -> None:
        actor.dead = True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 100.0}


def squared(shared: int, number: int) -> int:
    if number == 77:
        raise ValueError("No 77.")
    return shared + number * number


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(link, "LINGER", 0.0)
    return fake


def met(ray: FakeRay) -> Link:
    made = Link(ray, None)
    made.meet(({}, version("cardai"), False), [Parcel((squared, 5))])
    return made


def fetched(ray: FakeRay) -> Callable[[Any], Any]:
    def fetch(reference: Any) -> Any:
        try:
            return ray.get(reference)
        except ray.exceptions.RayError as error:
            raise Lost(str(error)) from error

    return fetch


def turn(made: Link, ray: FakeRay) -> None:
    made.hand_out()
    for reference in made.wait(1.0):
        made.hear(reference, fetched(ray))


def test_a_foreman_begins_as_soon_as_there_are_pieces_for_all_of_its_workers(ray: FakeRay) -> None:
    made = met(ray)
    turn(made, ray)  # they have begun
    width = max(widths(100))
    for number in range(width):
        assert not ray.calls["Foreman.exchange"]
        made.queue((number,))
    assert ray.calls["Foreman.exchange"] == 1
    for number in range(width):
        made.queue((number,))
    assert ray.calls["Foreman.exchange"] == 2
    assert [len(hand.handles) for hand in made.hands[:3]] == [made.hands[0].width, made.hands[1].width, 0]


def test_many_workers_have_foremen_and_few_have_none() -> None:
    assert widths(64) == [0] * 64
    assert widths(1000, direct=True) == [0] * 1000
    for cpus in (65, 100, 1024):
        found = widths(cpus)
        assert sum(found) == cpus
        assert max(found) - min(found) <= 1
        assert len(found) < cpus / 6


def test_foremen_have_each_piece_done_once_and_told_many_at_a_time(ray: FakeRay) -> None:
    made = met(ray)
    handles = {made.queue((number,)): number for number in range(150)}
    turn(made, ray)  # they begin
    ray.calls.clear()
    results = {}
    while len(results) < len(handles):
        turn(made, ray)
        while made.done:
            handle = made.done.popleft()
            results[handles[handle]] = made.outcome(handle, fetched(ray))
    raised = results.pop(77)
    assert isinstance(raised[1], ValueError)
    assert results == {number: (5 + number * number, None, "") for number in range(150) if number != 77}
    assert ray.calls["Doer.do"] == 150
    assert len(made.hands) <= ray.calls["Foreman.exchange"] <= 150 / 2
    assert ray.calls["Foreman.take"] == len(made.hands)


def test_pieces_are_shared_evenly_among_foremen(ray: FakeRay) -> None:
    made = met(ray)
    for number in range(50):
        made.queue((number,))
    turn(made, ray)
    made.hand_out()
    loads = [len(hand.handles) for hand in made.hands]
    assert sum(loads) == 50
    assert max(loads) - min(loads) <= 1


def test_a_foreman_that_dies_loses_what_it_had_and_another_takes_its_place(ray: FakeRay) -> None:
    made = met(ray)
    for number in range(200):
        made.queue((number,))
    turn(made, ray)
    dead = made.hands[0]
    dead.actor.dead = True
    turn(made, ray)
    outcomes = {handle: made.outcome(handle, fetched(ray)) for handle in list(made.done)}
    lost = [handle for handle, outcome in outcomes.items() if outcome[2]]
    assert set(lost) == dead.handles
    assert len(lost) >= dead.width
    assert dead not in made.hands
    assert sum(hand.width for hand in made.hands) == made.count == 100


def test_no_piece_waits_behind_another_while_an_actor_is_about_to_begin(ray: FakeRay) -> None:
    made = Link(ray, None, 3)
    made.meet(({}, "", False), [])
    late = [hand.coming for hand in made.hands[1:]]
    ray.slow |= set(late)
    for number in range(2):
        made.queue((number,))
    turn(made, ray)
    made.hand_out()
    assert [len(hand.handles) for hand in made.hands] == [1, 0, 0]
    for number in range(3):
        made.queue((number,))
    made.hand_out()  # four wait, two for those who are coming
    assert [len(hand.handles) for hand in made.hands] == [2, 0, 0]
    ray.slow -= set(late)
    turn(made, ray)
    made.hand_out()
    assert [len(hand.handles) for hand in made.hands] == [1, 1, 1]


def test_a_foreman_whose_workers_can_be_given_more_does_not_wait_for_the_first_result(
    ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a piece that is added would wait for one that takes minutes, beside idle workers."""
    monkeypatch.setattr(link, "GLANCE", 0.001)
    foreman = link.Foreman(2)
    foreman.meet({}, version("cardai"), False)
    foreman.take(0, Parcel((squared, 5)).packed)
    ray.slow |= {hand.coming for hand in foreman._link.hands}
    assert foreman.exchange(1, [(7, (3,))]) == []
    ray.slow.clear()
    monkeypatch.setattr(link, "GLANCE", 60.0)
    monkeypatch.setattr(link, "LINGER", 0.001)
    assert foreman.exchange(1, []) == [(7, (14, None, ""))]
