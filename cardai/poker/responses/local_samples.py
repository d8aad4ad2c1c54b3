"""Local best responses: sampled over hands that are played, or over boards with all hands at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.contract import need_holdem
from cardai.poker.range_policy import need_odds, need_policy
from cardai.poker.responses.board_response import BoardWalk
from cardai.poker.responses.local_response import SAMPLES, Bets, LocalResponder, Lookahead
from cardai.poker.responses.measure import Options, Response, Sampler, need_pairs, need_some
from cardai.solve.aivat import estimator, refuse

WHO = "Local best response"


@frozen
class LocalOptions(Options):
    """A local best response, along ``hands`` that are played or on ``boards``."""

    bets: Bets = "legal"
    """The raises that are considered: in limit the one there is, on a ladder its rungs, in full no-limit the same as fcpa."""
    rounds: Sequence[int] | None = None
    """The rounds in which they are, from 0 (None: all); elsewhere the responder folds or calls."""
    hands: int = 2000
    """Each deal is played from both seats."""
    boards: int | None = None
    """Instead of hands: random boards, on which the whole game is walked with all hands of both."""
    seed: int = 0
    estimates: str | Agent | None = None
    """Who answers the raises that are only considered in place of the player (the same, thinking less, where an answer takes
    seconds): raises are then chosen by its answers, but what is won is still won from the player."""
    samples: int = SAMPLES
    """Boards by which a hand's equity is estimated."""
    branches: int = 0
    """On boards: how many ways on are followed at a state, drawn with replacement by how much comes there; 0: all."""
    aivat: bool = False
    """Along hands: weigh each by AIVAT too (values by equity), whose mean is the same and whose spread is smaller."""

    def sampler(self) -> Sampler:
        game, agent = make.as_game(self.game), make.as_agent(self.agent)
        if self.boards is None:
            return LocalHands(game, agent, self)
        return LocalBoards(game, agent, self, self.boards)

    def sent(self, sampler: Sampler) -> Options:
        estimates = None if self.estimates is None else make.as_agent(self.estimates)
        return evolve(self, game=sampler.game, agent=sampler.agent, estimates=estimates)

    def known_by(self) -> list[str | int]:
        named = make.spec_now(self.estimates or "")
        rounds = "all" if self.rounds is None else "+".join(map(str, sorted(set(self.rounds))))
        known = ["local", self.bets, rounds, named, int(self.aivat), self.seed]
        if self.boards is None:
            return [*known, "hands", self.samples]
        return [*known, "boards", self.branches, "by rounds"]


class _Local(Sampler):
    """A sampler whose responder looks one action ahead."""

    def __init__(self, game: Game, agent: Agent, options: LocalOptions, pieces: int) -> None:
        need_holdem(game, WHO)
        player = agent.for_game(game)
        estimates = agent if options.estimates is None else make.as_agent(options.estimates)
        guess = player if options.estimates is None else estimates.for_game(game)
        need_policy(player, agent)
        need_policy(guess, estimates)
        rounds = range(4) if options.rounds is None else options.rounds
        if not set(rounds) <= set(range(4)):
            raise UsageError(
                f"Rounds are numbered from 0 (before the flop) to 3 (river). Got {', '.join(map(str, rounds))}."
            )
        super().__init__(game, agent, pieces, WHO)
        self.options, self.player = options, player
        self.ahead = Lookahead(game, guess, options.bets, frozenset(rounds))


class LocalHands(_Local):
    """A piece is a deal, played from both seats: (what was won, the same by AIVAT or 0), the mean over seats."""

    shape = (2,)

    def __init__(self, game: Game, agent: Agent, options: LocalOptions) -> None:
        need_pairs(options.hands)
        super().__init__(game, agent, options, options.hands // 2)
        self.responder = LocalResponder(self.player, self.ahead, options.seed, options.samples)
        self.weigh = None
        if options.aivat:  # by the very player: what it has solved is asked again
            refuse(game, self.player, brief(agent))
            self.weigh = estimator(game, self.player, None, brief(agent), options.seed)

    def piece(self, number: int) -> Float64s:
        played = [self.responder.play(number, seat) for seat in (0, 1)]
        won = sum(hand["returns"][seat] for seat, hand in enumerate(played)) / 2
        weigh = self.weigh
        lost = sum(weigh(hand, 1 - seat) for seat, hand in enumerate(played)) / 2 if weigh else 0.0
        return np.array([won, -lost])

    def response(self, found: Float64s, done: Bools) -> Response:
        response = super().response(found[:, 0], done)
        return evolve(response, aivat=found[done, 1]) if self.weigh else response


class LocalBoards(_Local):
    """A piece is a random board, walked from both seats: what is won, the mean over seats."""

    def __init__(self, game: Game, agent: Agent, options: LocalOptions, boards: int) -> None:
        need_some(boards, "board")
        if options.branches < 0:
            raise UsageError(f"There must be branches from 0 on. Got {options.branches}.")
        super().__init__(game, agent, options, boards)
        need_odds(game, self.player, brief(agent))

    def piece(self, number: int) -> Float64s:
        seed, branches = self.options.seed, self.options.branches
        drawn = np.random.default_rng(derive(seed, "board", number)).permutation(52)[:5]
        board, won = tuple(int(card) for card in drawn), []
        for seat in (0, 1):
            rng = np.random.default_rng(derive(seed, "branch", number, seat))
            walk = BoardWalk(self.player, self.ahead, board, seat, branches, rng)
            won.append(float(walk.winnings().sum()) / walk.pairings)
        return np.array(sum(won) / 2)
