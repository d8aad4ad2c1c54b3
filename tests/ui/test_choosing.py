"""The first screens: games, then only the players that fit, with their measured strength."""

from __future__ import annotations

import asyncio
import json
import warnings
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from textual.widgets import OptionList

from cardai import make
from cardai.core import registry
from cardai.core.extras import players_command
from cardai.ui.app import PlayOptions
from cardai.ui.choosing import MORE, ChooseGame, ChoosePlayer, strength_line
from cardai.ui.players import Player, fitting, games, strong, surprise
from cardai.ui.strength import (
    FIELD,
    LADDERS,
    SHIPPED,
    Strength,
    ahead,
    known_strengths,
    ladders,
    levels,
    measure,
    place,
    reference,
    shipped,
)
from cardai.ui.table import Playing
from tests.ui.driving import Sat, seated


async def choose(person: Sat, name: str) -> None:
    names = [row for row, _ in person.screen.rows]
    await person.press("home", *["down"] * names.index(name), "enter")


def test_a_game_and_a_player_that_fits_are_chosen_and_play_begins() -> None:
    async def play() -> None:
        async with seated(PlayOptions(seed=4)) as person:
            await person.until(lambda: isinstance(person.screen, ChooseGame))
            await choose(person, "kuhn")
            await person.until(lambda: isinstance(person.screen, ChoosePlayer) and bool(person.screen.players))
            assert {player.spec for player in person.screen.players} >= {"best_response", "ismcts", "pimc", "random"}
            await choose(person, "random")
            await person.until(lambda: isinstance(person.screen, Playing) and person.screen.scene is not None)
            assert person.scene.names.count("random") == 1

    asyncio.run(play())


def test_a_player_in_the_box_that_is_not_installed_is_offered_and_says_how_it_comes() -> None:
    async def play() -> None:
        async with seated(PlayOptions("leduc", seed=4)) as person:
            await person.until(lambda: isinstance(person.screen, ChoosePlayer) and bool(person.screen.players))
            assert "leduc_equilibrium" not in {player.spec for player in person.screen.players}
            await choose(person, "leduc_equilibrium")
            assert isinstance(person.screen, ChoosePlayer)
            assert players_command() in str(person.screen.query_one("#about").content)

    asyncio.run(play())


def test_a_strong_opponent_is_pointed_at_first() -> None:
    """A champion, else who stands first on the ladder, and where nobody was measured the search that plays any game."""

    async def play() -> None:
        async with seated(PlayOptions("omaha")) as person:
            await person.until(lambda: isinstance(person.screen, ChoosePlayer) and bool(person.screen.players))
            at = person.screen.query_one(OptionList).highlighted
            assert person.screen.rows[at][0] == "ismcts"

    asyncio.run(play())


def test_who_was_measured_stays_marked_where_he_stands_now() -> None:
    """The mark stayed at its place in the list, and Enter sat down against another."""

    async def play() -> None:
        async with seated(PlayOptions("kuhn")) as person:
            await person.until(lambda: isinstance(person.screen, ChoosePlayer) and bool(person.screen.players))
            first = person.screen.players[0].spec
            await person.press("home")
            person.screen._list(person.screen.players[::-1])
            await person.pilot.pause()
            assert person.screen.rows[person.screen.query_one(OptionList).highlighted][0] == first

    asyncio.run(play())


def test_who_is_strong_is_said_by_name_by_the_ladder_or_is_the_search() -> None:
    assert strong([Player(name, "") for name in ("always", "champion", "ismcts")]) == 1
    assert strong([Player(name, "") for name in ("always", "ismcts")]) == 1
    assert strong([Player(name, "") for name in ("always", "random")]) == 0
    best = Player("threshold", "", Strength(90.0, 1.0, "%", FIELD, 100))
    assert strong([best, Player("ismcts", "")]) == 0
    assert strong([best, Player("nolimit_resolving", "")]) == 1


def test_who_names_a_game_of_the_box_sits_down_at_once_if_its_player_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play(game: str) -> str:
        async with seated(PlayOptions(game, seed=4)) as person:
            await person.until(lambda: isinstance(person.screen, (Playing, ChoosePlayer)))
            if isinstance(person.screen, ChoosePlayer):
                return "asked"
            await person.until(lambda: person.screen.scene is not None)
            return " ".join(person.scene.names)

    monkeypatch.setattr("cardai.ui.players.AT_ONCE", {"kuhn": "random", "leduc": "of_another_box"})
    assert "random" in asyncio.run(play("kuhn"))
    assert asyncio.run(play("leduc")) == "asked"


def test_escape_goes_back_to_the_games_and_q_leaves() -> None:
    async def play() -> None:
        async with seated(PlayOptions("kuhn")) as person:
            await person.until(lambda: isinstance(person.screen, ChoosePlayer))
            await person.ready()
            await person.pilot.press("escape")
            await person.until(lambda: isinstance(person.screen, ChooseGame))
            await person.pilot.press("q")
        assert person.app.problem is None

    asyncio.run(play())


def test_the_last_match_is_offered_first_and_gone_on_with() -> None:
    async def begin() -> None:
        async with seated(PlayOptions("kuhn", ("random",), seed=4)) as person:
            await person.press("q", "y")

    async def go_on() -> None:
        async with seated(PlayOptions()) as person:
            await person.until(lambda: isinstance(person.screen, ChooseGame))
            assert "last match" in str(person.screen.rows[0][1])
            await person.press("enter")
            await person.until(lambda: isinstance(person.screen, Playing) and person.screen.scene is not None)
            assert person.screen.match.table.header["seed"] == 4

    asyncio.run(begin())
    asyncio.run(go_on())


def test_m_measures_a_player_and_the_figure_is_kept() -> None:
    async def play() -> None:
        async with seated(PlayOptions("kuhn")) as person:
            await person.until(lambda: isinstance(person.screen, ChoosePlayer) and bool(person.screen.players))
            names = [row for row, _ in person.screen.rows]
            await person.press("home", *["down"] * names.index("random"))
            await person.pilot.press("m")
            await person.until(lambda: not person.screen.work.busy)

    asyncio.run(play())
    assert known_strengths("kuhn")["random"] == measure("kuhn", "random", 200)


def test_a_strength_is_that_of_the_command_line() -> None:
    """On deals played in every seat a player against itself scores exactly even."""
    assert reference(make.game("gin")) == "simple"
    assert reference(make.game("kuhn")) == "random"
    assert reference(make.game("video_poker")) == ""
    assert measure("leduc_rlcard", "random", 100).mean == 0  # a game without a ladder
    assert Strength(58.2, 2.71, "%", "simple", 1000).text() == "58.2 ± 2.7 % won against simple"
    assert Strength(1.5, 0.25, "chips", "random", 1000).text() == "+1.50 ± 0.25 chips a hand against random"
    assert Strength(0.98, 0.01, "stakes", "", 1000).text() == "+0.98 ± 0.01 stakes a hand"


def test_the_shipped_ladders_are_of_players_that_there_are_and_have_intervals() -> None:
    """Every game that people meet has one; a figure that tells nothing from nothing stands on none of them."""
    held = shipped()
    meet = {"gin", "holdem_limit", "holdem", "leduc", "kuhn", "triple_draw", "liars_dice", "video_poker"}
    assert meet == set(held) == set(json.loads(SHIPPED.read_text()))
    assert set(LADDERS.values()) <= meet
    for game in ("gin", "video_poker"):
        assert set(held[game]) <= {entry.name for entry in registry.entries("agent")} | {"video_cnn"}
        assert all(player.strength for player in fitting(make.game(game), game) if player.spec in held[game])
    for game in meet - {"video_poker"}:
        assert {one.against for one in held[game].values()} == {FIELD}
        assert all(0 <= one.mean <= 100 for one in held[game].values())
        assert max(one.half_width for one in held[game].values() if one.games >= 1000) < 5


def test_a_maniac_is_no_master_because_one_victim_folds() -> None:
    """always_raise wins everything from who always folds; a player of Leduc or hold'em who is any good beats it."""
    for game in ("leduc", "holdem_limit", "holdem", "triple_draw"):
        ladder = ladders()[game]
        assert ladder["always_raise"].level not in ("", "master"), game
        assert ladder["always_fold"].level == "beginner", game
        assert any(one.level == "master" for one in ladder.values()), game
        assert ladder["always_raise"].behind > 0, game


def test_a_place_counts_matches_however_much_is_won() -> None:
    """Three players: the first loses a little to the second and ruins the third; the second is ahead of both."""
    from cardai.arena.pairing import Pairing
    from cardai.arena.tournament import Standings

    def met(first: str, second: str, mean: float) -> Pairing:
        pairing, rng = Pairing(first, second), np.random.default_rng(len(first + second))
        count, returns = 400, rng.normal(mean, 10.0, 400)
        returns += mean - returns.mean()
        pairing.take(
            {"groups": np.arange(count), "hands": np.full(count, 2), "wins": np.full(count, 0.5), "returns": returns}
        )
        return pairing

    names = ("maniac", "solid", "victim")
    pairings = {
        (0, 1): met("maniac", "solid", -2.0),
        (0, 2): met("maniac", "victim", 90.0),
        (1, 2): met("solid", "victim", 8.0),
    }
    standings = Standings(make.game("leduc"), names, pairings, 800)
    maniac, solid, victim = (place(standings, k, names, 800) for k in range(3))
    assert solid.mean > maniac.mean > victim.mean
    assert (solid.behind, maniac.behind, victim.behind) == (0, 1, 2)
    assert (solid.level, victim.level) == ("master", "beginner")
    assert maniac.level != "master"
    share, error = ahead(pairings[0, 1], wins=False)
    assert share == pytest.approx(NormalDist().cdf(-0.2 * 50**0.5), abs=0.02)  # 50 pairs of hands are a match
    assert error == pytest.approx(NormalDist().pdf(0.2 * 50**0.5) * (50 / 400) ** 0.5, rel=0.1)
    assert ahead(met("a", "b", 0.0), wins=True) == (0.5, 0.0)


def test_who_hardly_played_is_said_to_be_hardly_known() -> None:
    from cardai.arena.pairing import Pairing

    few = Pairing("a", "b")
    few.take(
        {"groups": np.arange(4), "hands": np.full(4, 2), "wins": np.ones(4), "returns": np.array([3.0, -1.0, 2.0, 1.0])}
    )
    share, error = ahead(few, wins=False)
    assert 0.5 < share < 0.9
    assert error > 0.2


def test_the_strongest_stand_first_each_under_one_name() -> None:
    """simple is gin_rules with its usual options, acpc_mix is mix's: one line each."""
    players = fitting(make.game("gin"), "gin")
    measured = [player.strength.mean for player in players if player.strength]
    assert measured == sorted(measured, reverse=True)
    assert players[0].spec == "champion"
    assert [player.strength is None for player in players] == sorted(player.strength is None for player in players)
    specs = [player.spec for player in players]
    assert "simple" in specs
    assert "gin_rules" not in specs
    assert "human" not in specs
    level = {player.spec: player.strength.level for player in players if player.strength}
    assert level["champion"] == "master"
    assert level["random"] == "beginner"
    assert surprise(players, 5) == surprise(players, 5)
    assert {surprise(players, seed) for seed in range(40)} <= set(specs[: (len(measured) + 1) // 2])


def test_a_strength_is_drawn_with_its_interval() -> None:
    line = strength_line(Player("a", "", Strength(50.0, 8.0, "%", FIELD, 100)))
    assert line.startswith("──────━●━──────  fair")
    assert Strength(50.0, 8.1, "%", FIELD, 100).level == ""  # hardly known: no word
    assert strength_line(Player("a", "", Strength(100.0, 0.0, "%", FIELD, 100))).startswith("──────────────●")
    assert strength_line(Player("a", "")) == ""


def test_who_can_be_had_weaker_is_offered_at_each_level_that_is_told_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(*figures: tuple[float, float]) -> list[str]:
        return levels({f"a{':' * (k > 0)}{k or ''}": Strength(*one, "%", FIELD, 100) for k, one in enumerate(figures)})

    assert of((9, 1), (70, 8), (50, 8), (60, 8)) == ["a:1", "a:2"]
    assert of((9, 1), (70, 8), (62, 8)) == []
    assert of((50, 1), (52, 6)) == of((50, 1)) == []
    assert of((50, 1), (60, 6)) == ["a:1"]
    held = {
        "random": Strength(50.0, 1.0, "%", FIELD, 100),
        "ismcts:simulations=9": Strength(40.0, 1.0, "%", FIELD, 100),
    }
    monkeypatch.setattr(
        "cardai.ui.players.known_strengths",
        lambda game: {**held, "nobody:level=weak": held["random"], "random:level=weak": held["random"]},
    )
    specs = [player.spec for player in fitting(make.game("leduc"), "leduc")]
    assert not {"nobody:level=weak", "random:level=weak"} & {*specs}  # nor what has no such option
    assert specs.index("ismcts:simulations=9") == specs.index("random") + 1


@pytest.mark.long
def test_games_stand_under_the_names_that_people_know_and_presets_behind_more() -> None:
    offered = {game.spec: game for game in games()}
    assert [game.title for game in games()][:2] == ["Gin rummy", "No-limit Texas hold'em"]
    assert offered["acpc_limit_2p"].more
    assert offered["holdem_spot"].more  # a title of its own is not enough
    assert not offered["video_poker"].more

    async def play() -> None:
        async with seated(PlayOptions()) as person:
            await person.until(lambda: isinstance(person.screen, ChooseGame))
            assert "acpc_limit_2p" not in [row for row, _ in person.screen.rows]
            await choose(person, MORE)
            assert "acpc_limit_2p" in [row for row, _ in person.screen.rows]

    asyncio.run(play())


def test_damaged_strengths_are_none(matches: Path) -> None:
    file = matches.parent / "strength.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    good = {"mean": 1, "half_width": 0.5, "unit": "%", "against": "random", "games": 2, "version": "0.1"}
    file.write_text(json.dumps({"kuhn": {"x": good}}))
    assert known_strengths("kuhn")["x"].text() == "1.0 ± 0.5 % won against random"
    wrong = [{**good, key: value} for key in good for value in (None, [], {}, True)]
    wrong += [{**good, "mean": "1"}, {**good, "half_width": 10**400}, {**good, "unit": 3}, {"mean": 1}, 3]
    for text in ("{", "[]", '{"kuhn": 3}', *(json.dumps({"kuhn": {"x": one}}) for one in wrong)):
        file.write_text(text)
        assert "x" not in known_strengths("kuhn"), text


def test_a_list_of_players_warns_of_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """``resolving`` warns where the box is not installed: to who plays it, not to who looks at the list."""
    monkeypatch.setattr("cardai.plugins.agents.resolving.box", lambda: None)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = fitting(make.game("holdem_nolimit"), "holdem_nolimit")
    assert "resolving" in {player.spec for player in found}
    assert told == []
