"""Kernels of small networks with one hidden layer: sparse inputs, ReLU, a linear head; SGD and Adam steps.

The arrays are the torch modules' own memory (:func:`networks.net_of`): the hidden layer's weight is stored
transposed, (I, H), so that a sparse input reads whole rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel


class Inputs(NamedTuple):
    """R different inputs as sparse rows: input ``index[k]`` has ``value[k]`` for start[r] <= k < start[r + 1]."""

    start: Any  # (R + 1,) int64
    index: Any  # (K,) int32
    value: Any  # (K,) float32
    legal: Any  # (R, A) bool


class Net(NamedTuple):
    """The parameters of one network, float32: parts of ``flat``, one after the other."""

    flat: Any  # (P,)
    hidden_weight: Any  # (I, H)
    hidden_bias: Any  # (H,)
    head_weight: Any  # (A, H)
    head_bias: Any  # (A,)


class Adam(NamedTuple):
    """Adam's moments, shaped as the parameters, and the number of updates so far."""

    first: Net
    second: Net
    updates: Any  # (1,) int64


class Seen(NamedTuple):
    """What one network has said of the different rows of a minibatch; each is asked and propagated back only once."""

    slot: Any  # (R,) int32: where a row stands below, -1 if nowhere
    rows: Any  # (2B,) int32
    hidden: Any  # (2B, H) float32
    out: Any  # (2B, A) float32
    slope: Any  # (2B, A) float32: the loss's derivative by each output, summed over the row's occurrences


class NetworkBuffers(NamedTuple):
    """Scratch memory of updates: the gradient (zeros between updates), activations, the minibatch."""

    gradient: Net
    own: Seen
    target: Seen
    back: Any  # (H,) float32
    rows: Any  # (B,) int32
    actions: Any  # (B,) int8
    rewards: Any  # (B,) float32
    nexts: Any  # (B,) int32, -1 after the hand's last action


@kernel
def forward(net: Any, inputs: Any, row: Any, hidden: Any, out: Any) -> None:
    """Compute the hidden layer (H,) after ReLU and the head's outputs (A,) of one input row."""
    width = len(hidden)
    for h in range(width):
        hidden[h] = net.hidden_bias[h]
    for k in range(inputs.start[row], inputs.start[row + 1]):
        i = inputs.index[k]
        value = inputs.value[k]
        for h in range(width):
            hidden[h] += value * net.hidden_weight[i, h]
    for h in range(width):
        hidden[h] = max(hidden[h], np.float32(0.0))
    whole = width - width % 8
    for a in range(len(out)):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
        for h in range(0, whole, 8):
            s0 += hidden[h] * net.head_weight[a, h]
            s1 += hidden[h + 1] * net.head_weight[a, h + 1]
            s2 += hidden[h + 2] * net.head_weight[a, h + 2]
            s3 += hidden[h + 3] * net.head_weight[a, h + 3]
            s4 += hidden[h + 4] * net.head_weight[a, h + 4]
            s5 += hidden[h + 5] * net.head_weight[a, h + 5]
            s6 += hidden[h + 6] * net.head_weight[a, h + 6]
            s7 += hidden[h + 7] * net.head_weight[a, h + 7]
        for h in range(whole, width):
            s0 += hidden[h] * net.head_weight[a, h]
        out[a] = net.head_bias[a] + ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def best_value(out: Any, at: Any, legal: Any, row: Any) -> Any:
    """Return the largest of the outputs out[at] (A,) over the row's legal actions."""
    best = np.float32(-np.inf)
    for a in range(out.shape[1]):
        if legal[row, a] and out[at, a] > best:
            best = out[at, a]
    return best


@kernel
def softmax(out: Any, at: Any, legal: Any, row: Any) -> None:
    """Turn outputs out[at] (A,) into probabilities over the row's legal actions, in place."""
    best = best_value(out, at, legal, row)
    total = np.float32(0.0)
    for a in range(out.shape[1]):
        out[at, a] = np.exp(out[at, a] - best) if legal[row, a] else np.float32(0.0)
        total += out[at, a]
    for a in range(out.shape[1]):
        out[at, a] = np.divide(out[at, a], total)


@kernel
def look_up(net: Any, inputs: Any, row: Any, seen: Any, count: Any) -> Any:
    """Ask the network about ``row``, the next of the ``count`` rows seen so far; return how many there are now."""
    seen.slot[row] = count
    seen.rows[count] = row
    forward(net, inputs, row, seen.hidden[count], seen.out[count])
    for a in range(seen.slope.shape[1]):
        seen.slope[count, a] = np.float32(0.0)
    return count + 1


@kernel
def forget(seen: Any, count: Any) -> None:
    """Empty ``seen`` of its ``count`` rows."""
    for k in range(count):
        seen.slot[seen.rows[k]] = -1


@kernel
def backward(net: Any, inputs: Any, work: Any, count: Any) -> None:
    """Add the gradient of the first ``count`` rows seen, whose slopes are filled in."""
    own, gradient, back = work.own, work.gradient, work.back
    width = len(back)
    for k in range(count):
        for h in range(width):
            back[h] = np.float32(0.0)
        for a in range(own.slope.shape[1]):
            error = own.slope[k, a]
            if error != 0:
                gradient.head_bias[a] += error
                for h in range(width):
                    gradient.head_weight[a, h] += error * own.hidden[k, h]
                    back[h] += error * net.head_weight[a, h]
        for h in range(width):
            back[h] = back[h] if own.hidden[k, h] > 0 else np.float32(0.0)
            gradient.hidden_bias[h] += back[h]
        row = own.rows[k]
        for j in range(inputs.start[row], inputs.start[row + 1]):
            i = inputs.index[j]
            value = inputs.value[j]
            for h in range(width):
                gradient.hidden_weight[i, h] += value * back[h]


@kernel
def ask_rows(net: Any, inputs: Any, rows: Any, seen: Any, count: Any) -> Any:
    """Ask the network about those ``rows`` (B,) that ``seen`` (of ``count`` rows) lacks; return how many it has now.

    Rows of -1 are left out.
    """
    for b in range(len(rows)):
        if rows[b] >= 0 and seen.slot[rows[b]] < 0:
            count = look_up(net, inputs, rows[b], seen, count)
    return count


@kernel
def q_gradient(net: Any, target: Any, same: Any, inputs: Any, work: Any) -> Any:
    """Add the gradient of mean((r + max_a' Q_target(s', a') - Q(s, a))^2) over the minibatch in ``work``; return that loss.

    At a hand's end (next row -1) the reward stands alone. ``same`` says that ``target`` is ``net`` itself.
    """
    rows, actions, nexts, rewards, own = work.rows, work.actions, work.nexts, work.rewards, work.own
    later = work.own if same else work.target
    slot, later_slot, out, later_out, slope = own.slot, later.slot, own.out, later.out, own.slope
    per_row, loss = np.float32(1.0 / len(rows)), np.float32(0.0)
    count = ask_rows(net, inputs, rows, own, np.int64(0))  # a plain 0 is a type of its own, compiled apart
    asked = ask_rows(target, inputs, nexts, later, count if same else 0)
    for b in range(len(rows)):
        wanted = rewards[b]
        if nexts[b] >= 0:
            wanted += best_value(later_out, later_slot[nexts[b]], inputs.legal, nexts[b])
        at = slot[rows[b]]
        error = out[at, actions[b]] - wanted
        loss += error * error * per_row
        slope[at, actions[b]] += np.float32(2.0) * error * per_row
    backward(net, inputs, work, count)
    forget(later, asked)
    forget(own, count)
    return loss


@kernel
def policy_gradient(net: Any, inputs: Any, work: Any) -> Any:
    """Add the gradient of the mean cross-entropy -log p(a | s) over the minibatch in ``work``; return that loss."""
    rows, actions, own = work.rows, work.actions, work.own
    slot, out, slope = own.slot, own.out, own.slope
    per_row = np.float32(1.0 / len(rows))
    loss = np.float32(0.0)
    count = np.int64(0)
    for b in range(len(rows)):
        if slot[rows[b]] < 0:
            count = look_up(net, inputs, rows[b], own, count)
            softmax(out, count - 1, inputs.legal, rows[b])
        at = slot[rows[b]]
        loss -= np.log(max(out[at, actions[b]], np.float32(1e-30))) * per_row
        slope[at, actions[b]] -= per_row
        for a in range(out.shape[1]):
            slope[at, a] += out[at, a] * per_row
    backward(net, inputs, work, count)
    forget(own, count)
    return loss


@kernel
def sgd_step(net: Any, gradient: Any, rate: Any) -> None:
    """Take a step of stochastic gradient descent and clear the gradient."""
    flat, slope, size = net.flat, gradient.flat, np.float32(rate)
    for i in range(len(flat)):
        flat[i] -= size * slope[i]
        slope[i] = np.float32(0.0)


@kernel
def adam_step(net: Any, gradient: Any, adam: Any, rate: Any) -> None:
    """Take a step of Adam (Kingma and Ba 2015, algorithm 1; torch's defaults) and clear the gradient."""
    adam.updates[0] += 1
    t = adam.updates[0]
    step_size = np.float32(rate / (1.0 - 0.9**t))
    scale = np.float32(1.0 / np.sqrt(1.0 - 0.999**t))
    keep1, keep2, epsilon = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
    flat, slope, m, v = net.flat, gradient.flat, adam.first.flat, adam.second.flat
    for i in range(len(flat)):
        g = slope[i]
        m[i] = keep1 * m[i] + (np.float32(1.0) - keep1) * g
        v[i] = keep2 * v[i] + (np.float32(1.0) - keep2) * g * g
        # np.divide: a plain division's check for zero would keep the loop from being vectorised
        flat[i] -= step_size * np.divide(m[i], np.sqrt(v[i]) * scale + epsilon)
        slope[i] = np.float32(0.0)


@kernel
def outputs(net: Any, inputs: Any, rows: Any, out: Any) -> None:
    """Fill the head's outputs (n, A) float32 for input rows (n,)."""
    hidden = np.empty(len(net.hidden_bias), np.float32)
    for i in range(len(rows)):
        forward(net, inputs, rows[i], hidden, out[i])
