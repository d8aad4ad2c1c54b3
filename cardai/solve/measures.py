"""Exact measures: expected values, best responses, exploitability and NashConv of any agent that has a policy.

An agent's ``policy`` is asked once, for all information sets of a seat in one batch (in several where a game brings a best
response of its own); everything else is arithmetic on the game in sequence form. Values are in the game's unit, a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Amounts, Game, Legal
from cardai.solve import _kernels
from cardai.solve._kernels import Form
from cardai.solve.sequence_form import behaviour_of, game_form, plan_of
from cardai.solve.tree import NODE_LIMIT, GameTree, game_tree

SUM_TOLERANCE = 1e-4
"""How far from 1 an agent's probabilities may sum (float32 networks); they are normalised."""


@frozen
class Measured:
    """What a profile of policies is worth: an entry a seat, in the game's unit."""

    expected: tuple[float, ...]
    """What each seat earns when all play the profile."""
    best_response: tuple[float, ...]
    """What each seat earns when it alone plays a best response to the others."""

    @property
    def gains(self) -> tuple[float, ...]:
        """What each seat wins by turning to its best response."""
        return tuple(b - e for b, e in zip(self.best_response, self.expected, strict=True))

    @property
    def nash_conv(self) -> float:
        """The sum of the gains: 0 at a Nash equilibrium (Lanctot et al. 2017)."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """NashConv / P: in two-player zero-sum games the mean of the two best responders' values."""
        return self.nash_conv / len(self.expected)


def measure_behaviour(form: Form, behaviour: Float64s) -> Measured:
    """Return the exact values of a behaviour (S,) of all players."""
    return measure_plan(form, plan_of(form, behaviour))


def measure_plan(form: Form, plan: Float64s) -> Measured:
    """Return the exact values of all players' realisation plans (S,)."""
    players = len(form.info_start) - 1
    expected, best = np.empty(players), np.empty(players)
    _kernels.measure(form, plan, np.empty(len(plan)), expected, best)
    return Measured(tuple(expected.tolist()), tuple(best.tolist()))


def measure(game: Game, agent: Agent | Sequence[Agent], name: str = "", limit: int = NODE_LIMIT) -> Measured:
    """Return exact values and best responses where ``agent`` plays every seat (or each of a sequence its own).

    A game that brings a best response of its own (:meth:`~cardai.core.game.Game.best_response`) is asked for it; of others
    the tree is walked, of at most ``limit`` nodes.

    Raises:
        UsageError: the game cannot be enumerated, or the agent cannot be asked. AgentError: it answers wrongly.
    """
    own = game.best_response(_Asked(game, agent, name))
    if own is not None:
        return Measured(*(tuple(values.tolist()) for values in own))
    return measure_behaviour(game_form(game, limit)[1], profile(game, agent, name, limit))


class _Asked:
    """What plays each seat, as :meth:`Game.best_response` asks it: one agent in all, or one of a sequence a seat."""

    def __init__(self, game: Game, agents: Agent | Sequence[Agent], name: str) -> None:
        self.game, self.name = game, name
        self.agents = [agents] * game.num_players if isinstance(agents, Agent) else list(agents)
        self.ready: dict[int, Agent] = {}  # by what each agent is: one in several seats gets ready once

    def __call__(self, seat: int, views: Views, legal: Legal) -> Float64s:
        _need_seats(self.game, self.agents)
        agent = self.agents[seat]
        player = self.ready.get(id(agent))
        if player is None:
            player = self.ready[id(agent)] = agent.for_game(self.game)
        assert not isinstance(legal, Amounts)  # such games are not measured exactly
        return _answer(player, views, legal, self.name, lambda i: repr(unpack_view(self.game.view_fields, views[i])))


def _need_seats(game: Game, agents: Sequence[Agent]) -> None:
    if len(agents) != game.num_players:
        raise UsageError(f"{type(game).__name__} has {game.num_players} seats. Got {len(agents)} agents instead.")


def exploitability(game: Game, agent: Agent, name: str = "") -> float:
    """Return NashConv / P of ``agent`` in every seat, in the game's unit (see :func:`measure`)."""
    return measure(game, agent, name).exploitability


def nash_conv(game: Game, agent: Agent | Sequence[Agent], name: str = "") -> float:
    """Return the sum over seats of what a best response would gain (see :func:`measure`)."""
    return measure(game, agent, name).nash_conv


def expected_value(game: Game, agents: Sequence[Agent], limit: int = NODE_LIMIT) -> tuple[float, ...]:
    """Return what each seat earns a hand, exactly, when seat p is played by ``agents[p]``."""
    return measure(game, agents, limit=limit).expected


def head_to_head(game: Game, agent: Agent, against: Agent) -> float:
    """Return what ``agent`` earns a hand, exactly, as the mean over its seats; ``against`` plays all the others.

    This is what duplicate deals estimate.
    """
    seats = range(game.num_players)
    tables = {p: [agent if q == p else against for q in seats] for p in seats}
    return sum(expected_value(game, table)[p] for p, table in tables.items()) / len(seats)


def profile(game: Game, agents: Agent | Sequence[Agent], name: str = "", limit: int = NODE_LIMIT) -> Float64s:
    """Return the behaviour (S,) of one agent in every seat, or of one agent a seat."""
    tree = game_tree(game, limit)
    if isinstance(agents, Agent):
        table = ask(tree, agents.for_game(game), np.arange(len(tree.infosets)), name)
        return behaviour_of(tree, table)
    _need_seats(game, agents)
    tables = [policy_of(tree, agent.for_game(game), seat, name) for seat, agent in enumerate(agents)]
    return behaviour_of(tree, np.sum(tables, axis=0))


def policy_of(tree: GameTree, agent: Agent, seat: int, name: str = "") -> Float64s:
    """Return (I, num_distinct_actions): the agent's probabilities at the information sets of ``seat``, else zeros."""
    table = np.zeros(tree.infosets.legal.shape)
    own = np.arange(tree.infosets.start[seat], tree.infosets.start[seat + 1])
    table[own] = ask(tree, agent, own, name)
    return table


def ask(tree: GameTree, agent: Agent, infosets: npt.NDArray[np.integer], name: str = "") -> Float64s:
    """Return the agent's probabilities (n, num_distinct_actions) at ``infosets`` (n,), asked in one batch.

    Raises:
        UsageError: the agent is stateful or has no policy. AgentError: its answer is no distribution over legal actions.
    """
    views, legal = tree.infosets.views[infosets], tree.infosets.legal[infosets]
    return _answer(agent, views, legal, name, lambda i: repr(tree.infosets.keys[infosets[i]]))


def _answer(agent: Agent, views: Views, legal: Bools, name: str, where: Callable[[int], str]) -> Float64s:
    """Return the agent's probabilities (n, num_distinct_actions), checked; ``where(i)`` names the i-th view."""
    called = name or type(getattr(agent, "agent", agent)).__name__
    if agent.stateful:
        raise UsageError(
            f"The agent {called} is stateful: what it plays depends on earlier hands, so it has no exact value. "
            "Measure it by play (cardai run)."
        )
    if not agent.has_policy():
        raise UsageError(
            f"The agent {called} has no policy, only single actions: it cannot be measured exactly. "
            "Measure it by play (cardai run), or give it a policy(views, legal)."
        )
    answer = np.array(agent.policy(views, legal), np.float64)
    if answer.shape != legal.shape:
        raise AgentError(f"The policy of {called} must have the shape {legal.shape}. Got {answer.shape} instead.")
    total = answer.sum(axis=1)
    wrong = ~np.isfinite(total) | (np.abs(total - 1) > SUM_TOLERANCE) | (answer < 0).any(axis=1)
    wrong |= (answer * ~legal).sum(axis=1) > SUM_TOLERANCE
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise AgentError(
            f"The policy of {called} must be probabilities over the legal actions {np.flatnonzero(legal[i]).tolist()}. "
            f"Got {answer[i].tolist()} instead, for the information set {where(i)}."
        )
    answer *= legal
    return np.asarray(answer / answer.sum(axis=1, keepdims=True))
