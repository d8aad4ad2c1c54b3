"""Which way of playing and learning a training takes: kernels over a small game's tree, or tables and torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.learn import native
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.nfsp.compiled import CompiledGame, compile_game
from cardai.plugins.trainers.nfsp.native import NativeTraining
from cardai.plugins.trainers.nfsp.networks import layout_of
from cardai.plugins.trainers.nfsp.tables import TablesTraining
from cardai.plugins.trainers.nfsp.training import NFSPTraining

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP


def start(options: NFSP, game: Game, encoder: Encoder | None, seed: int) -> NFSPTraining:
    """Begin training. Raises UsageError for a game, an encoder or an engine that cannot be had."""
    layout = layout_of(game, encoder)
    device = torch.device("cpu") if options.engine == "native" else choose_device(options.device)
    compiled = _compiled(options, game, layout)
    can_be_native = compiled is not None and options.play != "tables" and native.suits(options.hidden)
    if (options.stratified or options.q_average) and (not can_be_native or options.engine == "torch"):
        raise UsageError("stratified and q_average need the native engine: a compiled game, one hidden layer.")
    if options.engine == "native" and not can_be_native:
        raise UsageError("The native engine needs one hidden layer and a compiled game. Use engine=torch.")
    if compiled is not None and can_be_native and (options.engine == "native" or _prefers_native(options, device)):
        return NativeTraining(options, game, layout, compiled, seed)
    return TablesTraining(options, game, layout, compiled, device, seed)


def _prefers_native(options: NFSP, device: torch.device) -> bool:
    return options.engine == "auto" and (device.type == "cpu" or options.device == "auto")


def _compiled(options: NFSP, game: Game, layout: Layout) -> CompiledGame | None:
    """Return the game as arrays: to play on, or at least to measure on; None if it is too large."""
    try:
        return compile_game(game, layout, options.compile_limit)
    except UsageError:
        if options.play == "compiled":
            raise
        return None
