"""Small parts of the wire and of files, each by itself: what is asked, counted, written and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.core.agent import Agent, ScalarAgent
from cardai.formats.acpc.dealer import Match
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.inprocess import play_in_process
from cardai.formats.acpc.matchfiles import MatchFiles
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.replies import judge, plain_reply
from cardai.formats.slumbot import from_slumbot, to_slumbot
from cardai.formats.stream import stream_hands
from cardai.poker.rules.growing_tree import BettingNode
from tests.formats.acpc_table import LIMIT, NO_LIMIT

SLUMBOT_HAND = "0:b200c/kk/kk/kk:AsKs|QdQh/2c7d9h/Ts/3c:-200:200:a|b"


def after(tree: WireTree, *actions: int) -> BettingNode:
    node = tree.root
    for action in actions:
        node = tree.after(node, action)
    return node


class Heard(ScalarAgent):
    """Calls, and notes what it is told of finished hands."""

    stateful = True
    told: list[tuple[int, list[float]]] = []  # noqa: RUF012

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return 1

    def new_match(self, seat: int) -> Any:
        return self

    def hand_finished(self, view: Any, returns: list[float]) -> None:
        Heard.told.append((len(view["board"]), returns))


def test_a_fixed_button_stays_and_players_hear_of_every_hands_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.formats.acpc.player.bound", lambda agent, game: Heard().for_game(game))
    game = load_game(LIMIT)
    for fixed, seats in ((True, [0, 0, 0]), (False, [0, 1, 0])):
        Heard.told.clear()
        files = MatchFiles.open(str(tmp_path / f"match{fixed}"))
        match = Match(name="m", game=game, hands=3, seed=4, players=("anna", "bert"), fixed_button=fixed)
        score = play_in_process(match, files, [AgentPlayer(name, game) for name in match.players])
        files.close()
        lines = (tmp_path / f"match{fixed}.log").read_text().splitlines()
        names = [line.rpartition(":")[2].split("|") for line in lines if line.startswith("STATE")]
        assert [match.players.index(pair[0]) for pair in names] == seats
        assert len(Heard.told) == 6
        assert all(board == 5 for board, _ in Heard.told)
        assert score.values[0] == -score.values[1]
        won = [sorted(map(float, line.split(":")[4].split("|"))) for line in lines if line.startswith("STATE")]
        assert [sorted(pair) for _, pair in Heard.told] == [pair for pair in won for _ in range(2)]


class Mixed(Agent):
    """Folds never, calls and raises as often, by weights that do not sum to 1."""

    def policy(self, views: Any, legal: Any) -> Any:
        return np.tile([0.0, 2.0, 6.0], (len(views), 1))


def test_actions_are_drawn_by_their_weights_and_those_of_no_weight_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.formats.acpc.player.bound", lambda agent, game: Mixed())
    player = AgentPlayer("mixed", load_game(LIMIT), seed=5)
    drawn = [player._draw([0.0, 2.0, 6.0]) for _ in range(2000)]
    assert drawn.count(0) == 0
    assert abs(drawn.count(2) / 2000 - 0.75) < 0.04  # four standard deviations
    assert player._draw([0.0, 0.0, 1.0, 0.0]) == 2
    monkeypatch.setattr(player, "_random", type("Least", (), {"random": lambda self: 0.0})())
    assert player._draw([0.0, 0.3, 0.7]) == 1
    monkeypatch.setattr(player, "_random", type("Most", (), {"random": lambda self: 1.0})())  # as rounding may have it
    assert player._draw([0.25, 0.75, 0.0]) == 1


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("name", [LIMIT, NO_LIMIT])
def test_a_follower_knows_how_long_the_next_line_will_be(name: str, position: int) -> None:
    """Calls to the end: each line is as much longer as was foretold, boards and slashes counted; 0 where nothing was."""
    game = load_game(name)
    follower = Follower(game)
    board = ["", "/2c3d4h", "/2c3d4h/5s", "/2c3d4h/5s/6c"]
    told = 0
    cards = (b"AsKs|", b"|AsKs")[position]
    head = b"MATCHSTATE:%d:7:" % position
    line = head + b":" + cards
    follower.see(line)
    while follower.node.actor >= 0:
        if follower.node.actor == position:
            follower.act(1)
            longer = follower.longer()
        else:
            follower.node, longer = follower.tree.after(follower.node, 1), 0
        wire, round_ = follower.node.wire, follower.node.round
        if follower.node.actor < 0:
            assert longer == 0
            break
        new = head + wire + b":" + cards + board[round_].encode()
        if longer:
            assert len(new) - len(line) == longer
            told += 1
        line = new
        follower.see(line)
        assert follower.hole() == [51, 50]
    assert told >= 1


def test_a_followers_own_cards_are_those_of_its_position() -> None:
    follower = Follower(load_game(LIMIT))
    follower.see(b"MATCHSTATE:1:3::|AsKs")
    assert follower.hole() == [51, 50]
    assert follower.shown(0) == []
    follower.see(b"MATCHSTATE:1:4::|2c3c")
    assert follower.hole() == [0, 1]


def test_three_players_share_by_their_hands_whoever_was_kept_first() -> None:
    """The same betting with other orders of hands: whoever holds the highest card wins it all."""
    game = load_game("kuhn.limit.3p")
    tree = WireTree(game)
    node = after(tree, 1, 1, 1)
    cards = sorted(game.deck())[-3:]
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0), (0, 2, 1), (1, 0, 2)):
        values = tree.values(node, [cards[k] for k in order])
        best = order.index(2)
        assert values[best] == 2.0
        assert [value for k, value in enumerate(values) if k != best] == [-1.0, -1.0]


def test_who_is_left_alone_wins_without_a_comparison_of_hands() -> None:
    tree = WireTree(load_game(LIMIT))
    folded = after(tree, 0)
    assert not folded.contested
    assert after(tree, 1, 1).contested
    weak, strong = [0, 14], [51, 50]
    assert tree.values(folded, [*weak, *strong]) == tree.values(folded, [*strong, *weak]) == [5.0, -5.0]


def test_a_line_that_was_cut_off_goes_and_the_whole_ones_stay(tmp_path: Path) -> None:
    name = str(tmp_path / "m")
    for kept, cut in (("one\ntwo\n", "thr"), ("", "o"), ("one\n", "")):
        (tmp_path / "m.log").write_text(kept + cut)
        MatchFiles.open(name, log=True, append=True).close()
        assert (tmp_path / "m.log").read_text() == kept
    (tmp_path / "m.log").write_text("STATE:0:x\nSTATE:12:y\nother\n")
    files = MatchFiles.open(name, append=True)
    files.close()
    assert files.logged == {0, 12}


@pytest.mark.parametrize("betting", ["b200c/kk/kk/kk", "cb300c/kb600c/b1200f", "ck/b100b300c/kk/kb500c", "f"])
def test_slumbots_betting_survives_reading_and_writing(betting: str) -> None:
    tree = WireTree(load_game(NO_LIMIT))
    assert to_slumbot(from_slumbot(betting, tree)) == betting


def test_bad_lines_are_numbered_over_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.formats.slumbot._LINES", 3)
    file = tmp_path / "hands.slumbot"
    lines = [SLUMBOT_HAND.replace("0:", f"{k}:", 1) for k in range(8)]
    lines[4] = lines[4].replace("kk", "kq", 1)
    lines[7] = "nonsense"
    file.write_text("\n".join(lines) + "\n")
    with stream_hands(file) as stream:
        found = list(stream.hands)
    said = [item for item in found if isinstance(item, str)]
    assert sum(not isinstance(item, str) for item in found) == 6
    assert [("5" in said[0].split(":")[0] or "ine 5" in said[0]), "8" in said[1]] == [True, True]


def test_sizes_out_of_bounds_are_taken_to_the_nearest_legal_one() -> None:
    """Blinds 50 and 100, 20,000 chips: a raise goes to 200 at least and 20,000 at most."""
    tree = WireTree(load_game(NO_LIMIT))
    asked = "MATCHSTATE:1:0::|AsKs"
    assert judge(tree, tree.root, asked, f"{asked}:r150").action == 200
    assert judge(tree, tree.root, asked, f"{asked}:r99999").action == 20_000
    assert judge(tree, tree.root, asked, f"{asked}:r333").action == 333
    assert judge(tree, tree.root, asked, f"{asked}:r333").warning == ""
    assert judge(tree, tree.root, asked, f"{asked}:r150").warning
    assert plain_reply(tree, tree.root, b":r199\r\n") is None
    assert plain_reply(tree, tree.root, b":r20000\r\n") is not None
    assert plain_reply(tree, tree.root, b":r20001\r\n") is None


@pytest.mark.parametrize("tail", [b":r3r3\n", b":r\xc2\xb2\r\n", b":r 5\n", b":r-1\n", b":rr\n", b":r5\r\r\n"])
@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", NO_LIMIT])
def test_a_player_who_answers_what_is_no_number_stops_no_dealer(name: str, tail: bytes) -> None:
    tree = WireTree(load_game(name))
    found = plain_reply(tree, tree.root, tail)
    assert found is None or found.wire == b"r5"[: len(found.wire)]
    asked = "MATCHSTATE:1:0::|AsKs"
    assert judge(tree, tree.root, asked, asked + tail.decode("latin-1")).action is not None
