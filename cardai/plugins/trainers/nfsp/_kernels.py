"""Algorithm 1 of Heinrich and Silver (2016), on a small game's tree as arrays, at G tables in lock step.

    the paper                                 here
    Q(s, a | theta^Q), Q(s, a | theta^Q')     Learner.q, Learner.target
    Pi(s, a | theta^Pi)                       Learner.policy
    M_RL: circular, M_SL: reservoir           Memory
    beta: greedy in Q but for epsilon         choose
    sigma: beta with probability eta, else Pi deal, once a hand and seat

Rows are input rows: (player, encoded view) numbered together, so a row belongs to one player.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import uniform
from cardai.plugins.trainers.nfsp._network_kernels import (
    adam_step,
    forward,
    policy_gradient,
    q_gradient,
    sgd_step,
    softmax,
)


class Env(NamedTuple):
    """A game's tree for play: N nodes, A actions, 2 seats."""

    player: Any  # (N,) int8: seat, -1 chance, -4 finished
    row: Any  # (N,) int32: input row where a seat is to act
    child: Any  # (N, A) int32: the node after an action
    first_child: Any  # (N,) int32
    num_children: Any  # (N,) int32
    cumulative: Any  # (N,) float64: chance's probability of this child or an earlier one
    payoff: Any  # (N, 2) float32: returns at finished nodes
    first_row: Any  # (3,) int64: seat p's input rows are first_row[p] to first_row[p + 1]


class Play(NamedTuple):
    """The tables in flight."""

    node: Any  # (G,) int32
    greedy: Any  # (G, 2) bool: whether the seat plays its best response in this hand (else its average policy)
    last_row: Any  # (G, 2) int32: the seat's last decision in this hand, -1 if none yet
    last_action: Any  # (G, 2) int8
    random: Any  # (2,) uint64: the stream's seed, numbers drawn so far
    counts: Any  # (3,) int64: iterations, steps (actions), hands finished


class Memory(NamedTuple):
    """The seats' memories: circular M_RL of transitions, reservoirs M_SL of best-response actions."""

    rl_row: Any  # (2, M_RL) int32
    rl_action: Any  # (2, M_RL) int8
    rl_reward: Any  # (2, M_RL) float32
    rl_next: Any  # (2, M_RL) int32, -1 at the hand's end
    sl_row: Any  # (2, M_SL) int32
    sl_action: Any  # (2, M_SL) int8
    seen: Any  # (2, 2) int64: for each seat, what has been offered to M_RL, to M_SL
    recent: Any  # (R, K) int32: where in M_RL each row's latest transitions were put
    visits: Any  # (R,) int64: transitions of each row so far


class Learner(NamedTuple):
    """One seat's networks and what learning them needs."""

    q: Any
    target: Any
    policy: Any
    adam: Any  # of the policy network
    work: Any
    losses: Any  # (4,) float64: sum and number of Q losses, of policy losses, since they were last read


class Answers(NamedTuple):
    """What the networks say of each row, filled in before each step where it is needed."""

    q: Any  # (R, A) float32
    policy: Any  # (R, A) float32
    fresh: Any  # (R, 2) int64: the iteration at which q and policy were filled


class Settings(NamedTuple):
    """The trainer's options that the loop reads, under their names; ``policy_adam``: Adam, else plain SGD."""

    eta: float
    epsilon: float
    epsilon_decay: float
    reward_scale: float
    stratified: float
    min_data: int
    updates: int
    target_every: int
    q_rate: float
    q_rate_end: float
    policy_adam: bool
    policy_rate: float
    policy_rate_end: float
    rate_steps: int


@kernel
def iterate(
    env: Any, play: Any, memory: Any, learners: Any, inputs: Any, answers: Any, settings: Any, count: Any
) -> None:
    """Do ``count`` iterations of Algorithm 1: G steps of the game, then ``updates`` minibatches for each network."""
    for _ in range(count):
        ask_networks(env, play, learners, inputs, answers)
        play_step(env, play, memory, answers, inputs.legal, settings)
        learn(env, play, memory, learners, inputs, settings)


@kernel
def learn(env: Any, play: Any, memory: Any, learners: Any, inputs: Any, settings: Any) -> None:
    """Learn ``updates`` minibatches for each network, refit the target networks where that is due, and count the iteration."""
    for _ in range(settings.updates):
        for p in range(2):
            learn_best_response(env, memory, p, learners[p], inputs, play, settings)
            learn_average(memory, p, learners[p], inputs, play, settings)
    play.counts[0] += 1
    every = settings.target_every
    if every > 0 and play.counts[0] % max(1, every // settings.updates) == 0:
        for p in range(2):
            learners[p].target.flat[:] = learners[p].q.flat


@kernel
def play_step(env: Any, play: Any, memory: Any, answers: Any, legal: Any, settings: Any) -> None:
    """Play one action at each table and fill the memories; finished hands are followed by new ones."""
    epsilon = epsilon_at(settings, play.counts[0])
    for g in range(len(play.node)):
        node = play.node[g]
        p = env.player[node]
        row = env.row[node]  # s_t
        best_response = play.greedy[g, p]  # sigma = beta
        explore = best_response and draw(play.random) < epsilon
        action = choose(play, answers, legal, row, best_response, explore)  # a_t
        if play.last_row[g, p] >= 0:
            remember_transition(memory, p, play.last_row[g, p], play.last_action[g, p], np.float32(0.0), row)
        if best_response:
            remember_action(memory, p, play.random, row, action)
        play.last_row[g, p] = row
        play.last_action[g, p] = action
        node = advance(env, play.random, env.child[node, action])
        play.node[g] = node
        if env.player[node] < 0:
            for q in range(2):
                if play.last_row[g, q] >= 0:
                    reward = env.payoff[node, q] * np.float32(settings.reward_scale)
                    remember_transition(memory, q, play.last_row[g, q], play.last_action[g, q], reward, -1)
            play.counts[2] += 1
            deal(env, play, settings.eta, g)
    play.counts[1] += len(play.node)


@kernel
def learn_best_response(env: Any, memory: Any, p: Any, learner: Any, inputs: Any, play: Any, settings: Any) -> None:
    """A step of SGD on L(theta^Q) = E[(r + max_a' Q(s', a' | theta^Q') - Q(s, a | theta^Q))^2], (s, a, r, s') from M_RL."""
    if memory.seen[p, 0] < settings.min_data:
        return
    draw_transitions(env, memory, p, play.random, settings.stratified, learner.work)
    same = settings.target_every == 0
    learner.losses[0] += q_gradient(learner.q, learner.q if same else learner.target, same, inputs, learner.work)
    learner.losses[1] += 1
    rate = rate_at(settings.q_rate, settings.q_rate_end, settings, play.counts[0])
    sgd_step(learner.q, learner.work.gradient, rate)


@kernel
def learn_average(memory: Any, p: Any, learner: Any, inputs: Any, play: Any, settings: Any) -> None:
    """A step on L(theta^Pi) = E[-log Pi(s, a | theta^Pi)], (s, a) from M_SL."""
    if memory.seen[p, 1] < settings.min_data:
        return
    draw_actions(memory, p, play.random, learner.work)
    learner.losses[2] += policy_gradient(learner.policy, inputs, learner.work)
    learner.losses[3] += 1
    rate = rate_at(settings.policy_rate, settings.policy_rate_end, settings, play.counts[0])
    if settings.policy_adam:
        adam_step(learner.policy, learner.work.gradient, learner.adam, rate)
    else:
        sgd_step(learner.policy, learner.work.gradient, rate)


@kernel
def epsilon_at(settings: Any, iteration: Any) -> Any:
    """Return the exploration rate: epsilon / (1 + decay * sqrt(t))."""
    return settings.epsilon / (1.0 + settings.epsilon_decay * np.sqrt(np.float64(iteration)))


@kernel
def rate_at(first: Any, last: Any, settings: Any, iteration: Any) -> Any:
    """Return a learning rate, which falls geometrically from ``first`` to ``last`` over ``rate_steps`` iterations."""
    return first * (last / first) ** min(1.0, iteration / settings.rate_steps)


# -- play --------------------------------------------------------------------------------------------------------------


@kernel
def draw(random: Any) -> Any:
    """Return the stream's next number in [0, 1)."""
    random[1] += np.uint64(1)
    return uniform(random[0], random[1])


@kernel
def draw_below(random: Any, bound: Any) -> Any:
    """Return the stream's next number as a whole number below ``bound``."""
    return np.int64(draw(random) * bound)


@kernel
def advance(env: Any, random: Any, node: Any) -> Any:
    """Let chance act until a seat is to act or the hand is over; return that node."""
    while env.player[node] == -1:
        threshold = draw(random)
        child = env.first_child[node]
        last = child + env.num_children[node] - 1
        while child < last and threshold >= env.cumulative[child]:
            child += 1
        node = child
    return node


@kernel
def deal(env: Any, play: Any, eta: Any, g: Any) -> None:
    """Begin a new hand at table g: each seat draws whether it plays its best response (probability eta)."""
    play.node[g] = advance(env, play.random, 0)
    for p in range(2):
        play.greedy[g, p] = draw(play.random) < eta
        play.last_row[g, p] = -1


@kernel
def deal_all(env: Any, play: Any, eta: Any) -> None:
    """Begin a hand at every table."""
    for g in range(len(play.node)):
        deal(env, play, eta, g)


@kernel
def ask_networks(env: Any, play: Any, learners: Any, inputs: Any, answers: Any) -> None:
    """Ask the networks about the rows that the tables are at, once each."""
    now = play.counts[0]
    for g in range(len(play.node)):
        node = play.node[g]
        p = env.player[node]
        row = env.row[node]
        hidden = learners[p].work.back
        if play.greedy[g, p]:
            if answers.fresh[row, 0] != now:
                answers.fresh[row, 0] = now
                forward(learners[p].q, inputs, row, hidden, answers.q[row])
        elif answers.fresh[row, 1] != now:
            answers.fresh[row, 1] = now
            forward(learners[p].policy, inputs, row, hidden, answers.policy[row])
            softmax(answers.policy, row, inputs.legal, row)


@kernel
def choose(play: Any, answers: Any, legal: Any, row: Any, best_response: Any, explore: Any) -> Any:
    """Return the action at ``row``: greedy in Q or at random, or drawn from the average policy."""
    if not best_response:
        return choose_average(answers.policy, legal, row, draw(play.random))
    if explore:
        return choose_any(legal, row, play.random)
    chosen = -1
    for a in range(legal.shape[1]):
        if legal[row, a] and (chosen < 0 or answers.q[row, a] > answers.q[row, chosen]):
            chosen = a
    return chosen


@kernel
def choose_average(policy: Any, legal: Any, row: Any, threshold: Any) -> Any:
    """Return the legal action at which the policy's probabilities, added up, pass ``threshold``; at worst the last."""
    total, chosen = 0.0, -1
    for a in range(legal.shape[1]):
        if legal[row, a]:
            total += policy[row, a]
            chosen = a
            if threshold < total:
                break
    return chosen


@kernel
def choose_any(legal: Any, row: Any, random: Any) -> Any:
    """Return a legal action, all alike."""
    count = 0
    for a in range(legal.shape[1]):
        count += legal[row, a]
    pick = draw_below(random, count)
    a = 0
    while not legal[row, a] or pick > 0:
        pick -= legal[row, a]
        a += 1
    return a


# -- memories ----------------------------------------------------------------------------------------------------------


@kernel
def remember_transition(memory: Any, p: Any, row: Any, action: Any, reward: Any, following: Any) -> None:
    """Put a transition of seat p into M_RL, over the oldest one when it is full."""
    at = memory.seen[p, 0] % memory.rl_row.shape[1]
    memory.rl_row[p, at] = row
    memory.rl_action[p, at] = action
    memory.rl_reward[p, at] = reward
    memory.rl_next[p, at] = following
    memory.seen[p, 0] += 1
    memory.recent[row, memory.visits[row] % memory.recent.shape[1]] = at
    memory.visits[row] += 1


@kernel
def remember_action(memory: Any, p: Any, random: Any, row: Any, action: Any) -> None:
    """Offer a best-response action of seat p to M_SL: reservoir sampling (Vitter 1985, algorithm R)."""
    memory.seen[p, 1] += 1
    at = memory.seen[p, 1] - 1
    if at >= memory.sl_row.shape[1]:
        at = draw_below(random, memory.seen[p, 1])
        if at >= memory.sl_row.shape[1]:
            return
    memory.sl_row[p, at] = row
    memory.sl_action[p, at] = action


@kernel
def draw_transitions(env: Any, memory: Any, p: Any, random: Any, share: Any, work: Any) -> None:
    """Draw a minibatch from M_RL with replacement: ``share`` of it evenly over rows, the rest evenly over entries."""
    size = min(memory.seen[p, 0], memory.rl_row.shape[1])
    first, rows = env.first_row[p], env.first_row[p + 1] - env.first_row[p]
    for b in range(len(work.rows)):
        at = np.int64(-1)
        if share > 0.0 and draw(random) < share:
            at = draw_of_row(memory, p, random, first + draw_below(random, rows))
        if at < 0:
            at = draw_below(random, size)
        work.rows[b] = memory.rl_row[p, at]
        work.actions[b] = memory.rl_action[p, at]
        work.rewards[b] = memory.rl_reward[p, at]
        work.nexts[b] = memory.rl_next[p, at]


@kernel
def draw_of_row(memory: Any, p: Any, random: Any, row: Any) -> Any:
    """Return where one of the row's latest transitions lies in M_RL, or -1 if there is none (any more)."""
    count = min(memory.visits[row], memory.recent.shape[1])
    if count == 0:
        return np.int64(-1)
    at = np.int64(memory.recent[row, draw_below(random, count)])
    return at if memory.rl_row[p, at] == row else np.int64(-1)


@kernel
def draw_actions(memory: Any, p: Any, random: Any, work: Any) -> None:
    """Draw a minibatch of best-response actions from M_SL, with replacement."""
    size = min(memory.seen[p, 1], memory.sl_row.shape[1])
    for b in range(len(work.rows)):
        at = draw_below(random, size)
        work.rows[b] = memory.sl_row[p, at]
        work.actions[b] = memory.sl_action[p, at]
