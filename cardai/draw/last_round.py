"""Best responses in the last round of draw poker, along hands that a player plays against itself.

Where such a hand comes to the last round of betting, each seat in turn becomes the responder. It knows how the player plays,
its own cards and all that was said. With which hands the other may be there, it finds by *particles*: decks that agree with
its own cards are dealt, played as the other plays, and drawn anew at each of its draws in proportion to how likely it did
what was seen (a sequential Monte Carlo filter: Gordon, Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian
state estimation", 1993). It then takes the best action at every turn, and what that wins is counted against the cards that
the other really holds, over all that both may still do. No choice looks at those, so the mean over hands is what a legal
response wins: a lower bound on what a perfect opponent does, however few the particles.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game, Tables
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.draw.contract import DrawPoker, is_draw_poker
from cardai.poker.contract import BettingGame
from cardai.poker.range_policy import need_policy
from cardai.poker.responses.measure import Options, Response, Sampler, need_some

WHO = "A best response in the last round"
PARTICLES = 1000
"""Hands of the other by which the responder chooses."""
CARDS = 5
_DRAWN = np.array([mask.bit_count() for mask in range(HOLDS)])


@frozen
class LastRoundOptions(Options):
    """A best response in the last round of betting, along ``hands`` that are played."""

    hands: int = 500
    seed: int = 0
    particles: int = PARTICLES

    def sampler(self) -> Sampler:
        return LastRounds(make.as_game(self.game), make.as_agent(self.agent), self)

    def known_by(self) -> list[str | int]:
        return ["last round", self.seed, self.particles]


@frozen(eq=False)
class Played:
    """A hand as far as the last round: its deck in the order dealt, and (seat, action) of all that was done."""

    deck: list[int]
    done: list[tuple[int, int]]
    taken: list[int] = field(repr=False)
    """The seat that each card went to, in the order dealt."""


@frozen(eq=False)
class Worth:
    """What a node of the last round is worth to the responder, weighed by how likely it is come to."""

    found: float
    """By its particles, if it plays best from there on."""
    best: float
    """Against the cards that the other holds, playing so."""
    plain: float
    """Against them, playing as the player does."""


class LastRounds(Sampler):
    """A piece is a hand: (what the responders win more than the player, the mean over both seats, 1), else zeros."""

    shape = (2,)

    def __init__(self, game: Game, agent: Agent, options: LastRoundOptions) -> None:
        need_some(options.hands, "hand")
        super().__init__(game, agent, options.hands, WHO)
        self.options, self.player = options, agent.for_game(game)
        need_policy(self.player, agent)

    def betting_game(self, game: Game, who: str) -> BettingGame:
        if (
            not is_draw_poker(game)
            or game.num_players != 2
            or game.draws * 2 * CARDS + 2 * CARDS > game.num_chance_outcomes
        ):
            raise UsageError(f"{who} is for draw poker of two players. Got {brief(game)}.")
        return game

    def piece(self, number: int) -> Float64s:
        played = self.play(number)
        if played is None:
            return np.zeros(2)
        gains = [self.gain(played, seat, derive(self.options.seed, "particles", number, seat)) for seat in range(2)]
        return np.array([np.mean(gains), 1.0])

    def response(self, found: Float64s, done: Bools) -> Response:
        return evolve(super().response(found[:, 0], done), reached=int(found[done, 1].sum()))

    def play(self, number: int) -> Played | None:
        """Play a hand until the last round of betting begins; None if it ends before."""
        game, rng = self.game, np.random.default_rng(derive(self.options.seed, "play", number))
        assert isinstance(game, DrawPoker)
        tables, row = game.tables(1), np.zeros(1, np.int64)
        tables.reset(np.array([derive(self.options.seed, "deal", number)], np.uint64))
        first = (int(tables.views(0, row)["button"][0]) + game.betting.offset) % 2
        done: list[tuple[int, int]] = []
        taken = [first] * CARDS + [1 - first] * CARDS
        while (seat := int(tables.current_players()[0])) >= 0:
            if sum(action >= FIRST_DISCARD for _, action in done) == 2 * game.draws:
                return Played(tables.deck(0), done, taken)
            chances = self.player.policy(tables.views(seat, row), tables.legal(row))[0]
            action = int(rng.choice(len(chances), p=chances / chances.sum()))
            if action >= FIRST_DISCARD:
                taken += [seat] * int(_DRAWN[action - FIRST_DISCARD])
            done.append((seat, action))
            tables.apply(row, np.array([action]))
        return None

    def gain(self, played: Played, me: int, seed: int) -> float:
        """Return the chips that the responder in seat ``me`` wins more than the player in this hand.

        One who finds no hand of the other that does what was seen plays on as the player does.
        """
        tables, weights = self.filter(played, me, seed)
        if not weights.any():
            return 0.0
        worth = self.worth(tables, me, weights, 1.0)
        return worth.best - worth.plain

    def filter(self, played: Played, me: int, seed: int) -> tuple[Tables, Float64s]:
        """Return tables at the beginning of the last round, a row a particle and the true hand last, and weights (n,).

        The weights are zeros where no particle does what was seen. Raises UsageError where the true hand does not.
        """
        rng, count = np.random.default_rng(seed), self.options.particles
        mine = np.array([place for place, seat in enumerate(played.taken) if seat == me])
        decks = np.tile(np.array(played.deck, np.int8), (count + 1, 1))
        self._shuffle(decks, np.setdiff1d(np.arange(decks.shape[1]), mine), rng)
        tables, weights, actions = self.game.tables(count + 1), np.ones(count), np.empty((count + 1, 0), np.int64)
        self._deal(tables, decks, actions)
        cards, rows = 2 * CARDS, np.arange(count + 1)
        for seat, action in played.done:
            chosen, drawn = np.full(count + 1, action), action - FIRST_DISCARD
            if seat != me:
                chances = self.player.policy(tables.views(seat, rows), tables.legal(rows))
                fits = np.arange(chances.shape[1]) == action
                if drawn >= 0:
                    fits = np.append(np.zeros(FIRST_DISCARD, bool), _DRAWN[drawn] == _DRAWN)
                share = np.where(fits, chances, 0.0)
                weights = weights * share[:count].sum(axis=1)
                if not share[count].sum() > 0:
                    raise UsageError(
                        f"{WHO} saw the player do what it says it never does there: it is no pure function."
                    )
                if not weights.sum() > 0:
                    return tables, np.zeros(count)
                if drawn >= 0:
                    share[share.sum(axis=1) <= 0] = fits
                    total = np.cumsum(share, axis=1)
                    chosen = np.argmax(total > rng.random(count + 1)[:, None] * total[:, -1:], axis=1)
                    chosen[count] = action
            actions = np.concatenate([actions, chosen[:, None]], axis=1)
            if seat != me and drawn >= 0:
                kept = np.append(_systematic(weights, rng), count)
                decks, actions, weights = decks[kept], actions[kept], np.ones(count)
                self._shuffle(decks, np.setdiff1d(np.arange(cards, decks.shape[1]), mine), rng)
                self._deal(tables, decks, actions)
            else:
                tables.apply(rows, chosen)
            cards += int(_DRAWN[drawn]) if drawn >= 0 else 0
        return tables, weights / weights.sum()

    def _shuffle(self, decks: np.ndarray, places: Int64s, rng: np.random.Generator) -> None:  # type: ignore[type-arg]
        """Shuffle what lies on ``places`` of all ``decks`` but the last, the true one."""
        decks[:-1, places] = rng.permuted(decks[:-1, places], axis=1)

    def _deal(self, tables: Tables, decks: np.ndarray, actions: Int64s) -> None:  # type: ignore[type-arg]
        """Begin hands anew and play ``actions`` (n, k)."""
        tables.reset(np.zeros(len(decks), np.uint64), decks)
        rows = np.arange(len(decks))
        for column in actions.T:
            tables.apply(rows, np.ascontiguousarray(column))

    def worth(self, tables: Tables, me: int, reach: Float64s, met: float) -> Worth:
        """Return what the rest of the hand is worth: ``reach`` (n,) of the particles, ``met`` of the true hand."""
        rows, count = np.arange(tables.count), tables.count - 1
        seat = int(tables.current_players()[0])
        if seat < 0:
            won = tables.returns(rows)[:, me]
            true = float(won[count] * met)
            return Worth(float(won[:count] @ reach), true, true)
        chances = self.player.policy(tables.views(seat, rows), tables.legal(rows))
        below, shares = [], []
        for action in np.flatnonzero(_mask(tables, rows[-1:])[0]).tolist():
            after = self.game.tables(tables.count)
            after.copy_rows(tables, rows)
            after.apply(rows, np.full(tables.count, action))
            shares.append(float(chances[count, action]))
            come = (reach, met) if seat == me else (reach * chances[:count, action], met * shares[-1])
            below.append(self.worth(after, me, *come))
        if seat != me:
            return Worth(sum(x.found for x in below), sum(x.best for x in below), sum(x.plain for x in below))
        chosen = max(below, key=lambda one: one.found)
        plain = sum(share * one.plain for share, one in zip(shares, below, strict=True))
        return Worth(chosen.found, chosen.best, plain)


def _mask(tables: Tables, rows: Int64s) -> Bools:
    """Return the legal actions at ``rows``, which draw games have as a mask."""
    legal = tables.legal(rows)
    assert isinstance(legal, np.ndarray)
    return legal


def _systematic(weights: Float64s, rng: np.random.Generator) -> Int64s:
    """Return (n,) places drawn in proportion to ``weights`` (n,), at even steps from one random start."""
    count = len(weights)
    total = np.cumsum(weights)
    found = np.searchsorted(total, (np.arange(count) + rng.random()) / count * total[-1])
    return np.asarray(np.minimum(found, count - 1), np.int64)
