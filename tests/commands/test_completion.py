"""Completion in bash, zsh and fish: names and options, without importing a plugin. ``benchmarks/startup.py`` has the times."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.core.spec import options_of

PROGRAM = """
import json, os, sys
from cardai.cli import main
for environment in json.loads(sys.argv.pop()):
    os.environ.update(environment)
    try:
        main()
    except SystemExit:
        print("end of it")
print(*[name for name in sys.modules if name.startswith("cardai.")], "numpy" * ("numpy" in sys.modules), file=sys.stderr)
"""


def asked(*environments: dict[str, str], where: Path | None = None) -> list[list[str]]:
    """Return what one process that is asked so many times says each time; it must import no plugin."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(environments)], capture_output=True, text=True, cwd=where
    )
    *complaints, loaded = done.stderr.splitlines()
    assert complaints == []
    assert "cardai.plugins" not in loaded
    assert "numpy" not in loaded
    said = [text.splitlines() for text in done.stdout.split("end of it\n")]
    assert said.pop() == []
    return said


def bash(*lines: str, where: Path | None = None) -> list[list[str]]:
    """Return what bash is told for each line, whose words are as bash takes them apart; the last one is being typed."""
    typed = [["cardai", *line.split(" ")] for line in lines]
    return asked(
        *(
            {"_CARDAI_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
            for words in typed
        ),
        where=where,
    )


def test_bash_completes_names_of_every_kind() -> None:
    expected = {
        "run --game gi": ["gin"],
        "run --agent heis": ["heisenbot"],
        "tournament --agent heis": ["heisenbot"],
        "train --encoder leduc": ["leduc_30"],
        "train --trainer pcfr": ["pcfr_plus"],
        "evaluate exploitability --agent best": ["best_response"],
        "describe enc": ["encoder"],
        "describe game kuh": ["kuhn"],
        "describe trainer xf": ["xfp"],
    }
    assert bash(*expected) == list(expected.values())


@pytest.mark.long
def test_bash_completes_a_plugins_options_behind_its_colons() -> None:
    expected = {
        "run --game gin : tar": ["target="],
        "run --game=gin : tar": ["target="],
        "run --agent gin_rules : draw = deck,kno": ["deck,knock="],
        "run --agent simple : kno": ["knock="],  # a preset has its plugin's
    }
    *found, nobodys = bash(*expected, "run --agent nobody :")
    assert found == list(expected.values())
    assert "cautious=" not in nobodys


def test_runs_are_agents_of_this_directory(tmp_path: Path) -> None:
    (tmp_path / "runs" / "leduc").mkdir(parents=True)
    (tmp_path / "runs" / "leduc" / "run.json").write_text("{}")
    assert bash("run --agent runs/", "train --resume ru", "plot ", where=tmp_path) == [["runs/leduc"]] * 3


@pytest.mark.long
def test_zsh_and_fish_show_what_each_is_on_one_line() -> None:
    words = "cardai train --trainer linear"
    (zsh,), (fish,) = asked(
        {"_CARDAI_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "cardai run --agent heis"},
        {"_CARDAI_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    )
    assert '"heisenbot":"looks ahead in drawing' in zsh
    assert fish.startswith("linear_cfr\tlinear CFR: iteration t weighs t")


@pytest.mark.parametrize("kind", ["game", "encoder", "agent", "trainer"])
def test_no_option_is_offered_that_the_class_does_not_have(kind: str) -> None:
    from cardai.commands.completion import names

    for entry in registry.entries(kind):
        if entry.distribution == "cardai" and not entry.missing:
            known = options_of(registry.load(kind, entry.name)[0])
            read = {text.partition(":")[2].rstrip("=") for text, _ in names(kind, f"{entry.name}:")}
            assert read <= set(known), entry.name


def test_all_options_of_a_plugin_in_one_file_are_offered() -> None:
    from cardai.commands.completion import names

    for kind, name in (
        ("game", "gin"),
        ("game", "kuhn"),
        ("agent", "gin_rules"),
        ("encoder", "grid"),
        ("encoder", "flat"),
    ):
        read = {text.partition(":")[2].rstrip("=") for text, _ in names(kind, f"{name}:")}
        assert read == set(options_of(registry.load(kind, name)[0]))
