"""Beginning with the weights of a value network, said tensor by tensor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from torch import nn

from cardai.core.errors import UsageError
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork
from cardai.training.runs import Run

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.betting import PokerCnnBetting

_TRUNK = "trunk."


def warm_start(network: nn.Module, options: PokerCnnBetting) -> list[str]:
    """Take over every tensor of ``options.warm_start`` that fits; return what was taken and what was not, in sentences.

    Raises:
        UsageError: there is no such run or checkpoint, nothing fits, or ``freeze_trunk`` would keep card layers as they are
            that are not the run's.
    """
    if options.freeze_trunk:
        _check_freezing(network, options)
    if not options.warm_start:
        return []
    checkpoint, _ = Run.open(Path(options.warm_start)).latest()
    if checkpoint is None:
        raise UsageError(f"The run {options.warm_start} has no checkpoint to begin with. Train it first.")
    saved = tensors.read(checkpoint.path / "weights.safetensors")
    named = {name.removeprefix("network."): t for name, t in saved.items() if name.startswith("network.")}
    own = network.state_dict()
    fitting = {name: t for name, t in named.items() if name in own and own[name].shape == t.shape}
    if not fitting:
        raise UsageError(
            f"The network of {options.warm_start} shares no layer with this one: use the same network and encoder."
        )
    if options.freeze_trunk:
        odd = sorted(name for name in {*own, *named} - set(fitting) if name.startswith(_TRUNK))
        if odd:
            raise UsageError(
                f"freeze_trunk=true keeps card layers as they are, and those of {options.warm_start} do not fit: "
                f"{', '.join(odd)}. Use the same network and encoder (whole_suits too), or leave freeze_trunk out."
            )
    network.load_state_dict({**own, **fitting})
    fresh = [name for name in own if name not in fitting]
    rest = f"random: {', '.join(fresh)}" if fresh else "all of them"
    return [f"The warm start took {len(fitting)} of {len(own)} tensors from {options.warm_start} ({rest})."]


def _check_freezing(network: nn.Module, options: PokerCnnBetting) -> None:
    if not isinstance(network, SuitNetwork):
        raise UsageError(f"freeze_trunk=true is for network=suits. Got network={options.network}: leave it out.")
    if not options.warm_start:
        raise UsageError(
            "freeze_trunk=true keeps the card layers of a warm start as they are, and there is none: they would stay "
            "random. Give warm_start=RUN, a trained run of poker_cnn, or leave freeze_trunk out."
        )
