from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardai.core.errors import DamagedFileError
from cardai.formats.acpc.logs import Log, LogHand, Score, parse_line, read_log, value_text
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import checked
from tests.formats.acpc_table import DATA, LIMIT, NO_LIMIT

PUBLIC = [*sorted(DATA.glob("*seed0.log")), DATA / "deepstack.log"]


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_public_lines_survive_reading_and_writing_to_the_byte(path: Path) -> None:
    log = read_log(path)
    assert "".join(log.lines()) == path.read_text()
    assert not log.problems


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_public_hands_are_legal_and_worth_what_they_say(path: Path) -> None:
    log = read_log(path)
    tree = WireTree(log.game())
    for hand in log.hands:
        assert checked(tree, hand).text == hand.betting


def test_the_time_after_a_hand_is_kept_apart_from_the_names() -> None:
    hand = read_log(DATA / "deepstack.log").hands[0]
    assert hand.names == ("DeepStack", "schaumann.lucas.2")
    assert hand.time == "1481420876.44518"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (10, "10"), (-9525.5, "-9525.5"), (100 / 3, "33.333333"), (1e6, "1000000"), (0.1, "0.1")],
)
def test_values_are_written_as_the_c_dealer_writes_them(value: float, text: str) -> None:
    assert value_text(value) == text


def test_damaged_lines_are_reported_by_number_and_the_rest_is_read() -> None:
    lines = (DATA / "2p.limit.seed0.log").read_text().splitlines(keepends=True)
    lines[5] = lines[5][:20] + "\n"
    lines[7] = "nonsense\n"
    lines[9] = lines[9].replace("/5c", "")
    log = read_log([*lines[:12], lines[12][:30]])
    assert [problem.line for problem in log.problems] == [6, 8, 13]
    assert "the line is cut off" in log.problems[-1].why
    assert [hand.hand for hand in log.hands] == [0, 2, 4, 5, 6, 7]
    assert log.score is None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_line_cut_anywhere_is_read_or_refused_but_never_misread(data: st.DataObject) -> None:
    line = "STATE:100:cr9579r19429cf/cr19578c:Jd8d|6h8c|8h2c/Qh3sAh:-9579|4789.5|4789.5:p2|p3|p1"
    cut = line[: data.draw(st.integers(0, len(line) - 1))]
    try:
        read = parse_line(cut)
    except DamagedFileError:
        return
    assert cut == "" or (isinstance(read, LogHand) and read.names[:2] == ("p2", "p3"))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=100))
def test_any_text_is_read_or_refused_with_our_error(text: str) -> None:
    with contextlib.suppress(DamagedFileError):
        parse_line(text)


def test_a_log_knows_its_game_from_its_header_or_its_hands() -> None:
    log = read_log(DATA / "3p.limit.seed0.log")
    assert log.game().name == "holdem.limit.3p.game"
    log.comments.clear()
    assert log.game().name == "holdem.limit.3p.game"
    assert read_log(DATA / "deepstack.log").game().name == f"{NO_LIMIT}.game"
    with pytest.raises(DamagedFileError, match="does not say which game"):
        Log().game()
    assert read_log(["STATE:0:rf:5d5c|9hQd:10|-10:a|b\n"]).game().name == f"{LIMIT}.game"


def test_the_score_goes_by_seat() -> None:
    score = read_log(DATA / "3p.nolimit.seed0.log").score
    assert score == Score((684452.0, 552584.5, -1237036.5), ("p1", "p2", "p3"))
    assert score.text() == "SCORE:684452|552584.5|-1237036.5:p1|p2|p3"
