"""NFSP's inner loop on a game compiled to arrays: play on G tables in lock step, memories, minibatches.

Rows are input rows: (player, encoded view) numbered together, so a row belongs to one player.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import uniform
from cardai.learn._kernels import (
    adam_step,
    blend_net,
    copy_net,
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
    """One seat's networks; ``acting`` is Q itself or its moving average, which plays the best response."""

    q: Any
    acting: Any
    target: Any
    policy: Any
    q_adam: Any
    policy_adam: Any
    work: Any
    losses: Any  # (4,) float64: sum and number of Q losses, of policy losses, since they were last read


class Answers(NamedTuple):
    """What the networks say of each row, filled in before each step where it is needed."""

    q: Any  # (R, A) float32
    policy: Any  # (R, A) float32
    fresh: Any  # (R, 2) int64: the iteration at which q and policy were filled


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
def epsilon_at(settings: Any, iteration: Any) -> Any:
    """Return the exploration rate: epsilon / (1 + decay * sqrt(t))."""
    return settings["epsilon"] / (1.0 + settings["epsilon_decay"] * np.sqrt(np.float64(iteration)))


@kernel
def choose(play: Any, answers: Any, legal: Any, row: Any, greedy: Any, explore: Any) -> Any:
    """Return the action at ``row``: greedy in Q or at random, or drawn from the average policy."""
    actions = legal.shape[1]
    if not greedy:
        threshold = draw(play.random)
        total, chosen = 0.0, -1
        for a in range(actions):
            if legal[row, a]:
                total += answers.policy[row, a]
                chosen = a
                if threshold < total:
                    break
        return chosen
    if explore:
        count = 0
        for a in range(actions):
            count += legal[row, a]
        pick = draw_below(play.random, count)
        for a in range(actions):
            if legal[row, a]:
                if pick == 0:
                    return a
                pick -= 1
    chosen = -1
    for a in range(actions):
        if legal[row, a] and (chosen < 0 or answers.q[row, a] > answers.q[row, chosen]):
            chosen = a
    return chosen


@kernel
def play_step(env: Any, play: Any, memory: Any, answers: Any, legal: Any, settings: Any) -> None:
    """Play one action at each table and fill the memories; finished hands are followed by new ones."""
    epsilon = epsilon_at(settings, play.counts[0])
    for g in range(len(play.node)):
        node = play.node[g]
        p = env.player[node]
        row = env.row[node]
        greedy = play.greedy[g, p]
        explore = greedy and draw(play.random) < epsilon
        action = choose(play, answers, legal, row, greedy, explore)
        if play.last_row[g, p] >= 0:
            remember_transition(memory, p, play.last_row[g, p], play.last_action[g, p], np.float32(0.0), row)
        if greedy and (settings["store_exploration"] or not explore):
            remember_action(memory, p, play.random, row, action)
        play.last_row[g, p] = row
        play.last_action[g, p] = action
        node = advance(env, play.random, env.child[node, action])
        play.node[g] = node
        if env.player[node] < 0:
            for q in range(2):
                if play.last_row[g, q] >= 0:
                    reward = env.payoff[node, q] * np.float32(settings["reward_scale"])
                    remember_transition(memory, q, play.last_row[g, q], play.last_action[g, q], reward, -1)
            play.counts[2] += 1
            deal(env, play, settings["eta"], g)
    play.counts[1] += len(play.node)


@kernel
def fill_answers(env: Any, play: Any, learners: Any, inputs: Any, answers: Any) -> None:
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
                forward(learners[p].acting, inputs, row, hidden, answers.q[row])
        elif answers.fresh[row, 1] != now:
            answers.fresh[row, 1] = now
            forward(learners[p].policy, inputs, row, hidden, answers.policy[row])
            softmax(answers.policy, row, inputs.legal, row)


@kernel
def draw_of_row(memory: Any, p: Any, random: Any, row: Any) -> Any:
    """Return where one of the row's latest transitions lies in M_RL, or -1 if there is none (any more)."""
    count = min(memory.visits[row], memory.recent.shape[1])
    if count == 0:
        return np.int64(-1)
    at = np.int64(memory.recent[row, draw_below(random, count)])
    return at if memory.rl_row[p, at] == row else np.int64(-1)


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
def draw_actions(memory: Any, p: Any, random: Any, work: Any) -> None:
    """Draw a minibatch of best-response actions from M_SL, with replacement."""
    size = min(memory.seen[p, 1], memory.sl_row.shape[1])
    for b in range(len(work.rows)):
        at = draw_below(random, size)
        work.rows[b] = memory.sl_row[p, at]
        work.actions[b] = memory.sl_action[p, at]


@kernel
def rate_at(first: Any, last: Any, settings: Any, iteration: Any) -> Any:
    """Return a learning rate that falls geometrically from ``first`` to ``last`` over ``rate_steps`` iterations."""
    part = min(1.0, iteration / settings["rate_steps"])
    return first * (last / first) ** part


@kernel
def learn(env: Any, memory: Any, p: Any, learner: Any, inputs: Any, random: Any, settings: Any, iteration: Any) -> None:
    """One minibatch of Q-learning from M_RL and one of classification from M_SL, where they hold enough."""
    work = learner.work
    if memory.seen[p, 0] >= settings["min_data"]:
        draw_transitions(env, memory, p, random, settings["stratified"], work)
        same = settings["target_every"] == 0
        bootstrap = learner.q if same else learner.target
        learner.losses[0] += q_gradient(learner.q, bootstrap, same, inputs, settings["discount"], work)
        learner.losses[1] += 1
        rate = rate_at(settings["q_rate"], settings["q_rate_end"], settings, iteration)
        if settings["q_adam"]:
            adam_step(learner.q, work.gradient, learner.q_adam, rate)
        else:
            sgd_step(learner.q, work.gradient, rate)
    if memory.seen[p, 1] >= settings["min_data"]:
        draw_actions(memory, p, random, work)
        learner.losses[2] += policy_gradient(learner.policy, inputs, work)
        learner.losses[3] += 1
        rate = rate_at(settings["policy_rate"], settings["policy_rate_end"], settings, iteration)
        if settings["policy_adam"]:
            adam_step(learner.policy, work.gradient, learner.policy_adam, rate)
        else:
            sgd_step(learner.policy, work.gradient, rate)


@kernel
def iterate(
    env: Any, play: Any, memory: Any, learners: Any, inputs: Any, answers: Any, settings: Any, count: Any
) -> None:
    """Do ``count`` iterations: one action at each table, then ``updates`` minibatches for each network."""
    for _ in range(count):
        fill_answers(env, play, learners, inputs, answers)
        play_step(env, play, memory, answers, inputs.legal, settings)
        for _ in range(settings["updates"]):
            for p in range(2):
                learn(env, memory, p, learners[p], inputs, play.random, settings, play.counts[0])
        play.counts[0] += 1
        if settings["q_average"] > 0.0:
            for p in range(2):
                blend_net(learners[p].q, learners[p].acting, settings["q_average"])
        every = settings["target_every"]
        if every > 0 and play.counts[0] % max(1, every // settings["updates"]) == 0:
            for p in range(2):
                copy_net(learners[p].q, learners[p].target)
