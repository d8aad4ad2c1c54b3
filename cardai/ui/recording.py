"""Recorded hands as scenes: one a decision, seen from one seat, with other seats' cards open or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from cardai.arena.advice import Advised, Adviser
from cardai.arena.display import action_name, without_cards
from cardai.arena.moves import HIDDEN, Move
from cardai.arena.records import Record, RecordFile, check_fits
from cardai.arena.table import Table, replay
from cardai.core.errors import DamagedFileError
from cardai.core.game import Game
from cardai.ui.match import end_entries
from cardai.ui.scene import Entry, Scene, entries_of


@frozen(eq=False)
class Step:
    """One decision: the scene before it, its place among the hand's actions, what was played in words.

    ``actor`` and ``words`` are None and "" at the end; ``known`` says whether the watched seat may know all of it.
    """

    scene: Scene
    action_number: int
    actor: int | None
    words: str
    known: bool


class Recording:
    """A file of hands. ``seat`` is the one looked from (default: the first agent's).

    Raises:
        DamagedFileError: it holds no hand.
    """

    def __init__(self, game: Game, file: RecordFile, seat: int | None = None) -> None:
        if not file.hands:
            raise DamagedFileError("The file holds no hand that can be read.")
        self.game = game
        self.file = file
        self.seat = seat
        names = [str(name) for name in file.header.get("agents", ())]
        self.agents = names or [f"player {p}" for p in range(game.num_players)]
        self._advisers: dict[str, Adviser] = {}

    def __len__(self) -> int:
        return len(self.file.hands)

    def watched(self, record: Record) -> int:
        """Return the seat that a hand is looked at from."""
        if self.seat is not None:
            return self.seat
        return int(record["seats"].index(0)) if 0 in record["seats"] else 0

    def steps(self, number: int, reveal: bool = False) -> list[Step]:
        """Return hand ``number`` (from 0) as steps, the last its end; ``reveal`` opens all cards and choices.

        Raises:
            DamagedFileError: the hand cannot be replayed.
        """
        record = self.file.hands[number]
        check_fits(self.game, record)
        watched = self.watched(record)
        names = tuple(self.agents[player] for player in record["seats"])
        steps: list[Step] = []
        log: list[Entry] = []
        last: tuple[Move, Mapping[str, Any], Mapping[str, Any]] | None = None
        for count, (table, action) in enumerate(replay(self.game, record)):
            view = table.view(watched)
            if last is not None:
                log += entries_of(self.game, *last, view, reveal, watched)
            if table.to_act is None:
                log += end_entries(self.game, names, -1, table.end())
                steps.append(Step(self._scene(table, watched, names, log, reveal), count, None, "", True))
                break
            move = Move(table.to_act, action, table.sight(action))
            last = (move, table.view(), view)
            if reveal or move.seat == watched or move.seen[watched] is not None:
                scene = self._scene(table, watched, names, log, reveal)
                steps.append(self._step(scene, count, move, table, reveal))
        return [self._titled(step, number, i, len(steps)) for i, step in enumerate(steps)]

    def _step(self, scene: Scene, count: int, move: Move, table: Table, reveal: bool) -> Step:
        known = reveal or move.seat == scene.seat
        if known:
            words = action_name(self.game, move.action, table.view())
        elif move.seen[scene.seat] == HIDDEN:
            words = "something hidden"
        else:
            words = action_name(self.game, move.action, without_cards(self.game, table.view()))
        return Step(scene, count, move.seat, words, known)

    def _scene(self, table: Table, watched: int, names: tuple[str, ...], log: list[Entry], reveal: bool) -> Scene:
        end = table.end() if table.hand_over else None
        shown = range(self.game.num_players) if reveal else () if end is None else end.shown
        others = {seat: table.view(seat) for seat in shown if seat != watched}
        view = table.view(watched)
        return Scene(
            self.game, watched, view, names, table.to_act, "", tuple(log), others, end=end, person=False
        )  # fmt: skip

    def _titled(self, step: Step, number: int, at: int, count: int) -> Step:
        title = f"hand {number + 1:,} of {len(self):,}, step {at + 1} of {count}"
        return evolve(step, scene=evolve(step.scene, title=title))

    def advise(self, number: int, step: Step, player: str) -> list[Advised]:
        """Return what ``player`` would have done at a step of hand ``number``.

        Raises:
            UsageError: it does not play this game. AgentError: it erred.
        """
        record = self.file.hands[number]
        if player not in self._advisers:
            self._advisers[player] = Adviser(player, self.game)
        for count, (table, _) in enumerate(replay(self.game, record)):
            if count == step.action_number and table.to_act is not None:
                return self._advisers[player].advise(table, int(record["seed"]))
        return []
