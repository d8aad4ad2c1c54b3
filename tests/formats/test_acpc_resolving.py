"""A player that thinks long, at the competition's dealer: it keeps its time."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from cardai.formats.acpc.clock import TimeLimits
from cardai.formats.acpc.processes import play_by_processes
from cardai.formats.acpc.series import Series, begin
from tests.formats.acpc_table import NO_LIMIT


@pytest.mark.long
@pytest.mark.parametrize("hands", [1, 3])
def test_it_plays_over_a_socket_and_each_hand_to_its_end(hands: int, tmp_path: Path) -> None:
    series = Series(
        NO_LIMIT, ("resolving:seconds=0.1,hand_seconds=0.4,values=exact", "always_call"), hands=hands, seeds=(20170,)
    )
    begin(series, tmp_path, resume=False)
    seats, match = next(series.matches())
    match = evolve(match, limits=TimeLimits(response=60_000, hand=120_000, per_hand=60_000))  # of a machine under load
    play_by_processes(match, [series.players[k] for k in seats], [1, 2], tmp_path, compiled=True)
    log = (tmp_path / f"{match.name}.log").read_text()
    assert log.count("STATE") == hands
    assert "r" in log.split("STATE")[1].split(":")[2]  # nobody else raises
