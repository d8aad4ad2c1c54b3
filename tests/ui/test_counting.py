"""What is counted at the table: hands, sums, games won, lost and tied, and what each seat hears of them."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardai import make
from cardai.arena import match as played
from cardai.arena.display import value_text
from cardai.arena.moves import HIDDEN, HandEnd, Move
from cardai.arena.records import read
from cardai.cards.text import card_glyph, card_text
from cardai.gin.actions import DISCARD, FIRST_MELD
from cardai.ui.cards import CardStyle
from cardai.ui.kept import last, named, newest, release
from cardai.ui.keys import Act, Begin, Keyboard, Say, Toggle, keyboard
from cardai.ui.lines import end_text, standing_text, title_of
from cardai.ui.match import Match, end_entries, log_of, standing
from cardai.ui.pictures import picture
from cardai.ui.pictures.fields import seat_rows
from cardai.ui.recording import Recording
from cardai.ui.scene import Scene, Standing, entries_of
from cardai.ui.strength import FIELD, Strength, keep, known_strengths, measure, shipped


def record(game_number: int, seats: list[int], returns: list[float], score: list[float] | None = None) -> Any:
    return {"game_number": game_number, "seats": seats, "returns": returns, "setup": {"score": score or []}}


def test_what_was_won_is_the_persons_in_whatever_seat_and_a_tie_is_no_win() -> None:
    """Four games are over: won 3, lost 3 in the other seat, tied, won 1 there; a fifth is under way."""
    game = make.game("leduc")
    records = [
        record(0, [0, 1], [3.0, -3.0]),
        record(1, [1, 0], [3.0, -3.0]),
        record(2, [0, 1], [0.0, 0.0]),
        record(3, [1, 0], [-1.0, 1.0]),
        record(4, [0, 1], [5.0, -5.0]),
    ]
    under_way = standing(game, records, under_way=4)
    assert (under_way.hands, under_way.total, under_way.won, under_way.games) == (5, 6.0, 2, 4)
    assert under_way.mean.mean == pytest.approx(6 / 5)
    over = standing(game, records, under_way=None)
    assert (over.hands, over.total, over.won, over.games) == (5, 6.0, 3, 5)


def test_a_game_of_several_hands_is_won_by_its_score_not_by_its_last_hand() -> None:
    """Gin to 100: 20 points more at 0 : 90 win the hand and not the game; 30 at 75 : 99 win both."""
    game = make.game("gin")
    lost = [record(0, [0, 1], [-90.0, 90.0], [0.0, 0.0]), record(0, [0, 1], [20.0, -20.0], [0.0, 90.0])]
    won = [record(1, [1, 0], [-30.0, 30.0], [99.0, 75.0])]
    assert standing(game, lost, under_way=None).won == 0
    held = standing(game, lost + won, under_way=2)
    assert (held.hands, held.won, held.games) == (3, 1, 2)
    assert held.total == -40.0
    unfinished = standing(game, lost + won, under_way=1)
    assert (unfinished.hands, unfinished.won, unfinished.games) == (3, 0, 1)


def seen(game: str, **more: Any) -> Scene:
    scene = Match.begin(game, ["random"], 4).scene()
    fields = {name: getattr(scene, name) for name in ("game", "seat", "view", "names", "to_act", "title")}
    return Scene(**fields, **more)


def test_the_title_tells_hands_sum_and_games_won_of_games_played() -> None:
    mean = standing(make.game("gin"), [record(0, [0, 1], [10.0, -10.0])] * 2, None).mean
    text = standing_text(seen("gin", standing=Standing(12, 25.0, mean, 1, 3)))
    assert text == "+25 points in 12 hands, +10.0 ± 0.0 a hand, 1 of 3 games won"
    assert (
        standing_text(seen("gin", standing=Standing(9, 25.0, mean, 1, 3))) == "+25 points in 9 hands, 1 of 3 games won"
    )
    assert standing_text(seen("gin", standing=Standing(1, -7.0, mean, 0, 0))) == "-7 points in 1 hand"
    assert "games won" not in standing_text(seen("leduc", standing=Standing(4, 25.0, mean, 1, 4)))
    assert standing_text(seen("leduc", standing=Standing(0, 0.0, mean))) == ""
    assert title_of(seen("leduc", standing=Standing(1, 2.0, mean, 1, 1))).plain.endswith("+2 chips in 1 hand")


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_hands_end_says_who_won_what(seed: int) -> None:
    match = Match.begin("leduc", ["always_call"], seed)
    won = 0
    for hand in range(2):
        while not match.table.hand_over:
            match.step() if match.waiting else match.act(match.table.legal_actions()[-1])
        scene = match.scene()
        assert scene.end is not None
        assert scene.seat == hand  # the person changes seats from game to game
        mine = scene.end.returns[scene.seat]
        called = {scene.seat: "you", 1 - scene.seat: "always_call"}
        wanted = [f"{called[seat]} {amount:+g} chips" for seat, amount in enumerate(scene.end.returns)]
        assert [entry.words for entry in scene.log[-2:]] == wanted
        said = end_text(scene).plain
        assert said == (
            "Nobody wins or loses." if not mine else f"You {'win' if mine > 0 else 'lose'} {abs(mine):g} chips."
        )
        won += mine > 0
        assert scene.standing is not None
        assert (scene.standing.won, scene.standing.games) == (won, hand + 1)
        match.next_hand()


def test_in_a_cash_game_a_rebuy_is_said_the_head_says_it_once_and_a_split_pot_is_split() -> None:
    match = Match.begin("holdem_nolimit:stack=10000,cash=5,hands=100000", ["always_call"], 1)
    said = []
    for _ in range(3):
        log = match.scene().log
        while not match.table.hand_over:
            match.step() if match.waiting else match.act(match.table.legal_actions()[-1])
        scene = match.scene()
        said.append(([(entry.seat, entry.words) for entry in log], title_of(scene).plain[49:], end_text(scene).plain))
        match.next_hand()
    assert said == [
        ([], "game 1, hand 1   +10,000 chips in 1 hand", "You win 10,000 chips."),
        ([(1, "buy in again for 10,000")], "game 1, hand 2   +10,000 chips in 2 hands", "The pot is split: nobody wins or loses."),
        ([], "game 1, hand 3   +20,000 chips in 3 hands", "You win 10,000 chips."),
    ]  # fmt: skip


def test_a_game_of_hands_is_counted_to_its_end() -> None:
    """Titles, score and games won follow the table over a whole game of gin to 25 and into the next."""
    match = Match.begin("gin:target=25", ["simple"], 5)
    rng = Random(5)
    won = hands = 0
    while match.table.game_number == 0:
        while not match.table.hand_over:
            if match.waiting:
                match.step()
            else:
                legal = match.table.legal_actions()
                match.act(55 if 55 in legal else rng.choice(legal))
        hands += 1
        scene = match.scene()
        score = " : ".join(f"{points:g}" for points in match.table.score)
        assert scene.title == f"game 1, hand {hands}   score {score}"
        assert scene.standing is not None
        assert scene.standing.hands == hands
        assert scene.game_over == (max(match.table.score) >= 25)
        assert scene.standing.games == int(scene.game_over)
        if scene.game_over:
            won = int(match.table.score[match.seat] == max(match.table.score))
            assert end_text(scene).plain.endswith(" The game is over.")
        else:
            assert "game is over" not in end_text(scene).plain
        match.next_hand()
    after = match.scene()
    assert after.title == "game 2, hand 1   score 0 : 0"
    assert after.log == ()
    assert after.standing is not None
    assert (after.standing.won, after.standing.games) == (won, 1)


def test_what_a_seat_does_not_notice_is_not_told_and_a_hidden_card_is_something_hidden() -> None:
    """Melds put aside in gin are noticed by nobody else; a discard of no public history is hidden."""
    match = Match.begin("gin", ["simple"], 3)
    view = match.table.view(match.seat)
    other = 1 - match.seat

    def told(action: int, noticed: int | None) -> list[str]:
        by_seat = tuple(action if seat == other else noticed for seat in range(2))
        move = Move(other, action, by_seat)
        return [entry.words for entry in entries_of(match.game, move, view, view, view, watcher=match.seat)]

    assert told(FIRST_MELD, None) == []
    assert told(5, HIDDEN) == ["something hidden"]
    assert len(told(53, 53)) == 1
    assert told(53, 53) != ["something hidden"]


def test_the_log_of_a_kept_hand_is_what_was_said_in_it() -> None:
    for game, opponent in (("triple_draw", "draw_caller"), ("holdem_limit", "always_call"), ("gin", "simple")):
        match = Match.begin(game, [opponent], 6)
        rng = Random(1)
        for _ in range(12):
            if match.table.hand_over:
                break
            match.step() if match.waiting else match.act(rng.choice(match.table.legal_actions()))
        scene = match.scene()
        held = match.table.unfinished
        if held is None:
            held = match.table.records[-1]
        assert log_of(match.game, held, match.seat) == list(scene.log)[: len(log_of(match.game, held, match.seat))]
        assert len(scene.log) >= len(held["actions"])


def test_new_board_cards_are_told_once_and_in_order() -> None:
    match = Match.begin("holdem_limit", ["always_call"], 4)
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(1)
    boards = [entry.words for entry in match.scene().log if entry.words.startswith("board")]
    assert [len(words.split()) - 1 for words in boards] == [3, 1, 1]
    dealt = [word for words in boards for word in words.split()[1:]]
    assert dealt == [card_glyph(int(card)) for card in match.table.view(0)["board"]]


@pytest.mark.long
def test_a_measured_strength_is_the_players_own_not_its_opponents() -> None:
    """Whoever always folds is ahead of nobody on the ladder, or loses to the reference; the caller wins what it loses."""
    folds = measure("leduc", "always_fold", 160)
    assert folds.mean < 25
    assert (folds.unit, folds.against, folds.level) == ("%", FIELD, "beginner")
    lost = measure("leduc_rlcard", "always_fold", 40)
    assert lost.mean < 0
    assert (lost.unit, lost.against, lost.games) == ("chips", "random", 40)
    weak = measure("gin:target=20", "random", 4)
    assert (weak.unit, weak.against) == ("%", "simple")
    assert weak.mean < 50
    odd = measure("leduc_rlcard", "always_fold", 39)
    assert odd.games == 40


def test_no_games_are_told_where_a_game_is_one_hand() -> None:
    match = Match.begin("kuhn", ["random"], 2)
    for _ in range(3):
        while not match.table.hand_over:
            match.step() if match.waiting else match.act(0)
        match.next_hand()
    scene = match.scene()
    assert scene.standing is not None
    assert (scene.standing.hands, scene.standing.games) == (3, 3)
    assert "games won" not in standing_text(scene)


def test_titles_and_logs_are_told_from_the_persons_seat() -> None:
    """The first hand is hand 1 until the next is dealt; a recorded hand's end names the seat of who looks on."""
    match = Match.begin("leduc", ["always_call"], 3)
    assert match.scene().title == "hand 1"
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(1)
    assert match.scene().title == "hand 1"
    match.next_hand()
    assert match.scene().title == "hand 2"
    words = [
        entry.words for entry in end_entries(match.game, ("anna", "bert"), 1, HandEnd((2.0, -2.0), {}, ({}, {}), ()))
    ]
    assert words == ["anna +2 chips", "you -2 chips"]
    assert [e.words for e in end_entries(match.game, ("anna", "bert"), -1, HandEnd((0.0, 0.0), {}, ({}, {}), ()))] == [
        "anna +0 chips",
        "bert +0 chips",
    ]


def test_what_was_measured_here_comes_before_what_is_shipped() -> None:
    known = known_strengths("gin")["simple"]
    own = Strength(1.5, 0.5, "%", "me", 3)
    keep("gin", "simple", own)
    assert known_strengths("gin")["simple"] == own != known
    assert known_strengths("gin")["heisenbot"] == shipped()["gin"]["heisenbot"]


def test_the_last_match_is_the_newest_that_nobody_plays(matches: Path) -> None:
    matches.mkdir(parents=True)
    files = [matches / f"{name}.jsonl" for name in "bca"]
    for age, file in enumerate(files):
        file.write_text("{}")
        os.utime(file, ns=(age * 10**9, age * 10**9))
    assert last() == files[2]
    for file in files:
        release(file)


def test_files_that_no_address_can_name_are_no_matches(matches: Path) -> None:
    """A name that is no UTF-8 took the page of all matches away."""
    matches.mkdir(parents=True)
    for name in (b"a.jsonl", b".hidden.jsonl", b"a\xff.jsonl"):
        try:
            (matches / os.fsdecode(name)).write_text("{}")
        except OSError:
            pytest.skip("this file system has no such names")
    assert newest(9) == [matches / "a.jsonl"]
    assert named(".hidden") is None


def menu(scene: Scene) -> Keyboard:
    board = keyboard(scene)
    assert board is not None
    return board


def test_a_card_is_played_by_itself_where_one_action_takes_it_alone() -> None:
    """At gin a card's key discards it; at draw games a click only chooses it, and Enter plays all that are chosen."""
    match = Match.begin("gin", ["simple"], 3)
    while match.waiting or not menu(match.scene()).letters:
        match.step() if match.waiting else match.act(53 if 53 in match.table.legal_actions() else 52)
    board = menu(match.scene())
    for key, card in board.letters.items():
        if card in match.table.legal_actions():
            assert key in (card_text(card), card_text(card)[0])
            begun = board.press(key[0])
            assert (board.press(key[1], key[0]) if len(key) == 2 else begun) == Act(card)
            if len(key) == 2:
                assert isinstance(begun, Begin)
                assert f"{key[1]} {card_glyph(card)}" in begun.words
                assert isinstance(board.press("?", key[0]), Say)  # no suit
    draw = menu(Match.begin("video_poker", [], 4).scene())
    cards = list(draw.letters.values())
    assert [draw.press(key) for key in "12"] == [Toggle(card) for card in cards[:2]]
    assert draw.play(frozenset({cards[0], cards[4]})) == Act(0b10001)
    assert draw.play(frozenset()) == Act(0)
    assert draw.mark == "HOLD "


def test_a_raise_of_one_size_needs_no_amount() -> None:
    """Stacks of 150 behind blinds of 50 and 100: the only raise is all-in."""
    match = Match.begin("holdem_nolimit:stack=150", ["always_call"], 4)
    while match.waiting:
        match.step()
    board = menu(match.scene())
    assert board.menu.low == board.menu.high == 150
    (raising,) = (choice for choice in board.menu.choices if choice.action < 0)
    assert board.choose(raising) == Act(150)


def test_in_pot_limit_betting_the_key_of_the_pot_raises_and_all_in_says_why_not() -> None:
    match = Match.begin("plo", ["always_call"], 4)
    while match.waiting:
        match.step()
    board = menu(match.scene())
    assert board.amounts() == [("/", "half pot", 200), ("p", "pot", 300)]
    assert board.press("p") == Act(300)
    assert "no legal raise here: 200 to 300 is" in board.press("a").words


def test_in_a_ladder_of_bets_the_keys_of_sizes_mean_the_bets_that_are_called_so() -> None:
    match = Match.begin("holdem_fcpa", ["always_call"], 4)
    while match.waiting:
        match.step()
    board = menu(match.scene())
    sized = {choice.words: choice.key + board.sized_by(choice) for choice in board.menu.choices}
    pot, all_in = (next(words for words in sized if words.endswith(end)) for end in ("(pot)", "all-in"))
    assert ("p" in sized[pot], "a" in sized[all_in]) == (True, True), sized
    assert not any("/" in keys for keys in sized.values())
    assert board.press("p") == Act(next(choice.action for choice in board.menu.choices if choice.words == pot))


def test_a_recording_is_looked_at_from_the_first_agents_seat(tmp_path: Path) -> None:
    """On duplicate deals the agents change seats: names, the watched seat and what it may know go with them."""
    file = tmp_path / "hands.jsonl"
    played.play("leduc", ["always_call", "random"], games=4, seed=3, record=str(file))
    recording = Recording(make.game("leduc"), read(file))
    watched = set()
    for number, record_ in enumerate(recording.file.hands):
        steps = recording.steps(number)
        seat = record_["seats"].index(0)
        watched.add(seat)
        assert {step.scene.seat for step in steps} == {seat}
        assert steps[0].scene.names[seat] == "always_call"
        assert steps[0].scene.names[1 - seat] == "random"
        assert all(step.known == (step.actor in (seat, None)) for step in steps)
        assert not any(step.scene.open for step in steps[:-1])
        assert [e.words for e in steps[-1].scene.log[-2:]] == [
            f"{name} {won:+g} chip{'s' * (abs(won) != 1)}"
            for name, won in zip(steps[0].scene.names, record_["returns"], strict=True)
        ]
    assert watched == {0, 1}


def test_the_picture_shows_each_seats_own_place_result_and_cards() -> None:
    match = Match.begin("acpc_nolimit_3p", ["always_call", "always_fold"], 4)
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(1)
    scene = match.scene()
    assert scene.end is not None
    rows = picture(scene, CardStyle("mono")).plain.splitlines()
    button = int(scene.view["button"])
    for seat, place in ((button, "BTN"), ((button + 1) % 3, "SB"), ((button + 2) % 3, "BB")):
        (row,) = (line for line in rows if f" {place} " in line)
        assert row.split()[0] == scene.name(seat)
        assert row.split(place)[1].split()[0] == f"{scene.end.returns[seat]:+,g}"


def test_gins_picture_counts_the_hidden_cards_and_puts_the_newest_discard_first() -> None:
    """Eleven cards while the opponent is to discard, ten otherwise, less those that he took face up."""
    match = Match.begin("gin", ["simple"], 8)
    seen_eleven = False
    for _ in range(60):
        if match.table.hand_over:
            break
        scene = match.scene()
        view = scene.view
        known = bin(int(view["opponent_known"])).count("1")
        drawing = int(view["phase"]) == DISCARD and scene.to_act == 1 - scene.seat
        seen_eleven |= drawing
        shown = picture(scene, CardStyle("mono")).plain
        assert shown.count("▒▒") == 10 + drawing - known
        pile = [card_glyph(int(card)) for card in view["discards"] if card >= 0]
        if len(pile) > 2:
            assert f"under it {pile[-2]} {pile[-3]}" in shown
        match.step() if match.waiting else match.act(match.table.legal_actions()[-1])
    assert seen_eleven


def test_a_games_rows_by_seat_are_each_seats_own() -> None:
    match = Match.begin("leduc:players=3", ["always_call", "always_call"], 4)
    match.act(2)
    scene = match.scene()
    drawn = seat_rows(scene, CardStyle("mono"))
    columns = [f for f in scene.game.view_fields if f.role == "by_seat" and f.size == 3]
    assert columns
    differ = 0
    for seat in range(3):
        for f in columns:
            assert value_text(scene.game, f, scene.view[f.name][seat], scene.seat) in drawn[1 + seat].plain
            differ += scene.view[f.name][seat] != scene.view[f.name][0]
    assert differ


def test_what_was_said_of_a_hand_that_is_over_is_there_when_its_match_goes_on(tmp_path: Path) -> None:
    match = Match.begin("kuhn", ["random"], 4, tmp_path / "match.jsonl")
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(match.table.legal_actions()[-1])
    log = match.scene().log
    match.close()
    assert Match.resume(tmp_path / "match.jsonl").scene().log == log
    assert len(log) > 2
