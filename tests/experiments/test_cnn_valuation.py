from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from cardai.core.errors import UsageError
from cardai.formats.stream import stream_hands
from tests.support import ROOT

pytest.importorskip("torch")
GAME = "acpc_limit_2p"
FOLDER = ROOT / "experiments" / "cnn_valuation"


@pytest.mark.long
def test_one_command_makes_everything_once(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    main = runpy.run_path(str(FOLDER / "__main__.py"))["main"]
    sizes = [
        "--hands",
        "200",
        "--steps",
        "3",
        "--our-steps",
        "2",
        "--literal-steps",
        "3",
        "--deals",
        "2",
        "--cross-deals",
        "2",
    ]
    sizes += ["--limit", "200", "--match-hands", "4", "--also", "cards-acpc_mix=4,policy"]
    sizes += ["--curve", "ours-acpc_mix,batch=16", "--curve-points", "60=2+90=3", "--curve-hands", "40"]
    call = ["--out", str(tmp_path), "--teachers", "acpc_mix+always_call", *sizes]
    main(call)
    printed = capsys.readouterr().out
    assert "piece-0000.log: 200 hands, acpc_mix and acpc_mix" in printed
    text = (tmp_path / "report.md").read_text()
    for words in (
        "200 hands",
        "paper-acpc_mix",
        "ours-acpc_mix",
        "89%",
        "Brier score",
        "of the ceiling",
        "opponent_model",
        "What each choice is worth: acpc_mix",
        "How many decisions",
        "| 60 | 2 | ",
    ):
        assert words in text
    assert (tmp_path / "accuracy.png").stat().st_size > 1000
    main(call)
    assert capsys.readouterr().out == f"Report: {tmp_path / 'report.md'}\n"
    assert (tmp_path / "report.md").read_text() == text
    assert len(list((tmp_path / "matches").glob("*.log"))) == 6
    assert (tmp_path / "decisions.png").stat().st_size > 1000
    for more, words in (
        (["--steps", "4"], "holds results of --steps 3, not 4"),
        (["--teachers", "acpc_mix+acpc_mix:raise=1"], "Two teachers are called 'acpc_mix'"),
        (["--also", "ours-threshold=2"], "SYSTEM-TEACHER=STEPS"),
        (["--part", "4/4"], "k/n with k"),
        (["--systems", "paper+x"], "--systems are of paper"),
        (["--learn", "threshold"], "--learn are some of acpc_mix, always_call"),
        (["--curve-points", "60"], "DECISIONS=STEPS"),
    ):
        with pytest.raises(UsageError, match=words):
            main([*call, *more])


def test_machines_generate_parts_of_the_same_logs(tmp_path: Path) -> None:
    module = runpy.run_path(str(FOLDER / "__main__.py"))
    generate = module["generate"]
    generate.__globals__["PIECE"] = 10
    generate(tmp_path / "whole", ["acpc_mix", "always_call"], 40, 5, (0, 1), GAME)
    for part in range(3):
        generate(tmp_path / "parts", ["acpc_mix", "always_call"], 40, 5, (part, 3), GAME)
    logs = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert len(logs) == 4 + 1  # and the plan
    with stream_hands(str(tmp_path / "whole" / "piece-0001.log")) as opened:
        assert sum(not isinstance(hand, str) for hand in opened.hands) == 10
    with pytest.raises(UsageError, match="other players"):
        generate(tmp_path / "whole", ["acpc_mix"], 40, 5, (0, 1), GAME)
    assert logs == {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()}
