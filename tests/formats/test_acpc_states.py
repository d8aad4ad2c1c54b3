from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardai.core.errors import DamagedFileError, IllegalActionError
from cardai.formats.acpc.dealing import CardSource
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import game_names, load_game
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import MatchState, betting_text, parse_betting, parse_match_state
from cardai.poker.rules.growing_tree import BettingNode

GAMES = {name: load_game(name) for name in game_names()}
TREES = {name: WireTree(game) for name, game in GAMES.items()}


def random_node(data: st.DataObject, name: str) -> BettingNode:
    """Draw a betting state of a game: fold, call, or a raise of any legal size."""
    tree = TREES[name]
    node = tree.root
    for _ in range(data.draw(st.integers(0, 30))):
        if node.actor < 0:
            break
        legal = [0] * node.can_fold + [1] + [2] * bool(node.least)
        action = data.draw(st.sampled_from(legal))
        if action == 2 and GAMES[name].no_limit:
            action = data.draw(st.integers(node.least, node.most))
        node = tree.after(node, action)
    return node


def state_of(data: st.DataObject, name: str, node: BettingNode) -> MatchState:
    """Draw what a position sees at ``node``."""
    game = GAMES[name]
    position = data.draw(st.integers(0, game.num_players - 1))
    cards = CardSource(game, data.draw(st.integers(0, 2**32 - 1))).next_hand()
    hole = tuple(
        tuple(cards[p * game.num_hole : (p + 1) * game.num_hole]) if p == position else ()
        for p in range(game.num_players)
    )
    start = game.num_players * game.num_hole + game.num_board[0]
    board = []
    for count in game.num_board[1 : node.round + 1]:
        board.append(tuple(cards[start : start + count]))
        start += count
    return MatchState(position, data.draw(st.integers(0, 2**32 - 1)), node.text, hole, tuple(board))


@pytest.mark.parametrize("name", sorted(GAMES))
@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_match_states_survive_writing_and_reading(name: str, data: st.DataObject) -> None:
    node = random_node(data, name)
    state = state_of(data, name, node)
    assert parse_match_state(state.text() + "\r\n", GAMES[name]) == state
    rounds = parse_betting(node.text, GAMES[name].no_limit)
    assert betting_text(rounds, GAMES[name].no_limit) == node.text
    assert TREES[name].walk(rounds).text == node.text


@pytest.mark.parametrize("name", sorted(GAMES))
@given(data=st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_follower_that_joins_anywhere_knows_what_one_that_saw_all_knows(name: str, data: st.DataObject) -> None:
    node = random_node(data, name)
    state = state_of(data, name, node)
    late, steady = Follower(GAMES[name]), Follower(GAMES[name])
    turn = late.see(state.text().encode())
    for step in [TREES[name].root, *node.path()]:
        seen = MatchState(state.position, state.hand, step.text, state.hole, state.board[: step.round])
        assert steady.see(seen.text().encode()) == (step.actor == state.position)
    assert turn == (node.actor == state.position)
    for follower in (late, steady):
        assert (follower.node.text, follower.position, follower.hand) == (node.text, state.position, state.hand)
        assert tuple(follower.hole()) == state.hole[state.position]
        assert tuple(follower.board()) == tuple(card for group in state.board for card in group)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "MATCHSTATE",
        "MATCHSTATE:0:0:c:5d5c|",
        "MATCHSTATE:2:0::5d5c|",
        "MATCHSTATE:0:0::5d5c",
        "MATCHSTATE:0:0::5d5c||",
        "MATCHSTATE:0:0::5d|",
        "MATCHSTATE:0:0::5x5c|",
        "MATCHSTATE:0:0:cc/:5d5c|",
        "MATCHSTATE:0:0:cc/:5d5c|/8dAs",
        "MATCHSTATE:0:0:r300:5d5c|",
        "MATCHSTATE:0:0:cq:5d5c|",
        "MATCHSTATE:0:0::5d5c|:c",
        "MATCHSTATE:-1:0::5d5c|",
    ],
)
def test_what_is_no_match_state_is_refused(line: str) -> None:
    game = GAMES["holdem.limit.2p.reverse_blinds"]
    if line == "MATCHSTATE:0:0:c:5d5c|":
        assert parse_match_state(line, game).betting == "c"
        return
    with pytest.raises(DamagedFileError):
        parse_match_state(line, game)


@given(st.text(max_size=80))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_other_text_is_refused_with_our_error(text: str) -> None:
    with pytest.raises(DamagedFileError):
        parse_match_state("MATCHSTATE:0:" + text, GAMES["holdem.limit.2p.reverse_blinds"])


@pytest.mark.parametrize("betting", ["r1", "rrrr", "f/", "c/", "cc", "cc/cc/cc/cc/", "ccc"])
def test_betting_that_the_rules_refuse_is_refused(betting: str) -> None:
    with pytest.raises((IllegalActionError, DamagedFileError)):
        TREES["holdem.limit.2p.reverse_blinds"].walk(parse_betting(betting, False))


def test_letters_in_either_case_and_k_and_b_are_read_as_the_c_programs_read_them() -> None:
    assert parse_betting("kC/b300F", True) == ((1, 1), (300, 0))


@pytest.mark.parametrize("betting", ["r", "r0", "r1", "cr01", "r" + "9" * 5000, "r\u00b2", "r\u0663"])
def test_a_no_limit_raise_is_a_number_of_chips_that_no_other_action_has(betting: str) -> None:
    with pytest.raises(DamagedFileError):
        parse_betting(betting, True)
