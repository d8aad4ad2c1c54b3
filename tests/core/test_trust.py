"""A spec that was read from a file carries that with it, and names nothing that its owner has not allowed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardai.core import registry
from cardai.core.allowed import allow, allowed, trust_all
from cardai.core.errors import CardaiError, UntrustedError
from cardai.core.files import read_json, write_json
from cardai.core.needs import POWERS, allow_own, inside, needs, write_own
from cardai.core.spec import Spec, build, options_of, parse
from cardai.core.trust import Foreign, Source, marked, read_from, source_of
from cardai.testing._trust import STARTS, heard, text_options

SOURCE = Source("/somewhere/run.json", "00" * 32, "/somewhere")
KINDS = ("game", "encoder", "agent", "trainer")
PROGRAM = 'program:command="touch {}"'


@pytest.fixture(autouse=True)
def _own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is allowed here is forgotten here."""
    from cardai.core import allowed as module

    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(module, "_allowed", set())
    yield
    trust_all(False)


def foreign(text: str) -> Foreign:
    return Foreign(text, SOURCE)


def escaped(text: str) -> str:
    """Return a text as a JSON string in which every character is an escape."""
    return '"' + "".join(f"\\u{ord(c):04x}" for c in text) + '"'


def spellings(name: str, key: str, text: str, several: bool) -> list[str]:
    """Return four ways to write the same option: quoted, in escapes, after an innocent one, and deep in other specs."""
    quoted = json.dumps(text)
    plain = f"{name}:{key}={quoted}"
    deep = "best_response:to=" + json.dumps("resolving:blueprint=" + json.dumps(text))
    return [
        plain,
        f"{name}:{key}={escaped(text)}",
        f"{name}:{key}=random+{quoted}" if several else f"{name}:{key}={escaped(text)}",
        f"{name}:{key}={json.dumps(deep)}",
    ]


def test_every_text_option_of_every_plugin_opens_and_starts_nothing_in_four_spellings(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.mkdir()
    texts = [PROGRAM.format(canary / "started"), str(canary / "a"), f'openspiel:name="efg_game(filename={canary}/a)"']
    tried = refused = 0
    for kind in KINDS:
        for entry in registry.entries(kind):
            if entry.preset_of or entry.missing or entry.broken:
                continue
            cls, _ = registry.load(kind, entry.name)
            for key in text_options(cls):
                for text in texts:
                    for spec in spellings(entry.name, key, text, "tuple" in str(options_of(cls)[key].type)):
                        tried += 1
                        with heard() as events:
                            try:
                                registry.create(kind, foreign(spec))
                            except UntrustedError:
                                refused += 1
                            except CardaiError:
                                pass
                        bad = [event for event in events if str(canary) in event[1] or event[0] in STARTS]
                        assert not bad, (spec, bad)
    assert not (canary / "started").exists()
    assert tried > 250
    assert refused > 100


def test_every_option_that_holds_specs_or_paths_is_refused_what_leads_out() -> None:
    for kind in KINDS:
        for entry in registry.entries(kind):
            if entry.preset_of or entry.missing:
                continue
            cls, _ = registry.load(kind, entry.name)
            for key, option in options_of(cls).items():
                holds = option.metadata["holds"]
                if holds == "text" or callable(holds):
                    continue
                texts = ["/etc/passwd"] if holds.endswith("path") else [PROGRAM, "/etc/a/run", "./run"]
                for text in texts:
                    found = list(needs(registry.load, kind, Spec(entry.name, ((key, json.dumps(text)),)), "/somewhere"))
                    assert found, (kind, entry.name, key, text)


def test_a_program_is_refused_by_name_however_deep_and_what_to_do_is_said() -> None:
    deep = "best_response:to=" + json.dumps("best_response:to=" + json.dumps(PROGRAM.format("x")))
    with pytest.raises(UntrustedError) as caught:
        registry.create("agent", foreign(deep))
    said = str(caught.value)
    assert "best_response, to > agent best_response, to > agent program" in said
    assert "starts a program" in said
    assert "--trust" in said
    assert "cardai inspect /somewhere/run.json" in said
    assert caught.value.exit_code == 2


def test_the_mark_survives_specs_values_pickles_and_the_registry() -> None:
    spec = parse(foreign('best_response:to="random"'))
    assert spec.source == SOURCE
    assert source_of(str(spec)) == SOURCE
    assert source_of(spec.values()["to"]) == SOURCE
    assert source_of(spec.with_options({"a": "b"})) is None  # a Spec is no text
    assert spec.with_options({"a": "b"}).source == SOURCE
    assert parse("random").with_options({"a": foreign("b")}).source == SOURCE
    text = foreign("random")
    for again in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert again == text
        assert source_of(again) == SOURCE
    made = registry.create("agent", foreign("best_response:to=random"))
    assert source_of(registry.spec_of(made)) == SOURCE
    assert source_of(made.to) == SOURCE
    unknown = build(type(made), {"to": foreign("simple")}, "it")
    assert source_of(registry.spec_of(unknown)) == SOURCE
    assert source_of(registry.spec_of(registry.create("agent", "best_response:to=random"))) is None


def test_all_texts_of_a_json_file_are_marked_and_may_name_what_lies_beside_it(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"a": "b", "c": ["d", {"e": "f"}], "n": 1})
    value = read_json(tmp_path / "x.json")
    assert value == {"a": "b", "c": ["d", {"e": "f"}], "n": 1}
    source = source_of(value["a"])
    assert source is not None
    assert (source.path, source.root) == (str(tmp_path / "x.json"), str(tmp_path))
    assert source_of(value["c"]) == source_of(value["c"][1]["e"]) == source
    assert all(source_of(key) == source for key in value)
    assert source.digest == read_from("x", (tmp_path / "x.json").read_bytes()).digest


def test_inside_follows_links_and_knows_ways_out(tmp_path: Path) -> None:
    root = tmp_path / "run"
    (root / "sub").mkdir(parents=True)
    (root / "out").symlink_to(tmp_path)
    inner: list[Any] = [root, root / "sub", root / "none" / "yet", root / "sub" / ".." / "x"]
    outer: list[Any] = [tmp_path, root / "out" / "x", root / ".." / "y", f"{root}x", "~/x", "/", "x\0y", "relative"]
    assert all(inside(str(path), str(root)) for path in inner)
    assert not any(inside(str(path), str(root)) for path in outer)
    assert not inside(str(root), "")


def test_what_only_training_opens_is_let_alone_when_a_run_is_played() -> None:
    def found(name: str, key: str, use: Any) -> bool:
        return any(needs(registry.load, "trainer", parse(f"{name}:{key}=/elsewhere"), "/somewhere", use))

    for name, key, uses in (
        ("cnn_valuation", "data", "train start"),
        ("counterfactual_values", "situations", "train start"),
        ("poker_cnn_betting", "warm_start", "start"),
        ("bucket_cfr_br", "blueprint", "start"),
        ("gin_values", "begin", "start"),
        ("poker_cnn_betting", "draws_by", "start"),
        ("poker_cnn_betting", "teachers", "train start"),
        ("poker_cnn_betting", "league", "train start"),
        ("gin_values", "league", "train start"),
        ("gin_values", "teacher", "train start"),
        ("cnn_valuation", "teacher", "train start"),
    ):
        assert [use for use in ("play", "train", "start") if found(name, key, use)] == uses.split(), name


def test_openspiels_parameters_that_are_files_are_refused_and_others_are_not() -> None:
    for name in (
        "efg_game(filename=/x)",
        "turn_based_simultaneous_game(game=nfg_game(filename=/x))",
        "crossword(puzzles_root=/x)",
    ):
        assert any(needs(registry.load, "game", parse(f"openspiel:name={json.dumps(name)}"))), name
    for name in ("kuhn_poker", "leduc_poker(players=3)", "nim(pile_sizes=1;3;5)"):
        assert not any(needs(registry.load, "game", parse(f"openspiel:name={json.dumps(name)}"))), name


def test_a_file_is_allowed_as_it_is_and_no_longer_when_it_changes(tmp_path: Path) -> None:
    text, other = PROGRAM.format("x"), Source(SOURCE.path, "11" * 32, SOURCE.root)
    with pytest.raises(UntrustedError):
        registry.create("agent", Foreign(text, SOURCE))
    trust_all()
    registry.create("agent", Foreign(text, SOURCE))
    trust_all(False)
    registry.create("agent", Foreign(text, SOURCE))
    with pytest.raises(UntrustedError):
        registry.create("agent", Foreign(text, other))
    assert [p.parent.name for p in (tmp_path / "data").rglob("*.json")] == ["trusted"]


def test_what_is_noted_for_a_file_that_is_about_to_be_written_leaves_the_old_one_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cardai.core import allowed as module

    first, second, third = (Source(SOURCE.path, digit * 64, SOURCE.root) for digit in "123")
    for known, source in enumerate((first, second, second, third)):
        allow(source)
        monkeypatch.setattr(module, "_allowed", set())  # as another process sees it
        there = [module.allowed(one) for one in (first, second, third)]
        monkeypatch.setattr(module, "_allowed", set())
        assert there == [[True, False, False], [True, True, False], [True, True, False], [False, True, True]][known]


def test_notes_of_files_that_are_gone_are_taken_away_where_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core import allowed as module

    here = tmp_path / "run.json"
    here.write_text("{}")
    there = Source(str(here), "22" * 32)
    for source in (SOURCE, there):
        allow(source)
    assert len(list((tmp_path / "data").rglob("*.json"))) == 2
    monkeypatch.setattr(module, "MANY", 2)
    allow(Source(str(tmp_path), "33" * 32))
    monkeypatch.setattr(module, "_allowed", set())
    assert (allowed(SOURCE), allowed(there)) == (False, True)


def test_what_was_allowed_is_known_to_the_next_process_and_to_nobody_without_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core import allowed as module

    allow(SOURCE)
    monkeypatch.setattr(module, "_allowed", set())
    assert allowed(SOURCE)
    (note,) = (tmp_path / "data").rglob("*.json")
    note.write_text('{"path": 1}')
    monkeypatch.setattr(module, "_allowed", set())
    assert not allowed(SOURCE)
    note.write_text("[" * 10000)
    assert not allowed(SOURCE)


def test_where_nothing_can_be_written_a_file_is_allowed_for_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAI_DATA_DIR", "/proc/nowhere")
    assert not allowed(SOURCE)
    allow(SOURCE)
    assert allowed(SOURCE)


def test_an_own_file_is_allowed_only_what_it_needs_and_by_no_text_of_a_stranger() -> None:
    allow_own(registry.load, SOURCE, [("game", "leduc"), ("agent", "random"), ("agent", "no spec at all: x")])
    assert not allowed(SOURCE)
    allow_own(registry.load, SOURCE, [("agent", Foreign(PROGRAM, Source("/other", "22", "")))])
    assert not allowed(SOURCE)
    allow_own(registry.load, SOURCE, [("game", "leduc"), ("agent", PROGRAM)])
    assert allowed(SOURCE)


def test_an_own_file_is_allowed_before_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed in between leaves no file that its owner is refused."""

    def killed(path: Path, data: bytes) -> None:
        write_json(path, {"agent": PROGRAM})
        assert allowed(read_from(path, data))
        raise KeyboardInterrupt

    monkeypatch.setattr("cardai.core.needs.write_atomically", killed)
    with pytest.raises(KeyboardInterrupt):
        write_own(registry.load, tmp_path / "run.json", {"agent": PROGRAM}, [("agent", PROGRAM)])
    assert allowed(read_from(tmp_path / "run.json", (tmp_path / "run.json").read_bytes()))


def test_marking_leaves_one_s_own_as_it_is() -> None:
    value = {"a": ["b", 1, None]}
    assert marked(value, None) is value
    assert parse("random").source is None
    assert type(str(parse("random"))) is str
    assert set(POWERS) == {"starts_programs", "reads_paths", "uses_network"}


def test_one_text_of_a_stranger_that_needs_something_allows_nothing_of_a_file() -> None:
    source = Source("/mixed", "digest")
    stranger = Foreign('program:command="x"', Source("/theirs", "digest"))
    allow_own(registry.load, source, [("agent", "runs/mine"), ("agent", stranger)])
    assert not allowed(source)


def test_a_file_is_the_same_by_the_link_to_its_directory(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    names = [read_from(tmp_path / folder / "run.json", b"", root=tmp_path / folder) for folder in ("real", "home")]
    assert names[0] == names[1]


def test_what_was_allowed_when_it_was_read_stays_so_when_its_file_is_written_anew() -> None:
    from cardai.core import allowed as module

    before, after = Source("/mine", "before"), Source("/mine", "after")
    allow(before)
    module._allowed.clear()
    assert allowed(before)
    allow(after)
    assert allowed(before)


def test_a_name_that_is_too_long_for_a_file_is_no_run() -> None:
    assert not parse("a" * 300).is_run


def test_a_path_from_somebody_s_home_is_inside_of_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens it may take the tilde for a home, wherever the process stands."""
    monkeypatch.chdir(tmp_path)
    assert inside("x", str(tmp_path))
    assert not inside("~/x", str(tmp_path))
    assert not inside("~", str(tmp_path))


def test_every_text_of_an_option_that_takes_several_is_looked_at() -> None:
    found = list(needs(registry.load, "trainer", parse('poker_cnn_betting:league=random+random+"program:command=x"')))
    assert "starts_programs" in [need.power for need in found]
