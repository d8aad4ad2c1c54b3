"""experiments/value_networks/encodings_lost.py: what encodings of ranges lose."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cardai.poker.values.situation_set import Recipe, produce
from tests.support import ROOT, own_cache

pytest.importorskip("torch")


@pytest.mark.long
def test_losses_of_encodings_are_printed(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "experiments" / "value_networks"), *sys.path])
    own_cache(monkeypatch, tmp_path / "cache")
    import encodings_lost

    river = tmp_path / "river"
    produce(river, Recipe("river", 3, (12, 10, 8, 6, 4), per_shard=20), 60)
    encodings_lost.main([str(river), "-c", "e_hs2", "-c", "range_1326", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["range_1326"]["values"]["huber_player"]["mean"] == pytest.approx(0, abs=1e-9)
    own = found["e_hs2"]
    assert 0 < own["equity_valued"]["mse_player"]["mean"] < own["values"]["mse_player"]["mean"] < 0.2
    assert own["values"]["mse_pot"]["mean"] == pytest.approx(own["values"]["mse_player"]["mean"] / 4)
    encodings_lost.main([str(river), "-c", "e_hs2"])
    table = capsys.readouterr().out
    assert "equity-valued" in table
    assert "60 situations of the river" in table
