"""What clients may do wrong, and what becomes of it: the C dealer's outcomes, and a log whose finished hands are intact."""

from __future__ import annotations

import random
import re
import resource
import socket
import struct
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardai.formats.acpc.clock import Clock
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import read_log
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import checked
from cardai.formats.acpc.seat import MatchAborted
from tests.formats.acpc_table import LIMIT, NO_LIMIT, Player, Say, Table, answer, sit, table

CALLED = "STATE:0:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:10|-10:p1|p2"


def before(data: bytes, reply: bytes = b"c") -> Say:
    """Return a behaviour that sends ``data`` before each answer."""
    return lambda player, line, _: player.say(data + line + b":" + reply + b"\r\n")


def instead(hand: int, data: bytes) -> Say:
    """Return a behaviour that sends ``data`` instead of an answer from ``hand`` on."""

    def say(player: Player, line: bytes, follower: Follower) -> None:
        player.say(data if follower.hand >= hand else line + b":c\r\n")

    return say


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (b"hello\r\n", "bad state format in response"),
        (b"\r\n", "bad state format in response"),
        (b"\xff\x00\xfe\n", "bad state format in response"),
        (b"MATCHSTATE:0:0:\r\n", "bad state format in response"),
        (b"MATCHSTATE:7:0::5d5c|:c\r\n", "bad state format in response"),
        (b"MATCHSTATE:0:0:cc/:5d5c|:c\r\n", "bad state format in response"),
        (b"MATCHSTATE:0:99::5d5c|:c\r\n", "ignoring un-requested response"),
        (b"MATCHSTATE:1:0::|9h9d:c\r\n", "ignoring un-requested response"),
        (b"# a comment\r\n; a command of a screen\r\n", ""),
    ],
)
def test_lines_that_are_not_the_current_state_are_ignored(data: bytes, warning: str, tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, before(data), before(data))
    assert running.hands == [CALLED]
    assert running.score is not None
    assert (f"WARNING: {warning}\n" in running.notes) == bool(warning)


@pytest.mark.parametrize(
    ("reply", "warning"),
    [
        (b"", "invalid action, changed to call"),
        (b"x", "invalid action, changed to call"),
        (b"C", ""),
        (b"k", ""),
        (b"cXYZ", ""),
    ],
)
def test_what_is_no_action_becomes_a_call_in_limit(reply: bytes, warning: str, tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, answer(reply), answer(reply))
    assert running.hands == [CALLED]
    assert (f"WARNING: {warning}\n" in running.notes) == bool(warning)


def test_a_state_without_an_action_becomes_a_call(tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, lambda player, line, _: player.say(line + b"\r\n"), answer(b"c"))
    assert running.hands == [CALLED]
    assert "WARNING: bad action format in response, changed to call\n" in running.notes


def test_a_fold_with_nothing_to_call_and_a_raise_over_the_cap_become_calls(tmp_path: Path) -> None:
    def fold_when_free(player: Player, line: bytes, follower: Follower) -> None:
        player.say(line + (b":c\r\n" if follower.node.can_fold else b":f\r\n"))

    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, fold_when_free, fold_when_free)
    assert running.hands == [CALLED]
    other = tmp_path / "raises"
    other.mkdir()
    with table(other, hands=1) as running:
        sit(running, LIMIT, answer(b"R20"), answer(b"b"))
    assert running.hands[0].split(":")[2] == "rrrc/rrrrc/rrrrc/rrrrc"
    assert running.notes.count("WARNING: invalid action, changed to call") == 4


@pytest.mark.parametrize(
    ("reply", "betting", "warning"),
    [
        (b"r", "cc/cc/cc/cc", "bad action format in response, changed to call"),
        (b"r-5", "r200r300r400", "raise of -5 increased to 200"),
        (b"r0", "r200r300r400", "raise of 0 increased to 200"),
        (b"r1", "r200r300r400", "raise of 1 increased to 200"),
        (b"b 300junk", "r300", ""),
        (b"r99999999999999999999", "r20000c///", "decreased to 20000"),
        (b"r" + b"9" * 3000, "r20000c///", "decreased to 20000"),
    ],
)
def test_no_limit_sizes_are_moved_to_the_bounds(reply: bytes, betting: str, warning: str, tmp_path: Path) -> None:
    with table(tmp_path, NO_LIMIT, 1) as running:
        sit(running, NO_LIMIT, answer(reply), answer(reply))
    assert running.hands[0].split(":")[2].startswith(betting)
    assert warning in running.notes


def test_a_reply_given_twice_counts_once(tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, lambda player, line, _: player.say(2 * (line + b":c\r\n")), answer(b"c"))
    assert running.hands == [CALLED]
    assert running.notes.count("WARNING: ignoring un-requested response") == 3  # judged when the seat acts again


def test_a_reply_in_pieces_counts(tmp_path: Path) -> None:
    def slowly(player: Player, line: bytes, follower: Follower) -> None:
        for part in (line[:7], line[7:], b":", b"c", b"\r", b"\n"):
            player.say(part)
            time.sleep(0.002)

    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, slowly, slowly)
    assert running.hands == [CALLED]


def test_a_line_of_a_megabyte_is_ignored_in_bounded_memory_and_time(tmp_path: Path) -> None:
    said: list[bool] = []

    def say(player: Player, line: bytes, follower: Follower) -> None:
        if not said:
            said.append(True)
            player.say(b"x" * 1_000_000 + b"\r\n")
        player.say(line + b":c\r\n")

    start = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, say, answer(b"c"))
    assert running.hands == [CALLED]
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # kB
    assert running.notes.count("WARNING") <= 20


def _aborted(running: Table, finished: int, message: str) -> None:
    """Check an abort: the error, no score, and the finished hands in the log."""
    assert isinstance(running.error, MatchAborted)
    assert message in running.notes
    assert running.score is None
    assert "SCORE" not in running.log + running.out
    assert len(running.hands) == finished
    assert running.log.endswith("\n")
    if finished:
        assert running.hands[0] == CALLED


@pytest.mark.parametrize("data", [b"", b"MATCHSTATE:0:1", b"#\r\n"])
def test_silence_half_a_line_and_comments_alone_end_the_match(data: bytes, tmp_path: Path) -> None:
    with table(tmp_path, hands=3, response=700) as running:
        sit(running, LIMIT, instead(1, data), answer(b"c"))
    _aborted(running, 1, "ERROR: could not get action from seat 1\n")
    waited = re.search(r"^(\d+\.\d) seconds spent waiting; timeout 0\.7$", running.notes, re.MULTILINE)
    assert waited is not None
    assert float(waited[1]) >= 0.7  # and longer where the machine is busy


def test_a_flood_of_garbage_is_read_slowly_and_ends_the_match(tmp_path: Path) -> None:
    def flood(player: Player, line: bytes, follower: Follower) -> None:
        while True:  # until the dealer closes the connection
            player.say(b"garbage\n" * 10_000)

    start = time.process_time()
    with table(tmp_path, hands=3, response=700) as running:
        sit(running, LIMIT, flood, answer(b"c"))
    _aborted(running, 0, "ERROR: could not get action from seat 1")
    assert time.process_time() - start < 3
    assert running.notes.count("WARNING") <= 20


def test_a_player_who_vanishes_ends_the_match(tmp_path: Path) -> None:
    def vanish(player: Player, line: bytes, follower: Follower) -> None:
        if follower.hand < 2:
            player.say(line + b":c\r\n")
            return
        player.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not an end
        player.close()

    with table(tmp_path, hands=5) as running:
        sit(running, LIMIT, vanish, answer(b"c"))
    _aborted(running, 2, "ERROR: could not")


def test_a_last_line_without_its_end_still_counts(tmp_path: Path) -> None:
    # the C dealer's getLine gives out what it has at the end of a connection
    def say(player: Player, line: bytes, follower: Follower) -> None:
        player.say(line + b":f")
        player.socket.shutdown(socket.SHUT_WR)

    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, answer(b"r"), say)
    assert running.hands == ["STATE:0:f:5d5c|9hQd:5|-5:p1|p2"]


@pytest.mark.parametrize("limit", ["hand", "per_hand"])
def test_time_adds_up_over_a_hand_and_over_the_match(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players say that they took four seconds, and nobody waits for them."""
    owed, charge = [0.0], Clock.charge

    def slow(player: Player, line: bytes, follower: Follower) -> None:
        owed[0] = 4.0 if follower.hand == 1 else 0.0
        player.say(line + b":c\r\n")

    def charged(clock: Clock, seat: int, seconds: float) -> None:
        assert seconds > 0
        charge(clock, seat, seconds + (0.0 if seat else owed[0]))

    monkeypatch.setattr(Clock, "charge", charged)
    milliseconds = {"hand": 10_000, "per_hand": 3_334}[limit]  # 3 hands: 10 s in all
    with table(tmp_path, hands=3, **{limit: milliseconds}) as running:
        sit(running, LIMIT, slow, answer(b"c"))
    _aborted(running, 1, "ERROR: seat 1 ran out of time")


@pytest.mark.parametrize("version", [b"VERSION:1.0.0\n", b"VERSION:2.5.0\r\n"])
def test_another_version_is_told_and_plays_on(version: bytes, tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        players = [Player(port, version) for port in running.ports]
        _answer_all(players)
        running.wait()
    assert running.score is not None
    assert running.notes.count("ERROR: this server is currently using version 2.0.0") == 2


def _answer_all(players: list[Player]) -> None:
    def run(player: Player, position: int) -> None:
        while line := player.line():
            _, where, _, betting, _ = line.split(b":")
            rounds = betting.split(b"/")
            actor = (len(rounds[-1]) + (len(rounds) == 1)) % 2
            if int(where) == actor and (len(rounds) < 4 or len(rounds[-1]) < 2):
                player.say(line + b":c\r\n")
        player.close()

    threads = [threading.Thread(target=run, args=(p, i), daemon=True) for i, p in enumerate(players)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (b"HELLO\r\n", "invalid version string"),
        (b"VERSION:2\r\n", "invalid version string"),
        (b"", "could not read version string from seat 1"),
    ],
)
def test_no_version_no_match(version: bytes, message: str, tmp_path: Path) -> None:
    with table(tmp_path, hands=1, start_timeout=300) as running:
        players = [Player(port, version) for port in running.ports]
        running.wait()
        for player in players:
            player.close()
    _aborted(running, 0, f"ERROR: {message}")


def test_players_who_do_not_come_are_waited_for_as_long_as_told(tmp_path: Path) -> None:
    with table(tmp_path, hands=1, start_timeout=200) as running:
        first = Player(running.ports[0])
        running.wait()
        first.close()
    _aborted(running, 0, "ERROR: timed out waiting for seat 2 to connect")


@given(st.lists(st.binary(max_size=60), max_size=3))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_no_bytes_before_a_proper_reply_change_the_hand(tmp_path: Path, junk: list[bytes]) -> None:
    lines = b"".join(b"?" + data.replace(b"\n", b"") + b"\n" for data in junk)
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, before(lines), before(lines))
    assert running.hands == [CALLED]


def _anything(rng: random.Random) -> Say:
    """Return a behaviour that answers each time in another odd way, but answers."""

    def say(player: Player, line: bytes, follower: Follower) -> None:
        odd = bytes(rng.choice(b"fcrkbFCRKB0123456789 -+:\x00\xff") for _ in range(rng.randrange(12)))
        changed = bytearray(line + b":c")
        changed[rng.randrange(len(changed))] = rng.choice(b"0123456789:/|rcfAKs")
        player.say(
            rng.choice(
                [
                    line + b":" + odd + b"\r\n",
                    bytes(changed) + b"\r\n" + line + b":r500\r\n",
                    rng.randbytes(200).replace(b"\n", b"") + b"\n" + line + b":c\r\n",
                    line + b":" + b"c" * 9000 + b"\r\n",
                    (line + b":c\r\n") * 3,
                    b"\r\r\n\n" + line + b":c\n",
                ]
            )
        )

    return say


@pytest.mark.parametrize("game", [LIMIT, NO_LIMIT, "holdem.nolimit.3p", "leduc.limit.2p", "kuhn.limit.3p"])
def test_odd_answers_of_all_seats_leave_a_log_of_legal_hands(game: str, tmp_path: Path) -> None:
    rng = random.Random(game)
    definition = load_game(game)
    with table(tmp_path, game, 10) as running:
        sit(running, game, *[_anything(rng)] * definition.num_players)
    log = read_log(running.log_file)
    assert not log.problems
    assert len(log.hands) == 10
    tree = WireTree(definition)
    for hand in log.hands:
        assert checked(tree, hand).text == hand.betting
