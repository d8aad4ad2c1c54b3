"""Completion in bash, zsh and fish: names and options, without importing a plugin. ``benchmarks/startup.py`` has the times."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.core.spec import options_of

PROGRAM = """
import sys
from cardai.cli import main
try:
    main()
finally:
    print(*[name for name in sys.modules if name.startswith("cardai.")], "numpy" * ("numpy" in sys.modules), file=sys.stderr)
"""


def asked(environment: dict[str, str], where: Path | None = None) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=where, env={**os.environ, **environment}
    )
    *complaints, loaded = done.stderr.splitlines()
    assert complaints == []
    assert "cardai.plugins" not in loaded
    assert "numpy" not in loaded
    return done.stdout.splitlines()


def bash(*words: str, where: Path | None = None) -> list[str]:
    """Return what bash is told for words as it takes them apart; the last one is being typed."""
    words = ("cardai", *words)
    shell = {"_CARDAI_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    return asked(shell, where)


def test_bash_completes_names_of_every_kind() -> None:
    assert bash("run", "--game", "gi") == ["gin"]
    assert bash("run", "--agent", "heis") == bash("tournament", "--agent", "heis") == ["heisenbot"]
    assert bash("train", "--encoder", "leduc") == ["leduc_30"]
    assert bash("train", "--trainer", "pcfr") == ["pcfr_plus"]
    assert bash("evaluate", "exploitability", "--agent", "best") == ["best_response"]
    assert bash("describe", "enc") == ["encoder"]
    assert bash("describe", "game", "kuh") == ["kuhn"]
    assert bash("describe", "trainer", "xf") == ["xfp"]


def test_bash_completes_a_plugins_options_behind_its_colons() -> None:
    assert bash("run", "--game", "gin", ":", "tar") == ["target="]
    assert bash("run", "--game=gin", ":", "tar") == ["target="]
    assert bash("run", "--agent", "gin_rules", ":", "draw", "=", "deck,kno") == ["deck,knock="]
    assert bash("run", "--agent", "simple", ":", "kno") == ["knock="]  # a preset has its plugin's
    assert "cautious=" not in bash("run", "--agent", "nobody", ":")


def test_runs_are_agents_of_this_directory(tmp_path: Path) -> None:
    (tmp_path / "runs" / "leduc").mkdir(parents=True)
    (tmp_path / "runs" / "leduc" / "run.json").write_text("{}")
    assert bash("run", "--agent", "runs/", where=tmp_path) == ["runs/leduc"]
    assert bash("train", "--resume", "ru", where=tmp_path) == ["runs/leduc"]
    assert bash("plot", "", where=tmp_path) == ["runs/leduc"]


def test_zsh_and_fish_show_what_each_is_on_one_line() -> None:
    zsh = asked({"_CARDAI_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "cardai run --agent heis"})
    assert len(zsh) == 1
    assert '"heisenbot":"looks ahead in drawing' in zsh[0]
    words = "cardai train --trainer linear"
    fish = asked(
        {"_CARDAI_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    assert len(fish) == 1
    assert fish[0].startswith("linear_cfr\tlinear CFR: iteration t weighs t")


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
