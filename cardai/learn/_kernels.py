"""Kernels of small networks with one hidden layer: sparse inputs, ReLU, a linear head; SGD and Adam steps.

The arrays are the torch modules' own memory (:mod:`cardai.learn.native`): the hidden layer's weight is stored
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
    """The parameters of one network, float32."""

    hidden_weight: Any  # (I, H)
    hidden_bias: Any  # (H,)
    head_weight: Any  # (A, H)
    head_bias: Any  # (A,)


class Adam(NamedTuple):
    """Adam's moments, shaped as the parameters in order (first then second), and the number of updates so far."""

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


class Work(NamedTuple):
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
def q_gradient(net: Any, target: Any, same: Any, inputs: Any, discount: Any, work: Any) -> Any:
    """Add the gradient of mean((Q(s, a) - target)^2) over the minibatch in ``work``, and return that loss.

    The target is the reward, plus the discounted best legal value of the next row in the network ``target`` unless it
    is -1 (the hand's end). ``same`` says that ``target`` is ``net`` itself.
    """
    rows, actions, nexts, rewards, own = work.rows, work.actions, work.nexts, work.rewards, work.own
    later = work.own if same else work.target
    slot, later_slot, out, later_out, slope = own.slot, later.slot, own.out, later.out, own.slope
    per_row, gamma = np.float32(1.0 / len(rows)), np.float32(discount)
    count = 0
    for b in range(len(rows)):
        if slot[rows[b]] < 0:
            count = look_up(net, inputs, rows[b], own, count)
    asked = count if same else 0
    for b in range(len(rows)):
        if nexts[b] >= 0 and later_slot[nexts[b]] < 0:
            asked = look_up(target, inputs, nexts[b], later, asked)
    loss = np.float32(0.0)
    for b in range(len(rows)):
        wanted = rewards[b]
        if nexts[b] >= 0:
            wanted += gamma * best_value(later_out, later_slot[nexts[b]], inputs.legal, nexts[b])
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
    count = 0
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
def _descend(parameters: Any, gradient: Any, rate: Any) -> None:
    flat, slope = parameters.reshape(-1), gradient.reshape(-1)
    for i in range(len(flat)):
        flat[i] -= rate * slope[i]
        slope[i] = np.float32(0.0)


@kernel
def sgd_step(net: Any, gradient: Any, rate: Any) -> None:
    """Take a step of stochastic gradient descent and clear the gradient."""
    size = np.float32(rate)
    _descend(net.hidden_weight, gradient.hidden_weight, size)
    _descend(net.hidden_bias, gradient.hidden_bias, size)
    _descend(net.head_weight, gradient.head_weight, size)
    _descend(net.head_bias, gradient.head_bias, size)


@kernel
def _adam(parameters: Any, gradient: Any, first: Any, second: Any, step_size: Any, scale: Any) -> None:
    flat, slope, m, v = parameters.reshape(-1), gradient.reshape(-1), first.reshape(-1), second.reshape(-1)
    keep1, keep2, epsilon = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
    for i in range(len(flat)):
        g = slope[i]
        m[i] = keep1 * m[i] + (np.float32(1.0) - keep1) * g
        v[i] = keep2 * v[i] + (np.float32(1.0) - keep2) * g * g
        # np.divide: a plain division's check for zero would keep the loop from being vectorised
        flat[i] -= step_size * np.divide(m[i], np.sqrt(v[i]) * scale + epsilon)
        slope[i] = np.float32(0.0)


@kernel
def adam_step(net: Any, gradient: Any, adam: Any, rate: Any) -> None:
    """Take a step of Adam (Kingma and Ba 2015; torch's defaults) and clear the gradient."""
    adam.updates[0] += 1
    t = adam.updates[0]
    size = np.float32(rate / (1.0 - 0.9**t))
    scale = np.float32(1.0 / np.sqrt(1.0 - 0.999**t))
    m, v = adam.first, adam.second
    _adam(net.hidden_weight, gradient.hidden_weight, m.hidden_weight, v.hidden_weight, size, scale)
    _adam(net.hidden_bias, gradient.hidden_bias, m.hidden_bias, v.hidden_bias, size, scale)
    _adam(net.head_weight, gradient.head_weight, m.head_weight, v.head_weight, size, scale)
    _adam(net.head_bias, gradient.head_bias, m.head_bias, v.head_bias, size, scale)


@kernel
def _copy(source: Any, target: Any) -> None:
    flat, other = source.reshape(-1), target.reshape(-1)
    for i in range(len(flat)):
        other[i] = flat[i]


@kernel
def copy_net(source: Any, target: Any) -> None:
    """Copy all parameters."""
    _copy(source.hidden_weight, target.hidden_weight)
    _copy(source.hidden_bias, target.hidden_bias)
    _copy(source.head_weight, target.head_weight)
    _copy(source.head_bias, target.head_bias)


@kernel
def _blend(source: Any, target: Any, share: Any) -> None:
    flat, other = source.reshape(-1), target.reshape(-1)
    for i in range(len(flat)):
        other[i] += share * (flat[i] - other[i])


@kernel
def blend_net(source: Any, target: Any, share: Any) -> None:
    """Move all parameters of ``target`` by ``share`` of the way to those of ``source``: a moving average."""
    part = np.float32(share)
    _blend(source.hidden_weight, target.hidden_weight, part)
    _blend(source.hidden_bias, target.hidden_bias, part)
    _blend(source.head_weight, target.head_weight, part)
    _blend(source.head_bias, target.head_bias, part)


@kernel
def outputs(net: Any, inputs: Any, rows: Any, out: Any) -> None:
    """Fill the head's outputs (n, A) float32 for input rows (n,)."""
    hidden = np.empty(len(net.hidden_bias), np.float32)
    for i in range(len(rows)):
        forward(net, inputs, rows[i], hidden, out[i])
