"""The example of a third-party package: installed, listed, played, checked and solved like any plugin of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import INTERPRETED, ROOT, cardai, install, python

PACKAGE = ROOT / "examples" / "cardai-doubt"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("doubt") / "site"
    install(PACKAGE, target)
    return target


def test_it_is_listed_with_its_preset_and_distribution(site: Path) -> None:
    rows = json.loads(cardai("list-plugins", "--json", path=site).stdout)
    ours = {row["name"]: row for row in rows if row["distribution"] == "cardai-doubt"}
    assert set(ours) == {"doubt", "honest", "bold"}
    assert ours["bold"]["preset_of"] == "honest"
    assert ours["doubt"]["summary"].startswith("Doubt: claim what the two cards are")
    assert {row["status"] for row in ours.values()} == {"ok"}


@pytest.mark.long
def test_it_is_played_from_the_command_line(site: Path) -> None:
    done = cardai("run", "--game", "doubt:ranks=4", "--agent", "bold", "--vs", "honest", "--games", "40", path=site)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_its_own_tests_pass(site: Path) -> None:
    arguments = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(PACKAGE)]
    done = python("-m", "pytest", *arguments, str(PACKAGE / "tests"), path=site, **INTERPRETED)
    assert done.returncode == 0, done.stdout[-3000:]


def test_solvers_take_it(site: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = cardai(
        "train", "--game", "doubt", "--trainer", "cfr_plus", "--steps", "20", "--out", str(run), "--quiet", path=site
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    measures = [row["exploitability"] for row in rows if "exploitability" in row]
    assert measures[-1] < 0.2  # points a hand; 20 iterations are few
