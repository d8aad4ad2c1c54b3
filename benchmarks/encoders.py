"""How fast views become planes: a batch of limit hold'em views to 31x17x17, beside the machine's memory bandwidth.

python benchmarks/encoders.py [--views 4096] [--seconds 2]
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable

import numpy as np

import cardai
from cardai.plugins.encoders.grid.layout import GridLayout


def rate(function: Callable[[], object], per_call: int, seconds: float) -> float:
    """Return items a CPU second of ``function``, which handles ``per_call`` of them."""
    function()
    calls, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        function()
        calls += 1
    return calls * per_call / (time.process_time() - start)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    game = cardai.game("poker_cnn_limit")
    rng = np.random.default_rng(0)
    tables = game.tables(options.views)
    rows = np.arange(options.views)
    tables.reset(rng.integers(0, 2**63, options.views).astype(np.uint64))
    for _ in range(5):  # some way into the hands: call, and now and then raise
        active = rows[tables.current_players() >= 0]
        legal = tables.legal(active)
        assert isinstance(legal, np.ndarray)
        raising = legal[:, 2] & (rng.random(len(active)) < 0.4)
        tables.apply(active, np.where(raising, 2, 1))
    views = tables.views(0, rows)
    layout = cardai.encoder("poker_cnn_limit").for_game(game)
    assert isinstance(layout, GridLayout)
    out = layout.encode(views)
    print(
        f"{platform.processor() or platform.machine()}, one thread; a batch of {options.views:,} views, {out.nbytes / 2**20:.0f} MiB"
    )
    ours = rate(lambda: layout.encode(views, out), options.views, options.seconds)
    fresh = rate(lambda: layout.encode(views), options.views, options.seconds)
    memory = rate(lambda: out.fill(0.0), options.views, options.seconds)
    paged = rate(lambda: np.empty_like(out).fill(0.0), options.views, options.seconds)
    print(f"encode into an array used before   {ours:12,.0f} views a CPU second")
    print(f"fill that array with zeros         {memory:12,.0f} views a CPU second (the memory's bandwidth)")
    print(f"ratio                              {ours / memory:12.2f}")
    print(f"encode into a new array            {fresh:12,.0f} views a CPU second")
    print(
        f"fill a new array with zeros        {paged:12,.0f} views a CPU second (most of it the kernel's, for its pages)"
    )
    print(f"ratio                              {fresh / paged:12.2f}")


if __name__ == "__main__":
    main()
