from __future__ import annotations

import io
import json
import re
import shlex
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from attrs import evolve

import cardai
from cardai.arena.records import read
from cardai.cli import main
from cardai.core.errors import DamagedFileError, RemoteError, UsageError
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.sites import gtowizard as protocol
from cardai.formats.sites.gtowizard import GtoWizard, definition_of
from cardai.formats.sites.kept import KeptHands, SiteHand
from cardai.formats.sites.series import SiteFigures, SitePlayer, figures, header_of, play_hands
from cardai.formats.sites.service import LONGEST, BusyError, NoAnswerError, Service
from cardai.formats.sites.shown import Shown, Site
from cardai.formats.sites.slumbot import Slumbot
from cardai.formats.slumbot import GAME, from_slumbot, to_slumbot
from cardai.poker.rules.growing_tree import BettingNode
from tests.formats.sites_server import Sites, serving
from tests.support import ROOT

THRESHOLD = "threshold"


def _service(url: str, tries: int = 8) -> Service:
    return Service(url, seconds=5, tries=tries, sleep=lambda seconds: None)


def _played(site: Site, file: Path, hands: int, resume: bool = False, agent: str = THRESHOLD) -> SiteFigures:
    player = SitePlayer(agent, site.definition, 3)
    with KeptHands(str(file), header_of(site.name, site.definition, agent, 3), resume) as kept:
        play_hands(site, player, kept, hands)
        return figures(kept.hands)


def _call(*arguments: str, code: int) -> None:
    ended: object = 0
    try:
        main(list(arguments))
    except SystemExit as end:
        ended = end.code
    assert (ended or 0) == code


def _won(file: Path) -> list[float]:
    return [hand["site"]["winnings"] for hand in read(file).hands]


def test_hands_on_slumbot_are_those_of_the_rules_and_of_its_own_count(tmp_path: Path) -> None:
    sites = Sites()
    with serving(sites) as url:
        found = _played(Slumbot(_service(url)), tmp_path / "m", 60)
    expected = [deal.winnings() for deal in sites.deals.values()]
    assert found.hands == len(expected) == 60
    assert found.chips.mean == pytest.approx(sum(expected) * 10 / 60)
    assert found.above_baseline is not None
    assert found.above_baseline.mean == pytest.approx(1000)  # its server says 100 chips less than was won
    records = read(tmp_path / "m")
    assert not records.damaged
    assert [hand["returns"][hand["seats"].index(0)] for hand in records.hands] == expected
    assert {hand["seats"][0] for hand in records.hands} == {0, 1}


def test_all_in_hands_of_slumbot_may_leave_empty_streets() -> None:
    tree = WireTree(load_game(GAME))
    node = from_slumbot("b20000c///", tree)
    assert node.actor < 0
    assert node is from_slumbot("b20000c", tree)


def test_hands_on_gto_wizard_are_those_of_the_rules_whoever_is_listed_first(tmp_path: Path) -> None:
    sites = Sites()
    with serving(sites) as url:
        found = _played(GtoWizard(_service(url)), tmp_path / "m", 60)
    assert _won(tmp_path / "m") == [deal.winnings() for deal in sites.deals.values()]
    assert found.aivat is not None
    assert found.aivat.mean == 250.0  # 25 chips of 100 a big blind
    assert found.unseen == 0


def test_gto_wizard_is_asked_where_its_makers_client_asks_and_answers_as_it_does() -> None:
    """The address is that of gtowizard-ai/researcher-api-client (src/main.py); its models have chips as floats, hands as whole
    numbers, and a run of another's client was sent hands under way as a bare list."""
    assert protocol.URL == "https://researcher.gtowizard.com"
    game = {"starting_stack": 20000.0, "blinds": [100.0, 50.0], "stack_reset_per_hand": True}
    players = [
        {"name": "Blueprint", "stack": 19900.0, "position": "BB", "hole_cards": "2s2c"},
        {"name": "GTO Wizard", "stack": 19725.0, "position": "SB", "hole_cards": None},
    ]
    state = {"board_cards": "", "is_hand_over": False, "players": players, "action_history": ["b275"], "winnings": None}
    frame = {"hand_id": 7, "game": game, "game_state": state}
    for answer in ([frame], {"hands": [frame]}):
        sites = Sites()
        sites.faults = {"/hands/in-progress": [answer]}
        with serving(sites) as url:
            shown = GtoWizard(_service(url)).begin()
        assert (shown.hand_id, shown.position, shown.betting, shown.winnings) == ("7", 0, "b275", None)


def test_both_sites_are_played_alike(tmp_path: Path) -> None:
    for site in (Slumbot, GtoWizard):
        with serving(Sites()) as url:
            _played(site(_service(url)), tmp_path / site.name, 30)
    assert _won(tmp_path / "slumbot") == _won(tmp_path / "gtowizard")


def test_a_match_goes_on_where_it_was_killed_with_the_same_hands(tmp_path: Path) -> None:
    with serving(Sites()) as url:
        _played(Slumbot(_service(url)), tmp_path / "whole", 16, agent="acpc_mix")
    with serving(Sites()) as url:
        _played(Slumbot(_service(url)), tmp_path / "parts", 11, agent="acpc_mix")
        with (tmp_path / "parts").open("a") as file:
            file.write('{"game_number":11,"hand')  # killed while it wrote
        _played(Slumbot(_service(url)), tmp_path / "parts", 16, resume=True, agent="acpc_mix")
    assert _without_times(tmp_path / "whole") == _without_times(tmp_path / "parts")


def _without_times(file: Path) -> list[object]:
    hands = read(file).hands
    assert len(hands) == 16
    return [{**hand, "site": {**hand["site"], "seconds": 0, "longest": 0}} for hand in hands]


def test_a_busy_site_is_waited_for(tmp_path: Path) -> None:
    sites = Sites()
    sites.faults = {"/api/new_hand": [502, 503, 504], "/hands": [409, 409], "/hands/in-progress": [503]}
    with serving(sites) as url:
        assert _played(Slumbot(_service(url)), tmp_path / "s", 3).hands == 3
        assert _played(GtoWizard(_service(url)), tmp_path / "g", 3).hands == 3


def test_a_site_that_is_busy_in_the_middle_of_a_hand_costs_nothing_where_it_says_how_the_hand_stands(
    tmp_path: Path,
) -> None:
    sites = Sites()
    sites.faults = {"/hands": [503, 409, 502], "/hands/hand-0/act": [502, 504], "/hands/hand-2/act": [503]}
    with serving(sites) as url:
        found = _played(GtoWizard(_service(url)), tmp_path / "m", 6)
    assert (found.hands, found.lost, sites.begun) == (6, 0, 6)
    assert _won(tmp_path / "m") == [deal.winnings() for deal in sites.deals.values()]
    assert found.decisions == sum(deal.asked for deal in sites.deals.values())  # none was made twice


def test_a_site_that_is_busy_in_the_middle_of_a_hand_and_cannot_be_asked_costs_that_hand(tmp_path: Path) -> None:
    sites = Sites()
    sites.faults = {"/api/act": [503]}
    with serving(sites) as url:
        found = _played(Slumbot(_service(url)), tmp_path / "m", 5)
    assert (found.hands, found.lost, sites.begun) == (5, 1, 6)


def test_what_was_done_at_the_last_try_is_known() -> None:
    sites = Sites()
    with serving(sites) as url:
        site = GtoWizard(_service(url, tries=1))
        sites.faults = {"/hands": ["cut"]}
        assert site.begin().hand_id == "hand-0"


def test_waiting_ends_at_the_last_try() -> None:
    sites, waits = Sites(), list[float]()
    sites.faults = {"/api/new_hand": [503] * 5}
    with serving(sites) as url, pytest.raises(BusyError, match="answered /api/new_hand with 503"):
        Slumbot(Service(url, tries=5, sleep=waits.append)).begin()
    assert len(waits) == 4
    assert all(0 <= wait <= 0.5 * 2**k for k, wait in enumerate(waits))


def test_bounds_of_waits_double_up_to_half_a_minute() -> None:
    sites, waits = Sites(), list[float]()
    sites.faults = {"/hands/in-progress": [503] * 9}
    with serving(sites) as url:
        service = Service(url, tries=10, sleep=waits.append)
        service._jitter.uniform = lambda low, high: high  # type: ignore[method-assign]
        service.call("/hands/in-progress?game_name=HUNL+200BB", bare="hands")
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_a_site_that_says_nothing_is_waited_for_twice_so_long_whatever_is_tried() -> None:
    waits: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and nobody reads them
        service = Service(f"http://127.0.0.1:{silent.getsockname()[1]}", seconds=0.2, sleep=waits.append)
        begun = time.monotonic()
        with pytest.raises(NoAnswerError, match=r"did not answer /hands within 0.2 seconds. It was tried 2 times."):
            service.call("/hands")
    assert time.monotonic() - begun < 60  # nobody ever answers
    assert len(waits) == 1


def test_asking_a_site_that_says_nothing_how_a_hand_stands_waits_no_longer() -> None:
    """It was asked as long again, three times --timeout in all."""
    waits: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        service = Service(f"http://127.0.0.1:{silent.getsockname()[1]}", seconds=0.1, sleep=waits.append)
        with pytest.raises(NoAnswerError, match="did not answer /hands/in-progress"):
            service.call("/hands/7/act", {}, stands=lambda: service.call("/hands/in-progress", bare="hands"))
        assert len(waits) == 1
        with pytest.raises(NoAnswerError):  # the next one has its whole time again
            service.call("/hands/in-progress", bare="hands")
    assert len(waits) == 2


def test_a_hand_under_way_in_which_another_acted_is_played_on_and_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was counted as the agent's own."""

    class Left(GtoWizard):
        """Whose player is stopped after the first action."""

        def act(self, shown: Shown, node: BettingNode, action: int) -> Shown:
            super().act(shown, node, action)
            raise KeyboardInterrupt

    for agent, lost in (("always_call", 0), ("always_fold", 1)):
        with serving(Sites()) as url:
            with suppress(KeyboardInterrupt):
                _played(Left(_service(url)), tmp_path / "left", 1, agent="always_call")
            found = _played(GtoWizard(_service(url)), tmp_path / agent, 1, agent=agent)
        assert (found.hands, found.lost) == (1, lost)
        said = "In the hand hand-0, taken up under way, our seat had done 'c' after 'b200', where always_fold does 'f'"
        assert (said in capsys.readouterr().err) == bool(lost)
    (hand,) = read(tmp_path / "always_fold").hands
    assert hand["site"]["hand_id"] == "hand-1"


def test_a_record_remembers_that_hands_were_left_out_because_their_cards_were_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """AIVAT of the converted file was that of the hands that were shown alone."""
    sites = Sites(hide=True)
    with serving(sites) as url:
        _played(Slumbot(_service(url)), tmp_path / "m", 2)
        sites.hide = False
        _played(Slumbot(_service(url)), tmp_path / "m", 4, resume=True)
    once, twice = str(tmp_path / "once.jsonl"), str(tmp_path / "twice.jsonl")
    _call("convert", str(tmp_path / "m"), once, code=0)
    _call("convert", once, twice, code=0)
    for file in (once, twice):
        assert len(read(file).hands) == 2
        capsys.readouterr()
        _call("evaluate", "aivat", "--record", file, "--agent", THRESHOLD, code=2)
        assert "in 2 hands the other cards were not shown" in " ".join(capsys.readouterr().err.split())


def test_of_a_match_that_is_stopped_before_its_first_hand_no_figure_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Slumbot, "begin", stopped)
    file = tmp_path / "m"
    _call("match", "slumbot", "-a", "always_call", "-r", str(file), "--url", "http://127.0.0.1:9", code=130)
    said = capsys.readouterr()
    assert said.out == ""
    assert "Stopped before a hand was finished." in said.err
    assert "What is finished" not in said.err
    assert not file.exists()


@pytest.mark.long
def test_a_hand_that_was_left_in_the_middle_goes_on_as_if_nobody_had_left_it(tmp_path: Path) -> None:
    class Left(GtoWizard):
        """Whose player is stopped after every third action."""

        acted = 0

        def act(self, shown: Shown, node: BettingNode, action: int) -> Shown:
            found = super().act(shown, node, action)
            Left.acted += 1
            if Left.acted % 3 == 0 and found.winnings is None:
                raise KeyboardInterrupt
            return found

    with serving(Sites()) as url:
        _played(GtoWizard(_service(url)), tmp_path / "whole", 16, agent="acpc_mix")
    with serving(Sites()) as url:
        while True:
            with suppress(KeyboardInterrupt):
                _played(Left(_service(url)), tmp_path / "parts", 16, resume=True, agent="acpc_mix")
                break
    assert Left.acted > 30
    assert _without_times(tmp_path / "whole") == _without_times(tmp_path / "parts")


@pytest.mark.parametrize("cut", ["cut", "half"])
def test_an_answer_that_was_lost_costs_slumbot_s_hand_which_is_counted(tmp_path: Path, cut: str) -> None:
    sites = Sites()
    sites.faults = {"/api/act": [cut]}
    with serving(sites) as url:
        found = _played(Slumbot(_service(url)), tmp_path / "m", 5)
    assert (found.hands, found.lost, sites.begun) == (5, 1, 6)
    lines = (tmp_path / "m").read_text().splitlines()
    assert sum('"lost":true' in line for line in lines) == 1


@pytest.mark.parametrize("cut", ["cut", "half"])
def test_it_costs_nothing_where_the_site_says_how_the_hand_stands(tmp_path: Path, cut: str) -> None:
    sites = Sites()
    sites.faults = {"/hands": [cut], "/hands/hand-2/act": [cut]}
    with serving(sites) as url:
        found = _played(GtoWizard(_service(url)), tmp_path / "m", 6)
    assert (found.hands, found.lost, sites.begun) == (6, 0, 6)


def test_what_was_lost_before_is_not_among_the_hands_that_a_match_goes_on_to(tmp_path: Path) -> None:
    sites = Sites()
    sites.faults = {"/api/act": ["cut"]}
    with serving(sites) as url:
        _played(Slumbot(_service(url)), tmp_path / "m", 3)
        found = _played(Slumbot(_service(url)), tmp_path / "m", 5, resume=True)
    assert (found.hands, found.lost, sites.begun) == (5, 1, 6)


def test_each_hand_is_played_with_chances_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, restart = list[int](), AgentPlayer.restart
    monkeypatch.setattr(AgentPlayer, "restart", lambda self, seed: (seeds.append(seed), restart(self, seed)))
    with serving(Sites()) as url:
        _played(Slumbot(_service(url)), tmp_path / "m", 4)
    assert len(set(seeds[-4:])) == 4


def test_three_lost_hands_in_a_row_end_the_match_and_keep_it(tmp_path: Path) -> None:
    sites = Sites()
    sites.faults = {"/api/act": ["cut"] * 20}
    with serving(sites) as url, pytest.raises(RemoteError, match="3 hands in a row were lost"):
        _played(Slumbot(_service(url)), tmp_path / "m", 50)
    assert (tmp_path / "m").read_text().count('"lost":true') == 3


def test_hands_whose_other_cards_are_not_shown_count_and_are_no_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = Sites(hide=True)
    with serving(sites) as url:
        found = _played(GtoWizard(_service(url)), tmp_path / "m", 20)
    assert (found.hands, found.unseen) == (20, 20)
    assert found.chips.mean == pytest.approx(sum(deal.winnings() for deal in sites.deals.values()) / 2)
    file = read(tmp_path / "m")
    assert (len(file.hands), len(file.damaged), file.not_shown) == (0, 20, 20)
    sites.hide = False
    with serving(sites) as url:
        _played(GtoWizard(_service(url)), tmp_path / "m", 22, resume=True)
    for given in (str(tmp_path / "m"), "-"):  # a pipe was weighed by the two hands that were shown
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "m").read_bytes())))
        _call("evaluate", "aivat", "--record", given, "--agent", THRESHOLD, code=2)
        assert "in 20 hands the other cards were not shown" in " ".join(capsys.readouterr().err.split())


def test_hands_of_a_site_that_do_not_replay_are_called_what_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were called damaged."""
    sites = Sites(hide=True)
    sites.faults = {"/api/act": ["cut"]}
    with serving(sites) as url:
        _played(Slumbot(_service(url)), tmp_path / "m", 1)
        sites.hide = False
        _played(Slumbot(_service(url)), tmp_path / "m", 2, resume=True)
    assert read(tmp_path / "m").damaged == [
        f"{tmp_path}/m, line {line}: {why}; the line was left out."
        for line, why in ((2, "the hand was lost on its way to the site"), (3, "the other cards were not shown"))
    ]
    _call("convert", str(tmp_path / "m"), str(tmp_path / "out.jsonl"), code=0)
    said = capsys.readouterr().err
    assert "One hand written to" in said
    assert "1  the other cards were not shown" in said
    assert "damaged" not in said


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        (False, "is none by the rules: The values are"),
        (True, r"is worth .*; by the rules it is \(.*\) or \(.*\) or \(0.0, 0.0\)"),
    ],
)
def test_what_a_site_says_is_held_against_the_rules(hidden: bool, said: str, tmp_path: Path) -> None:
    """Of a showdown whose other cards are hidden, whatever was won was counted."""

    class Wrong(Slumbot):
        def act(self, *args: object) -> object:  # type: ignore[override]
            shown = super().act(*args)  # type: ignore[arg-type]
            if shown.winnings is None:
                return shown
            if not hidden:
                return evolve(shown, winnings=shown.winnings + 1)
            return evolve(shown, winnings=shown.winnings + (not shown.betting.endswith("f")), opponent=())

    with serving(Sites()) as url, pytest.raises(DamagedFileError, match=said):
        _played(Wrong(_service(url)), tmp_path / "m", 20)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"action": "f", "winnings": -50}, "shows 'f' after our 'b"),
        ({"action": "b200b600f", "winnings": -200}, "shows 'b200b600f' after our 'b200'"),  # the fold is ours too
        ({"client_pos": 0}, "changed the position of a hand under way, from 1 to 0"),
        ({"hole_cards": ["2c", "2d"]}, "changed the hole of a hand under way"),
    ],
)
def test_a_hand_stays_the_same_hand_and_our_actions_ours(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    answer = {"action": "", "client_pos": 1, "hole_cards": ["Ah", "As"], "board": [], "token": "t"}
    service = _service("http://127.0.0.1:1")
    service.call = lambda path, *_, **__: answer | (changed if path == "/api/act" else {})  # type: ignore[method-assign]
    with pytest.raises(DamagedFileError, match=re.escape(said)):
        _played(Slumbot(service), tmp_path / "m", 1)


def test_the_board_of_a_hand_stays_too(tmp_path: Path) -> None:
    answer = {
        "action": "b200c/",
        "client_pos": 0,
        "hole_cards": ["Ah", "As"],
        "board": ["2c", "3d", "4h"],
        "token": "t",
    }
    changed = {"action": "b200c/kk/", "board": ["2c", "3d", "5h", "9s"]}
    service = _service("http://127.0.0.1:1")
    service.call = lambda path, *_, **__: answer | (changed if path == "/api/act" else {})  # type: ignore[method-assign]
    with pytest.raises(DamagedFileError, match="changed the board of a hand under way"):
        _played(Slumbot(service), tmp_path / "m", 1, agent="always_call")


def test_a_hand_that_is_sent_twice_in_one_match_is_not_counted_twice(tmp_path: Path) -> None:
    class Same(Slumbot):
        """Who calls all hands by one name."""

        def _shown(self, answer: dict[str, object]) -> Shown:
            return evolve(super()._shown(answer), hand_id="1")

    with serving(Sites()) as url, pytest.raises(DamagedFileError, match="sent the hand 1 again"):
        _played(Same(_service(url)), tmp_path / "m", 2)
    assert len(read(tmp_path / "m").hands) == 1


def test_a_hand_that_is_sent_again_is_not_counted_twice(tmp_path: Path) -> None:
    sites = Sites()
    with serving(sites) as url:
        assert _played(GtoWizard(_service(url)), tmp_path / "m", 1).hands == 1
        sites.faults = {"/hands": [sites.frame("hand-0", sites.deals["hand-0"])]}
        with pytest.raises(DamagedFileError, match="sent the hand hand-0 again"):
            _played(GtoWizard(_service(url)), tmp_path / "m", 2, resume=True)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>", "no JSON object"),
        (b"[" * 100_000, "no JSON object"),
        (b" " * (LONGEST + 2), "more than 1,048,576 bytes"),
        ({"error_msg": "No\x1b[2J token"}, r"refused /api/new_hand: No\\x1b\[2J token"),
        ({"action": "", "client_pos": 2, "hole_cards": ["As", "Ks"]}, "client_pos must be from 0 to 1"),
        ({"action": "", "client_pos": 1}, "hole_cards"),
        ({"action": "", "client_pos": 1, "hole_cards": ["As", "Zz"]}, "cards"),
        ({"action": "b9" * 5000, "client_pos": 1, "hole_cards": ["As", "Ks"]}, "longer than a hand"),
        ({"action": "kkkk", "client_pos": 1, "hole_cards": ["As", "Ks"]}, "cannot be read|refuse|needs|ended"),
        (403, "answered /api/new_hand with 403"),
    ],
)
def test_foreign_answers_are_refused_in_a_sentence(tmp_path: Path, answer: object, said: str) -> None:
    sites = Sites()
    sites.faults = {"/api/new_hand": [answer]}
    with serving(sites) as url, pytest.raises((DamagedFileError, RemoteError), match=said):
        _played(Slumbot(_service(url)), tmp_path / "m", 1)


def test_the_key_goes_to_https_or_to_this_machine_alone() -> None:
    for url in ("http://slumbot.com", "ftp://127.0.0.1", "slumbot.com", "https://"):
        with pytest.raises(UsageError, match="must begin with https"):
            Service(url)
    sites = Sites()
    with serving(sites) as url:
        Service(url, {"X-API-Key": "k"}).call("/api/new_hand", {})
    assert sites.headers[0]["X-Api-Key"] == "k"
    assert not sites.headers[0]["User-Agent"].startswith("Python")


@pytest.mark.parametrize("key", ["top\nsecret", "topsécret\u0141"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    """The whole of it stood in the message, as http.client says what is wrong with it."""
    with pytest.raises(UsageError, match="What goes out as X-API-Key has a line end in it") as refused:
        Service("http://127.0.0.1:9", {"X-API-Key": key})
    assert "cret" not in str(refused.value)


def test_a_line_end_behind_a_key_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTOWIZARD_API_KEY", " k\n")
    sites, file = Sites(), str(tmp_path / "m")
    with serving(sites) as url:
        _call("match", "gtowizard", "-a", THRESHOLD, "-n", "1", "-r", file, "--url", url, "--no-aivat", code=0)
    assert {headers["X-Api-Key"] for headers in sites.headers} == {"k"}


def test_nobody_there_is_said() -> None:
    with pytest.raises(NoAnswerError, match="did not answer /api/new_hand"):
        Slumbot(Service("http://127.0.0.1:9", tries=1)).begin()


def test_of_a_match_that_never_began_nothing_stays(tmp_path: Path) -> None:
    file = tmp_path / "m"
    with pytest.raises(NoAnswerError):
        _played(Slumbot(Service("http://127.0.0.1:9", tries=1)), file, 1)
    assert not file.exists()
    with serving(Sites()) as url:
        _played(Slumbot(_service(url)), file, 1)
    with pytest.raises(NoAnswerError):
        _played(Slumbot(Service("http://127.0.0.1:9", tries=1)), file, 2, resume=True)
    assert len(read(file).hands) == 1


def test_a_wrong_password_is_said() -> None:
    with serving(Sites()) as url:
        with pytest.raises(RemoteError, match="Invalid password"):
            Slumbot(_service(url), "me", "wrong")
        assert Slumbot(_service(url), "me", "right").begin().hole


def test_a_seat_is_known_by_its_name(tmp_path: Path) -> None:
    with serving(Sites()) as url:
        assert _played(GtoWizard(_service(url), me="tester"), tmp_path / "m", 2).hands == 2
        with pytest.raises(UsageError, match="Say which you are with --me"):
            GtoWizard(_service(url), me="somebody else").begin()


def test_a_game_of_the_benchmark_is_known_by_its_name() -> None:
    assert definition_of("HUNL 200BB") == load_game(GAME)
    assert definition_of("HUNL 100BB").stack == (10_000, 10_000)
    for name in ("HUNL 0BB", "6MAX 100BB", ""):
        with pytest.raises(UsageError, match="--game-name"):
            definition_of(name)


def test_a_game_that_is_not_what_was_asked_for_is_refused(tmp_path: Path) -> None:
    with serving(Sites()) as url:
        site = GtoWizard(_service(url))
        site.definition = definition_of("HUNL 100BB")
        with pytest.raises(UsageError, match="stacks of 20000, which is not"):
            site.begin()


def test_a_file_is_taken_up_by_its_own_match_alone(tmp_path: Path) -> None:
    file = tmp_path / "m"
    with serving(Sites()) as url:
        site = Slumbot(_service(url))
        _played(site, file, 2)
        with pytest.raises(UsageError, match="is there already"):
            _played(site, file, 3)
        with pytest.raises(UsageError, match="holds a match with the agents"):
            _played(site, file, 3, resume=True, agent="always_call")
    file.write_text('{"some": "thing"}\n')
    with pytest.raises(DamagedFileError, match="no record of cardai"), serving(Sites()) as url:
        _played(Slumbot(_service(url)), file, 3, resume=True)
    assert json.loads(file.read_text()) == {"some": "thing"}


def test_a_match_does_not_go_on_with_a_run_that_was_trained_further(tmp_path: Path) -> None:
    run, file, game = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "run"), tmp_path / "m", load_game(GAME)
    for resume in (False, True):
        with KeptHands(str(file), header_of("slumbot", game, str(run.path), 3), resume) as kept:
            kept.keep(SiteHand(len(kept.hands), 1, "cr300f", "AsKs|", -100.0, 100), None)
    whole = file.read_bytes()
    run.train(steps=9)
    with pytest.raises(UsageError, match=r"was played by .*run at step 1, and .*run is at step 9 now"):
        KeptHands(str(file), header_of("slumbot", game, str(run.path), 3), True)
    assert file.read_bytes() == whole
    file.write_bytes(whole.replace(b',"steps":[1,-1]', b""))  # as older versions wrote it
    with KeptHands(str(file), header_of("slumbot", game, str(run.path), 3), True) as kept:
        assert len(kept.hands) == 2


@pytest.mark.parametrize("content", [b"notes, and no line end", b"\x00" * ((1 << 20) + 5), b'{"cardai": "record"}'])
def test_a_file_that_is_not_the_beginning_of_the_match_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m"
    file.write_bytes(content)
    with pytest.raises(DamagedFileError, match="no record of cardai"):
        KeptHands(str(file), header_of("slumbot", load_game(GAME), THRESHOLD, 3), True)
    assert file.read_bytes() == content


def test_a_half_written_end_is_cut_off_and_a_line_too_long_is_not(tmp_path: Path) -> None:
    file, header = tmp_path / "m", header_of("slumbot", load_game(GAME), THRESHOLD, 3)
    hand = SiteHand(0, 1, "cr300f", "AsKs|", -100.0, 100)
    with KeptHands(str(file), header, False) as kept:
        kept.keep(hand, None)
    whole = file.read_bytes()
    for cut in (10, len(whole) - 10):
        file.write_bytes(whole[:cut])
        with KeptHands(str(file), header, True) as kept:
            kept.keep(hand, None)
        assert file.read_bytes() == whole
    file.write_bytes(whole + b" " * (1 << 20) + whole)
    with pytest.raises(DamagedFileError, match="line 3"):
        KeptHands(str(file), header, True)
    assert len(file.read_bytes()) == 2 * len(whole) + (1 << 20)


def test_actions_are_written_as_the_sites_want_them() -> None:
    tree = WireTree(load_game(GAME))
    node: BettingNode = tree.root
    for action, text in [(300, "b300"), (1, "c"), (1, "k"), (500, "b200"), (1500, "b1200"), (0, "f")]:
        after = tree.after(node, action)
        assert to_slumbot(after).strip("/").endswith(text)
        node = after


@pytest.mark.long
def test_the_commands_of_the_docs_play_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "sites.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GTOWIZARD_API_KEY", "k")
    sites = Sites()
    with serving(sites) as url:
        for line in block.splitlines():
            hands = str(int(re.findall(r"--hands (\d+)", line)[0]) // 500)
            words = shlex.split(re.sub(r"--hands \d+", f"--hands {hands}", line))
            _call(*words[1:], "--url", url, "--json", "--quiet", code=0)
    assert sites.begun == 12
    assert all("X-Api-Key" in headers for headers in sites.headers[-2:])
    assert len(read(tmp_path / "slumbot.jsonl").hands) == 10


def test_without_a_key_the_benchmark_is_not_called(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GTOWIZARD_API_KEY", raising=False)
    _call("match", "gtowizard", "--agent", "threshold", "--record", "x.jsonl", code=2)
    assert "GTOWIZARD_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_an_answer_that_comes_byte_by_byte_is_not_waited_for(head: bytes) -> None:
    over = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(head)
            for _ in range(600):  # half a minute
                if over.wait(0.05):
                    break
                connection.sendall(b" " if head else b"HTTP/1.1 100 Continue\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        service = Service(f"http://127.0.0.1:{listener.getsockname()[1]}", seconds=0.3, tries=1)
        begun = time.monotonic()
        with pytest.raises(NoAnswerError, match="did not answer"):
            service.call("/hands")
        assert time.monotonic() - begun < 20
        over.set()
        thread.join()


def test_a_hand_that_never_goes_on_is_given_up(tmp_path: Path) -> None:
    service = _service("http://127.0.0.1:1")
    answer = {"action": "", "client_pos": 1, "hole_cards": ["Ah", "Kd"], "board": [], "token": "t"}
    service.call = lambda *_, **__: answer  # type: ignore[method-assign]
    with pytest.raises(DamagedFileError, match="whatever we do"):
        _played(Slumbot(service), tmp_path / "m", 1)
