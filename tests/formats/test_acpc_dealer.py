from __future__ import annotations

from pathlib import Path

import pytest

from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import read_log
from cardai.formats.acpc.states import action_text, parse_betting, parse_match_state
from tests.formats.acpc_table import DATA, LIMIT, NO_LIMIT, Player, answer, sit, table

PUBLIC = ["2p.limit", "2p.nolimit", "3p.limit", "3p.nolimit"]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_log_comes_out_byte_for_byte(name: str, tmp_path: Path) -> None:
    # the header and the first hands of 1,000-hand matches of the C dealer; see data/README.md
    text = (DATA / f"{name}.seed0.log").read_text()
    log = read_log(text.splitlines(keepends=True))
    hands = [hand for i, hand in enumerate(log.hands) if hand.hand == i]
    header, game = text.split(maxsplit=3)[2], log.game().name.removesuffix(".game")
    script = [[a for r in parse_betting(hand.betting, "nolimit" in name) for a in r] for hand in hands]

    def say(player: Player, line: bytes, follower: Follower) -> None:
        if follower.hand == len(script):
            player.socket.shutdown(2)
            return
        action = script[follower.hand][len(follower.node.path())]
        player.say(line + f":{action_text(action, follower.game.no_limit)}\r\n".encode())

    played = log.hands[0].names
    with table(
        tmp_path, game, 1000, players=played, game_file=text.split()[3], name=header, response=600_000
    ) as running:
        sit(running, game, *[say] * len(played))
    expected = text[: text.index("\n", text.index(f"STATE:{len(hands) - 1}:")) + 1]
    assert running.log == expected


def test_every_seat_gets_each_state_and_the_first_of_the_next_hand_after_the_last(tmp_path: Path) -> None:
    seen: list[list[bytes]] = [[], []]
    with table(tmp_path, hands=3) as running:
        sit(running, LIMIT, answer(b"c"), answer(b"c"), seen=seen)
    game = load_game(LIMIT)
    assert [len(lines) for lines in seen] == [3 * 9, 3 * 9]  # eight actions and the end, each hand
    assert seen[0][0] == b"MATCHSTATE:0:0::5d5c|"
    assert seen[1][0] == b"MATCHSTATE:1:0::|9hQd"
    assert seen[0][8] == b"MATCHSTATE:0:0:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d"
    assert seen[0][9] == b"MATCHSTATE:1:1::|5dJd"  # the seats change positions
    for line in seen[0] + seen[1]:
        assert parse_match_state(line.decode(), game).text().encode() == line


def test_folded_hands_stay_hidden_and_folded_players_see_the_showdown(tmp_path: Path) -> None:
    game = "holdem.limit.3p"
    seen: list[list[bytes]] = [[], [], []]
    with table(tmp_path, game, 2) as running:
        sit(running, game, *[_fold_first] * 3, seen=seen)
    first = [lines[next(i for i, line in enumerate(lines) if b":1:" in line[10:15]) - 1] for lines in seen]
    # seat 3 (position 2, the button) folds at once, then position 0 completes and both check to the end
    assert first[0].endswith(b":5d5c|9hQd|/8s4h6d/5s/Js")
    assert first[2].endswith(b":5d5c|9hQd|8dAs/8s4h6d/5s/Js")
    assert running.hands[0].split(":")[3] == "5d5c|9hQd|8dAs/8s4h6d/5s/Js"


def _fold_first(player: Player, line: bytes, follower: Follower) -> None:
    player.say(line + (b":f\r\n" if not follower.node.path() else b":c\r\n"))


def test_nobody_sees_cards_when_all_but_one_fold(tmp_path: Path) -> None:
    seen: list[list[bytes]] = [[], []]
    with table(tmp_path, hands=1) as running:
        sit(running, LIMIT, answer(b"f"), answer(b"f"), seen=seen)
    assert seen[0][-1] == b"MATCHSTATE:0:0:f:5d5c|"
    assert seen[1][-1] == b"MATCHSTATE:1:0:f:|9hQd"
    assert running.hands == ["STATE:0:f:5d5c|9hQd:5|-5:p1|p2"]


def test_the_score_is_printed_logged_and_by_seat(tmp_path: Path) -> None:
    with table(tmp_path, hands=3) as running:
        sit(running, LIMIT, answer(b"c"), answer(b"c"))
    assert running.score is not None
    lines = running.log.splitlines()
    assert lines[-1] == running.score.text() == running.out.splitlines()[-1] == running.notes.splitlines()[-1]
    by_name = {"p1": 0.0, "p2": 0.0}
    for hand in read_log(running.log_file).hands:
        for name, value in zip(hand.names, hand.values, strict=True):
            by_name[name] += value
    assert tuple(by_name.values()) == running.score.values
    assert running.out.splitlines()[0] == " ".join(map(str, running.ports))


def test_a_fixed_button_keeps_the_positions(tmp_path: Path) -> None:
    with table(tmp_path, hands=3, fixed_button=True) as running:
        sit(running, LIMIT, answer(b"c"), answer(b"c"))
    assert {line.rsplit(":", 1)[1] for line in running.hands} == {"p1|p2"}


@pytest.mark.parametrize(("game", "hands"), [("kuhn.limit.3p", 30), ("leduc.limit.2p", 30)])
def test_small_games_are_dealt_by_the_same_dealer(game: str, hands: int, tmp_path: Path) -> None:
    def say(player: Player, line: bytes, follower: Follower) -> None:
        player.say(line + (b":r\r\n" if follower.node.least and follower.hand % 2 else b":c\r\n"))

    players = load_game(game).num_players
    with table(tmp_path, game, hands) as running:
        sit(running, game, *[say] * players)
    log = read_log(running.log_file)
    assert len(log.hands) == hands
    assert not log.problems
    assert all(sum(hand.values) == 0 for hand in log.hands)
    for hand in log.hands:  # the best card, or in Leduc a pair with the board, wins
        cards = [cards[0] % 13 for cards in hand.hole]
        best = [card + 100 * (bool(hand.board) and card == hand.board[0][0] % 13) for card in cards]
        winners = [p for p in range(players) if best[p] == max(best)]
        assert [p for p in range(players) if hand.values[p] == max(hand.values)] == winners


def test_raising_for_ever_ends_at_64_actions_a_round(tmp_path: Path) -> None:
    # probed with the C dealer: 63 raises, then a call is forced; deep stacks, so that chips do not end it first
    text = load_game(NO_LIMIT).text().replace("20000 20000", "2000000 2000000")
    file = tmp_path / "deep.game"
    file.write_text(text)

    def say(player: Player, line: bytes, follower: Follower) -> None:
        player.say(line + b":r1\r\n")

    with table(tmp_path, str(file), 1) as running:
        sit(running, str(file), say, say)
    betting = running.hands[0].split(":")[2].split("/")
    assert betting[0].count("r") == 63
    assert betting[0].endswith("c")


def test_a_transcript_and_transactions_say_what_was_said(tmp_path: Path) -> None:
    with table(tmp_path, hands=2, quiet=False, files={"transactions": True}) as running:
        sit(running, LIMIT, answer(b"c"), answer(b"c"))
    notes = running.notes
    assert notes.startswith("# name/game/hands/seed ")
    assert "\nSTARTED at " in notes
    assert "\nFINISHED at " in notes
    assert notes.count("\nTO 1 at ") == notes.count("\nTO 2 at ") == 2 * 9
    assert notes.count("\nFROM 1 at ") == notes.count("\nFROM 2 at ") == 2 * 4
    lines = (tmp_path / "match.tlog").read_text().splitlines()
    assert [line.split()[:2] for line in lines] == [["c", "0"]] * 8 + [["c", "1"]] * 8


def test_an_interrupted_match_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    def until_hand_2(player: Player, line: bytes, follower: Follower) -> None:
        if follower.hand == 2 and follower.node.round == 1:
            player.close()
        else:
            answer(b"r")(player, line, follower)

    whole = tmp_path / "whole"
    whole.mkdir()
    with table(whole, NO_LIMIT, 5) as expected:
        sit(expected, NO_LIMIT, answer(b"r300"), answer(b"c"))
    with table(tmp_path, NO_LIMIT, 5, files={"transactions": True}) as running:
        sit(running, NO_LIMIT, _no_limit(until_hand_2), answer(b"c"))
    assert running.error is not None
    assert len(running.hands) == 2
    with (tmp_path / "match.log").open("a") as file:
        file.write("STATE:2:cut off in the middl")
    with table(tmp_path, NO_LIMIT, 5, files={"transactions": True, "append": True}) as running:
        sit(running, NO_LIMIT, answer(b"r300"), answer(b"c"))
    assert running.hands == expected.hands
    assert running.score == expected.score


def _no_limit(say):  # type: ignore[no-untyped-def]
    def changed(player: Player, line: bytes, follower: Follower) -> None:
        if follower.hand == 2 and follower.node.round == 1:
            say(player, line, follower)
        else:
            answer(b"r300")(player, line, follower)

    return changed


def test_the_dealer_listens_on_loopback_only(tmp_path: Path) -> None:
    with table(tmp_path, hands=1) as running:
        assert {sock.getsockname()[0] for sock in running.dealer._listening} <= {"127.0.0.1"}
        sit(running, LIMIT, answer(b"c"), answer(b"c"))
