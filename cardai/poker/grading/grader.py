"""The grader: each street of a pot for two is solved from the ranges that the line so far leaves, and the hero's decisions
are compared with the best of the actions that were looked at.

The floor of a decision is the spot's exploitability by the share of the opponent's range that comes there (:func:`noise_at`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import define, field

from cardai.cards.text import card_text
from cardai.core.arrays import Float64s
from cardai.core.errors import CardaiError, DamagedFileError, TooLargeError, UsageError
from cardai.core.progress import tell
from cardai.core.reasons import Reason
from cardai.poker.grading.flops import FlopHand, Move, RangeBook
from cardai.poker.grading.spots import Effort, spot_of, word_of
from cardai.poker.hands.combos import COUNT, pair_index
from cardai.poker.hands.equity import range_equity
from cardai.poker.notation import parse_range
from cardai.poker.ranges.library import Library, canonical, image
from cardai.poker.ranges.position import SAME, Position
from cardai.poker.ranges.reading import noise_at
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import STREETS, Spot
from cardai.study.graded import Decision, GradedHand
from cardai.study.grading import Task
from cardai.study.judge import verdict

BEHIND = 10
"""How many times as many iterations the turn and the river are given as the flop."""
RIVER = 100
"""How many times as well the river is solved in limit, and for how many times as many iterations: that takes next to nothing, and an
opponent may do there what he hardly ever does."""
AHEAD = 0.1
"""The share of the pot that limit's flops may be off, since one bet a street is looked at behind them: what 95 % of hands stay below on
the mean of some turns of two flops (``python benchmarks/limit_coach.py --ahead 5``: 0.062, 0.050 and 0.067 of pots of 4, 6 and 8 big
blinds; ``--ahead 2 --seed 12``: 0.097, 0.066 and 0.054)."""
OFF = "the way it was played is not in the tree that was solved"
LARGE = "it needs more memory to be solved than there is"
UNMET = "the range of the player does not hold his hand there"
RARE = "the opponent hardly ever comes there in the solution"
_DONE = {"x": "check", "c": "call", "b": "bet", "r": "raise"}
"""What was done before on the street, in words. Sizes are left out: hardly two hands have the same."""
LEAST = 0.01
"""The weight that the hero's own hand has at least in his range: he held it."""


Ranges = tuple[str | Float64s, str | Float64s]
"""Two ranges, in the notation of :mod:`cardai.poker.notation` or as weights (1326,)."""


class SolvingGrader:
    """Grades :class:`~cardai.poker.grading.flops.FlopHand` by solving. Costs are in big blinds.

    ``mistake`` and ``blunder`` are what these cost at least. Flops that ``library`` holds, solved as well, are not solved again,
    and those that are solved are kept there: they take nearly all of the time.
    """

    def __init__(
        self, book: RangeBook, effort: Effort, mistake: float, blunder: float, library: Library | None = None
    ) -> None:
        self.book, self.effort, self.library = book, effort, library
        self.mistake, self.blunder = mistake, blunder

    def grade(self, tasks: Sequence[Task]) -> Iterator[GradedHand]:
        for task in tasks:
            hand: FlopHand = task.record
            known = self.ranges(hand)
            assert known is not None  # such hands are no tasks
            found, left_out = self.graded(hand, known)
            yield GradedHand(
                task.number, 0, 0, task.number, hand.hero, hand.returns / hand.big_blind, tuple(found), dict(left_out)
            )

    def graded(self, hand: FlopHand, known: Ranges) -> tuple[list[Decision], Counter[str]]:
        """Return the hero's decisions from the flop on, of ranges that both come with, and what is left out by the reason."""
        graded = _Graded(self, hand)
        try:
            graded.walk(known)
        except TooLargeError:
            graded.left_out[LARGE] += graded.coming
        except UsageError:  # no hand left
            graded.left_out[OFF] += graded.coming
        return graded.found, graded.left_out

    def verdict(self, lost: float, floor: float) -> str:
        """Return what a decision that lost so many big blinds is called."""
        return verdict(lost, floor, self.mistake, self.blunder)

    def ranges(self, hand: FlopHand) -> Ranges | None:
        """Return the ranges that both come with, None where one is not known."""
        if hand.come:
            return hand.come[0]
        first, last = (self.book.of(hand.kind, hand.positions[s], hand.roles[s]) for s in range(2))
        return None if first is None or last is None else (first, last)


@define
class _Graded:
    """One hand under way."""

    by: SolvingGrader
    hand: FlopHand
    found: list[Decision] = field(factory=list)
    left_out: Counter[str] = field(factory=Counter)
    coming: int = 0
    """How many of the hero's decisions are still to be looked at."""

    def walk(self, known: Ranges) -> None:
        """Grade street after street, as far as the hero decides, from the ranges ``known``."""
        hand = self.hand
        ranges = [parse_range(one) if isinstance(one, str) else one for one in known]
        own = [move.street for move in hand.moves if move.seat == hand.hero and move.street in hand.asked]
        self.coming = len(own)
        for street in range(max(own, default=-1) + 1):
            if street < len(hand.come):
                if street not in own:
                    continue
                ranges = list(hand.come[street])
            ranges[hand.hero] = _with(ranges[hand.hero], hand.cards)
            solution = self._solved(street, ranges)
            moves = [(place, move) for place, move in enumerate(hand.moves) if move.street == street]
            line: list[str] = []
            for place, move in moves:
                if move.seat == hand.hero:
                    self._decision(solution, " ".join(line), place, move)
                line.append(word_of(move))
            if street < max(own) and street + 1 >= len(hand.come):
                after = solution.at(" ".join([*line, card_text(hand.board[3 + street])]))
                ranges = [_spread(after, seat) for seat in range(2)]

    def _solved(self, street: int, ranges: Sequence[Float64s]) -> Solution:
        effort, name, library = self.by.effort, STREETS[street], self.by.library if street == 0 else None
        asked = spot_of(self.hand, street, ranges, effort)
        last = RIVER if self.hand.bets and street == 2 else 1
        to, most = effort.to / last, effort.iterations * (last if last > 1 else BEHIND if street else 1)
        known = None if library is None else _kept(library, asked)
        if known is not None and known.exploitability <= to:
            return known
        whole, suits = (asked, SAME) if library is None else image(asked)
        solution = prepare(whole, effort.threads)

        def told(now: Solution) -> bool:
            tell(f"solving the {name}", now.iterations, most)
            return True

        solve(solution, to, most, told)
        tell(f"solving the {name}", most, most)
        if library is None:
            return solution
        try:
            library.keep(solution, position=_opened(self.hand), raised=self.hand.kind)
        except UsageError as error:  # which would be counted as the hand's
            raise CardaiError(str(error)) from error
        return solution.renamed(canonical(asked), suits)

    def _decision(self, solution: Solution, line: str, place: int, move: Move) -> None:
        """Grade one decision of the hero."""
        self.coming -= 1
        hand, blind = self.hand, self.hand.big_blind
        try:
            position = solution.at(line, best=True)
        except UsageError:
            self.left_out[OFF] += 1
            return
        where = np.flatnonzero(position.hands == _number(hand.cards))
        taken = _token(position, move)
        if not len(where) or taken is None:
            self.left_out[UNMET if taken is not None else OFF] += 1
            return
        values = position.values[:, int(where[0])] / blind
        if not np.isfinite(values).all():
            self.left_out[UNMET] += 1
            return
        if len(values) < 2:
            return
        best = int(np.argmax(values))
        best = taken if values[taken] >= values[best] else best
        floor = noise_at(solution, position) / blind
        if hand.bets and move.street == 0:
            floor += AHEAD * (position.pot + hand.bets[0]) / blind
        if not np.isfinite(floor):
            self.left_out[RARE] += 1
            return
        lost = float(values[best] - values[taken])
        words = [_words(token, blind) for token in position.tokens]
        reasons = self._reasons(solution, position, line, (taken, best)) if lost > floor else ()
        self.found.append(
            Decision(
                place, taken, words[taken], best, words[best], float(values[taken]), float(values[best]),
                float(values.min()), floor, self.by.verdict(lost, floor), self._situation(position, move), reasons,
                {word: float(value) for word, value in zip(words, values, strict=True)},
            )
        )  # fmt: skip

    def _situation(self, position: Position, move: Move) -> dict[str, str]:
        hand = self.hand
        bets = sum(1 for word in position.line.split() if word[0] in "br")
        other = hand.positions[1 - hand.hero]
        return {
            "phase": STREETS[move.street],
            "position": f"{hand.positions[hand.hero]} against {other}",
            "kind": ("first to bet", "facing a bet", "facing a raise")[min(bets, 2)],
            "line": ", ".join(_DONE[word[0]] for word in position.line.split()) or "first",
            "pot": {"limped": "limped", "single": "single raised"}.get(hand.kind, hand.kind),
        }

    def _reasons(
        self, solution: Solution, position: Position, line: str, actions: tuple[int, int]
    ) -> tuple[Reason, ...]:
        """Return the hand's equity against what the opponent still has, and how often he folds to a bet."""
        hero = self.hand.hero
        mine = np.zeros(COUNT)
        mine[_number(self.hand.cards)] = 1.0
        his = _spread(position, 1 - hero)
        share = float(range_equity(mine, his, list(position.board)).share[0])
        words = f"Against the hands that the opponent still has yours is worth {share:.0%} of the pot."
        found = [Reason("equity", share, words)]
        for action in dict.fromkeys(actions):
            token = position.tokens[action]
            if token[0] not in "br":
                continue
            answer = solution.at(f"{line} {token}".strip())
            folds = sum(f for f, t in zip(answer.frequencies, answer.tokens, strict=True) if t == "f")
            told = f"He folds {folds:.0%} to {_words(token, self.hand.big_blind)}."
            found.append(Reason("folds", float(folds), told))
        return tuple(found)


def _opened(hand: FlopHand) -> str:
    """Return who raised first before the flop, and who else is there: "BTN-BB", as starts are called."""
    last = "raise" if hand.kind in ("single", "4bet") else "call"  # what the first raiser did last
    first = 0 if hand.kind == "limped" or hand.roles[0] == last else 1
    return f"{hand.positions[first]}-{hand.positions[1 - first]}"


def _kept(library: Library, spot: Spot) -> Solution | None:
    """Return a spot of a library. Raises CardaiError where it is damaged, or is none: that is no fault of the hand."""
    try:
        return library.get(spot)
    except (DamagedFileError, UsageError) as error:
        raise CardaiError(str(error)) from error


def _with(weights: Float64s, cards: tuple[int, int]) -> Float64s:
    """Return a range that holds ``cards``."""
    out = weights / max(float(weights.max()), 1e-12)
    number = _number(cards)
    out[number] = max(out[number], LEAST)
    return np.asarray(out)


def _number(cards: tuple[int, int]) -> int:
    """Return which of the 1326 hands two cards are."""
    return int(pair_index(np.array(cards[:1]), np.array(cards[1:]))[0])


def _spread(position: Position, seat: int) -> Float64s:
    """Return the weights (1326,) of a seat's hands at a decision, the largest 1; hands that hardly come are left out."""
    out = np.zeros(COUNT)
    out[position.hands] = position.weights[seat]
    if out.max() <= 0:
        raise UsageError("No hand comes this way.")
    out /= out.max()
    return np.where(out < 1e-3, 0.0, out)


def _token(position: Position, move: Move) -> int | None:
    """Return which of a decision's actions a move is, None: none."""
    wanted = word_of(move)
    for k, token in enumerate(position.tokens):
        if token == wanted or (token[0] in "br" and wanted[0] in "br" and float(token[1:]) == float(wanted[1:])):
            return k
    return None


def _words(token: str, blind: float) -> str:
    """Return an action in words, in big blinds."""
    named = {"f": "fold", "x": "check", "c": "call"}
    if token in named:
        return named[token]
    return f"{'bet' if token[0] == 'b' else 'raise to'} {float(token[1:]) / blind:.3g} bb"
