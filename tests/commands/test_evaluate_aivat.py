"""``cardai evaluate aivat`` and ``cardai run --aivat``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

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
