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


class Work(NamedTuple):
    """Scratch memory of one update: the gradient (zeros between updates), one row's activations, the minibatch."""

    gradient: Net
    hidden: Any  # (H,)
    back: Any  # (H,)
    out: Any  # (A,)
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
def best_value(out: Any, legal: Any, row: Any) -> Any:
    """Return the largest of the outputs (A,) over the row's legal actions."""
    best = np.float32(-np.inf)
    for a in range(len(out)):
        if legal[row, a] and out[a] > best:
            best = out[a]
    return best


@kernel
def softmax(out: Any, legal: Any, row: Any) -> None:
    """Turn outputs (A,) into probabilities over the row's legal actions, in place."""
    best = best_value(out, legal, row)
    total = np.float32(0.0)
    for a in range(len(out)):
        out[a] = np.exp(out[a] - best) if legal[row, a] else np.float32(0.0)
        total += out[a]
    for a in range(len(out)):
        out[a] /= total


@kernel
def backward(net: Any, inputs: Any, row: Any, work: Any) -> None:
    """Add one row's gradient; ``work.out`` holds the loss's derivative by each output, ``work.hidden`` the layer."""
    width = len(work.hidden)
    gradient = work.gradient
    for h in range(width):
        work.back[h] = np.float32(0.0)
    for a in range(len(work.out)):
        error = work.out[a]
        if error != 0:
            gradient.head_bias[a] += error
            for h in range(width):
                gradient.head_weight[a, h] += error * work.hidden[h]
                work.back[h] += error * net.head_weight[a, h]
    for h in range(width):
        if work.hidden[h] <= 0:
            work.back[h] = np.float32(0.0)
        gradient.hidden_bias[h] += work.back[h]
    for k in range(inputs.start[row], inputs.start[row + 1]):
        i = inputs.index[k]
        value = inputs.value[k]
        for h in range(width):
            gradient.hidden_weight[i, h] += value * work.back[h]


@kernel
def q_gradient(net: Any, target: Any, inputs: Any, work: Any) -> Any:
    """Add the gradient of mean((Q(s, a) - target)^2) over the minibatch in ``work``, and return that loss.

    The target is the reward, plus the best legal value of the next row in ``target`` unless it is -1 (the hand's end).
    """
    rows, actions, nexts = work.rows, work.actions, work.nexts
    count = len(rows)
    loss = 0.0
    for b in range(count):
        wanted = work.rewards[b]
        if nexts[b] >= 0:
            forward(target, inputs, nexts[b], work.hidden, work.out)
            wanted += best_value(work.out, inputs.legal, nexts[b])
        forward(net, inputs, rows[b], work.hidden, work.out)
        error = work.out[actions[b]] - wanted
        loss += error * error / count
        for a in range(len(work.out)):
            work.out[a] = np.float32(0.0)
        work.out[actions[b]] = np.float32(2.0) * error / np.float32(count)
        backward(net, inputs, rows[b], work)
    return loss


@kernel
def policy_gradient(net: Any, inputs: Any, work: Any) -> Any:
    """Add the gradient of the mean cross-entropy -log p(a | s) over the minibatch in ``work``; return that loss."""
    rows, actions = work.rows, work.actions
    count = len(rows)
    loss = 0.0
    for b in range(count):
        forward(net, inputs, rows[b], work.hidden, work.out)
        softmax(work.out, inputs.legal, rows[b])
        loss -= np.log(max(work.out[actions[b]], np.float32(1e-30))) / count
        work.out[actions[b]] -= np.float32(1.0)
        for a in range(len(work.out)):
            work.out[a] /= np.float32(count)
        backward(net, inputs, rows[b], work)
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
def _adam(parameters: Any, gradient: Any, first: Any, second: Any, step_size: Any, root: Any) -> None:
    flat, slope, m, v = parameters.reshape(-1), gradient.reshape(-1), first.reshape(-1), second.reshape(-1)
    keep1, keep2, epsilon = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
    for i in range(len(flat)):
        g = slope[i]
        m[i] = keep1 * m[i] + (np.float32(1.0) - keep1) * g
        v[i] = keep2 * v[i] + (np.float32(1.0) - keep2) * g * g
        flat[i] -= step_size * m[i] / (np.sqrt(v[i]) / root + epsilon)
        slope[i] = np.float32(0.0)


@kernel
def adam_step(net: Any, gradient: Any, adam: Any, rate: Any) -> None:
    """Take a step of Adam (Kingma and Ba 2015; torch's defaults) and clear the gradient."""
    adam.updates[0] += 1
    t = adam.updates[0]
    size = np.float32(rate / (1.0 - 0.9**t))
    root = np.float32(np.sqrt(1.0 - 0.999**t))
    m, v = adam.first, adam.second
    _adam(net.hidden_weight, gradient.hidden_weight, m.hidden_weight, v.hidden_weight, size, root)
    _adam(net.hidden_bias, gradient.hidden_bias, m.hidden_bias, v.hidden_bias, size, root)
    _adam(net.head_weight, gradient.head_weight, m.head_weight, v.head_weight, size, root)
    _adam(net.head_bias, gradient.head_bias, m.head_bias, v.head_bias, size, root)


@kernel
def copy_net(source: Any, target: Any) -> None:
    """Copy all parameters."""
    target.hidden_weight[:] = source.hidden_weight
    target.hidden_bias[:] = source.hidden_bias
    target.head_weight[:] = source.head_weight
    target.head_bias[:] = source.head_bias


@kernel
def outputs(net: Any, inputs: Any, rows: Any, out: Any) -> None:
    """Fill the head's outputs (n, A) float32 for input rows (n,)."""
    hidden = np.empty(len(net.hidden_bias), np.float32)
    for i in range(len(rows)):
        forward(net, inputs, rows[i], hidden, out[i])
