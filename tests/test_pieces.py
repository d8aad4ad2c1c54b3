"""Pieces of work: the same results wherever they are done, and done again when their worker is killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from joblib.externals import loky

import cardai
from cardai import pieces
from cardai.arena import match, tournament
from cardai.core import registry
from cardai.core.errors import PluginError, UsageError
from cardai.pieces import Work, cluster, cutting, link
from cardai.pieces.parcels import Parcel
from cardai.pieces.workers import Processes
from cardai.poker.responses.measure import measure
from cardai.poker.responses.street_samples import StreetOptions
from cardai.training.runs import Run
from cardai.training.sweeps import Sweep
from tests.pieces.functions import deadly, dying, failing, squared, waiting
from tests.support import INTERPRETED, python, sizes


@pytest.mark.parametrize("jobs", [1, 2])
def test_pieces_are_done_once_each_and_further_ones_can_be_added(jobs: int) -> None:
    work = Work(squared, 100, jobs=jobs, pieces=((str(k), (k,)) for k in range(5)))
    found = {}
    for name, result in work.run():
        assert name not in found
        found[name] = result
        if name == "0":
            work.add("more", 10)
    assert found == {**{str(k): 100 + k * k for k in range(5)}, "more": 200}


def test_no_more_pieces_are_taken_than_workers_can_do() -> None:
    taken = 0

    def coming() -> Iterator[pieces.Piece]:
        nonlocal taken
        for k in range(100):
            taken += 1
            yield str(k), (k,)

    for done, _ in enumerate(Work(squared, 0, pieces=coming()).run(), 1):
        assert taken <= done + 1


def test_a_killed_process_has_its_pieces_done_again(tmp_path: Path) -> None:
    work = Work(dying, str(tmp_path), jobs=2, pieces=[(str(k), (k,)) for k in range(4)])
    assert sorted(result for _, result in work.run()) == [0, 1, 2, 3]
    assert (tmp_path / "killed").exists()


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals' masks are POSIX's")
def test_workers_hear_nothing_of_ctrl_c_and_of_a_closed_terminal() -> None:
    """In a new process: whichever began the resource tracker before would hide that it unblocks Ctrl-C."""
    script = (
        "import signal\nfrom cardai.pieces import Work\nfrom tests.pieces.functions import ignores\n"
        "work = Work(ignores, [signal.SIGINT, signal.SIGHUP], jobs=2, pieces=[(str(k), (k,)) for k in range(4)])\n"
        "print(sorted(result for _, result in work.run()))\n"
    )
    done = python("-c", script)
    assert done.stdout.split("\n")[0] == "[True, True, True, True]", done.stderr


@pytest.mark.long
def test_a_piece_that_kills_every_worker_is_named() -> None:
    with pytest.raises(PluginError, match=r"The worker of the piece 'doom' was killed 5 times"):
        list(Work(deadly, jobs=2, pieces=[("doom", ())]).run())


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_piece_raises_is_raised_here(jobs: int) -> None:
    with pytest.raises(UsageError, match="No such thing as 1"):
        list(Work(failing, jobs=jobs, pieces=[("a", (0,)), ("b", (1,))]).run())


def test_places_that_nobody_knows_and_a_missing_library_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"ray or ray://HOST:PORT, or here if nothing is said\. Got 'mars'"):
        Work(squared, on="mars")
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    with pytest.raises(PluginError, match=r"--on ray needs ray, which is not installed\. Run: pip install .*\[ray\]'"):
        cardai.play("kuhn", ["random", "random"], games=4, on="ray")


@pytest.mark.filterwarnings("ignore")  # Ray's own
@pytest.mark.skipif(os.name == "nt", reason="Ray's test cluster is for Linux")
def test_a_match_on_a_real_ray_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker, without numba, which is sent a player in one file; at night there are several, and some are killed."""
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for name, value in INTERPRETED.items():
        monkeypatch.setenv(name, value)
    bots = tmp_path / "bots.py"
    bots.write_text(BOT, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=40)
    try:
        registry.add_file(str(bots))
        with pieces.one_connection():
            alone, far = (
                match.play("leduc", ["random", "caller"], games=60, seed=5, record=tmp_path / f"r{on}.jsonl", on=on)
                for on in ("", "ray")
            )
        assert np.array_equal(alone.hands, far.hands)
        assert (tmp_path / "r.jsonl").read_bytes() == (tmp_path / "rray.jsonl").read_bytes()
    finally:
        ray.shutdown()
        registry.default.reset()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # Ray's own
@pytest.mark.skipif(os.name == "nt", reason="Ray's test cluster is for Linux")
def test_a_match_and_a_tournament_survive_the_death_of_one_of_two_machines(
    two_machines: tuple[Any, Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real cluster of two nodes, one of which is killed in the middle: the same hands, and the same files."""
    machines, second, _ = two_machines
    bots = tmp_path / "bots.py"
    bots.write_text(BOT, encoding="utf-8")
    agents = ["random", "caller"]
    try:
        monkeypatch.setenv("RAY_ADDRESS", machines.address)
        monkeypatch.setattr(cutting, "LEAST", 64)  # so that there are pieces enough for the deaths
        registry.add_file(str(bots))
        alone = match.play("leduc", agents, games=4000, seed=5, record=tmp_path / "alone.jsonl")
        heard: list[int] = []

        def progress(done: int, total: int) -> None:
            if not heard:
                machines.remove_node(second, allow_graceful=False)
            heard.append(done)

        far = match.play(
            "leduc", agents, games=4000, seed=5, record=tmp_path / "far.jsonl", on="ray", progress=progress
        )
        assert len(heard) > 2
        assert np.array_equal(alone.hands, far.hands)
        assert (tmp_path / "alone.jsonl").read_bytes() == (tmp_path / "far.jsonl").read_bytes()

        for name, on in (("here", ""), ("there", "ray")):
            tournament.play_pairings("kuhn", ["random", "first"], games=200, out=tmp_path / name, on=on)
        one, other = (tournament.saved(tmp_path / name, ["random", "first"]) for name in ("here", "there"))
        assert one is not None
        assert other is not None
        assert np.array_equal(*(np.sort(held.pairings[0, 1].rows.read()) for held in (one, other)))

        for name, on in (("near", ""), ("far", "ray")):
            asked = {"options": {"variant": ["cfr", "dcfr"]}, "seeds": [0], "steps": 20, "minutes": None}
            list(Sweep.begin(tmp_path / name, "cfr", "kuhn", None, **asked).train(on))
        for point in Sweep.open(tmp_path / "near").points():
            near, distant = (Run.open(tmp_path / name / point.name) for name in ("near", "far"))
            assert near.steps() == distant.steps() == [20]
            here, there = (np.load(run.verify(20).path / "tables.npz") for run in (near, distant))
            assert all(np.array_equal(here[key], there[key]) for key in here.files)

        asked = {"steps": 3000, "actors": 2, "seed": 3}
        walkers = ("bucket_mccfr:flop=1,turn=1,river=1", "holdem_limit:max_raises=1+0+1+1")
        runs = [
            cardai.train(*walkers, out=tmp_path / f"run{on}", on=on, **asked).run.verify(3000) for on in ("", "ray")
        ]
        for table in ("regret.npy", "average.npy", "state.json"):
            assert (runs[0].path / table).read_bytes() == (runs[1].path / table).read_bytes()
    finally:
        registry.default.reset()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # Ray's own
@pytest.mark.skipif(os.name == "nt", reason="Ray's test cluster is for Linux")
def test_through_the_client_port_the_same_is_played_and_killed_pieces_are_done_again(
    two_machines: tuple[Any, Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real cluster's head with a client port: this process is no part of the cluster."""
    monkeypatch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
    monkeypatch.setattr("cardai.pieces.cluster.PATIENCE", 240.0)  # a server of its own begins for each connection
    on = two_machines[2]
    bots = tmp_path / "bots.py"
    bots.write_text(BOT, encoding="utf-8")
    try:
        registry.add_file(str(bots))
        agents = ["random", "caller"]
        alone = match.play("leduc", agents, games=4000, seed=5, record=tmp_path / "alone.jsonl")
        spread = match.play("leduc", agents, games=4000, seed=5, record=tmp_path / "far.jsonl", on=on)
        assert np.array_equal(alone.hands, spread.hands)
        assert (tmp_path / "alone.jsonl").read_bytes() == (tmp_path / "far.jsonl").read_bytes()
        boards = StreetOptions("holdem_limit:max_raises=1+0+0+1", "always_call", 3, 3, seed=1)
        assert measure(boards, on=on) == measure(boards)
        work = Work(dying, str(tmp_path), on=on, pieces=[(str(k), (k,)) for k in range(4)])
        assert sorted(result for _, result in work.run()) == [0, 1, 2, 3]
        assert (tmp_path / "killed").exists()
        import ray

        theirs = re.escape(ray.__version__)
        monkeypatch.setattr("ray.__version__", "2.0.0")  # what this machine says it has
        with pytest.raises(
            PluginError, match=rf"its machines have Ray {theirs} and Python .*, this one has Ray 2\.0\.0 "
        ):
            Work(squared, on=on)
    except PluginError as error:
        if "did not connect" not in str(error) and "could not begin a server" not in str(error):
            raise
        pytest.skip(f"Ray's client did not start: {error}")
    finally:
        registry.default.reset()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # Ray's own
@pytest.mark.skipif(os.name == "nt", reason="processes are found in /proc")
def test_foremen_on_a_real_ray_play_the_same_and_one_that_is_killed_costs_its_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ray on this machine, six workers: two foremen."""
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(link, "DIRECT", 2)
    monkeypatch.setattr(cutting, "LEAST", 64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=6, include_dashboard=False, log_to_driver=False, logging_level=40)
    try:
        with pieces.one_connection():
            agents = ["random", "always_call"]
            alone, far = (match.play("leduc", agents, games=4000, seed=5, on=on) for on in ("", "ray"))
            assert np.array_equal(alone.hands, far.hands)
            found = {}
            for name, result in Work(squared, 100, on="ray", pieces=((str(k), (k,)) for k in range(2000))).run():
                found[name] = result
                if len(found) == 20:
                    os.kill(next(actors("Foreman")), signal.SIGKILL)
            assert found == {str(k): 100 + k * k for k in range(2000)}
    finally:
        ray.shutdown()
    for _ in range(300):  # they end some moments later
        if not (left := list(actors("Foreman"))):
            break
        time.sleep(0.1)
    assert not left


def actors(kind: str) -> Iterator[int]:
    """Yield the processes of this Ray that are actors of a kind."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if file.read_bytes().startswith(f"ray::{kind}".encode()):
                yield int(file.parent.name)


@pytest.fixture(scope="module")
def two_machines() -> Iterator[tuple[Any, Any, str]]:
    """Yield a cluster of two nodes, its second one, and the address of the first one's client port."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own
        for _ in range(3):  # Ray gives its own processes 30 seconds to start
            machines, port = Cluster(), free_port()
            try:
                first = machines.add_node(num_cpus=1, include_dashboard=False, ray_client_server_port=port)
                second = machines.add_node(num_cpus=1)
                machines.wait_for_nodes()
                break
            except Exception as error:
                machines.shutdown()
                why = error
        else:
            pytest.skip(f"Ray did not start in time: {why}")
        for _ in range(600):  # the port opens when its server has begun, some seconds later
            with suppress(OSError):
                socket.create_connection((first.node_ip_address, port), timeout=1).close()
                break
            time.sleep(0.1)
        yield machines, second, f"ray://{first.node_ip_address}:{port}"
        machines.shutdown()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def speaking(words: bytes) -> Iterator[int]:
    """Listen, say ``words`` to whoever comes and nothing more; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def welcome() -> None:
            with suppress(OSError):
                while True:
                    kept.append(server.accept()[0])
                    kept[-1].sendall(words)

        threading.Thread(target=welcome, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for connection in kept:
            connection.close()


def test_a_head_that_refuses_or_says_nothing_is_said_before_ray_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head is where --on says, or RAY_ADDRESS, or what ray start has left on this machine; Ray waits for minutes."""
    pytest.importorskip("ray")
    monkeypatch.setattr("ray.init", None)
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.3)
    port = free_port()
    with pytest.raises(
        PluginError, match=rf"reached by --on ray://127\.0\.0\.1:{port}: Connection refused\. Give the client"
    ):
        Work(squared, on=f"ray://127.0.0.1:{port}")
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    with pytest.raises(
        PluginError, match=rf"its head is .*:{port}: Connection refused\. Start it .* name another by RAY"
    ):
        Work(squared, on="ray")
    with speaking(b"") as port:
        for address in ("", f"ray://127.0.0.1:{port}"):
            monkeypatch.setenv("RAY_ADDRESS", address)
            with pytest.raises(PluginError, match=r"no answer in 0\.3 seconds\. Give the client port"):
                Work(squared, on="ray" if address else f"ray://127.0.0.1:{port}")
        monkeypatch.delenv("RAY_ADDRESS")
        monkeypatch.setattr("ray._private.services.find_bootstrap_address", lambda folder: f"127.0.0.1:{port}")
        monkeypatch.setattr("ray._private.services.resolve_ip_for_localhost", lambda host: host)
        with pytest.raises(
            PluginError, match=rf"head is 127\.0\.0\.1:{port}: no answer .* have it forgotten \(ray stop"
        ):
            Work(squared, on="ray")


def test_a_head_that_answers_and_goes_no_further_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    monkeypatch.setattr("ray.init", lambda *address, **options: time.sleep(5))
    with (
        speaking(b"\0") as port,
        pytest.raises(PluginError, match=r"it did not connect in 0 seconds\. Give the client port"),
    ):
        Work(squared, on=f"ray://127.0.0.1:{port}")
    monkeypatch.setenv("RAY_ADDRESS", "local")
    with pytest.raises(PluginError, match=r"reached by --on ray: it did not start here in 0 seconds\.$"):
        Work(squared, on="ray")


def test_a_head_that_goes_silent_while_pieces_are_done_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers as long as it is there, however long a piece takes; Ray's shutdown may hang then, too."""
    heard: list[float] = []

    class Ray(FakeRay):
        def wait(self, waited: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
            heard.append(time.monotonic())
            time.sleep(timeout)
            return (waited[:1] if len(heard) in (1, 30) else []), []

        def shutdown(self) -> None:
            time.sleep(60)

    monkeypatch.setattr(cluster, "WATCH_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "SILENT_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "CLOSING_SECONDS", 0.1)
    ray, heads = Ray([]), [("127.0.0.1", 0)]
    monkeypatch.setattr(cluster, "_connected", lambda on: (ray, heads[0]))

    def awaited() -> Any:
        while (found := far.finished(handles)) is None:
            pass
        return found

    with speaking(b"\0") as port:
        heads[0] = ("127.0.0.1", port)
        far = cluster.Cluster([pieces.Parcel((squared, 1))], "ray")
        handles = [far.begin((k,)) for k in range(2)]
        assert awaited() in handles
        assert len(heard) >= 30
    with pytest.raises(PluginError, match=r"was lost: its head does not answer \(Connection refused\)"):
        awaited()
    assert time.monotonic() - heard[29] >= 0.2  # it was heard of at the 30th time, and not again
    begun = time.monotonic()
    far.close(False)
    assert time.monotonic() - begun < 50


@pytest.mark.skipif(os.name == "nt", reason="signals of Linux")
def test_ray_leaves_signals_to_this_process_and_dumps_no_state_of_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's core sets handlers below Python's, which dump their stack on stderr; a thread of it prints what dead machines did."""
    pytest.importorskip("ray")
    import ctypes
    import signal

    heard: list[int] = []
    quiet: list[Any] = []

    def init(*address: Any, **options: Any) -> None:
        from ray._private import worker

        quiet.append(worker.listen_error_messages(None, None))  # Ray's own asks the worker that it is given
        ctypes.CDLL(None).signal(int(signal.SIGTERM), ctypes.c_void_p(1))  # SIG_IGN, as a library sets it

    monkeypatch.setattr("ray.init", init)
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        monkeypatch.setenv("RAY_ADDRESS", "local")
        cluster._connected("ray")
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
    assert quiet == [None]


class FakeActor:
    """An actor of a cluster that is none: what it is asked is done when the answer is."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._made, name)
        return SimpleNamespace(remote=method if name in ("meet", "take") else lambda *given: partial(method, *given))


class FakeRay:
    """Ray's names, the work done here; ``log`` notes connections begun and ended."""

    exceptions = type(
        "Errors", (), dict.fromkeys(("GetTimeoutError", "RayTaskError", "RayError", "RayActorError"), BlockingIOError)
    )

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def put(self, thing: Any) -> Any:
        return thing

    def remote(self, **options: Any) -> Any:
        return lambda cls: SimpleNamespace(remote=lambda: FakeActor(cls()))

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def wait(self, waited: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return waited[:1], waited[1:]

    def get(self, handle: Any, timeout: float) -> Any:
        return handle()

    def shutdown(self) -> None:
        self.log.append("ended")


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is noted of connections to a cluster that is none."""
    log: list[str] = []

    def connected(on: str) -> tuple[Any, None]:
        log.append("begun")
        return FakeRay(log), None

    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: True)
    monkeypatch.setattr(cluster, "_connected", connected)
    return log


def test_a_tournament_has_one_connection_to_its_cluster(connections: list[str]) -> None:
    """Each pair began Ray and its workers anew: six small ones took 64 seconds there, and 10 here."""
    agents = ["random", "always_call", "always_raise"]
    far = tournament.play_pairings("leduc", agents, games=40, on="ray")
    near = tournament.play_pairings("leduc", agents, games=40)
    assert connections == ["begun", "ended"]
    assert all(far.cell(i, j) == near.cell(i, j) for i in range(3) for j in range(3) if i != j)


def test_works_outside_share_nothing_and_one_that_is_left_ends_what_is_under_way(connections: list[str]) -> None:
    def done() -> list[int]:
        return sorted(result for _, result in Work(squared, 1, on="ray", pieces=[("a", (2,)), ("b", (3,))]).run())

    assert done() == done() == [5, 10]
    assert connections == ["begun", "ended"] * 2
    connections.clear()
    with pieces.one_connection():
        assert done() == done() == [5, 10]
        with pieces.one_connection():
            done()
        assert connections == ["begun"]
        next(left := Work(squared, 1, on="ray", pieces=[("a", (2,)), ("b", (3,))]).run())
        left.close()
        assert connections == ["begun", "ended"]
        under_way = Work(squared, 2, on="ray", pieces=[("a", (2,)), ("b", (3,))]).run()
        first = next(under_way)
        with pytest.raises(UsageError, match="follow one another"):
            done()
        assert sorted(result for _, result in (first, *under_way)) == [6, 11]  # none of its own was lost
        done()
    assert connections == ["begun", "ended", "begun", "ended"]


def test_each_result_is_a_sign_of_the_head(connections: list[str]) -> None:
    """A head that says nothing for a moment after long work is not given up."""
    made = cluster.Cluster([pieces.Parcel((squared, 1))], "ray")
    made._heard = 0.0
    handle = made.begin((2,))
    while made.finished({handle}) is None:
        pass
    assert made.result(handle) == 5
    assert made._heard > 0
    made.close(True)


def test_a_cluster_whose_cpus_are_at_other_work_is_said_once(
    connections: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited, wait = list[int](), FakeRay.wait

    def nothing_at_first(self: FakeRay, references: list[Any], num_returns: int, timeout: float) -> Any:
        waited.append(len(references))
        return ([], references) if len(waited) < 9 else wait(self, references, num_returns, timeout)

    monkeypatch.setattr(FakeRay, "wait", nothing_at_first)
    for seconds, said in ((-1.0, 1), (60.0, 0)):
        waited.clear()
        monkeypatch.setattr(cluster, "BUSY_SECONDS", seconds)
        assert list(Work(squared, 1, on="ray", pieces=[("a", (2,))]).run()) == [("a", 5)]
        assert capsys.readouterr().err.count("its CPUs may be at other work, whose end is waited for") == said


@pytest.mark.parametrize("on", ["ray://", "ray://head", "ray://head:port", "ray://head:99999", "ray://a:b:1"])
def test_an_address_without_host_and_port_is_refused(on: str) -> None:
    with pytest.raises(UsageError, match=r"ray://HOST:PORT, or here"):
        Work(squared, on=on)


def test_pieces_that_need_their_order_do_not_run_far_ahead_of_the_oldest(tmp_path: Path) -> None:
    """Piece 0 waits until as many are done as may be while it is under way."""
    begun = []

    def coming() -> Iterator[pieces.Piece]:
        for k in range(100):
            begun.append(k)
            yield str(k), (k,)

    work = Work(waiting, str(tmp_path), jobs=2, pieces=coming(), close=True)
    for done, (name, _) in enumerate(work.run(), 1):
        if name == "0":
            assert done == pieces._WINDOW * 2
            assert len(begun) == pieces._WINDOW * 2
        elif done == pieces._WINDOW * 2 - 1:
            (tmp_path / "go").touch()
    assert begun == list(range(100))


BOT = '''"""Calls, or takes the first legal action."""

from cardai import hookimpl
from cardai.core.agent import ScalarAgent


class Caller(ScalarAgent):
    def choose(self, view, legal, rng):
        return 1 if 1 in legal else legal[0]


class First(ScalarAgent):
    def choose(self, view, legal, rng):
        return legal[0]


@hookimpl
def cardai_agent():
    return {"caller": Caller, "first": First}
'''


@pytest.mark.long
@pytest.mark.parametrize("rounds", sizes(2, 4))
def test_a_process_that_ends_unneeded_as_a_piece_comes_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    """joblib warns of it in the thread that brings results, which ended by that where warnings are errors, as here."""
    monkeypatch.setattr(loky, "get_reusable_executor", partial(loky.get_reusable_executor, timeout=0.02))
    workers = Processes([Parcel((squared, 1))], 2)
    until, done = time.monotonic() + 60, 0
    for round_ in range(rounds):
        under_way = [workers.begin((number,)) for number in range(3)]
        while under_way:
            assert time.monotonic() < until, f"round {round_} is waited for for ever"
            if (found := workers.finished(under_way)) is not None:
                under_way.remove(found)
                done += workers.result(found)
        time.sleep(0.02 + 0.002 * round_)
    workers.close(False)
    assert done == rounds * (1 + 2 + 5)
