"""Every mistake gets one message on stderr, in one style, and the right exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cardai.cli import behind_command
from tests.commands.conftest import Call
from tests.support import interrupted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "There is no command named 'rnu'. Did you mean 'run'?"),
        (["run", "--gmae", "kuhn"], "cardai run has no option --gmae. Did you mean '--game'? See 'cardai run --help'."),
        (["run", "--game", "kuhn"], "cardai run needs --agent. See 'cardai run --help'."),
        (["describe", "game"], "cardai describe needs NAME."),
        (["describe", "gmae", "kuhn"], "There is no kind of plugin named 'gmae'. Did you mean 'game'?"),
        (["describe", "game", "khun"], "There is no game named 'khun'. Did you mean 'kuhn'? Known:"),
        (["describe", "agent", "kuhn"], "(kuhn is the name of a game.)"),
        (["describe", "game", "kuhn:ante=2"], "The game 'kuhn' has no option 'ante'."),
        (["run", "-g", "kuhn", "-a", "human", "-n", "many"], "--games of cardai run must be a whole number."),
        (["run", "-g", "kuhn", "-a", "human", "-n", "many"], "Got 'many'. See 'cardai run --help'."),
        (["run", "-g"], "Option '-g' requires an argument. See 'cardai run --help'."),
        (["replay"], "cardai replay needs FILE."),
        (["acpc"], "cardai acpc needs one of its commands: dealer, play, match. See 'cardai acpc --help'."),
        (["evaluate", "vale"], "Got 'vale'. Did you mean 'value'?"),
        (["run", "-g", "kuhn", "-a", "human", "-n", "0"], "--games of cardai run must be at least 1. Got '0'."),
        (
            ["evaluate", "best-response", "--game", "kuhn", "--agent", "random", "--from", "river", "--boards", "0"],
            "--boards of cardai evaluate best-response must be at least 1 and at most 1,000,000. Got '0'.",
        ),
        (["run", "-g", "kuhn", "-a", "human"], "kuhn has 2 seats: give --vs once. Got none."),
        (["run", "-g", "kuhn:", "-a", "human"], "The spec 'kuhn:' has no key=value at ''."),
        (["replay", "nowhere.jsonl"], "There is no file 'nowhere.jsonl'."),
        (["list-plugins", "--plugin", "nowhere.py"], "There is no plugin file 'nowhere.py'."),
        (["list-plugins", "--watch", "nobody"], "There is no watcher named 'nobody'."),
        (["tournament", "-g", "kuhn", "-a", "random"], "A tournament needs at least two agents"),
        (["tournament", "-g", "kuhn", "-a", "random", "-a", "human"], "A tournament is for programs."),
        (["tournament", "-g", "kuhn", "-a", "random", "--resume"], "name its directory with --out DIR."),
        (
            ["run", "-g", "gin:target=abc", "-a", "human"],
            "The option 'target' of the game 'gin' must be a whole number.",
        ),
        (["run", "-g", "gin:target=0", "-a", "human"], "'target' must be >= 1: 0"),
        (["run", "-g", "gin:target=9999999", "-a", "human"], "'target' must be <= 100000"),
        (["run", "-g", f"gin:target={10**20}", "-a", "human"], "must be a whole number of less than 64 bits."),
        (
            ["run", "-g", "kuhn", "-a", "random", "--vs", "random", "-n", "1000000000000"],
            "At most 1,000,000,000 games are played at once",
        ),
        (
            ["tournament", "-g", "leduc", "-a", "random", "-a", "random_refold", "-n", "1000000000000"],
            "At most 1,000,000,000 games are played at once",
        ),
        (["run", "-g", "leduc", "-a", "simple", "--vs", "random"], "gin_rules plays gin rummy"),
        (
            ["run", "-g", "kuhn", "-a", "./bot.py", "--vs", "random"],
            "Load it with --plugin ./bot.py and name its agent: bot.",
        ),
        (
            ["run", "-g", "kuhn", "-a", "random", "--vs", "random", "--record", "/no/x"],
            "The record file '/no/x' cannot be",
        ),
        (
            ["run", "-g", "kuhn", "-a", "random", "--vs", "random", "--record", "/"],
            "The record file '/' is a directory.",
        ),
    ],
)
def test_a_wrong_call_gets_one_message_and_ends_with_2(cardai: Call, arguments: list[str], message: str) -> None:
    called = cardai(*arguments)
    assert called.code == 2
    assert called.out == ""
    assert called.err.startswith("cardai: ")
    assert called.err.count("\n") == 1
    assert message in called.err


def test_a_broken_plugin_file_is_named_with_its_cause_and_ends_with_1(cardai: Call, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import nothing_of_this_name\n")
    called = cardai("list-plugins", "--plugin", str(file))
    assert called.code == 1
    assert f"The plugin file '{file}' cannot be loaded. Cause: ModuleNotFoundError" in called.err
    assert "Traceback" not in called.err


@pytest.mark.parametrize(
    ("agent", "complaint"), [("raises", "raised ValueError: no idea"), ("cheats", "illegal action 77")]
)
def test_an_agent_that_errs_is_named_with_game_seed_and_hand(
    cardai: Call, bots: str, agent: str, complaint: str
) -> None:
    called = cardai("run", "-g", "kuhn", "-a", agent, "--vs", "lowest", "--plugin", bots, "--seed", "5", "-n", "4")
    assert called.code == 1
    assert f"The agent {agent!r}" in called.err
    assert complaint in called.err
    assert "kuhn, seed 5, game number 0, hand 0" in called.err
    assert "Traceback" not in called.err


def test_debug_shows_the_traceback_before_the_message(cardai: Call, bots: str) -> None:
    call = ("run", "-g", "kuhn", "-a", "raises", "--vs", "lowest", "--plugin", bots, "-n", "4")
    for arguments in (("--debug", *call), (*call, "--debug")):
        called = cardai(*arguments)
        assert called.err.startswith("Traceback")
        assert called.err.splitlines()[-1].startswith("cardai: The agent 'raises'")


def test_a_mistake_in_the_program_is_called_that(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.commands.list_plugins.entries", None)
    called = cardai("list-plugins")
    assert called.code == 1
    assert called.err == (
        "cardai: This is a mistake in the program: TypeError: 'NoneType' object is not callable. "
        "Add --debug to see where.\n"
    )


@pytest.mark.parametrize(("more", "said"), [((), "cardai: interrupted\n"), (("--quiet",), "")])
def test_ctrl_c_ends_with_130_and_no_traceback(more: tuple[str, ...], said: str, tmp_path: Path) -> None:
    file, begun = tmp_path / "slow.py", tmp_path / "begun"
    file.write_text(f"import time\nfrom pathlib import Path\n\nPath({str(begun)!r}).touch()\ntime.sleep(300)\n")
    called = interrupted("-m", "cardai", "list-plugins", *more, "--plugin", file, when=begun)
    assert called.returncode == 130
    assert called.stdout == ""
    assert called.stderr == said


@pytest.mark.long
def test_a_closed_pipe_ends_without_a_traceback() -> None:
    program = "import sys; from cardai.cli import main; main(['describe', 'game', 'kuhn', '--json'])"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    with child.stderr as err:
        assert err.read() == b""
    assert child.wait() == 128 + signal.SIGPIPE


def test_options_of_single_commands_may_stand_before_the_command() -> None:
    assert behind_command(["--seed", "3", "--plugin", "x.py", "--json", "run", "-g", "kuhn"]) == [
        *("--plugin", "x.py", "run", "--seed", "3", "--json", "-g", "kuhn")
    ]
    assert behind_command(["--seed=3", "run"]) == ["run", "--seed=3"]
    assert behind_command(["--help"]) == ["--help"]
    assert behind_command([]) == []
