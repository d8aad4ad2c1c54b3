"""Hands of an agent against a site: each followed by the rules, asked of the agent, kept, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.arena.records import Record
from cardai.arena.statistics import Estimate, mean
from cardai.core.errors import DamagedFileError, RemoteError
from cardai.core.notes import tell
from cardai.core.rng import derive
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.games import game_map
from cardai.formats.acpc.logs import LogHand
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.records import checked, stream_records
from cardai.formats.acpc.states import Cards, deal_text
from cardai.formats.sites.kept import KeptHands, SiteHand
from cardai.formats.sites.shown import LostHandError, Shown, Site
from cardai.formats.slumbot import from_slumbot, step_text, to_slumbot
from cardai.poker.rules.growing_tree import BettingNode

LOST_IN_A_ROW = 3
"""Hands without an end, one after another, after which a match stops."""


class SitePlayer:
    """An agent at a site's table. ``seed`` and a hand's number decide what it leaves to chance in that hand.

    Raises:
        UsageError: there is no such agent, or it does not play the site's game.
    """

    def __init__(self, agent: str, definition: GameDef, seed: int, plays: str = "") -> None:
        self.agent, self.definition, self._seed = agent, definition, seed
        self._player = AgentPlayer(agent, definition, seed, plays)
        self._follower = Follower(definition)
        if not self._player.wants_results:
            self._warm_up()

    def _warm_up(self) -> None:
        """Have a first decision made before a hand waits for it: kernels are compiled, tables are made."""
        node = self._follower.tree.root
        self._follower.see(b"MATCHSTATE:%d:0::%s" % (node.actor, b"|AsKs" if node.actor else b"AsKs|"))
        self._player.choose(self._follower)

    def play(self, site: Site, number: int) -> tuple[SiteHand, Record | None]:
        """Play one hand to its end and return it, and its record where all cards are known.

        Raises:
            LostHandError: the site lost it, or somebody else acted in it before it was taken up. RemoteError: the site.
            AgentError: the agent. DamagedFileError: the site's hand is none by the rules, or worth something else.
        """
        shown = site.begin()
        self._player.restart(derive(self._seed, "site", number))
        times = list[float]()
        others = self._catch_up(shown, number, times)
        if others:
            tell(f"cardai: {others}")
        longest, stuck = -1, 0
        while shown.winnings is None:
            node = self._see(shown, number)
            stuck = 0 if len(node.text) > longest else stuck + 1  # an action that was lost on the way is taken again
            longest = max(longest, len(node.text))
            if stuck == LOST_IN_A_ROW:
                raise DamagedFileError(f"{site.name} is still at {shown.betting[:60]!r}, whatever we do.")
            if node.actor != shown.position:
                raise DamagedFileError(
                    f"{site.name} waits for us after {shown.betting!r}, where by the rules it is not our turn."
                )
            action = self._chosen(times)
            shown = self._checked(site, shown, node, action, site.act(shown, node, action))
        hand, record = self._ended(site, shown, number, times)
        if others:
            raise LostHandError(others)
        return hand, record

    def _catch_up(self, shown: Shown, number: int, times: list[float]) -> str:
        """Have the decisions made again that the player has made in a hand that it takes up; how long each took goes to ``times``.

        What it leaves to chance, and knows of the hand, then goes on as in a hand that nobody left. Returned is a sentence on
        the first decision that is another than what was done, empty where there is none.
        """
        others = ""
        for step in from_slumbot(shown.betting, self._follower.tree).path():
            before = step.parent
            if before is not None and before.actor == shown.position:
                self._see(evolve(shown, betting=to_slumbot(before)), number)
                action = self._chosen(times)
                if action != step.action and not others:
                    done, would = step_text(before, step.action), step_text(before, action)
                    others = (
                        f"In the hand {shown.hand_id}, taken up under way, our seat had done {done!r} after {to_slumbot(before)!r}, "
                        f"where {self.agent} does {would!r}: another played it. It is played on and counts as lost."
                    )
        return others

    def _chosen(self, times: list[float]) -> int:
        """Return what the player does; how long it takes goes to ``times``."""
        begun = time.perf_counter()
        action = self._player.choose(self._follower)
        times.append(time.perf_counter() - begun)
        return action

    def _checked(self, site: Site, before: Shown, node: BettingNode, action: int, now: Shown) -> Shown:
        """Return what a site shows after an action at ``node``, which it has taken as it was, or not at all.

        Raises:
            DamagedFileError: it took another action, or shows another hand.
        """
        there, taken = from_slumbot(now.betting, self._follower.tree), self._follower.tree.after(node, action)
        ours = [
            sum(step.parent.actor == before.position for step in one.path() if step.parent) for one in (taken, there)
        ]
        if there.wire != node.wire and (taken.wire not in [step.wire for step in there.path()] or ours[0] != ours[1]):
            raise DamagedFileError(
                f"{site.name} shows {now.betting[:60]!r} after our {step_text(node, action)!r} at {before.betting[:60]!r}."
            )
        for what in ("hand_id", "position", "hole", "board"):
            was, now_is = getattr(before, what), getattr(now, what)
            if (now_is[: len(was)] if what == "board" else now_is) != was:
                raise DamagedFileError(f"{site.name} changed the {what} of a hand under way, from {was} to {now_is}.")
        return now

    def _see(self, shown: Shown, number: int) -> BettingNode:
        node = from_slumbot(shown.betting, self._follower.tree)
        line = f"MATCHSTATE:{shown.position}:{number}:{node.text}:{self._deal(shown, node)}"
        self._follower.see(line.encode())
        return node

    def _deal(self, shown: Shown, node: BettingNode) -> str:
        hole = (shown.hole, shown.opponent) if node.actor < 0 else (shown.hole, ())
        return deal_text(hole if shown.position == 0 else hole[::-1], self._board(shown.board, node))

    def _board(self, board: Cards, node: BettingNode) -> tuple[Cards, ...]:
        """Return the board's cards by round; what a site shows beyond the rounds that were played is left out."""
        ends = [self.definition.board_before(round_) for round_ in range(node.round + 1)]
        if len(board) < ends[-1]:
            raise DamagedFileError(
                f"The site showed {len(board)} board cards after {node.text!r}, which needs {ends[-1]}."
            )
        return tuple(board[low:high] for low, high in pairwise(ends))

    def _ended(self, site: Site, shown: Shown, number: int, times: Sequence[float]) -> tuple[SiteHand, Record | None]:
        node = self._see(shown, number)
        assert shown.winnings is not None  # or it is not over
        if node.actor >= 0:
            raise DamagedFileError(
                f"{site.name} ended the hand after {shown.betting!r}, where by the rules it goes on."
            )
        names, values, hole = (self.agent, site.name), (shown.winnings, -shown.winnings), (shown.hole, shown.opponent)
        if shown.position:
            names, values, hole = names[::-1], values[::-1], hole[::-1]
        log = LogHand(number, node.text, hole, self._board(shown.board, node), values, names)
        record = self._record(site, log) if shown.opponent else None
        if not shown.opponent:
            self._check_hidden(site, node, values)
        self._tell()
        return SiteHand(
            number=number,
            position=shown.position,
            betting=node.text,
            cards=deal_text(hole, log.board),
            winnings=shown.winnings,
            big_blind=max(self.definition.blind),
            baseline=shown.baseline,
            aivat=shown.aivat,
            hand_id=shown.hand_id,
            decisions=len(times),
            seconds=round(sum(times), 4),
            longest=round(max(times, default=0.0), 4),
        ), record

    def _record(self, site: Site, log: LogHand) -> Record:
        """Return the record of a hand whose cards are all known, checked by the rules."""
        try:
            checked(self._follower.tree, log)
        except DamagedFileError as error:
            raise DamagedFileError(
                f"{site.name}'s hand {log.hand} ({log.text()}) is none by the rules: {error}"
            ) from error
        found = next(stream_records(self._player.map, [log], [self.agent, site.name], site.name))
        assert isinstance(found, dict)  # it was checked
        return {**found, "group": log.hand, "game_number": log.hand, "hand": 0}

    def _check_hidden(self, site: Site, node: BettingNode, values: tuple[float, float]) -> None:
        """Raise DamagedFileError where a hand whose other cards are not shown is worth what it is by the rules with no cards."""
        ours = self._follower.tree.outcomes(node)
        if not any(all(abs(one - other) <= 1e-5 for one, other in zip(mine, values, strict=True)) for mine in ours):
            may_be = " or ".join(str(tuple(one)) for one in dict.fromkeys(map(tuple, ours)))
            raise DamagedFileError(
                f"{site.name} says that {node.text!r} is worth {values}; by the rules it is {may_be}."
            )

    def _tell(self) -> None:
        if self._player.wants_results:
            self._player.hand_finished(self._follower)


def play_hands(
    site: Site, player: SitePlayer, kept: KeptHands, hands: int, progress: Callable[[int, int], None] | None = None
) -> int:
    """Play until ``hands`` are in ``kept`` and return how many were lost on the way, those of before included.

    Raises:
        RemoteError: the site refuses, or three hands in a row are lost; what was played is kept.
        DamagedFileError: it sends a hand again that is kept, and as in :meth:`SitePlayer.play`.
    """
    known = {hand.hand_id for hand in kept.hands if hand.hand_id}
    played = sum(not hand.lost for hand in kept.hands)
    in_a_row = 0
    while played < hands:
        number = len(kept.hands)
        try:
            hand, record = player.play(site, number)
            if hand.hand_id in known:
                raise DamagedFileError(f"{site.name} sent the hand {hand.hand_id} again, which is in the record.")
            known |= {hand.hand_id} - {""}
            kept.keep(hand, record)
            played, in_a_row = played + 1, 0
        except LostHandError as error:
            in_a_row += 1
            kept.keep(_lost(player, number), None)
            if in_a_row == LOST_IN_A_ROW:
                raise RemoteError(f"{in_a_row} hands in a row were lost. {error}") from error
        if progress is not None:
            progress(played, hands)
    return sum(hand.lost for hand in kept.hands)


def _lost(player: SitePlayer, number: int) -> SiteHand:
    return SiteHand(number, 0, "", "", 0.0, max(player.definition.blind), lost=True)


@frozen
class SiteFigures:
    """What a match came to, in mbb a hand (thousandths of a big blind), each with its 95% interval over hands.

    ``above_baseline`` is the winnings less what the site's own player would have won with the same cards, ``aivat`` the
    site's own figure; None where it does not say so of every hand.
    """

    hands: int
    lost: int
    unseen: int
    """Hands whose other cards the site did not show."""
    chips: Estimate
    above_baseline: Estimate | None
    aivat: Estimate | None
    decisions: int
    seconds: float
    longest: float


def figures(hands: Sequence[SiteHand]) -> SiteFigures:
    """Return the figures of finished hands; lost ones are in none but their count."""
    played = [hand for hand in hands if not hand.lost]

    def of(values: list[Any]) -> Estimate | None:
        if not played or any(value is None for value in values):
            return None
        return mean(np.array([1000.0 * v / hand.big_blind for v, hand in zip(values, played, strict=True)]))

    less = [None if hand.baseline is None else hand.winnings - hand.baseline for hand in played]
    return SiteFigures(
        hands=len(played),
        lost=len(hands) - len(played),
        unseen=sum("|" in hand.cards and "" in hand.cards.partition("/")[0].split("|") for hand in played),
        chips=of([hand.winnings for hand in played]) or mean(np.array([])),
        above_baseline=of(less),
        aivat=of([hand.aivat for hand in played]),
        decisions=sum(hand.decisions for hand in played),
        seconds=sum(hand.seconds for hand in played),
        longest=max((hand.longest for hand in played), default=0.0),
    )


def header_of(site: str, definition: GameDef, agent: str, seed: int, plays: str = "") -> dict[str, Any]:
    """Return the first line of the record of such a match; of a run it says the step."""
    step = make.step_now(agent)
    return {
        "game": game_map(definition, plays).spec,
        "agents": [agent, site],
        "seed": seed,
        "duplicate": False,
        "site": site,
        **({"steps": [step, -1]} if step >= 0 else {}),
    }
