from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardai.core.errors import DamagedFileError, UsageError
from cardai.formats.acpc.gamedef import NO_CAP, UNLIMITED, game_names, load_game, parse_game
from cardai.formats.acpc.states import CARD_TEXT

# betting, players, blind, raiseSize, stack, firstPlayer, maxRaises, suits, ranks, hole, board: the game files of the
# competition's server (project_acpc_server), and the Leduc file of its forks
TABLE = {
    "holdem.limit.2p.reverse_blinds": ("limit", 2, (10, 5), (10, 10, 20, 20), None, (2, 1, 1, 1), (3, 4, 4, 4), 4, 13, 2, (0, 3, 1, 1)),
    "holdem.nolimit.2p.reverse_blinds": ("nolimit", 2, (100, 50), (), 20000, (2, 1, 1, 1), None, 4, 13, 2, (0, 3, 1, 1)),
    "holdem.limit.3p": ("limit", 3, (5, 10, 0), (10, 10, 20, 20), None, (3, 1, 1, 1), (3, 4, 4, 4), 4, 13, 2, (0, 3, 1, 1)),
    "holdem.nolimit.3p": ("nolimit", 3, (50, 100, 0), (), 20000, (3, 1, 1, 1), None, 4, 13, 2, (0, 3, 1, 1)),
    "kuhn.limit.3p": ("limit", 3, (1, 1, 1), (1,), None, (1,), (1,), 1, 4, 1, (0,)),
    "leduc.limit.2p": ("limit", 2, (1, 1), (2, 4), None, (1, 1), (2, 2), 2, 3, 1, (0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(TABLE))
def test_the_shipped_games_are_the_competitions(name: str) -> None:
    betting, players, blind, sizes, stack, first, caps, suits, ranks, hole, board = TABLE[name]
    game = load_game(name)
    assert (game.betting, game.num_players, game.blind, game.raise_size) == (betting, players, blind, sizes)
    assert game.stack == (stack or UNLIMITED,) * players
    assert tuple(p + 1 for p in game.first_player) == first
    assert game.max_raises == (caps or (NO_CAP,) * len(board))
    assert (game.num_suits, game.num_ranks, game.num_hole, game.num_board) == (suits, ranks, hole, board)
    assert parse_game(game.text(), game.name) == game


def test_every_shipped_game_is_in_the_table() -> None:
    assert game_names() == sorted(TABLE)


def test_keys_are_prefixes_in_any_case_and_the_equals_sign_may_be_missing() -> None:
    text = """
# a comment
GAMEDEF
NoLimit
NUMPLAYERS 2
numrounds=1
Stack 10 = 20
blind= 1   2
numsuits = 1
numRanks = 4
numHoleCards 1
numBoardCards 0
end gamedef
this line is not read
"""
    game = parse_game(text)
    assert (game.betting, game.stack, game.blind) == ("nolimit", (10, 20), (1, 2))
    assert (game.first_player, game.max_raises) == ((0,), (NO_CAP,))  # the defaults


GOOD = load_game("leduc.limit.2p").text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("numPlayers = 2", "numPlayers = 1"), "numplayers must be one number from 2 to 10"),
        (("numRounds = 2", "numRounds = 5"), "numrounds must be one number from 1 to 4"),
        (("blind = 1 1", "blind = 1"), "blind must be 2 numbers"),
        (("blind = 1 1", "blind = 1 1\nstack = 1 0"), "the blind of player 2, 1, is more than the stack, 0"),
        (("raiseSize = 2 4", "raiseSize = 2"), "raisesize must be 2 numbers"),
        (("numRanks = 3", "numRanks = 1"), "3 cards are dealt from a deck of 2"),
        (("numSuits = 2", ""), "numsuits must be one number from 1 to 4. Got nothing"),
        (("maxRaises = 2 2", "maxRasies = 2 2"), "unknown key 'maxrasies'. Did you mean 'maxraises'?"),
        (("blind = 1 1", "blind = one 1"), "line 5 must give whole numbers. Got '= one 1'"),
        (("maxRaises = 2 2", "firstPlayer = 3 1"), "firstplayer must be 2 numbers of at most 2"),
        (("maxRaises = 2 2", "firstPlayer = 0 1"), "firstplayer counts players from 1"),
    ],
)  # fmt: skip
def test_a_wrong_definition_is_refused_and_says_why(change: tuple[str, str], message: str) -> None:
    with pytest.raises(DamagedFileError, match=r"The game definition wrong\.game cannot be used") as error:
        parse_game(GOOD.replace(*change), "wrong.game")
    assert message in str(error.value)


def test_a_name_that_is_neither_file_nor_shipped_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"Did you mean .holdem\.limit\.3p"):
        load_game("holdem.limit.4p.game")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_definition_survives_writing_and_reading(data: st.DataObject) -> None:
    players, rounds = data.draw(st.integers(2, 10)), data.draw(st.integers(1, 4))
    chips = st.integers(0, 10**6)
    stacks = data.draw(st.none() | st.lists(st.integers(10**6, 10**8), min_size=players, max_size=players))
    lines = [
        data.draw(st.sampled_from(["limit", "nolimit"])),
        f"numplayers = {players}",
        f"numrounds = {rounds}",
        "blind = " + _some(data, chips, players),
        "raisesize = " + _some(data, chips, rounds),
        "firstplayer = " + _some(data, st.integers(1, players), rounds),
        "maxraises = " + _some(data, st.integers(0, 255), rounds),
        "numsuits = 4",
        "numranks = 13",
        f"numholecards = {data.draw(st.integers(1, 3))}",
        "numboardcards = " + _some(data, st.integers(0, 1), rounds),
    ] + ([f"stack = {' '.join(map(str, stacks))}"] if stacks else [])
    game = parse_game("\n".join(lines), "x")
    assert parse_game(game.text(), "x") == game


def _some(data: st.DataObject, values: st.SearchStrategy[int], count: int) -> str:
    return " ".join(map(str, data.draw(st.lists(values, min_size=count, max_size=count))))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=200))
def test_foreign_text_is_refused_with_our_error(text: str) -> None:
    with pytest.raises(DamagedFileError):
        parse_game(text)


@pytest.mark.parametrize(
    ("name", "deck"),
    # game.c, dealCards: the last suits, and of each the highest ranks
    [("leduc.limit.2p", "Qh Kh Ah Qs Ks As"), ("kuhn.limit.3p", "Js Qs Ks As")],
)
def test_a_short_deck_has_the_highest_ranks_of_the_last_suits(name: str, deck: str) -> None:
    assert [CARD_TEXT[card] for card in load_game(name).deck()] == deck.split()
    assert len(load_game("holdem.limit.3p").deck()) == 52
