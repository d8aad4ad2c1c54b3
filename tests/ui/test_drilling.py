"""Drills over a library: which spot comes next, who sits where, what is kept of how it went, on the page too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cardai.core.errors import OptionError, UsageError
from cardai.poker.ranges.library import Library
from cardai.poker.ranges.solution import prepare, solve
from cardai.poker.ranges.spot_game import SMALL
from cardai.study.drills import Known, order
from cardai.ui import again
from cardai.ui.drilling import Drill, Drilling, drill_of


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One spot that can be drilled, one with rake, one that is checked down, one that is not solved."""
    found = Library(tmp_path_factory.mktemp("drills") / "lib")
    kept = found.keep(solve(prepare(evolve(SMALL, pot=99.5)), 0.1, 1000), position="BTN-BB", raised="single")
    kept.rename(kept.with_name("called by hand"))
    found.keep(solve(prepare(evolve(SMALL, rake=0.05)), 5.0, 20))
    found.keep(solve(prepare(evolve(SMALL, board=SMALL.board[:8], checked_down=True)), 50.0, 1))
    found.keep(prepare(evolve(SMALL, pot=80)))
    return found.directory


def play(match: Drilling, wrong: bool) -> float:
    """Play a hand to its end, as well as can be or as badly; return what its decisions cost."""
    cost = 0.0
    while not match.table.hand_over:
        if match.waiting:
            match.step()
            continue
        judged = {action: match.judged(action) for action in match.table.legal_actions()}
        costs = {action: found.cost for action, found in judged.items() if found is not None}
        action = (max if wrong else min)(costs, key=lambda action: costs[action])
        cost += costs[action]
        match.act(action)
    return cost


def test_spots_come_from_both_seats_and_what_cost_something_comes_again(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "not yet there"))
    drill = drill_of(f"drill:library={library},raised=single")
    assert drill == Drill(str(library), raised="single")
    match = Drilling(drill, 5)
    (key,) = match.spots
    seats, first = {match.seat}, match.name
    assert f"pot 99.5, 150 behind. You {('act first', 'are on the button')[match.seat]}." in match.scene().log[0].words
    assert match.scene().names.count("solved_spot") == 1
    assert match.scene().view["pot"] == 99.5
    cost = play(match, wrong=True)
    assert cost > 0
    assert again.due() == {first: Known(0, again.today(), cost)}
    assert match.graded().cost == cost
    end = match.scene().end
    assert end is not None
    assert abs(end.returns[0]) in {spent - 0.0 for spent in (49.75, 149.25, 199.75)} | {0.0}
    assert end.views[0]["pot"] == sum(end.views[0]["spent"])
    match.next_hand()
    seats |= {match.seat}
    assert seats == {0, 1}
    assert match.scene().standing.hands == 1
    assert play(match, wrong=False) == 0
    assert again.due()[match.name] == Known(1, again.today() + 1)
    match.next_hand()
    assert match.name == first  # it cost something
    assert play(match, wrong=False) == 0
    match.next_hand()  # nothing is due: all of them once more
    assert match.name in {f"{key} 0", f"{key} 1"}
    assert [again.due()[f"{key} {seat}"].box for seat in range(2)] == [1, 1]
    assert Drilling(drill, 6).name.startswith(key)


def test_due_ones_come_first_the_dearest_of_them_then_new_ones() -> None:
    known = {"a": Known(1, 9, 0.0), "b": Known(0, 5, 2.0), "c": Known(0, 4, 3.0), "d": Known(2, 5, 0.0)}
    found = order(["a", "b", "c", "d", "e", "f"], known, 5, np.random.default_rng(1))
    assert found[:3] == ["c", "b", "d"]
    assert sorted(found[3:]) == ["e", "f"]
    assert order(["a"], known, 5, np.random.default_rng(1)) == ["a"]


def test_what_is_no_drill_is_refused(library: Path, tmp_path: Path) -> None:
    assert drill_of("gin") is drill_of(None) is None
    with pytest.raises(OptionError, match=r"The drill has no option 'librery'\. Did you mean 'library'"):
        drill_of("drill:librery=x")
    with pytest.raises(UsageError, match=r"There is no spot to drill in .*nothing'"):
        Drill(str(tmp_path / "nothing")).spots()
    with pytest.raises(UsageError, match="1 with rake, checked down or not yet solved cannot be played"):
        Drill(str(raked(tmp_path))).spots()
    assert len(Drill(str(library)).spots()) == 1
    broken = tmp_path / "broken" / "spots" / "abc"
    broken.mkdir(parents=True)
    (broken / "spot.json").write_text("{")
    said: list[str] = []
    with pytest.raises(UsageError, match=r"no spot to drill in .*broken'\."):
        Drill(str(tmp_path / "broken")).spots(said.append)
    assert len(said) == 1
    assert "spots/abc/spot.json" in said[0]
    with pytest.raises(UsageError, match=r"no spot of 'UTG-BB single' to drill .* Known: BTN-BB single\."):
        Drill(str(library), "UTG-BB", "single").spots()


def test_without_a_terminal_the_page_is_named(library: Path) -> None:
    pytest.importorskip("textual")
    from cardai.commands.play import play

    with pytest.raises(
        UsageError, match=r"play drill needs a terminal\. In the browser it needs none: add --browser\."
    ):
        play(f"drill:library={library}")


def raked(folder: Path) -> Path:
    """Return a library of one spot with rake."""
    found = Library(folder / "raked")
    found.keep(prepare(evolve(SMALL, rake=0.05)))
    return found.directory


def test_the_page_deals_them_and_grades_at_once(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web: Any = pytest.importorskip("tests.web.conftest")
    if not web.HERE:
        pytest.skip("the pages need the extra play")
    from cardai.web.door import Door
    from cardai.web.pages import Asked, House
    from cardai.web.sittings import Sittings

    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    served = web.Served(
        House(Door("127.0.0.1"), Sittings(2), Asked(library=library, drill=Drill(str(library)), seed=5))
    )
    try:
        assert "Play the library" in served.ask("study/library")[1]
        code, _, headers = served.ask("")
        assert code == 303
        with served.page(headers["location"].rpartition("/")[2]) as page:
            scene = page.turn()
            assert "pot 99.5, 150 behind" in scene["parts"]["log"]
            page.say("act", action=1)
            said = page.hear(lambda m: m["kind"] == "said")["words"]
            assert said == Drilling.praise or "was better" in said
        assert served.ask("drill/spots", "library=library", Origin=served.origin)[0] == 303
        assert served.ask("drill/spots", "library=elsewhere", Origin=served.origin)[0] == 400
    finally:
        served.close()
