"""cardai train and plot: start, stop, kill, resume, draw."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cardai.training.runs import Run
from tests.support import INTERPRETED, interrupted

TOY = str(Path(__file__).parents[1] / "toy_trainer.py")
NEW = ("train", "--plugin", TOY, "--trainer", "toy_trainer", "--game", "toy_game")


def test_a_run_is_trained_and_says_how_to_play_it(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    call = cardai(*NEW, "--out", out, "--steps", "20", "--seed", "4", "--set", "rate=0.3")
    assert call.code == 0, call.err
    assert f"cardai run --game toy_game --agent {out} --vs random --games 10000 --plugin {TOY}\n" in call.out
    written = json.loads((tmp_path / "x" / "run.json").read_text())
    assert (written["trainer"], written["seed"]) == ("toy_trainer:rate=0.3,every=5", 4)
    assert list((tmp_path / "x" / "events").iterdir())


def test_wrong_calls_are_usage_errors(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    assert cardai(*NEW, "--out", out, "--steps", "10").code == 0
    for arguments, message in (
        ((*NEW, "--out", out, "--steps", "10"), "is not empty. Go on with it by --resume"),
        (("train", "--plugin", TOY, "--resume", out, "--set", "rate=7"), "goes on with rate=0.1. Got rate=7"),
        (("train", "--plugin", TOY, "--resume", out, "--seed", "9"), "goes on with the seed 0"),
        (("train", "--plugin", TOY, "--resume", str(tmp_path)), "it has no run.json"),
        ((*NEW, "--steps", "10"), "needs --trainer, --game, --out and --steps or --minutes"),
        ((*NEW, "--out", out + "y"), "needs --trainer, --game, --out and --steps or --minutes"),
        ((*NEW, "--out", out + "y", "--minutes", "0"), "--minutes must be above 0. Got 0."),
        ((*NEW, "--out", out + "y", "--minutes", "nan"), "--minutes must be above 0. Got nan."),
        (
            (*NEW, "--out", out + "y", "--steps", "10", "--steps", "20"),
            "cardai train takes --steps once. It is given 2",
        ),
        ((*NEW, "--out", out + "y", "--steps", "10", "--set", "rate"), "takes OPTION=VALUE"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--set", "rate=1,every=2"), "Got 'rate=1,every=2' instead"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--set", "rate=1", "--set", "rate=2"), "is given twice"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--threads", "2"), "has no option 'threads'"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--actors", "2"), "has no option 'actors'"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--jobs", "2"), "toy_trainer learns in one process and has no"),
        (("train", "--plugin", TOY, "--resume", out, "--jobs", "2"), "toy_trainer learns in one process and has no"),
        ((*NEW, "--out", out + "y", "--steps", "10", "--on", "mars"), "Got 'mars'"),
        (("train", "--trainer", "nfsp", "--game", "kuhn", "--out", out + "y", "--steps", "1"), "needs --encoder"),
    ):
        call = cardai(*arguments)
        assert call.code == 2, call
        assert message in re.sub(r"\s+", " ", call.err)
    assert not (tmp_path / "xy").exists()


def test_a_finished_run_goes_further_when_asked(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    cardai(*NEW, "--out", out, "--steps", "20")
    assert "has 20 steps already" in cardai("train", "--plugin", TOY, "--resume", out).out
    assert "Trained 30" in cardai("train", "--plugin", TOY, "--resume", out, "--steps", "30").out


def test_watchers_are_told_of_each_row(cardai: Any, tmp_path: Path) -> None:
    watcher = tmp_path / "diary.py"
    watcher.write_text(
        "from cardai import hookimpl\n\n\n@hookimpl\ndef cardai_training_step(step, metrics):\n"
        f"    with open({str(tmp_path / 'diary.txt')!r}, 'a') as file:\n"
        "        file.write(f'{step} {sorted(metrics)}\\n')\n"
    )
    assert cardai(*NEW, "--plugin", str(watcher), "--out", str(tmp_path / "x"), "--steps", "20").code == 0
    assert (tmp_path / "diary.txt").read_text() == "10 ['exploitability']\n20 ['exploitability']\n"


def start(out: Path, steps: int, *more: str) -> subprocess.Popen[str]:
    """Start training in another process."""
    command = [sys.executable, "-m", "cardai", *NEW, "--out", str(out), "--steps", str(steps), *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **INTERPRETED}
    )


def test_ctrl_c_saves_and_prints_the_command_that_resumes(cardai: Any, tmp_path: Path) -> None:
    out = tmp_path / "x"
    process = start(out, 10**9)
    deadline = time.monotonic() + 60
    while not (out / "metrics.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 130, complained
    assert "Stopped and saved at step" in said
    assert f"cardai train --resume {out}" in said
    assert (
        f"--resume {out} --plugin {TOY}\n" in said
    )  # as far as was asked at the beginning, nothing else needs be said
    step = int(next((out / "checkpoints").iterdir()).name.removeprefix("step-"))
    assert (
        f"Trained {step + 5:,}" in cardai("train", "--plugin", TOY, "--resume", str(out), "--steps", str(step + 5)).out
    )
    # and further than that it is said again
    size = (out / "metrics.jsonl").stat().st_size
    command = [
        sys.executable,
        "-m",
        "cardai",
        "train",
        "--plugin",
        TOY,
        "--resume",
        str(out),
        "--steps",
        str(2 * 10**9),
    ]
    env = {**os.environ, **INTERPRETED}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    while (out / "metrics.jsonl").stat().st_size <= size and time.monotonic() < deadline + 60:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 130, complained
    assert f"cardai train --resume {out} --steps {2 * 10**9} --plugin {TOY}\n" in said


SLOW = '''"""The toy trainer, which once waits before its first step."""

import time
from pathlib import Path

from cardai import hookimpl
from tests.toy_trainer import ToyTrainer

BEGUN = Path({begun!r})


class SlowTrainer(ToyTrainer):
    def start(self, game, encoder, seed):
        if not BEGUN.exists():
            BEGUN.touch()
            time.sleep(300)
        return super().start(game, encoder, seed)


@hookimpl
def cardai_trainer():
    return {{"slow_trainer": SlowTrainer}}
'''


def test_ctrl_c_before_the_first_step_tells_how_to_go_on(cardai: Any, tmp_path: Path) -> None:
    out, slow, begun = tmp_path / "x", tmp_path / "slow.py", tmp_path / "begun"
    slow.write_text(SLOW.format(begun=str(begun)))
    files = ("--plugin", TOY, "--plugin", str(slow))
    given = ("--trainer", "slow_trainer", "--game", "toy_game", "--out", str(out), "--steps", "20")
    call = interrupted("-m", "cardai", "train", *files, *given, when=begun)
    assert call.returncode == 130
    assert f"cardai train --resume {out} --plugin {TOY} --plugin {slow}\n" in call.stdout
    assert "Traceback" not in call.stderr
    assert "Trained 20" in cardai("train", *files, "--resume", str(out)).out


def test_a_run_of_so_many_minutes_ends_is_resumable_and_goes_on_for_more(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    call = cardai(*NEW, "--out", out, "--minutes", "0.0001")
    assert call.code == 0, call.err
    assert re.search(r"Trained [\d,]+ steps in 0\.\d minutes: ", call.out)
    first = Run.open(Path(out)).steps()[-1]
    assert first > 0
    again = ("train", "--plugin", TOY, "--resume", out)
    assert f"has {first} steps in 0.0 minutes already. Give --steps or --minutes" in cardai(*again).out
    both = cardai(*again, "--minutes", "1000", "--steps", str(first + 5))
    assert f"Trained {first + 5:,} steps in" in both.out
    assert f"Trained {first + 10:,} steps: " in cardai(*again, "--steps", str(first + 10)).out
    assert "already" in cardai(*again).out, "what was asked for at first is over"


def stopped(out: Path, *arguments: str) -> str:
    """Train in another process, press Ctrl-C once something has been measured, and return what was said."""
    metrics = out / "metrics.jsonl"
    before = metrics.stat().st_size if metrics.exists() else 0
    command = [sys.executable, "-m", "cardai", "train", "--plugin", TOY, *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **INTERPRETED}
    )
    deadline = time.monotonic() + 120
    while not (metrics.exists() and metrics.stat().st_size > before) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 130, complained
    return said


@pytest.mark.long
def test_what_stops_before_its_minutes_goes_on_for_them(tmp_path: Path) -> None:
    out = tmp_path / "x"
    said = stopped(out, *NEW[3:], "--out", str(out), "--minutes", "900")
    assert " (of 900 minutes). Go on with:" in said
    assert f"cardai train --resume {out} --plugin {TOY}\n" in said
    assert Run.open(out).minutes_wanted == 900
    said = stopped(out, "--resume", str(out), "--minutes", "1000.5", "--steps", "1000000000")
    assert " of 1,000,000,000 (of 1000.5 minutes). Go on with:" in said
    assert f"cardai train --resume {out} --steps 1000000000 --minutes 1000.5 --plugin {TOY}\n" in said


@pytest.mark.long(but="png")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_curves_of_seeds_are_drawn_with_a_band(cardai: Any, tmp_path: Path, suffix: str) -> None:
    for seed in ("1", "2"):
        cardai(*NEW, "--out", str(tmp_path / seed), "--steps", "50", "--seed", seed)
    cardai(*NEW, "--out", str(tmp_path / "3"), "--steps", "40", "--set", "rate=1")
    picture = tmp_path / f"curves.{suffix}"
    runs = [str(tmp_path / name) for name in "123"]
    call = cardai("plot", "--plugin", TOY, *runs, "--out", str(picture), "--log-y")
    assert call.code == 0, call.err
    assert "toy_trainer rate=0.1: exploitability" in call.out
    assert "(2 seeds" in call.out
    assert picture.stat().st_size > 5_000


@pytest.mark.long
def test_an_earlier_picture_is_left_alone(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cardai(*NEW, "--out", "x", "--steps", "20")
    for name in ("curves.png", "curves-2.png", "curves-3.png"):
        assert f"Drawn: {name}\n" in cardai("plot", "--plugin", TOY, "x").out
    before = (tmp_path / "curves.png").read_bytes()
    assert cardai("plot", "--plugin", TOY, "x", "--title", "anew", "--out", "curves.png").code == 0
    assert (tmp_path / "curves.png").read_bytes() != before, "this one was asked for"
    refused = cardai("plot", "--plugin", TOY, "x", "--out", "curves.docx")
    assert refused.code == 2
    assert ".pdf, " in refused.err
    assert "Got 'curves.docx'" in refused.err


def test_describe_tells_of_what_can_be_played(cardai: Any, tmp_path: Path) -> None:
    """A row of metrics that was written after the newest checkpoint (a generation, say) is none of it yet."""
    out = tmp_path / "x"
    cardai(*NEW, "--out", str(out), "--steps", "20", "--checkpoint-every", "10")
    with (out / "metrics.jsonl").open("a") as file:
        file.write('{"step": 30, "exploitability": 0.125}\n')
    call = cardai("describe", "agent", str(out), "--plugin", TOY, "--json")
    assert json.loads(call.out)["metrics"]["step"] == 20
    first = json.loads(cardai("describe", "agent", f"{out}:step=10", "--plugin", TOY, "--json").out)
    assert first["steps"] == first["metrics"]["step"] == 10
    refused = cardai("describe", "agent", f"{out}:step=15", "--plugin", TOY)
    assert (refused.code, "has no checkpoint of step '15'. Its steps: [10, 20]" in refused.err) == (2, True)
    assert "has no option 'stepp'" in cardai("describe", "agent", f"{out}:stepp=10", "--plugin", TOY).err


def test_an_unknown_metric_is_named_with_the_known_ones(cardai: Any, tmp_path: Path) -> None:
    cardai(*NEW, "--out", str(tmp_path / "x"), "--steps", "20")
    call = cardai("plot", "--plugin", TOY, str(tmp_path / "x"), "--metric", "exploitabillity")
    assert call.code == 2
    assert "Did you mean 'exploitability'?" in call.err


def test_a_refused_start_leaves_the_place_free(cardai: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    given = ("train", "--game", "leduc", "--out", str(out), "--steps", "2", "--trainer")
    refused = cardai(*given, "poker_cnn_betting_ours:teachers=nobody", "--encoder", "grid_4x13")
    assert refused.code == 2
    assert "no agent named 'nobody'" in refused.err
    assert not out.exists()
    assert cardai(*given, "cfr_plus").code == 0
    assert cardai(*given, "poker_cnn_betting_ours:teachers=nobody", "--encoder", "grid_4x13").code == 2
    assert (out / "checkpoints").is_dir(), "what there is already is never taken away"
