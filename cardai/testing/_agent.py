"""Checks of agents, each on one game: as the match asks them, in batches of decisions."""

from __future__ import annotations

import pickle
from functools import cached_property

import numpy as np

from cardai.core.agent import Agent
from cardai.core.arrays import Int64s, Uint64s
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Actions, Game
from cardai.core.legal import Amounts, Legal, allows, legal_columns, take
from cardai.core.rng import Rows, derive
from cardai.poker.contract import plays_holdem
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.testing._checks import CheckFailed, NotApplicable, check, require
from cardai.testing._play import positions

LONGEST_HAND = 20_000


class AgentSubject:
    """An agent bound to a game, with decisions to ask it about."""

    def __init__(self, agent: Agent, game: Game) -> None:
        self.plugin = agent
        self.game = game

    @cached_property
    def agent(self) -> Agent:
        """The agent ready to play the game."""
        if self.plugin.interactive:
            raise NotApplicable("A person answers.")
        return self.plugin.for_game(self.game)

    @cached_property
    def _batches(self) -> list[tuple[int, Views, Legal]]:
        met = positions(self.game)
        return [merge(player, met) for player in sorted({player for player, _, _ in met})]

    @property
    def batches(self) -> list[tuple[int, Views, Legal]]:
        """Decisions met in random play: (player, views, legal), a batch a player who acts; copies, each time."""
        return [(player, views.copy(), copy_legal(legal)) for player, views, legal in self._batches]

    @property
    def pure(self) -> Agent:
        """The agent, if it is a pure function of the view."""
        if self.agent.stateful:
            raise NotApplicable("It is stateful: built once a seat and table, it never decides in batches.")
        return self.agent


def merge(player: int | None, batches: list[tuple[int, Views, Legal]]) -> tuple[int, Views, Legal]:
    """Return one player's decisions (None: everybody's) as one batch of at most 48."""
    mine = [(views, legal) for p, views, legal in batches if player in (None, p)]
    views = np.concatenate([v for v, _ in mine])[:48]
    parts = [legal for _, legal in mine]
    first = parts[0]
    if isinstance(first, Amounts):
        amounts = [part for part in parts if isinstance(part, Amounts)]
        joined = (np.concatenate([getattr(a, n) for a in amounts]) for n in ("kinds", "min_amount", "max_amount"))
        return player or 0, views, Amounts(*joined).take(slice(0, 48))
    return player or 0, views, np.concatenate([np.asarray(part) for part in parts])[:48]


def copy_legal(legal: Legal) -> Legal:
    """Return a copy of legal actions."""
    return take(legal, np.arange(len(legal)))


def seeds_for(count: int) -> Uint64s:
    """Return (count,) stream seeds."""
    return np.array([derive(11, "decision", i) for i in range(count)], np.uint64)


def ask(agent: Agent, views: Views, legal: Legal, seeds: Uint64s) -> Actions:
    """Return the agent's actions after checking their shape, type and legality."""
    actions = np.asarray(agent.act(views, legal, Rows(seeds)))
    require(actions.shape == (len(views),), f"act must return ({len(views)},) actions. Got {actions.shape}.")
    require(np.issubdtype(actions.dtype, np.integer), f"act must return integers. Got {actions.dtype}.")
    ok = allows(legal, actions)
    wrong = int(np.argmin(ok)) if len(ok) else 0
    require(ok.all(), f"act returned an illegal action: {actions[wrong] if len(actions) else ''} (row {wrong}).")
    return actions.astype(np.int64)


@check("agent")
def actions_are_legal(subject: AgentSubject) -> None:
    """It answers a batch of any size, none included, with a legal action a row."""
    agent = subject.pure
    for _, views, legal in subject.batches:
        for count in (len(views), 7, 1, 0):
            ask(agent, views[:count], take(legal, slice(0, count)), seeds_for(min(count, len(views))))


@check("agent")
def policy_sums_to_one(subject: AgentSubject) -> None:
    """Its policy is a probability a column, summing to 1 over legal actions only, and does not depend on the batch."""
    agent = subject.pure
    if not agent.has_policy():
        raise NotApplicable("It has no policy, only act.")
    for _, views, legal in subject.batches:
        policy = np.asarray(agent.policy(views, legal))
        mask = legal_columns(legal)
        require(policy.shape == mask.shape, f"policy must be {mask.shape}. Got {policy.shape}.")
        require(np.isfinite(policy).all() and (policy >= 0).all(), "A probability is negative or not finite.")
        require(not policy[~mask].any(), "An illegal action has a probability above 0.")
        worst = float(np.abs(policy.sum(axis=1) - 1).max())
        require(worst < 1e-6, f"The probabilities of a row do not sum to 1 (off by {worst:g}).")
        for i in range(0, len(views), 5):
            alone = np.asarray(agent.policy(views[i : i + 1], take(legal, slice(i, i + 1))))[0]
            require(
                np.array_equal(alone, policy[i]), f"The policy of a row depends on its batch: {alone}, {policy[i]}."
            )


@check("agent")
def values_are_of_legal_actions(subject: AgentSubject) -> None:
    """Its values of actions, where it has some, are a number or NaN a column, NaN for illegal actions."""
    agent = subject.pure
    asked = 0
    for _, views, legal in subject.batches:
        try:
            values = np.asarray(agent.action_values(views, legal))
        except NotImplementedError:
            continue
        asked += 1
        mask = legal_columns(legal)
        require(values.shape == mask.shape, f"action_values must be {mask.shape}. Got {values.shape}.")
        require(values.dtype.kind == "f", f"action_values must be floats. Got {values.dtype}.")
        require(not np.isinf(values).any(), "A value is infinite.")
        require(np.isnan(values[~mask]).all(), "An illegal action has a value.")
    if not asked:
        raise NotApplicable("It has no values of actions.")


@check("agent")
def raise_odds_hold(subject: AgentSubject) -> None:
    """Where it says how often it raises to which amount: legal amounts, odds that sum to 1, and no raise but those."""
    agent = subject.pure
    asked = 0
    for _, views, legal in subject.batches:
        if not isinstance(legal, Amounts):
            raise NotApplicable("No action of the game is an amount.")
        for row in np.flatnonzero(legal.kinds[:, 2]):
            view, there = views[row : row + 1], legal.take([row])
            known = agent.raise_odds(view, there)
            if known is None:
                raise NotApplicable("It does not say how often it raises to which amount.")
            asked += 1
            amounts, odds = np.asarray(known[0]), np.asarray(known[1])
            require(odds.shape == (1, len(amounts)), f"raise_odds must be (1, {len(amounts)}). Got {odds.shape}.")
            rising = len(amounts) > 0 and bool((np.diff(amounts) > 0).all())
            require(rising, f"The amounts of raise_odds must rise. Got {amounts.tolist()}.")
            low, high = int(there.min_amount[0]), int(there.max_amount[0])
            legal_ones = bool(((amounts >= low) & (amounts <= high)).all())
            require(legal_ones, f"raise_odds names an illegal amount: {amounts.tolist()}, legal are {low} to {high}.")
            off = abs(float(odds.sum()) - 1)
            require(off < 1e-6 and bool((odds >= 0).all()), f"The odds of raise_odds must sum to 1. Off by {off:g}.")
            drawn = {int(agent.raise_to(view, there, Rows(seeds_for(k + 1)[k:]))[0]) for k in range(4)}
            never = drawn - set(amounts[odds[0] > 0].tolist())
            require(not never, f"raise_to chose {sorted(never)}, which raise_odds does not name: {amounts.tolist()}.")
    if not asked:
        raise NotApplicable("It was never met where it might raise.")


@check("agent")
def whole_ranges_agree(subject: AgentSubject) -> None:
    """Its policy for all 1,326 hands of one public state of hold'em, asked in one batch, is what it says of each alone."""
    agent = subject.pure
    if not agent.has_policy():
        raise NotApplicable("It has no policy, only act.")
    if not plays_holdem(subject.game):
        raise NotApplicable("The game is not hold'em: there are no ranges of 1,326 hands.")
    for _, views, legal in subject.batches:
        _, firsts = np.unique(views["round"], return_index=True)  # a state of each round
        for row in firsts:
            hands, states = all_hands(views[row : row + 1])
            rows = take(legal, np.full(len(hands), row))
            policy = np.asarray(agent.policy(states, rows))
            mask = legal_columns(rows)
            require(policy.shape == mask.shape, f"policy must be {mask.shape}. Got {policy.shape}.")
            for i in range(int(row) % 61, len(hands), 61):
                alone = np.asarray(agent.policy(states[i : i + 1], take(legal, [row])))[0]
                require(
                    np.array_equal(alone, policy[i]),
                    f"Hand {hands[i]} (place {i} of {len(hands)}) of one public state is played otherwise alone: "
                    f"{alone} alone, {policy[i]} in the batch.",
                )


def all_hands(view: Views) -> tuple[Int64s, Views]:
    """Return the numbers of the hands (n,) that a public state of hold'em leaves possible, and its view (1,) with each."""
    board = [int(card) for card in view["board"][0] if card >= 0]
    hands = np.arange(COUNT)[left_by(board)]
    states = np.repeat(view, len(hands))
    states["hole"] = pairs()[hands]
    return hands, states


@check("agent")
def batch_independent(subject: AgentSubject) -> None:
    """A decision does not depend on its neighbours, of other seats too: alone, in a batch, or at another place, it is the same."""
    agent = subject.pure
    some = [(player, views[:24], take(legal, slice(0, 24))) for player, views, legal in subject.batches]
    for _, views, legal in [merge(None, some), *subject.batches]:
        seeds = seeds_for(len(views))
        whole = ask(agent, views, legal, seeds)
        order = np.arange(len(views))[::-1]
        backwards = ask(agent, views[order].copy(), take(legal, order), seeds[order])[::-1]
        require(np.array_equal(whole, backwards), "A decision depends on its place in the batch.")
        for i in range(len(views)):
            alone = ask(agent, views[i : i + 1], take(legal, slice(i, i + 1)), seeds[i : i + 1])
            require(alone[0] == whole[i], f"A decision depends on its batch: {alone[0]} alone, {whole[i]} in it.")


@check("agent")
def deterministic_by_seed(subject: AgentSubject) -> None:
    """Asked again with the same seeds it decides the same: no random numbers but those it is given."""
    agent = subject.pure
    for _, views, legal in subject.batches:
        seeds = seeds_for(len(views))
        one, two = ask(agent, views, legal, seeds), ask(agent, views, legal, seeds)
        require(np.array_equal(one, two), "The same views and seeds gave two answers: it has randomness of its own.")
        fresh = ask(subject.plugin.for_game(subject.game), views, legal, seeds)
        require(
            np.array_equal(one, fresh), "A fresh copy of the agent decides otherwise: it keeps something in between."
        )


@check("agent")
def views_are_left_alone(subject: AgentSubject) -> None:
    """It changes neither the views nor the legal actions that it is given."""
    agent = subject.pure
    for _, views, legal in subject.batches:
        parts = [views, *([legal.kinds, legal.min_amount] if isinstance(legal, Amounts) else [legal])]
        before = [part.tobytes() for part in parts]
        agent.act(views, legal, Rows(seeds_for(len(views))))
        require([part.tobytes() for part in parts] == before, "It wrote into the views or legal actions it was given.")


@check("agent")
def bound_agent_pickles(subject: AgentSubject) -> None:
    """Bound to a game it travels to worker processes and decides the same there."""
    agent = subject.agent
    try:
        copy = pickle.loads(pickle.dumps(agent))
    except Exception as error:
        raise CheckFailed(f"It cannot be pickled and read back: {error}") from error
    if subject.agent.stateful:
        return
    for _, views, legal in subject.batches:
        seeds = seeds_for(len(views))
        same = np.array_equal(ask(copy, views, legal, seeds), ask(subject.agent, views, legal, seeds))
        require(same, "A pickled copy of the agent decides otherwise.")


@check("agent")
def plays_whole_hands(subject: AgentSubject) -> None:
    """It plays hands against itself to their end; a stateful one starts afresh in each match and hears the result."""
    agent, game = subject.agent, subject.game
    one, two = _play(agent, game), _play(agent, game)
    require(one == two, "Two matches from the same seeds went otherwise: a new match must start from nothing.")


def _play(agent: Agent, game: Game, hands: int = 4) -> list[list[int]]:
    """Play some hands and return the actions of each."""
    seats = [agent.new_match(seat) if agent.stateful else agent for seat in range(game.num_players)]
    tables, row, played = game.tables(1), np.zeros(1, np.int64), []
    for hand in range(hands):
        tables.reset(np.array([derive(5, hand)], np.uint64))
        actions: list[int] = []
        while (player := int(tables.current_players()[0])) >= 0:
            require(len(actions) < LONGEST_HAND, f"A hand was not over after {LONGEST_HAND} actions.")
            seed = np.array([derive(5, hand, player, len(actions))], np.uint64)
            chosen = ask(seats[player], tables.views(player, row), tables.legal(row), seed)
            tables.apply(row, chosen)
            actions.append(int(chosen[0]))
        for seat in range(game.num_players):
            if agent.stateful:
                view = unpack_view(game.view_fields, tables.views(seat, row)[0])
                seats[seat].hand_finished(view, tables.returns(row)[0].tolist())
        played.append(actions)
    return played
