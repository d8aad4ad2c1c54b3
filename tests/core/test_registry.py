"""The registry lists without importing, loads on request, and says of each broken plugin what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.core.errors import PluginError, UnknownNameError, UsageError
from tests.support import cardai, fake_distribution, python

GOOD = '''"""A bot that is fine."""
from cardai import hookimpl
from cardai.core.agent import ScalarAgent

class Bot(ScalarAgent):
    presets = {"quick": {}}
    def choose(self, view, legal, rng):
        return legal[0]

@hookimpl
def cardai_agent():
    return {"fine": Bot}
'''
BROKEN = {
    "raises": '"""Raises."""\nraise RuntimeError("no graphics card")\n',
    "exits": '"""Exits."""\nimport sys\nsys.exit(3)\n',
    "imports": '"""Imports what is not there."""\nimport no_such_library\n',
    "misspelt": GOOD.replace("def cardai_agent", "def cardai_agnet"),
    "unmarked": GOOD.replace("@hookimpl\n", ""),
    "hookless": '"""Has no hook."""\n',
    "argued": GOOD.replace("def cardai_agent()", "def cardai_agent(game)"),
    "instance": GOOD.replace('{"fine": Bot}', '{"instance": Bot()}'),
    "other": GOOD,
    "abstract": "import abc\n"
    + GOOD.replace('"fine"', '"abstract"').replace(
        "(ScalarAgent):\n", "(ScalarAgent, abc.ABC):\n    @abc.abstractmethod\n    def mood(self):\n        pass\n\n"
    ),
}
REASONS = {
    "raises": "Cause: RuntimeError: no graphics card",
    "exits": "Cause: called sys.exit(3)",
    "imports": "No module named 'no_such_library'",
    "misspelt": "has a hook 'cardai_agnet', which does not exist. Did you mean 'cardai_agent'?",
    "unmarked": "defines cardai_agent without the mark @cardai.hookimpl",
    "hookless": "has no hook marked with @cardai.hookimpl",
    "argued": "has a hook that does not fit",
    "instance": "must return a class or a mapping to classes",
    "abstract": "lacks mood: every agent has it",
    "other": "offers no 'other'",
    "quickly": "has no preset 'quickly'. Did you mean 'quick'?",
    "deep": "pip install 'needy[gpu]'",
    "nowhere": "No module named 'not_installed_module'",
}


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """A registry that knows of no file before a test, and of none after it."""
    registry.default.reset()
    yield
    registry.default.reset()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory on sys.path with one good distribution and one for each thing that can be wrong."""
    points = ["[cardai.agents]", "fine = good_bot", "quick = good_bot:fine", "quickly = good_bot:fine"]
    fake_distribution(tmp_path, "good", "\n".join(points), {"good_bot": GOOD})
    for name, text in BROKEN.items():
        fake_distribution(tmp_path, f"broken-{name}", f"[cardai.agents]\n{name} = bad_{name}\n", {f"bad_{name}": text})
    fake_distribution(tmp_path, "absent", "[cardai.agents]\nnowhere = not_installed_module\n", {})
    extra = "Provides-Extra: gpu\nRequires-Dist: surely-not-installed; extra == 'gpu'\n"
    fake_distribution(tmp_path, "needy", "[cardai.agents]\ndeep = good_bot [gpu]\n", {}, extra)
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.default.reset()
    yield tmp_path
    registry.default.reset()
    for name in [m for m in sys.modules if m.startswith(("bad_", "good_bot"))]:
        del sys.modules[name]


@pytest.mark.parametrize("name", sorted(REASONS))
def test_a_broken_plugin_says_what_is_wrong_and_whose_it_is(site: Path, name: str) -> None:
    with pytest.raises(PluginError) as error:
        registry.load("agent", name)
    assert REASONS[name] in str(error.value)
    entry = registry.find("agent", name)
    assert entry.distribution in str(error.value)


def test_everything_else_works_beside_broken_plugins(site: Path) -> None:
    assert type(registry.create("agent", "fine")).__name__ == "Bot"
    assert type(registry.create("agent", "quick")).__name__ == "Bot"
    assert registry.create("game", "kuhn").num_players == 2


def test_checking_all_gives_each_plugin_one_row(site: Path) -> None:
    rows = {entry.name: status for entry, status in registry.check_all("agent") if entry.distribution != "cardai"}
    assert {name for name, status in rows.items() if status == "ok"} == {"fine", "quick"}
    for name, reason in REASONS.items():
        assert reason in rows[name]


def test_listing_shows_presets_extras_and_summaries_without_importing(site: Path) -> None:
    rows = {entry.name: entry for entry in registry.entries("agent")}
    assert rows["quick"].preset_of == "fine"
    assert rows["deep"].status == "needs: pip install 'needy[gpu]'"
    assert rows["fine"].summary() == "A bot that is fine."
    assert rows["raises"].summary() == "Raises."
    assert not [m for m in sys.modules if m.startswith(("bad_", "good_bot"))]


def test_two_distributions_of_one_name_are_both_named(site: Path) -> None:
    fake_distribution(site, "twin", "[cardai.agents]\nfine = good_bot\n", {})
    registry.default.reset()
    with pytest.raises(PluginError, match=r"'fine' is registered by .*(good and twin|twin and good)"):
        registry.load("agent", "fine")
    assert "duplicate" in next(e for e in registry.entries("agent") if e.name == "fine").status
    assert registry.create("game", "kuhn")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no game named 'kuhm'. Did you mean 'kuhn'\?"):
        registry.load("game", "kuhm")


def test_a_name_of_another_kind_is_pointed_out() -> None:
    with pytest.raises(UnknownNameError, match="kuhn is the name of a game"):
        registry.load("agent", "kuhn")


def test_listing_imports_neither_plugins_nor_heavy_libraries(site: Path) -> None:
    done = python(
        "-c",
        "import sys, json\nfrom cardai.core.registry import entries\n"
        "rows = [(e.name, e.status, e.summary()) for e in entries()]\n"
        "print(json.dumps([len(rows), sorted(sys.modules)]))",
        path=site,
    )
    count, modules = json.loads(done.stdout)
    assert count > 10
    for heavy in ("numpy", "numba", "torch", "joblib", "cattrs", "good_bot", "cardai.plugins.games.kuhn"):
        assert heavy not in modules


def test_the_command_line_lists_broken_plugins_in_one_row_each(site: Path) -> None:
    listed = cardai("list-plugins", "--kind", "agent", "--check", "--json", path=site)
    rows = json.loads(listed.stdout)
    assert listed.returncode == 1
    for name, reason in REASONS.items():
        (row,) = [row for row in rows if row["name"] == name]
        assert reason in row["status"]


def test_a_one_file_plugin_offers_its_classes_and_presets(tmp_path: Path) -> None:
    file = tmp_path / "bots.py"
    file.write_text(GOOD)
    assert [entry.name for entry in registry.add_file(str(file))] == ["fine", "quick"]
    assert type(registry.create("agent", "quick")).__name__ == "Bot"


def test_a_one_file_plugin_without_mapping_is_named_as_its_file(tmp_path: Path) -> None:
    file = tmp_path / "lonely.py"
    file.write_text(GOOD.replace('{"fine": Bot}', "Bot").replace('"quick": {}', ""))
    assert [entry.name for entry in registry.add_file(str(file))] == ["lonely"]


@pytest.mark.parametrize("name", ["raises", "misspelt", "unmarked", "hookless"])
def test_a_broken_one_file_plugin_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(BROKEN[name])
    with pytest.raises(PluginError) as error:
        registry.add_file(str(file))
    assert f"{name}.py" in str(error.value)
    assert REASONS[name].split(":")[-1].strip() in str(error.value)


def test_a_one_file_plugin_cannot_take_a_name_that_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GOOD.replace('"fine"', '"random"'))
    with pytest.raises(PluginError, match="offers the agent 'random', which cardai already has"):
        registry.add_file(str(file))


def test_a_missing_plugin_file_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="There is no plugin file 'nowhere"):
        registry.add_file("nowhere.py")


def test_a_one_file_plugin_is_loaded_once_however_its_path_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bots.py"
    file.write_text(GOOD)
    first = registry.add_file(str(file))
    monkeypatch.chdir(tmp_path)
    registry.add_file("bots.py")
    registry.add_file("./bots.py")
    assert registry.plugin_files() == [str(file)]
    assert [e for e in registry.entries("agent") if e.name in ("fine", "quick")] == first


def damaged_site(site: Path) -> None:
    """Add distributions whose metadata is damaged, each in another way."""
    fake_distribution(site, "latin", "[cardai.agents]\nlatin = good_bot:fine\n", {})
    (site / "latin-1.0.dist-info" / "METADATA").write_bytes(b"Metadata-Version: 2.1\nName: latin\nAuthor: Andr\xe9\n")
    fake_distribution(site, "nameless", "[cardai.agents]\nnameless = good_bot:fine\n", {})
    (site / "nameless-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nVersion: 1.0\n")
    fake_distribution(site, "lineless", "[cardai.agents]\nno equals sign\nwhole = good_bot:fine\nodd = !!\n", {})
    fake_distribution(site, "bytes", "", {})
    (site / "bytes-1.0.dist-info" / "entry_points.txt").write_bytes(b"[cardai.agents]\nx\xff = good_bot\n")
    fake_distribution(site, "stranger", "", {})
    (site / "stranger-1.0.dist-info" / "entry_points.txt").write_bytes(b"[console_scripts]\nx\xff = x\n")
    fake_distribution(site, "foreign", "[console_scripts]\nno equals sign\n", {})
    registry.default.reset()


def test_damaged_metadata_is_listed_as_broken_and_stops_nothing(site: Path) -> None:
    damaged_site(site)
    assert type(registry.create("agent", "fine")).__name__ == "Bot"
    rows = {entry.name: entry for entry in registry.entries("agent")}
    assert rows["latin"].status == "broken: its metadata cannot be read: UnicodeDecodeError"
    assert (rows["nameless"].status, rows["nameless"].distribution) == ("broken: its metadata has no Name", "nameless")
    with pytest.raises(PluginError, match="'latin' of latin cannot be used: its metadata cannot be read"):
        registry.load("agent", "latin")
    assert rows["whole"].status == "ok"  # the good line beside two bad ones
    assert sorted((b.distribution, b.why) for b in registry.broken()) == [
        ("bytes", "its entry_points.txt is not UTF-8"),
        ("lineless", "its entry point 'no equals sign' in cardai.agents is not NAME = MODULE"),
        ("lineless", "its entry point 'odd = !!' in cardai.agents is not NAME = MODULE"),
    ]


@pytest.mark.long
def test_the_command_line_says_which_distributions_are_damaged(site: Path) -> None:
    damaged_site(site)
    listed = cardai("list-plugins", "--kind", "agent", path=site)
    assert listed.returncode == 0
    assert "broken: bytes, its entry_points.txt is not UTF-8." in listed.stdout
    assert "broken: its metadata has no Name" in listed.stdout
    checked = cardai("list-plugins", "--kind", "agent", "--check", "--json", path=site)
    assert checked.returncode == 1
    unlisted = [row["name"] for row in json.loads(checked.stdout) if row["kind"] == "distribution"]
    assert sorted(unlisted) == ["bytes", "lineless", "lineless"]
    assert cardai("describe", "game", "kuhn", path=site).returncode == 0
