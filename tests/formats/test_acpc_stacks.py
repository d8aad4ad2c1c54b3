"""Limit games with stacks on the wire: raises that add nothing, as the competition's C code (game.c) has them.

The bettings, what is legal in them, and the chips are the C code's for the definitions below.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cardai import make
from cardai.arena.table import replay
from cardai.formats.acpc.gamedef import GameDef, load_game, parse_game
from cardai.formats.acpc.games import game_map
from cardai.formats.acpc.logs import LogHand, read_log
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import log_to_records, records_to_log
from cardai.formats.acpc.replies import Verdict, judge
from cardai.formats.acpc.states import MatchState, parse_betting
from cardai.poker.rules.growing_tree import BettingNode
from tests.formats.acpc_table import answer, sit, table


def definition(*stacks: int) -> GameDef:
    text = load_game("holdem.limit.3p").text()
    return parse_game(text.replace("blind", f"stack = {' '.join(map(str, stacks))}\nblind", 1), "stacks.game")


def node_of(tree: WireTree, betting: str) -> BettingNode:
    node = tree.root
    for actions in parse_betting(betting, no_limit=False):
        for action in actions:
            node = tree.after(node, action)
    assert node.text == betting
    return node


@pytest.mark.parametrize(
    ("stacks", "betting", "spent"),
    [
        ((55, 55, 55), "rrrcc/rrrc//", [55, 55, 55]),
        ((100, 55, 40), "rrrcc/rc/rc/", [70, 55, 40]),
        ((100, 55, 40), "rrrcc/rc/rrc/", [55, 55, 40]),  # the second raise brings the bet down to a stack of 55
        ((100, 55, 40), "rrrcc/rc/crc/", [55, 55, 40]),
        ((100, 55, 40), "rrrcc/crrrc//", [55, 55, 40]),
        ((100, 55, 40), "rcrrcc/crc/rc/", [70, 55, 40]),
        ((100, 55, 40), "rrfrc///", [40, 10, 40]),
        ((100, 55, 40), "rfrrc///", [5, 40, 40]),
    ],
)
def test_hands_end_as_the_c_code_ends_them(stacks: tuple[int, ...], betting: str, spent: list[int]) -> None:
    node = node_of(WireTree(definition(*stacks)), betting)
    assert (node.actor, list(node.row["spent"])) == (-4, spent)


@pytest.mark.parametrize(
    ("stacks", "betting", "actor", "fold", "raises"),
    [
        ((55, 55, 55), "rrrcc/rr", 2, True, True),  # the bet is the whole stack of all three
        ((55, 55, 55), "rrrcc/rrr", 0, True, False),  # nobody else can act
        ((100, 55, 40), "rrrcc/rc/r", 1, True, True),
        ((100, 55, 40), "rrrcc/rc/rr", 0, True, False),  # 70 in the pot against a bet of 55: the C code lets him fold
        ((100, 55, 40), "rr", 1, True, True),
        ((100, 55, 40), "rrr", 2, True, False),
    ],
)
def test_what_is_legal_is_what_the_c_code_allows(
    stacks: tuple[int, ...], betting: str, actor: int, fold: bool, raises: bool
) -> None:
    node = node_of(WireTree(definition(*stacks)), betting)
    assert (node.actor, bool(node.can_fold), node.least > 0) == (actor, fold, raises)


def test_with_two_players_no_raise_is_empty() -> None:
    heads_up = load_game("holdem.limit.2p.reverse_blinds").text().replace("blind", "stack = 55 55\nblind", 1)
    node = node_of(WireTree(parse_game(heads_up)), "rrrc/rr")  # the other is all-in: nobody is left to raise
    assert (node.actor, node.least) == (0, 0)


def test_such_a_raise_is_taken_as_a_raise_and_not_made_a_call() -> None:
    game = definition(55, 55, 55)
    tree = WireTree(game)
    node = node_of(tree, "rrrcc/rr")
    state = MatchState(2, 0, node.text, ((), (), (0, 13)), ((1, 2, 3),)).text()
    assert judge(tree, node, state, f"{state}:r\r\n") == Verdict(2)


def test_always_raising_players_leave_the_c_dealers_log(tmp_path: Path) -> None:
    file = tmp_path / "stacks.game"
    file.write_text(definition(55, 55, 55).text())
    with table(tmp_path, str(file), hands=2, seed=3) as running:
        sit(running, str(file), *[answer(b"r")] * 3)
    assert running.error is None
    assert [line.split(":")[2] for line in running.hands] == ["rrrcc/rrrc//", "rrrcc/rrrc//"]


def test_hands_with_such_raises_become_records_that_replay_and_the_same_log_again() -> None:
    game = definition(55, 55, 55)
    spec = "holdem_limit:players=3,blinds=5+10,raise_sizes=10+10+20+20,stack=55,empty_raises=true"
    assert game_map(game).spec == spec.replace("blinds=5+10,raise_sizes=10+10+20+20,", "")
    log = read_log(["STATE:0:rrrcc/rrrc//:AsAh|KsKh|QsQh/2c3d4h/5s/7c:110|-55|-55:a|b|c\n"])
    log.definition = game
    file = log_to_records(log)
    assert not file.damaged
    (hand,) = file.hands
    assert [action for _, action in replay(make.game(file.header["game"]), hand)] == [2, 2, 2, 1, 1, 2, 2, 2, 1, -1]
    again = records_to_log(file)
    assert not again.problems
    assert [h for h in again.hands if isinstance(h, LogHand)] == log.hands
