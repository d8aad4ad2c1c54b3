"""What every action of a small game is worth against given players, exactly, for who goes on as well as can be.

At an information set I the value of an action is the best that its player can still get, a hand, where the others play what
they are said to: the sum over the histories h in I of pi_-i(h) u(h, a, best response), by the sum of pi_-i(h), with pi_-i what
chance and the others contribute (a counterfactual best response value by the counterfactual reach; Zinkevich et al. 2007,
Johanson et al. 2011). Where the others never come, nothing is said.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.solve import _kernels
from cardai.solve.measures import ask, measure_plan, profile
from cardai.solve.sequence_form import behaviour_of, fresh_form, plan_of, policy_table, sequence_form
from cardai.solve.tabular import TabularAgent
from cardai.solve.tree import GameTree, game_tree

RARE = 1000
"""An equilibrium's own choices that are rarer than one in so many may count as mistakes."""
ROUNDING = 1e-12
REACHED = 1e-9
"""Where the others come less often they are said never to: values there are quotients of errors."""


@frozen(eq=False)
class Worth:
    """Of all sequences of a game (S,): ``values`` in the game's unit a hand (NaN where the others never come), ``reach``."""

    values: Float64s
    reach: Float64s
    """What chance and the others contribute to the information set of each sequence."""
    nash_conv: float
    """What best responses gain against the players: 0 where they are an equilibrium."""


def worth_of(tree: GameTree, behaviour: Float64s) -> Worth:
    """Return what sequences are worth to their players where all others play ``behaviour`` (S,)."""
    plan = plan_of(sequence_form(tree), behaviour)
    certain = fresh_form(evolve(tree, terminal_returns=np.ones_like(tree.terminal_returns)))
    values, reach = np.empty(len(plan)), np.empty(len(plan))
    for player in range(tree.num_players):
        for form, out in ((sequence_form(tree), values), (certain, reach)):
            _kernels.sequence_values(form, player, plan, out)
            _kernels.best_value(form, player, out)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(reach > REACHED, values / reach, np.nan)
    return Worth(values, reach, measure_plan(sequence_form(tree), plan).nash_conv)


class ValuedAgent(TabularAgent):
    """A player of a small game that knows what every action is worth against ``behaviour`` (S,), the others' play.

    ``noise``: what is left of an equilibrium's error, a hand (0: ``behaviour`` is given, and values are exact). An action that
    the equilibrium plays at least once in a thousand times can cost no more than a thousand times that, by the reach of its
    information set: less is no mistake.
    """

    values_of = ""

    def __init__(self, tree: GameTree, own: Float64s, behaviour: Float64s, noise: float | None, name: str) -> None:
        super().__init__(tree.game, tree.infosets.views, policy_table(tree, own), name)
        found = worth_of(tree, behaviour)
        wrong = RARE * max(found.nash_conv, ROUNDING) if noise is None else noise
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = np.where(found.reach > REACHED, wrong / found.reach, 0.0)
        self.nash_conv = found.nash_conv
        self._values = self._in_order(_table(tree, found.values, np.nan))
        self._noise = self._in_order(_table(tree, floor, 0.0))

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return np.asarray(self._values[self._rows(views)])

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        return np.asarray(self._noise[self._rows(views)])


def _table(tree: GameTree, values: Float64s, missing: float) -> Float64s:
    """Return (I, num_distinct_actions): values (S,) of sequences by information set and action."""
    sets = tree.infosets
    out = np.full(sets.legal.shape, missing)
    taken = sets.sequence_infoset >= 0
    out[sets.sequence_infoset[taken], sets.sequence_action[taken]] = values[taken]
    return out


def best_response(game: Game, agent: Agent, name: str = "") -> ValuedAgent:
    """Return the best response to ``agent`` in all other seats (first of equals), with the exact values of all actions.

    Raises:
        UsageError: the game cannot be enumerated, or the agent cannot be asked. AgentError: it answers wrongly.
    """
    tree = game_tree(game)
    form, behaviour = sequence_form(tree), profile(game, agent, name)
    plan = plan_of(form, behaviour)
    answer, values = np.empty(len(plan)), np.empty(len(plan))
    for player in range(tree.num_players):
        _kernels.sequence_values(form, player, plan, values)
        _kernels.best_value(form, player, values)
        _kernels.best_choices(form, player, values, answer)
    called = f"The best response to {name or type(agent).__name__}"
    return ValuedAgent(tree, answer, behaviour, 0.0, called)


def equilibrium_player(game: Game, agent: Agent, name: str) -> ValuedAgent:
    """Return ``agent``, which plays an equilibrium of ``game``, with the values of all actions against itself.

    Raises:
        UsageError: the game cannot be enumerated, or the agent cannot be asked. AgentError: it answers wrongly.
    """
    tree = game_tree(game)
    asked = ask(tree, agent.for_game(game), np.arange(len(tree.infosets)), name)
    behaviour = behaviour_of(tree, asked)
    return ValuedAgent(tree, behaviour, behaviour, None, name)
