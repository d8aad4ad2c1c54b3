"""The pages of published systems are true: their figures are the reports', their commands and plugins exist."""

from __future__ import annotations

import re
import shlex

import pytest

from cardai.cli import load_command
from cardai.core import registry
from tests.support import ROOT

PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "systems").glob("*.md")}
REPORTS = {
    "heisenbot": ("heisenbot/report/report.md",),
    "nfsp": ("nfsp_leduc/results/results.md",),
    "cfr": ("nfsp_leduc/results/results.md",),
    "value-networks": ("value_networks/report/report.md",),
    "resolving": ("resolving/report/report.md",),
    "poker-cnn": (
        "poker_cnn_video/report/report.md",
        "poker_cnn_limit/report/report.md",
        "poker_cnn_limit/report/judged.md",
        "poker_cnn_limit/report/tenth/report.md",
        "poker_cnn_limit/report/tenth/judged.md",
        "poker_cnn_triple_draw/report/report.md",
    ),
    "cnn-valuation": (
        "cnn_valuation/report/report.md",
        "cnn_valuation/report/fixed_players/report.md",
        "fair_imitation/report/report.md",
    ),
}
REPORTS["index"] = tuple(file for files in REPORTS.values() for file in files)


@pytest.mark.parametrize("page", REPORTS)
def test_every_figure_stands_in_a_report(page: str) -> None:
    files = ((ROOT / "experiments" / file).read_text(encoding="utf-8") for file in REPORTS[page])
    said = "\n".join(files).replace("+-", "±")
    for line in PAGES[page].splitlines():
        for figure in re.findall(r"[+-]?\d+\.\d+(?: ± \d+\.\d+)?|[+-]\d+ ± \d+", line) if line.startswith("|") else ():
            assert figure in said, f"{figure} of {page} is in no report"


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_plugin_exists(page: str) -> None:
    lines = [line for body in re.findall(r"^```sh\n(.*?)^```$", PAGES[page], re.M | re.S) for line in body.splitlines()]
    for line in lines:
        program, *words = shlex.split(line)
        if program == "python":
            script = words[1].replace(".", "/") if words[0] == "-m" else words[0]
            assert (ROOT / script).exists()
            continue
        command = load_command(words.pop(0))
        command = command.commands[words.pop(0)] if hasattr(command, "commands") else command
        known = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known
        for kind in ("game", "trainer", "encoder"):
            if f"--{kind}" in words:
                registry.create(kind, words[words.index(f"--{kind}") + 1])
    named = re.findall(
        r"`((?:nfsp|poker_cnn|gin)_\w+|heisenbot|simple|greedy|always-draw|rule-based|cnn_valuation)`", PAGES[page]
    )
    for name in named:
        assert any(entry.name == name for entry in registry.entries()), name
