"""Three-player Kuhn poker on the wire and in logs, whose hands are worth what OpenSpiel's are."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pyspiel
import pytest

from cardai import make
from cardai.arena.table import replay
from cardai.core.fields import unpack_view
from cardai.formats import read_hands, read_log
from cardai.formats.acpc.client import connect, play
from cardai.formats.acpc.dealing import CardSource
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.games import KuhnMap, game_map
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.records import log_to_records, records_to_log
from cardai.formats.acpc.views import view_maker
from tests.formats.acpc_table import table

KUHN = "kuhn.limit.3p"
# one hand of each course of betting, cards and values by OpenSpiel's kuhn_poker(players=3) rules; J Q K A of spades
LOG = """STATE:0:ccc:Js|Ks|Qs:-1|2|-1:a|b|c
STATE:1:rff:Js|As|Qs:2|-1|-1:b|c|a
STATE:2:rcc:Js|As|Qs:-2|4|-2:c|a|b
STATE:3:crfc:Ks|Js|Qs:3|-2|-1:a|b|c
STATE:4:ccrcf:Qs|Js|Ks:-2|-1|3:b|c|a
"""


def test_a_log_becomes_records_of_openspiels_hands_and_the_same_log_again(tmp_path: Path) -> None:
    (tmp_path / "k.log").write_text(LOG)
    file = read_hands(tmp_path / "k.log")
    assert not file.damaged
    assert file.header["game"] == "kuhn:players=3"
    assert [hand["actions"] for hand in file.hands] == [[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1, 0]]
    assert [hand["deck"] for hand in file.hands[:2]] == [[0, 2, 1], [0, 3, 1]]
    spiel = pyspiel.load_game("kuhn_poker(players=3)")
    game = make.game(file.header["game"])
    for hand in file.hands:
        state = spiel.new_initial_state()
        for action in hand["deck"] + hand["actions"]:
            state.apply_action(action)
        assert state.returns() == hand["returns"]
        assert [action for _, action in replay(game, hand)] == [*hand["actions"], -1]
    again = records_to_log(file)
    assert not again.problems
    assert "".join(again.lines()[:-1]) == LOG
    assert read_log(tmp_path / "k.log").game().name == f"{KUHN}.game"


def test_a_line_that_kuhns_rules_refuse_costs_that_line(tmp_path: Path) -> None:
    lines = LOG.splitlines(keepends=True)
    lines[1] = lines[1].replace("rff", "rrf")
    lines[2] = lines[2].replace("-2|4|-2", "4|-2|-2")
    lines[3] = lines[3].replace("Ks|Js", "Js|Js")
    (tmp_path / "k.log").write_text("".join(lines))
    file = read_hands(tmp_path / "k.log")
    assert [hand["hand"] for hand in file.hands] == [0, 4]
    assert [message.split(":")[0].rsplit(" ", 1)[1] for message in file.damaged] == ["1", "2", "3"]


@pytest.mark.parametrize("seed", range(20))
def test_views_and_legal_actions_are_the_games_own(seed: int) -> None:
    definition, rng = load_game(KUHN), random.Random(seed)
    mapped = game_map(definition)
    assert isinstance(mapped, KuhnMap)
    cards = CardSource(definition, seed).next_hand()
    state, tree, makes = mapped.game.new_initial_state(), WireTree(definition), view_maker(mapped)
    for card in cards:
        state.apply_action(mapped.cards[card])
    node = tree.root
    while True:
        assert node.actor == state.current_player()
        for position in range(3):
            view = makes.packed(node, position, cards[position : position + 1], [])
            assert unpack_view(mapped.game.view_fields, view[0]) == state.view(position)
        if state.is_terminal():
            break
        assert makes.legal(node).tolist() == [[action in state.legal_actions() for action in range(2)]]
        chosen = rng.randrange(2)
        state.apply_action(chosen)
        node = tree.after(node, makes.action(node, chosen))
    assert tree.values(node, cards) == state.returns()


def sit(port: int, player: AgentPlayer) -> None:
    play(connect("127.0.0.1", port), load_game(KUHN), player.choose)


def test_agents_play_it_at_the_dealers_table(tmp_path: Path) -> None:
    with table(tmp_path, KUHN, hands=30) as running:
        threads = []
        for seat, port in enumerate(running.ports):
            player = AgentPlayer("random", load_game(KUHN), seed=seat)
            threads.append(threading.Thread(target=sit, args=(port, player)))
            threads[-1].start()
        running.wait()
        for thread in threads:
            thread.join(20)
    assert running.error is None
    file = log_to_records(read_log(running.log_file))
    assert not file.damaged
    assert len(file.hands) == 30
    assert len({tuple(hand["actions"]) for hand in file.hands}) > 5
