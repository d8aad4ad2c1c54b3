"""What is drawn: all that a person needs, within 80 columns and 24 rows, from fields alone where a game draws nothing."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from rich.text import Text

from cardai.core import registry
from cardai.ui.amounts import chips_of
from cardai.ui.app import PlayOptions
from cardai.ui.cards import SUIT_COLOURS, CardStyle
from cardai.ui.keys import Act, keyboard
from cardai.ui.lines import choices_text
from cardai.ui.match import Match
from cardai.ui.pictures import gin, picture
from cardai.ui.scene import Scene
from tests.support import ROOT
from tests.ui.driving import seated
from tests.ui.test_playing import GAMES, opponents

WIDTH, HEIGHT = 52, 18
"""What 80 columns and 24 rows leave for the picture beside the log and above title, message, actions and keys."""


def played(game: str, seed: int = 4, stop: int = 10_000) -> list[Scene]:
    """Return the scenes of a hand that a person plays at random."""
    rng = Random(seed)
    seats = registry.create("game", game).num_players - 1
    match = Match.begin(game, ["random"] * seats, seed)
    scenes = []
    while len(scenes) < stop:
        scene = match.scene()
        scenes.append(scene)
        if scene.end is not None:
            break
        if match.waiting:
            match.step()
        else:
            match.act(rng.choice([a for a in match.table.legal_actions() if a] or [0]))
    return scenes


def plain(scene: Scene, look: CardStyle | None = None) -> str:
    return picture(scene, look or CardStyle("mono")).plain


@pytest.mark.parametrize("game", GAMES)
def test_every_scene_of_a_hand_fits_80_columns_and_24_rows(game: str) -> None:
    for scene in played(game):
        lines = plain(scene).splitlines()
        assert len(lines) <= HEIGHT
        assert max(map(len, lines)) <= WIDTH


def test_gin_groups_melds_and_counts_deadwood() -> None:
    """Seed 3: 678 of spades and three queens; ace, two, seven and eight are left, 1 + 2 + 7 + 8 = 18."""
    scene = Match.begin("gin", ["simple"], 3).scene()
    shown = plain(scene)
    assert "│6♠││7♠││8♠│  │Q♣││Q♦││Q♠│  │A♦││2♠││7♥││8♣│" in shown
    assert "deadwood 18" in shown
    assert shown.count("▒▒") == 10


def test_gin_shows_both_hands_as_they_were_laid_down() -> None:
    """The deadwood shown is what the game scored by: its outcome's, of both seats."""
    for seed in range(12):
        match = Match.begin("gin", ["simple"], seed)
        rng = Random(seed)
        while not match.table.hand_over:
            if match.waiting:
                match.step()
            else:
                legal = match.table.legal_actions()
                match.act(55 if 55 in legal else rng.choice(legal))  # knock as soon as it can be
        scene = match.scene()
        assert scene.end is not None
        if scene.end.outcome["knocker"] < 0:
            continue
        scored = scene.end.outcome["deadwood"]
        shown = plain(scene)
        assert "▒▒" not in shown
        top, _, below = shown.partition("deadwood ")[2].partition("deadwood ")
        assert int(top.split()[0]) == scored[1 - scene.seat]
        assert int(below.split()[0]) == scored[scene.seat]


def test_grouped_hands_keep_every_card() -> None:
    hand = 0b1110000000111000000011110000000000000001
    melds, loose, points = gin.grouped(hand)
    assert sorted([card for meld in melds for card in meld] + loose) == [c for c in range(52) if hand >> c & 1]
    assert points > 0


def test_poker_shows_chips_positions_and_at_showdown_all_cards() -> None:
    match = Match.begin("acpc_nolimit_6p", ["always_call"] * 5, 4)
    scene = match.scene()
    assert [name for name in ("BTN", "SB", "BB", "UTG", "HJ", "CO") if f" {name} " not in plain(scene)] == []
    assert plain(scene).count("▒▒ ▒▒") == 5
    assert "pot 150" in plain(scene)
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(1)
    shown = plain(match.scene())
    assert "pot 600" in shown
    assert "▒▒" not in shown
    end = match.table.end()
    for seat, view in enumerate(end.views):
        for card in view["hole"]:
            from cardai.cards.text import card_glyph

            assert card_glyph(card) in shown, seat


def test_folded_cards_stay_hidden() -> None:
    match = Match.begin("holdem_limit", ["always_fold"], 4)
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(2)
    scene = match.scene()
    assert scene.open == {}
    most, called = sorted(
        scene.view["spent"], reverse=True
    )  # what nobody called is not in the pot, but its owner's again
    assert most > called
    assert f"pot {2 * called} " in plain(scene)
    assert plain(scene).count(f" {called} ") == 2


def test_a_third_partys_game_is_drawn_from_its_fields_and_played() -> None:
    """The example package's game declares fields and draws nothing; what has no key is chosen with the arrows or typed."""
    registry.add_file(str(ROOT / "examples" / "cardai-doubt" / "cardai_doubt" / "game.py"))

    async def play() -> None:
        async with seated(PlayOptions("game", ("random",), seed=4)) as person:
            shown = person.shown("picture")
            assert "rank " in shown
            assert "history" in shown
            own = person.scene.view["rank"]
            assert f"│ {own}  │" in shown.replace("▕", "│") or f" {own} " in shown
            assert "one of rank 0" in person.shown("actions")
            await person.press("right", "enter")
            assert person.screen.match.table.moves[0].action == 0
            while person.scene.end is None:
                await person.press("d")
            other = person.scene.end.views[1 - person.scene.seat]["rank"]
            assert f"random: rank {other}" in person.shown("picture")

    asyncio.run(play())


def colours(text: Text) -> set[str]:
    found = set()
    for span in text.spans:
        style = span.style
        if not isinstance(style, str):
            found |= {str(c.name) for c in (style.color, style.bgcolor) if c is not None}
    return found


def test_without_colour_there_is_none_and_suits_are_told_by_their_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Match.begin("gin", ["simple"], 3).scene()
    assert colours(picture(scene, CardStyle("mono"))) == set()
    assert {"♣", "♦", "♥", "♠"} <= set(plain(scene))
    monkeypatch.setenv("NO_COLOR", "1")

    async def look() -> None:
        async with seated(PlayOptions("gin", ("simple",), seed=3, palette="four")) as person:
            assert person.screen.palette == "mono"
            assert "│6♠││7♠││8♠│" in person.shown("picture")

    asyncio.run(look())


def test_four_colours_are_four() -> None:
    scene = Match.begin("gin", ["simple"], 3).scene()
    assert len(set(SUIT_COLOURS["four"])) == 4
    assert set(SUIT_COLOURS["four"]) <= colours(picture(scene, CardStyle("four")))
    assert len(set(SUIT_COLOURS["two"])) == 2


def test_solo_games_have_no_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opponents("video_poker") == ()
    (scene, *_) = played("video_poker")
    assert "royal flush              976" in plain(scene)


def test_dice_show_their_pips_and_amounts_are_in_big_blinds_where_that_is_wished() -> None:
    match = Match.begin("liars_dice:dice=3,faces=8", ["random"], 5)
    while match.waiting:
        match.step()
    own = [int(die) + 1 for die in match.scene().view["dice"]]
    drawn = picture(match.scene(), CardStyle("mono")).plain
    pips = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}
    assert drawn.count("●") == sum(pips.get(die, 0) for die in own)
    assert all(f"│  {die}  │" in drawn for die in own if die > 6)
    match = Match.begin("holdem_nolimit", ["always_call"], 4)
    match.blind = 100
    while match.waiting:
        match.step()
    board = keyboard(match.scene())
    assert board is not None
    drawn = picture(match.scene(), CardStyle("mono")).plain + choices_text(board, None, 200, 100).plain
    assert "19,900" not in drawn
    assert "199.5 bb" in drawn
    assert "raise to 2 bb..200 bb" in drawn
    assert chips_of("raise 2.5bb", match.game) == "raise 250"
    assert chips_of("1,250bb", match.game) == "125000"
    assert board.typed(chips_of("2,5bb", match.game)) != Act(2500)  # it was 25 big blinds
    assert chips_of("7c 3bb", registry.create("game", "kuhn")) == "7c 3bb"
