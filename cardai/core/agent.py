"""Agents: players. They get views and legal actions, never a state.

Override one of

* ``policy(views, legal) -> (n, num_distinct_actions)`` probabilities (exact measures need this one),
* ``act(views, legal, rng) -> (n,)`` actions directly,
* or, in a :class:`ScalarAgent`, ``choose(view, legal, rng) -> int`` for one table at a time.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError, wrong_type
from cardai.core.fields import Family, Views, pack_views, unpack_view, view_dtype
from cardai.core.game import Actions, Game, State
from cardai.core.legal import Amounts, Legal
from cardai.core.legal import legal_list as legal_list  # known from here too
from cardai.core.rng import Rows
from cardai.core.spec import brief


def need_game(made_for: Game, game: Game, words: str) -> None:
    """Raise UsageError unless ``game`` has the views and the actions of ``made_for``; ``words`` begin the message.

    For players that were trained or solved for one game: "This run was trained on".
    """
    same_views = view_dtype(game.view_fields) == view_dtype(made_for.view_fields)
    if not same_views or game.num_distinct_actions != made_for.num_distinct_actions:
        raise UsageError(f"{words} {brief(made_for)}: it cannot play {brief(game)}.")


def need_family(game: Game, family: Family, who: str) -> None:
    """Raise UsageError unless ``game`` speaks ``family``; ``who`` begins the message: "always_call plays"."""
    if not game.speaks(family):
        spoken = " and ".join(repr(other.name) for other in game.families) or "none"
        needs = f"{who} {family.doc} and needs the fields of the family {family.name!r}"
        raise UsageError(f"{needs}. {brief(game)} speaks {spoken}.")


def legal_of(state: State, game: Game) -> tuple[Legal, dict[int, str]]:
    """Return the legal actions of the player to act as those of one table, and the name of each legal policy column."""
    actions = state.legal_actions()
    if not game.amounts:
        mask = np.zeros((1, game.num_distinct_actions), np.bool_)
        mask[0, actions] = True
        return mask, {action: game.action_to_string(action) for action in actions}
    raises = [action for action in actions if action >= 2]
    kinds = np.array([[0 in actions, 1 in actions, bool(raises)]])
    names = {kind: game.action_to_string(kind) for kind in (0, 1) if kind in actions} | ({2: "raise"} if raises else {})
    least, most = (min(raises), max(raises)) if raises else (0, 0)
    return Amounts(kinds, np.array([least], np.int64), np.array([most], np.int64)), names


class Agent:
    """A player: a pure function of the view unless it says ``stateful``.

    The rows of a batch are of any tables and seats, in any order: a row's answer depends on that row alone.
    """

    stateful: ClassVar[bool] = False
    """Whether it learns or remembers during a match: then it is built once a seat and table (see ``new_match``)."""
    interactive: ClassVar[bool] = False
    """Whether a person answers (then one game is played, and no progress bar is shown)."""
    sequential: ClassVar[bool] = False
    """Whether it can only play hand after hand (a program behind a wire): then one game is under way at a time."""
    uniform: ClassVar[bool] = False
    """Whether it plays each legal action of a mask equally often, the one that ``below(seed, 0, count)`` of its stream
    counts from the lowest: then whoever plays one table draws for it and makes it no views."""
    values_of: ClassVar[str] = ""
    """What :meth:`action_values` are, in words: "points from here on"; "" for the hand's return in the game's unit."""
    judges: ClassVar[int] = 0
    """How well its values of actions judge what others did, where it is asked by default: 0 not at all, 1 as a search with
    guesses of its own, 2 as learned values whose error was measured, 3 exactly (see :meth:`value_noise`)."""
    value_classes: ClassVar[tuple[float, float]] = (0.0, 0.0)
    """What a mistake and a blunder cost at least, in the unit of its values; zeros: shares of the game's largest return."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    may: ClassVar[frozenset[str]] = frozenset()

    def for_game(self, game: Game) -> Agent:
        """Return the agent ready to play ``game`` (default: itself).

        Called once before play. Raises UsageError, naming what it needs, for a game it cannot play.
        """
        return self

    def check_game(self, game: Game) -> None:
        """Raise UsageError as :meth:`for_game` does (default: by it). Lists of players ask this of all that are installed: one
        that reads much, or brings a large library, says it before it does."""
        self.for_game(game)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        """Return (n, num_distinct_actions) probabilities, each row summing to 1 over legal actions.

        Where legal actions are :class:`~cardai.core.legal.Amounts`, the columns are their three kinds.
        """
        raise NotImplementedError(f"{type(self).__name__} has no policy, only act: it cannot be measured exactly.")

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        """Return (n, num_distinct_actions): what the player expects of each action, in the unit of :attr:`values_of`.

        NaN stands where it expects nothing in particular, as for illegal actions. Nothing in play asks this: it is what a
        person is shown beside the probabilities. Where legal actions are :class:`~cardai.core.legal.Amounts`, the columns
        are their three kinds.
        """
        raise NotImplementedError(f"{type(self).__name__} has no values of actions.")

    def judged(self, views: Views, legal: Legal) -> Float64s:
        """Return the values (n, num_distinct_actions) by which others' actions are judged, within :meth:`value_noise`.

        Default: :meth:`action_values`. For players whose values leave out what they would never do.
        """
        return self.action_values(views, legal)

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        """Return (n, num_distinct_actions): by how much the values of an action and of the best may differ by error alone.

        Zeros where values are exact; else half a 95% interval. What costs less is no mistake.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how far its values of actions may be off.")

    def hurry(self) -> None:
        """Know that a person waits for each decision from now on. Default: nothing changes; asked of an agent that is ready."""

    def rest(self) -> None:
        """Let go of what was kept of a hand that is over; what is played stays the same. A single table says so after each hand.

        Default: nothing is kept.
        """

    def strategy(self, state: State, game: Game | None = None) -> dict[str, float]:
        """Return the probability of each legal action of the seat to act at ``state``, by name: {"fold": 0.1, ...}.

        Where an action can be an amount, all raises together are "raise". ``game`` is needed where a State does not say
        its own.

        Raises:
            UsageError: nobody is to act, or the agent has no :meth:`policy`, remembers, or does not play the game.
        """
        if not isinstance(state, State):
            raise wrong_type("The state of strategy(state)", "a hand, as game.new_initial_state() returns it", state)
        game = state.game if game is None else game
        if not isinstance(game, Game):
            raise UsageError("This state does not say of which game it is. Call strategy(state, game).")
        if state.current_player() < 0:
            raise UsageError("No player is to act in this state: it is chance's turn, or the hand is over.")
        player = self.for_game(game)
        if player.stateful or not player.has_policy():
            why = "remembers earlier hands" if player.stateful else "chooses single actions and says no probabilities"
            raise UsageError(f"{type(self).__name__} {why}: it has no strategy to show. Watch it play instead.")
        legal, names = legal_of(state, game)
        row = player.policy(pack_views(game.view_fields, [state.view(state.current_player())]), legal)[0]
        return {name: float(row[column]) for column, name in names.items()}

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        """Return (n,) legal actions. The default draws from :meth:`policy`."""
        chosen = rng.choice(self.policy(views, legal))
        if isinstance(legal, Amounts):
            return np.where(chosen == 2, self.raise_to(views, legal, rng), chosen)
        return chosen

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        """Return (n,) amounts to raise to, used where :meth:`policy` chose to raise (default: the minimum)."""
        return np.asarray(legal.min_amount, np.int64)

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s] | None:
        """Return the amounts (m,) that :meth:`raise_to` may choose, each once and rising, and the odds (n, m) of each.

        The views differ in nothing but what their player alone sees; each row of the odds sums to 1. None: not known, as for
        a ``raise_to`` or an ``act`` of one's own that says no more. Measures that weigh what a player might have done (AIVAT)
        need it.
        """
        if type(self).raise_to is not Agent.raise_to or type(self).act is not Agent.act:
            return None
        return np.asarray(legal.min_amount[:1], np.int64), np.ones((len(views), 1))

    def act_together(self, copies: Sequence[Agent], views: Views, legal: Legal, rng: Rows) -> Actions | None:
        """Return (n,) actions of n of its ``copies``, each for its row, or None (default): each is asked by itself.

        For stateful agents that are quicker so. What a copy answers must be what it would by itself, and asking must change
        none.
        """
        return None

    def new_match(self, seat: int) -> Self:
        """Return a fresh copy for one seat of one table's match (only asked of stateful agents)."""
        return self

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        """Hear of a finished hand: the player's last view and all returns (only told to stateful agents)."""

    @classmethod
    def has_policy(cls) -> bool:
        """Whether the agent's probabilities can be asked for (it overrides ``policy``)."""
        return cls.policy is not Agent.policy


class ScalarAgent(Agent):
    """An agent that decides one table at a time: the convenient base for hobby bots."""

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: random.Random) -> int:
        """Return one of ``legal``.

        ``view`` maps the game's view fields to plain values. In games of amounts (no-limit betting) ``legal`` holds
        0 and 1 where legal, the smallest and the largest amount; any between those two may be returned.
        """
        raise NotImplementedError

    def for_game(self, game: Game) -> Agent:
        return (_BoundWithPolicy if self.has_policy() else BoundScalar)(self, game)


class FunctionAgent(ScalarAgent):
    """A function as a player: ``function(view, legal, rng)``, or ``function(view, legal)``, returns an action.

    Raises:
        UsageError: it takes other arguments.
    """

    def __init__(self, function: Callable[..., int]) -> None:
        self.function = function
        count = _positional(function)
        if count not in (2, 3):
            raise UsageError(
                f"A function that plays takes (view, legal, rng) or (view, legal) and returns an action. {self} takes "
                f"{'other arguments' if count is None else count}."
            )
        self._random = count == 3

    def __str__(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: random.Random) -> int:
        return self.function(view, legal, rng) if self._random else self.function(view, legal)


def _positional(function: Callable[..., Any]) -> int | None:
    """Return how many arguments a function must be given by place, None where that cannot be told or others are needed."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return None if any(p.kind is p.KEYWORD_ONLY for p in needed) else len(needed)


class BoundScalar(Agent):
    """A scalar agent with the fields of the game it plays."""

    def __init__(self, agent: ScalarAgent, game: Game) -> None:
        self.agent = agent
        self.game = game
        self.stateful = agent.stateful  # type: ignore[misc]
        self.interactive = agent.interactive  # type: ignore[misc]
        self.values_of = agent.values_of  # type: ignore[misc]

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self.agent.action_values(views, legal)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        chosen = np.empty(len(views), np.int64)
        for i in range(len(views)):
            view = unpack_view(self.game.view_fields, views[i])
            chosen[i] = self.agent.choose(view, legal_list(legal, i), rng.generator(i))
        return chosen

    def rest(self) -> None:
        self.agent.rest()

    def new_match(self, seat: int) -> Self:
        return type(self)(self.agent.new_match(seat), self.game)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.agent.hand_finished(view, returns)


class _BoundWithPolicy(BoundScalar):
    """A scalar agent that says its probabilities too; without a ``choose`` of its own it plays by them."""

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return self.agent.policy(views, legal)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        chooses = type(self.agent).choose is not ScalarAgent.choose
        return super().act(views, legal, rng) if chooses else Agent.act(self, views, legal, rng)

    def raise_to(self, views: Views, legal: Amounts, rng: Rows) -> Actions:
        return self.agent.raise_to(views, legal, rng)

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s] | None:
        return self.agent.raise_odds(views, legal)
