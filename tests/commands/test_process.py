"""The process around a call: real signals, closed streams, and plugins that print, exit, raise or move away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from cardai.core.locks import DirectoryLock
from tests.commands.conftest import Call
from tests.support import INTERPRETED, ROOT, alive, python, sizes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these are POSIX signals and streams")

CARDAI = [sys.executable, "-m", "cardai"]
KUHN = ["run", "--game", "kuhn", "--vs", "lowest"]

PLAYERS = '''
"""Players that do what no player should."""

import os
import sys
import time
from pathlib import Path

from cardai import hookimpl
from cardai.core.agent import Agent, ScalarAgent


class Lowest(ScalarAgent):
    def choose(self, view, legal, rng):
        return legal[0]


class Prints(Lowest):
    def choose(self, view, legal, rng):
        print("I think", view)
        return legal[0]


class Moves(Lowest):
    def choose(self, view, legal, rng):
        os.chdir("/")
        return legal[0]


class Exits(Lowest):
    def choose(self, view, legal, rng):
        sys.exit(0)


class Asks(Lowest):
    def choose(self, view, legal, rng):
        return view["crad"]


class AsksArrays(Agent):
    def act(self, views, legal, rng):
        return views["crad"]


class Loops(Lowest):
    def choose(self, view, legal, rng):
        raise GeneratorExit


class ExitsLater(Lowest):
    stateful = True

    def hand_finished(self, view, returns):
        sys.exit("enough")


class Works(Lowest):
    """Leaves its process number and works for ever, but for the first hand of all, which compiles."""

    def choose(self, view, legal, rng):
        folder = Path(os.environ["PIDS"])
        if (folder / "first").exists():
            (folder / f"pid-{os.getpid()}").touch()
            time.sleep(300)
        if view["history"]:
            (folder / "first").touch()
        return legal[0]


@hookimpl
def cardai_agent():
    return {
        "lowest": Lowest,
        "prints": Prints,
        "moves": Moves,
        "exits": Exits,
        "asks": Asks,
        "asks_arrays": AsksArrays,
        "loops": Loops,
        "exits_later": ExitsLater,
        "works": Works,
    }


print("imported")
os.chdir("/")
'''


@pytest.fixture
def players(tmp_path: Path) -> str:
    """Return a one-file plugin that also prints and changes the working directory when it is imported."""
    file = tmp_path / "players.py"
    file.write_text(PLAYERS)
    return str(file)


def called(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own, in the directory ``cwd``."""
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT), "COLUMNS": "120", **environment}
    return subprocess.run([*CARDAI, *arguments], env=env, capture_output=True, text=True, timeout=120, cwd=cwd)


def shell(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which $CARDAI is the command."""
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT), "CARDAI": f"{sys.executable} -m cardai"}
    return subprocess.run(["sh", "-c", words], env=env, capture_output=True, text=True, timeout=120, cwd=cwd)


# -- signals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["typer", "numba"])
def test_ctrl_c_while_modules_are_imported_shows_no_traceback(module: str, tmp_path: Path, players: str) -> None:
    """typer is imported by the command line itself, numba by the first command that plays."""
    (tmp_path / f"{module}.py").write_text("import os, time\nos.write(2, b'importing\\n')\ntime.sleep(300)\n")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    child = subprocess.Popen(
        [*CARDAI, *KUHN, "--agent", "lowest", "--plugin", players], env=env, stderr=subprocess.PIPE, text=True
    )
    assert child.stderr is not None
    with child.stderr as err:
        while (line := err.readline()) != "importing\n":
            assert line == "imported\n"
        child.send_signal(signal.SIGINT)
        assert err.read() == "cardai: interrupted\n"
    assert child.wait(30) == 130


GUARD = """
import sys
before = set(sys.modules)
import _signal

def noted(number, handler):
    print(number == _signal.SIGINT, sorted(set(sys.modules) - before - {"_signal"}))
    raise SystemExit

_signal.signal = noted
import cardai.__main__
cardai.__main__.main()
"""


def test_nothing_is_imported_before_it_is_said_what_ctrl_c_does() -> None:
    """Until then Python shows a traceback: all that is imported by then costs less than its own start."""
    done = python("-c", GUARD)
    assert done.stdout.split("\n")[0] == "True ['cardai', 'cardai.__main__']", done.stderr


DROPPED = """
import time
from cardai.commands import process

class Dropping:
    def __del__(self):
        print("pressed", flush=True)
        process._interrupt(2, None)

try:
    with process.signals():
        Dropping()
        print("goes on", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_a_ctrl_c_that_python_drops_in_a_destructor_or_a_librarys_callback_comes_again(tmp_path: Path) -> None:
    began = time.monotonic()
    done = python("-c", DROPPED)
    assert done.stdout.split("\n")[:3] == ["pressed", "goes on", "stopped"], done.stderr
    assert time.monotonic() - began < 30
    assert done.stderr == ""


@pytest.mark.long
@pytest.mark.parametrize("words", [["list-plugins"], [*KUHN[:-1], "random", "-a", "random", "-n", "4"]])
def test_ctrl_c_at_any_moment_of_a_start_shows_no_traceback(words: list[str]) -> None:
    """Python's own start shows one, for a few hundredths of a second.

    Where Ctrl-C came while a library ran a text (exec), or after our end, Python dies of the signal: shells say 130, too.
    """
    seen = set()
    for moment in range(20):
        child = subprocess.Popen([*CARDAI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.1 + 0.9 * moment / 20)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        assert "Traceback" not in err, (moment, err)
        assert child.returncode in (0, 130, -signal.SIGINT), (moment, err)
        seen.add(child.returncode)
    assert 130 in seen


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_program_that_is_asked_to_end_says_by_what(number: int) -> None:
    code = (
        "import signal, sys\nfrom cardai.commands import process\n"
        f"try:\n    with process.signals():\n        signal.raise_signal({number})\n        signal.pause()\n"
        "except KeyboardInterrupt:\n    sys.exit(process.ended_by())\n"
    )
    assert python("-c", code).returncode == 128 + number


def test_what_is_started_with_nohup_does_not_heed_the_end_of_its_terminal() -> None:
    code = (
        "import signal\nfrom cardai.commands import process\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with process.signals():\n    signal.raise_signal(signal.SIGHUP)\n    print('goes on', process.ended_by())\n"
    )
    assert python("-c", code).stdout == "goes on 0\n"


def test_ctrl_c_inside_an_exec_ends_with_its_code_too(tmp_path: Path) -> None:
    """As where it is pressed while a library makes its classes."""
    (tmp_path / "pressed.py").write_text('exec("raise KeyboardInterrupt")')
    ended = called("list-plugins", "--plugin", "pressed.py", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (130, "cardai: interrupted\n")


@pytest.mark.parametrize("number", sizes(signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
def test_a_signal_to_a_run_with_jobs_leaves_no_workers(number: int, tmp_path: Path, players: str) -> None:
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT), "PIDS": str(tmp_path)}
    command = [*CARDAI, *KUHN, "--agent", "works", "--plugin", players, "--jobs", "2", "-n", "400"]
    child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 100
    while len(list(tmp_path.glob("pid-*"))) < 2 and child.poll() is None and time.monotonic() < limit:
        time.sleep(0.05)
    workers = [int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")]
    child.send_signal(number)  # first: a test that fails waits for nobody
    out, err = child.communicate(timeout=60)
    assert len(workers) == 2, (out, err)
    assert child.returncode == 128 + number
    assert "Stopped after 2 of 400 games." in out
    assert "Traceback" not in err
    ends = {signal.SIGTERM: "terminated", signal.SIGINT: "interrupted", signal.SIGHUP: "the terminal was closed"}
    assert err.endswith(f"cardai: {ends[signal.Signals(number)]}\n")
    while any(alive(pid) for pid in workers) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not [pid for pid in workers if alive(pid)]


def test_sigterm_saves_a_training_as_ctrl_c_does(tmp_path: Path) -> None:
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT)}
    command = [*CARDAI, "train", "--trainer", "cfr_plus", "-g", "leduc", "--out", "run", "--steps", "1000000"]
    child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    limit = time.monotonic() + 100
    metrics = tmp_path / "run" / "metrics.jsonl"
    while not (metrics.exists() and metrics.stat().st_size) and child.poll() is None and time.monotonic() < limit:
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 143, err
    assert "Stopped and saved at step" in out
    assert "cardai train --resume run" in out
    assert err.endswith("cardai: terminated\n")
    assert len(list((tmp_path / "run" / "checkpoints").glob("step-*"))) == 1


@pytest.mark.long
def test_a_closed_terminal_saves_a_training_too(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="terminals are tested where there are POSIX ones")
    master, slave = pty.openpty()
    command = [*CARDAI, "train", "--trainer", "cfr_plus", "-g", "leduc", "--out", "run", "--steps", "1000000"]
    child = subprocess.Popen(
        ["setsid", "--ctty", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=tmp_path,
    )
    os.close(slave)
    limit, metrics = time.monotonic() + 100, tmp_path / "run" / "metrics.jsonl"
    while not (metrics.exists() and metrics.stat().st_size) and child.poll() is None and time.monotonic() < limit:
        os.set_blocking(master, False)
        try:
            os.read(master, 65536)
        except BlockingIOError:
            time.sleep(0.02)
    os.close(master)
    assert child.wait(60) == 129
    assert len(list((tmp_path / "run" / "checkpoints").glob("step-*"))) == 1


GENTLY = """
import os, signal
from cardai.commands.process import ended_by, signals, stopping_gently
with signals(), stopping_gently() as came:
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGHUP)  # a terminal's shell says it again
    print(came, ended_by())
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt:
        print("at once")
signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
with signals():
    os.kill(os.getpid(), signal.SIGHUP)
    print(ended_by())
"""


def test_a_terminal_that_says_twice_that_it_is_closed_is_obeyed_once_and_under_nohup_never() -> None:
    done = python("-c", GENTLY)
    assert (done.stdout, done.stderr) == ("[1] 129\nat once\n0\n", "")


def test_a_terminal_without_suits_shows_them_as_letters() -> None:
    code = (
        "from cardai.commands.process import open_streams; open_streams(); print('K\\u2660 5 \\xb1 2 \\u2192 \\u20ac')"
    )
    done = python("-c", code, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="")
    assert done.stdout == "Ks 5 +- 2 -> ?\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tournament -g leduc -a random -a always_raise --out {}", "The tournament in {} is being played by"),
        ("sweep --trainer cfr -g kuhn --steps 5 --out {}", "The sweep {} is being trained by"),
        ("train --trainer cfr -g kuhn --steps 5 --out {}", "The run {} is being trained by"),
        ("solve --board KsTh7s4d2c --pot 20 --stack 40 --iterations 5 --out {}", "The spot in {} is being solved by"),
        ("report {} --board KsTh7s --pot 20 --stack 40 --bets allin", "The library {} is being added to by"),
        ("situations {} --count 1", "The situations of {} are being solved by"),
    ],
)
def test_a_directory_is_written_by_one_process(cardai: Call, tmp_path: Path, words: str, said: str) -> None:
    folder = str(tmp_path / "x")
    with DirectoryLock(Path(folder)):
        ended = cardai(*words.format(folder).split())
    assert ended.code == 2
    assert ended.err.startswith(
        f"cardai: {said.format(folder)} another process ({os.getpid()}). Wait for it, or stop it"
    )
    assert not Path(folder).exists()


# -- streams -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "out", "err"),
    [
        ("$CARDAI describe game kuhn --json >&-", 141, "", ""),
        ("$CARDAI --help >&-", 141, "", ""),
        pytest.param("$CARDAI list-plugins >&-", 141, "", "", marks=pytest.mark.long),
        ("$CARDAI --version 2>&-", 0, "cardai 0.1.0\n", ""),
        ("$CARDAI rnu 2>&-", 2, "", ""),
        ("$CARDAI --version <&- 2>&- >&-", 141, "", ""),
        ("($CARDAI --help; echo $? >&2) | true", 0, "", "141\n"),
        pytest.param("($CARDAI list-plugins; echo $? >&2) | true", 0, "", "141\n", marks=pytest.mark.long),
        ("{ $CARDAI rnu 2>&1 >&3; echo $? >&4; } 3>&1 4>&2 | true", 0, "", "2\n"),
        ("$CARDAI --version > /dev/full", 1, "", "cardai: No space left on device.\n"),
        ("$CARDAI --help > /dev/full", 1, "", "cardai: No space left on device.\n"),
        ("$CARDAI describe game kuhn --json 2>&- > /dev/full", 1, "", ""),
    ],
)
def test_closed_and_broken_streams_end_quietly_with_their_code(
    line: str, code: int, out: str, err: str, tmp_path: Path
) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("no full device here")
    ended = shell(line, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, out, err)


def test_no_file_of_ours_takes_the_place_of_a_closed_stdout(tmp_path: Path, players: str) -> None:
    ended = shell(f"$CARDAI {' '.join(KUHN)} -a prints --plugin {players} -n 20 --record r.jsonl >&- 2>&-", tmp_path)
    assert ended.returncode == 141
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 21


@pytest.mark.long
@pytest.mark.parametrize("jobs", sizes("2", "1"))
def test_what_plugins_print_does_not_stand_among_the_results(jobs: str, tmp_path: Path, players: str) -> None:
    ended = called(*KUHN, "-a", "prints", "--plugin", players, "-n", "20", "--jobs", jobs, "--json", cwd=tmp_path)
    assert json.loads(ended.stdout)["games"] == 20
    assert ended.stderr.startswith("imported\nI think {")


def test_a_plugin_that_changes_the_directory_loses_no_record(tmp_path: Path, players: str) -> None:
    ended = called(*KUHN, "-a", "moves", "--plugin", "players.py", "-n", "20", "--record", "r.jsonl", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 21


@pytest.mark.long
def test_a_plugin_that_changes_the_directory_loses_no_tournament(tmp_path: Path, players: str) -> None:
    pairs = ["tournament", "-g", "kuhn", "-a", "lowest", "-a", "moves", "-n", "20", "--out", "t"]
    ended = called(*pairs, "--plugin", "players.py", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "t" / "crosstable.json").is_file()


# -- plugins that fail -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("exits", "called sys.exit(0)"),
        ("loops", "raised GeneratorExit"),
        ("exits_later", "called sys.exit(enough)"),
        ("asks", "raised KeyError: 'crad'"),
        ("asks_arrays", "raised ValueError: no field of name crad"),
    ],
)
@pytest.mark.parametrize("jobs", sizes("1", "2"))
def test_whatever_an_agent_raises_is_its_failure(
    agent: str, said: str, jobs: str, cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = cardai(*KUHN, "-a", agent, "--plugin", players, "-n", "40", "--seed", "3", "--jobs", jobs)
    assert ended.code == 1
    assert ended.out == ""
    (line,) = [line for line in ended.err.splitlines() if line.startswith("cardai: ")]
    number = next(n for n, text in enumerate(PLAYERS.splitlines(), 1) if _raising(agent) in text)
    assert line.startswith(f"cardai: The agent {agent!r} {said} (players.py, line {number})")
    assert "(game kuhn, seed 3, game number 0, hand 0)." in line
    fields = "There is no field 'crad'. Did you mean 'card'? The fields: player, card, history"
    assert (fields in line) == agent.startswith("asks")


def test_what_an_agent_raises_in_another_process_is_its_failure(
    cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: str
) -> None:
    test_whatever_an_agent_raises_is_its_failure(
        "asks_arrays", "raised ValueError: no field of name crad", "2", cardai, tmp_path, monkeypatch, players
    )


def _raising(agent: str) -> str:
    return {
        "exits": "sys.exit(0)",
        "loops": "raise GeneratorExit",
        "exits_later": 'sys.exit("enough")',
        "asks": 'view["crad"]',
        "asks_arrays": 'views["crad"]',
    }[agent]


GAME = """
import sys
from attrs import frozen
from cardai import hookimpl
from cardai.plugins.games.kuhn import Kuhn, KuhnState

class State(KuhnState):
    def apply_action(self, action):
        if self.bets:
            sys.exit(0)
        super().apply_action(action)

@frozen
class Broken(Kuhn):
    def new_initial_state(self, setup=None):
        return State()

@hookimpl
def cardai_game():
    return Broken
"""
ENCODER = """
from cardai import hookimpl
from cardai.core.encoder import Encoder

class Broken(Encoder):
    def for_game(self, game):
        raise SystemExit

@hookimpl
def cardai_encoder():
    return Broken
"""
TRAINER = """
from attrs import frozen
from cardai import hookimpl
from tests.toy_trainer import ToyTrainer

@frozen
class Broken(ToyTrainer):
    def start(self, game, encoder, seed):
        exit(0)

@hookimpl
def cardai_trainer():
    return Broken
"""


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (GAME, ["run", "-g", "broken", "-a", "random", "--vs", "random"], "The game 'broken' called sys.exit(0)"),
        (
            ENCODER,
            ["describe", "encoder", "broken", "--game", "kuhn"],
            "The plugin file 'broken.py' called sys.exit()",
        ),
        (
            TRAINER,
            ["train", "--trainer", "broken", "-g", "kuhn", "--out", "t", "--steps", "3"],
            "The plugin file 'broken.py' called sys.exit(0)",
        ),
        ("import sys\nsys.exit(0)\n", ["list-plugins"], "'broken.py' cannot be loaded. Cause: called sys.exit(0)"),
        ("raise GeneratorExit\n", ["list-plugins"], "'broken.py' cannot be loaded. Cause: GeneratorExit"),
        (
            "from cardai import hookimpl\n\n\n@hookimpl\ndef cardai_agent():\n    raise SystemExit(0)\n",
            ["list-plugins"],
            "cardai_agent of the plugin file 'broken.py' failed: called sys.exit(0)",
        ),
    ],
)
def test_a_plugin_that_exits_is_named_and_the_exit_code_is_ours(
    text: str, arguments: list[str], said: str, cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(f'"""Broken."""\n{textwrap.dedent(text)}')
    monkeypatch.chdir(tmp_path)
    ended = cardai(*arguments, "--plugin", "broken.py")
    assert ended.code == 1
    (line,) = [line for line in ended.err.splitlines() if not line.startswith("Compiling the rules")]
    assert line.startswith("cardai: ")
    assert said in line
    assert "broken.py, line " in line
