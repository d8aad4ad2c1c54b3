"""NFSP's updates by torch: any fully connected network, CPU or GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cardai.core.arrays import Bools
from cardai.learn.buffers import Codec, Entries

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

Arrays = dict[str, npt.NDArray[Any]]


def experience_dtype(width: int, actions: int) -> np.dtype[Any]:
    """Return the dtype of entries: packed view, packed legal actions, action, reward, next view and its legal."""
    legal = (actions + 7) // 8
    return np.dtype(
        [
            ("code", np.uint8, (width,)),
            ("legal", np.uint8, (legal,)),
            ("action", np.int16),
            ("reward", np.float32),
            ("last", np.bool_),
            ("next_code", np.uint8, (width,)),
            ("next_legal", np.uint8, (legal,)),
        ]
    )


def action_dtype(width: int, actions: int) -> np.dtype[Any]:
    """Return the dtype of M_SL's entries: packed view, packed legal actions, action."""
    whole = experience_dtype(width, actions)
    return np.dtype([(name, whole.fields[name][0]) for name in ("code", "legal", "action")])  # type: ignore[index]


class TorchLearner:
    """One seat's networks and optimisers."""

    def __init__(
        self, options: NFSP, networks: Mapping[str, nn.Sequential], codec: Codec, actions: int, device: torch.device
    ) -> None:
        self.options, self.codec, self.actions, self.device = options, codec, actions, device
        self.q, self.target, self.policy = (networks[role].to(device) for role in ("q", "target", "policy"))
        self.optimisers = {
            "q": _optimiser(self.q, options.q_optimizer, options.q_rate),
            "policy": _optimiser(self.policy, options.policy_optimizer, options.policy_rate),
        }
        self.losses = np.zeros(4)

    def learn_q(self, entries: Entries, rate: float) -> None:
        """One step on mean((Q(s, a) - r - max_a' Q'(s', a'))^2) over M_RL's entries (B,)."""
        codes, following = (self._tensor(self.codec.unpack(entries[name])) for name in ("code", "next_code"))
        actions = self._tensor(entries["action"].astype(np.int64))
        with torch.no_grad():
            values = (self.target if self.options.target_every else self.q)(following)
            values = values.masked_fill(~self._mask(entries["next_legal"]), -torch.inf).amax(dim=1)
            values = torch.where(self._tensor(entries["last"]), 0.0, values)
            wanted = self._tensor(entries["reward"]) + self.options.discount * values
        chosen = self.q(codes).gather(1, actions[:, None])[:, 0]
        self._step("q", torch.mean((chosen - wanted) ** 2), rate)

    def learn_policy(self, entries: Entries, rate: float) -> None:
        """One step on the cross-entropy of M_SL's actions (B,)."""
        codes = self._tensor(self.codec.unpack(entries["code"]))
        outputs = self.policy(codes).masked_fill(~self._mask(entries["legal"]), -torch.inf)
        actions = self._tensor(entries["action"].astype(np.int64))
        self._step("policy", nn.functional.cross_entropy(outputs, actions), rate)

    def refit_target(self) -> None:
        """Copy Q into its target network."""
        self.target.load_state_dict(self.q.state_dict())

    def _step(self, role: str, loss: torch.Tensor, rate: float) -> None:
        optimiser = self.optimisers[role]
        optimiser.param_groups[0]["lr"] = rate
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        at = 0 if role == "q" else 2
        self.losses[at : at + 2] += (float(loss.detach()), 1)

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _mask(self, packed: npt.NDArray[np.uint8]) -> torch.Tensor:
        return self._tensor(unpack_legal(packed, self.actions))

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def state(self, seat: int) -> Arrays:
        """Return the losses and Adam's moments by name (before the first update: zeros)."""
        named: Arrays = {f"losses_{seat}": self.losses}
        for role, optimiser in self.optimisers.items():
            if isinstance(optimiser, torch.optim.Adam):
                for i, parameter in enumerate(optimiser.param_groups[0]["params"]):
                    held = optimiser.state.get(parameter) or {}
                    zeros = torch.zeros_like(parameter)
                    for key, empty in (("step", torch.zeros(())), ("exp_avg", zeros), ("exp_avg_sq", zeros)):
                        named[f"{role}_{seat}.{i}.{key}"] = held.get(key, empty).detach().cpu().numpy()
        return named

    def set_state(self, seat: int, stored: Arrays) -> None:
        """Take up what :meth:`state` gave."""
        self.losses[:] = stored[f"losses_{seat}"]
        for role, optimiser in self.optimisers.items():
            if isinstance(optimiser, torch.optim.Adam):
                for i, parameter in enumerate(optimiser.param_groups[0]["params"]):
                    names = ("step", "exp_avg", "exp_avg_sq")
                    arrays = {key: stored[f"{role}_{seat}.{i}.{key}"] for key in names}
                    if arrays["step"] > 0:
                        optimiser.state[parameter] = {
                            "step": torch.tensor(float(arrays["step"])),
                            **{k: torch.empty_like(parameter).copy_(self._tensor(arrays[k])) for k in names[1:]},
                        }


def pack_legal(legal: Bools) -> npt.NDArray[np.uint8]:
    """Return masks (n, A) as bits."""
    return np.packbits(legal, axis=1)


def unpack_legal(packed: npt.NDArray[np.uint8], actions: int) -> Bools:
    """Return bits as masks (n, A)."""
    return np.unpackbits(packed, axis=1, count=actions).astype(np.bool_)


def _optimiser(network: nn.Module, kind: str, rate: float) -> torch.optim.Optimizer:
    if kind == "adam":
        return torch.optim.Adam(network.parameters(), lr=rate)
    return torch.optim.SGD(network.parameters(), lr=rate)
