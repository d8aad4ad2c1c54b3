"""Text from strangers, in every file that is read and every place that prints: it is seen, and does nothing else."""

from __future__ import annotations

import csv
import io
import json
import sys
import tempfile
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest
from attrs import evolve
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cardai
from cardai.arena import match
from cardai.arena.match import MatchResult
from cardai.cli import main
from cardai.commands import completion, invocation
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.core.files import Output, standard_output
from cardai.core.text import one_line
from cardai.formats import read_log
from cardai.formats.acpc.logs import Log, Problem
from cardai.formats.phh import log_to_phh, phh_text
from cardai.formats.slumbot import lines_of
from cardai.solve.policy_file import InformationSet, write_policy
from tests.formats.acpc_table import LIMIT, Player, table
from tests.support import fake_distribution

PIECES = [
    *("\x1b[2J", "\x1b]0;title\x07", "\x1b[31m", "\x9b31m", "\x7f", "\b\b", "\r", "\n", "\t", "\x00", "\x85", "\x1c"),
    *("\u202e", "\u2066", "\u200e", "\u061c", "\u200b", "\u200d", "\ufeff", "\U000e0041", "\u2028", "\ud800"),
    *("[bold]", "[/]", "[link=http://x]", "[@click=app.quit]", ":smile:", "<b>", "$x$", "=1+1", ":", "|", "#", "'''"),
    *("Zoë", "日本", "♠", "👩\u200d💻", " ", "a"),
]
NAMES = st.lists(st.sampled_from(PIECES) | st.characters(), min_size=1, max_size=4).map(
    lambda n: "E" + "".join(n) + "E"
)
EVERYTHING = "E" + "".join(p for p in PIECES) + "E"
few = settings(
    max_examples=settings.default.max_examples // 6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MARKUP = ("[bold]", "[link=http://x]", "[@click=app.quit]", ":smile:")


def strange(name: str, printed: str) -> list[str]:
    """Return what of ``printed``, which shows ``name``, is hidden, and what of the name's markup is not to be seen."""
    hidden = [
        ascii(c)
        for at, c in enumerate(printed)
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and c not in "\n\t"
        and printed[at : at + 2] != "\r\n"
        and not (c in "\u200c\u200d" and not printed[at - 1].isascii() and not printed[at + 1 : at + 2].isascii())
    ]
    together = "".join(printed.replace("│", "").split())
    return hidden + [markup for markup in MARKUP if markup in name and markup not in together]


def call(*arguments: object, stdin: str = "") -> tuple[str, str]:
    """Call the command line and return what it printed on both streams."""
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit):
            main([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
    return out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def played() -> MatchResult:
    return cardai.play("kuhn", ["random", "random"], games=2, seed=1)


@pytest.fixture(scope="module")
def kuhn_lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the lines of a record of two hands."""
    file = tmp_path_factory.mktemp("played") / "hands.jsonl"
    match.play("kuhn", ["random", "random"], games=2, seed=1, record=str(file))
    return file.read_text().splitlines()


def record_of(name: str, lines: list[str]) -> str:
    """Return a record whose first player has a name."""
    header = json.loads(lines[0])
    return "\n".join([json.dumps({**header, "agents": [name, "other"]}), *lines[1:]]) + "\n"


@few
@example(EVERYTHING)
@given(NAMES)
def test_names_in_a_record(kuhn_lines: list[str], name: str) -> None:
    text = record_of(name, kuhn_lines)
    for arguments in ([], ["--plain", "--reveal"], ["--json"]):
        out, err = call("replay", "-", *arguments, stdin=text)
        assert strange("" if "--json" in arguments else name, out + err) == []
        assert "other" in out
    first = call("replay", "-", stdin=text)[0].partition(" against other")[0]
    assert "".join(first.split()) == "".join(f"Hand 1 of 2: {one_line(name)} (seat 0)".split())


def test_a_name_of_several_lines_is_one_in_a_message(kuhn_lines: list[str], tmp_path: Path) -> None:
    (file := tmp_path / "hands.jsonl").write_text(record_of("E\ncardai: all is well", kuhn_lines))
    aivat = ["evaluate", "aivat", "--record", file, "--agent", "random", "--player", "nobody", "--values", "played"]
    for arguments in (["review", file], ["review", file, "--hero", "nobody"], aivat):
        out, err = call(*arguments)
        assert (out, len(err.splitlines())) == ("", 1), err
        assert "E\\ncardai: all is well" in err


@few
@example(EVERYTHING)
@given(NAMES)
def test_names_in_tables_of_results(played: MatchResult, name: str) -> None:
    named = evolve(played, agents=(name, name))
    for shown in (str(named), named._repr_html_()):
        assert strange(name, shown) == []
    assert "<b>" not in named._repr_html_()
    standings = cardai.tournament("leduc", ["random", "always_call"], games=2, seed=1)
    for shown in (str(evolve(standings, agents=(name, "b"))), evolve(standings, agents=(name, "b"))._repr_html_()):
        assert strange(name, shown) == []


LOG = "STATE:0:cr13024c/r16916f:5d5c|9hQd/8dAs8s:13024|-13024:{}|Bob\n"
SLUMBOT = "0:cb200c/kk/kk/kk:5d5c|9hQd/8dAs8s/4h/6d:200:-200:{}|Bob\n"
PHH = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 5d5c', 'd dh p2 9hQd', 'p2 cbr 300', 'p1 f']
players = [{}, 'Bob']
"""


def in_file(template: str, name: str) -> str:
    """Return a file that holds a name, as its format writes it."""
    said = name.encode(errors="replace").decode()
    return template.format("".join(['"', *(f"\\U{ord(c):08x}" for c in said), '"']) if template is PHH else said)


def hand_names(text: str) -> list[tuple[str, ...]]:
    return [hand.names for hand in read_log(io.StringIO(text, newline="\n")).hands]


def log_of(text: str) -> Log:
    """Return the hands of a file; of one that a name has broken, none but the problem."""
    try:
        return read_log(io.StringIO(text, newline="\n"))
    except CardaiError as error:
        return Log(problems=[Problem(0, str(error))])


@settings(few, max_examples=settings.default.max_examples // 3)
@example("E # 12")
@example(EVERYTHING)
@given(NAMES)
@pytest.mark.parametrize("template", [LOG, SLUMBOT, PHH], ids=["acpc", "slumbot", "phh"])
def test_names_in_others_files_are_kept_or_refused_and_never_break_a_line(template: str, name: str) -> None:
    text = in_file(template, name)
    log = log_of(text)
    assert all(strange("", str(CardaiError(str(problem)))) == [] for problem in log.problems)
    if not log.hands:
        assert log.problems
        return
    (hand,) = log.hands
    assert hand_names("".join(log.lines())) == [hand.names]
    assert hand_names("".join(lines_of(log))) == [hand.names]
    histories = log_to_phh(log)
    assert (hand_names(phh_text(histories)) == [hand.names]) if histories else log.problems


def test_names_in_others_files_are_shown_when_their_hands_are(tmp_path: Path) -> None:
    name = EVERYTHING.translate({ord(c): None for c in "\r\n:|#\ud800"})
    for template, ending in ((LOG, "log"), (SLUMBOT, "slumbot"), (PHH, "phh")):
        file = tmp_path / f"hands.{ending}"
        file.write_text(in_file(template, name), encoding="utf-8", newline="")
        out, err = call("replay", file)
        assert strange("[bold]", out) == []
        assert strange("", err) == []
        assert "Bob (seat " in out


@few
@example(EVERYTHING)
@given(NAMES)
def test_what_packages_say_of_themselves(tmp_path: Path, name: str) -> None:
    site = Path(tempfile.mkdtemp(dir=tmp_path))
    said = "".join(name.split()).encode(errors="replace").decode()
    text = f'"""[bold]{said.replace(chr(92), "").replace(chr(0), "")}, a bot."""\n'
    fake_distribution(
        site, "strange", "[cardai.agents]\nbot = odd_bot\n[cardai.commands]\nodd = odd_bot\n", {"odd_bot": text}
    )
    points = f"[cardai.agents]\n{said} = odd_bot\n".replace("\0", "")
    (site / "odd-1.0.dist-info").mkdir(exist_ok=True)
    (site / "odd-1.0.dist-info" / "entry_points.txt").write_text(points, encoding="utf-8")
    about = f"Metadata-Version: 2.1\nName: odd{said}\nVersion: {said}\n".replace("\0", "")
    (site / "odd-1.0.dist-info" / "METADATA").write_text(about, encoding="utf-8")
    sys.path.insert(0, str(site))
    registry.default.reset()
    try:
        for arguments in (["list-plugins", "--kind", "agent"], ["list-plugins", "--json"], ["describe", "agent", name]):
            out, err = call(*arguments)
            assert strange("", out + err) == []
        assert strange("", "".join(call("--help"))) == []
        assert strange("".join(name.split()), call("list-plugins", "--kind", "agent")[0]) == []
        assert strange("[bold]", call("--help")[0]) == []
        offered = completion.names("agent", "")
        assert [pair for pair in offered if strange("", "".join(pair)) or "\n" in "".join(pair)] == []
        assert "bot" in dict(offered)
    finally:
        sys.path.remove(str(site))
        registry.default.reset()


@few
@example(EVERYTHING)
@given(NAMES)
def test_names_in_runs_and_specs(tmp_path: Path, name: str) -> None:
    run = tmp_path / "run"
    run.mkdir(exist_ok=True)
    plain = {"format": 1, "trainer": name, "game": name, "encoder": name, "seed": 1, "steps": 1, "id": name}
    (run / "run.json").write_text(json.dumps({**plain, "versions": {name: name}, "command": [name], "nonce": name}))
    commands: list[list[object]] = [
        ["describe", "agent", f"{run}/"],
        ["export", f"{run}/"],
        ["plot", f"{run}/", "--metric", name, "--out", tmp_path / "x.png"],
        ["train", "--resume", run],
        ["run", "-g", name, "-a", "random", "--vs", name],
        ["run", "-g", "kuhn", "-a", f"{run}/", "--vs", "random", "--record", tmp_path],
        [name],
        ["run", f"--{name}"],
    ]
    for arguments in commands:
        out, err = call(*arguments)
        assert strange("", out + err) == [], arguments


@few
@example("=cmd|' /C calc'!A0")
@example(EVERYTHING)
@given(NAMES)
def test_cells_of_a_csv_file(tmp_path: Path, name: str) -> None:
    rows = [InformationSet(0, {name: name, "hole": "-", "pot": "-3.5"}, name, {f"{name}!": 0.25, "fold": -3.5})]
    write_policy(tmp_path / "policy.csv", rows, "csv")
    with (tmp_path / "policy.csv").open(encoding="utf-8", newline="") as file:
        header, row = csv.reader(file)
    assert strange("", "".join([*header, *row]).replace("\r\n", "")) == []
    assert [c for c in (*header, *row) if c.startswith(("=", "+", "@", "\t", "\r"))] == []
    assert [*row[2:4], *row[-2:]] == ["-", "-3.5", "0.25", "-3.5"]


def test_a_terminal_gets_a_file_as_text_and_a_pipe_gets_what_it_holds(tmp_path: Path) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return self.looked_at

    for looked_at in (True, False):
        held = io.BytesIO()
        stream = Terminal(held, encoding="utf-8", write_through=True)
        stream.looked_at = looked_at  # type: ignore[attr-defined]
        with standard_output(stream), Output("-") as file:
            file.write("\x1b[2JZoë".encode()[:-1])
            file.write("ë".encode()[-1:])
        stream.flush()
        assert held.getvalue().decode() == (r"\x1b[2JZoë" if looked_at else "\x1b[2JZoë")


def test_lines_of_a_result_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    invocation.begin()
    invocation.say("\x1b[2Ja\nb")
    invocation.note("\u202e")
    assert capsys.readouterr() == ("\\x1b[2Ja\nb\n", "\\u202e\n")


def test_a_player_on_the_wire_writes_nothing_to_the_dealers_terminal(tmp_path: Path) -> None:
    with table(tmp_path, LIMIT, 1, quiet=False) as dealer:
        players = [Player(port) for port in dealer.ports]
        for player in players:
            player.say(b"# \x1b[2J\x9b31m\r\nMATCHSTATE:\x1b]0;x\x07\r\n" * 3)
        for player in players:
            player.close()
        dealer.wait()
    assert r"\x1b[2J\x9b31m" in dealer.notes
    assert strange("", (dealer.notes + dealer.out).replace("\r\n", "\n")) == []


@few
@example(EVERYTHING)
@example("$\\frac$ $x_1$")
@given(NAMES)
def test_names_in_pictures_are_no_formulas(tmp_path: Path, name: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from cardai.commands.show.pictures import save

    figure, axes = pyplot.subplots()
    axes.plot([1, 10], [1, 1000], label=f"E{name}")
    axes.set(title=name, xlabel=name)
    axes.set_yscale("log")
    axes.legend()
    # The font has not all letters. Filters of warnings are all threads', and one that an earlier test left can undo ours.
    with patch("warnings.warn"):
        save(figure, tmp_path / "picture.svg")
    assert strange("", axes.get_title() + axes.get_xlabel()) == []
    assert any("mathdefault" in tick.get_text() for tick in axes.get_yticklabels())
    pyplot.close(figure)
