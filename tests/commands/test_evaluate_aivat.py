"""``cardai evaluate aivat`` and ``cardai run --aivat``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cardai.core.arrays import Float64s
from cardai.poker.aivat.matches import Deals
from tests.commands.conftest import Call

PLAY = ("run", "-g", "leduc", "-a", "random", "--vs", "always_call", "-n", "40")


@pytest.fixture
def hands(cardai: Call, tmp_path: Path) -> str:
    """Return a record of 40 games of Leduc."""
    file = str(tmp_path / "hands.jsonl")
    assert cardai(*PLAY, "--record", file).code == 0
    return file


def test_it_prints_chips_and_aivat_one_below_the_other(cardai: Call, hands: str) -> None:
    called = cardai("evaluate", "aivat", "--record", hands, "--agent", "random")
    assert called.code == 0
    title, won, corrected, spread = called.out.splitlines()
    assert title == "AIVAT of random, 40 hands:"
    assert won.startswith("won     ")
    assert corrected.startswith("AIVAT   ")
    assert "of the spread: as good as" in spread


def test_run_finds_the_same_beside_its_result_and_keeps_no_file(cardai: Call, hands: str) -> None:
    apart = json.loads(cardai("evaluate", "aivat", "--record", hands, "--agent", "random", "--json").out)
    beside = json.loads(cardai(*PLAY, "--aivat", "random", "--json").out)
    assert beside["aivat"] | {"game": "leduc"} == apart
    assert beside["players"][0]["mean_return"]["mean"] == pytest.approx(apart["won"]["mean"])
    assert apart["ratio"] < 1
    assert (
        "AIVAT of random, 40 hands, values always_call:"
        in cardai(*PLAY, "--aivat", "random", "--values", "always_call").out
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "mix"), "holds hands of random and always_call, not of mix."),
        (("--agent", "human", "--player", "random"), "human has no policy, only act."),
        (("--agent", "random", "--values", "played"), "are of two-player games of two hole cards, and Leduc is none"),
        (("--agent", "always_fold", "--player", "random"), "always_fold never plays as it does in the record"),
    ],
)
def test_what_cannot_be_measured_is_a_usage_error(cardai: Call, hands: str, words: tuple[str, ...], said: str) -> None:
    called = cardai("evaluate", "aivat", "--record", hands, *words)
    assert called.code == 2
    assert said in called.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-g", "gin", "-a", "simple", "--vs", "random", "--aivat", "random"), "is too large to enumerate"),
        (("-g", "leduc", "-a", "random", "--vs", "mix", "--aivat", "simple"), "holds hands of random and mix"),
        (("-g", "leduc", "-a", "random", "--vs", "mix", "--values", "mix"), "give both"),
        (("-g", "leduc", "-a", "random", "--vs", "mix", "--aivat", "mix", "--record", "-"), "the name of a file"),
        (
            ("-g", "acpc_limit_2p", "-a", "random", "--vs", "mix", "--aivat", "mix", "--values", "human"),
            "Values come from a program. human is a person.",
        ),
        (
            ("-g", "acpc_limit_2p", "-a", "random", "--vs", "mix", "--aivat", "mix", "--values", "equity:x=1"),
            "has no option 'x'",
        ),
    ],
)
def test_run_refuses_before_anything_is_played(cardai: Call, words: tuple[str, ...], said: str) -> None:
    called = cardai("run", *words)
    assert called.code == 2
    assert said in called.err
    assert called.out == ""


@pytest.mark.parametrize(
    ("game", "values", "said"),
    [
        ("plo:bets=pot", (), "AIVAT is for .* Omaha"),
        ("plo:bets=pot", ("--values", "equity"), "AIVAT is for .* Omaha"),
        ("plo:bets=pot", ("--values", "played"), "AIVAT is for .* Omaha"),
        ("short_deck", ("--values", "played"), "Learning values from play is for hold'em .* ShortDeck is 36 cards"),
        ("short_deck:players=3", (), r"AIVAT is for board games of two players. ShortDeck\(players=3\) has 3"),
    ],
)
def test_a_game_whose_hands_it_cannot_weigh_is_refused_before_a_hand_is_played(
    cardai: Call, game: str, values: tuple[str, ...], said: str
) -> None:
    play = ("run", "--game", game, "--agent", "always_call", "--vs", "random", "--games", "30")
    called = cardai(*play, *(("--vs", "random") if "players" in game else ()), "--aivat", "always_call", *values)
    assert called.code == 2
    assert called.out == ""
    assert re.search(said, " ".join(called.err.split()))


@pytest.mark.long
@pytest.mark.parametrize("values", [(), ("--values", "equity")])
def test_short_deck_is_measured_by_its_own_equities(cardai: Call, values: tuple[str, ...]) -> None:
    play = ("run", "--game", "short_deck:bets=pot+allin", "--agent", "random", "--vs", "always_call", "--games", "20")
    found = json.loads(cardai(*play, "--aivat", "random", *values, "--json").out)["aivat"]
    assert found["hands"] == 20
    assert 0 < found["ratio"] < 1


def match(**others: str) -> tuple[str, ...]:
    """Return the options of a match, some of them others."""
    given = {"game": "acpc_limit_2p", "agent": "acpc_mix", "vs": "always_call", "seed": "3"} | others
    return tuple(word for name, value in given.items() for word in (f"--{name}", value))


MATCH = match()


def test_a_match_that_is_played_for_it_has_the_hands_and_figures_of_run(cardai: Call) -> None:
    called = cardai("evaluate", "aivat", *MATCH, "--hands", "16")
    assert called.code == 0
    title, won, corrected, _ = called.out.splitlines()
    assert title == "acpc_mix against always_call in acpc_limit_2p, 16 hands, each deal in both seats:"
    found = json.loads(cardai("evaluate", "aivat", *MATCH, "--hands", "16", "--json").out)
    run = json.loads(cardai("run", *MATCH, "--games", "16", "--aivat", "acpc_mix", "--json").out)["aivat"]
    big_blind = 10
    for name in ("won", "aivat"):
        for end in ("mean", "low", "high"):
            assert found[name][end] == pytest.approx(run[name][end] * 1000 / big_blind)
    assert (found["hands"], found["unit"], found["aivat"]["count"]) == (16, "mbb/g", 8)
    assert won.startswith(f"won     {found['won']['mean']:+,.1f} ± ")
    assert corrected.startswith(f"AIVAT   {found['aivat']['mean']:+,.1f} (")


def test_a_match_for_it_is_kept_goes_on_with_more_hands_and_is_the_same_by_two_processes(
    cardai: Call, tmp_path: Path
) -> None:
    kept = str(tmp_path / "deals.npz")
    cardai("evaluate", "aivat", *MATCH, "--hands", "4", "--out", kept)
    more = ("evaluate", "aivat", *MATCH, "--hands", "8", "--json")
    assert cardai(*more, "--out", kept).out == cardai(*more, "--jobs", "2").out
    for others in ({"vs": "random"}, {"seed": "4"}, {"values": "played:hands=20"}):
        called = cardai("evaluate", "aivat", *match(**others), "--hands", "8", "--out", kept)
        assert "belongs to another game, player" in called.err


def test_a_match_for_it_that_is_stopped_says_so_and_how_to_go_on(
    cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def piece(self: Deals, number: int) -> Float64s:
        if number:
            raise KeyboardInterrupt
        return np.array([1.0, 2.0])

    monkeypatch.setattr(Deals, "piece", piece)
    kept = str(tmp_path / "deals.npz")
    called = cardai("evaluate", "aivat", *MATCH, "--hands", "8", "--out", kept, "--json")
    assert called.code == 130
    assert f"Stopped after 2 of 8 hands. Go on with --out {kept}." in called.err
    assert json.loads(called.out)["hands"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "random"), "AIVAT weighs hands. Give --record FILE, or have them played"),
        (("--agent", "random", "--hands", "4"), "--hands is of hands that are played"),
        (("--agent", "random", "--record", "x", "--out", "y"), "--out is of hands that are played"),
        (("--agent", "random", "--record", "x", "--jobs", "2"), "--jobs is of hands that are played"),
        (("--agent", "random", "--record", "x", "--on", "ray"), "--on is of hands that are played"),
        (("--agent", "random", "--vs", "mix"), "name the game with --game too"),
        ((*MATCH, "--record", "x"), "Give one or the other."),
        ((*MATCH, "--hands", "3"), "must be even"),
        (match(agent="human"), "has no policy, only act."),
        (match(vs="human"), "is a person: play with cardai run --record"),
        (match(game="leduc"), "is for hold'em for two"),
        ((*MATCH, "--values", "played:hands=x"), "hands"),
    ],
)
def test_a_match_that_cannot_be_weighed_is_a_usage_error(cardai: Call, words: tuple[str, ...], said: str) -> None:
    called = cardai("evaluate", "aivat", *words)
    assert called.code == 2
    assert said in called.err
    assert not called.out
