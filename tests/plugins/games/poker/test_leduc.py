"""Leduc is OpenSpiel's game node by node, and the presets are the other publications'."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest
from rlcard.games.leducholdem.game import LeducholdemGame

from cardai.core import registry
from cardai.core.errors import OptionError
from cardai.core.game import Setup


def make(spec):
    return registry.create("game", spec)


def walk(state, other, scale, keys):
    """Compare two states and all below them; collect our keys by OpenSpiel's information states. Return the nodes."""
    assert state.is_terminal() == other.is_terminal()
    if other.is_terminal():
        assert state.returns() == pytest.approx(other.returns())
        return 1
    assert state.current_player() == other.current_player()
    if other.is_chance_node():
        theirs = [(card * scale, probability) for card, probability in other.chance_outcomes()]
        assert state.chance_outcomes() == [(card, pytest.approx(p)) for card, p in theirs]
    else:
        assert state.legal_actions() == other.legal_actions()
        player = state.current_player()
        keys.setdefault(other.information_state_string(player), set()).add(state.key(player))
    nodes = 1
    for action in other.legal_actions():
        child = state.clone()
        child.apply_action(action * scale if other.is_chance_node() else action)
        nodes += walk(child, other.child(action), scale, keys)
    return nodes


@pytest.mark.parametrize(
    ("spec", "theirs", "information_sets", "nodes"),
    [  # 936, 288 and 9,457 nodes: OpenSpiel's own trees
        ("leduc", {}, 936, 9457),
        ("leduc:suits=false", {"suit_isomorphism": True}, 288, None),
        ("leduc:suits=false,action_mapping=true", {"suit_isomorphism": True, "action_mapping": True}, 288, None),
    ],
)
def test_the_whole_tree_is_openspiels(spec, theirs, information_sets, nodes):
    keys: dict[str, set[bytes]] = {}
    game = make(spec)
    other = pyspiel.load_game("leduc_poker", theirs)
    counted = walk(game.new_initial_state(), other.new_initial_state(), 1 if game.suits else 2, keys)
    assert nodes is None or counted == nodes
    assert len(keys) == information_sets
    assert all(len(found) == 1 for found in keys.values())
    assert len(set.union(*keys.values())) == information_sets


def information_string(view):
    """Return a view as OpenSpiel's information state string."""
    rounds = [
        " ".join(str(a) for a, r in zip(view["history"], view["history_round"], strict=True) if r == k) for k in (0, 1)
    ]
    return "".join(
        [
            f"[Observer: {view['player']}][Private: {view['hole'][0]}][Round {view['round'] + 1}][Player: {view['mover']}]",
            f"[Pot: {view['pot']}][Money: {' '.join(str(100 - spent) for spent in view['spent'])}]",
            f"[Public: {view['board'][0]}]" if view["board"] else "",
            f"[Round1: {rounds[0]}][Round2: {rounds[1]}]",
        ]
    )


@pytest.mark.long("-3", "-5")
@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("starter", [0, 1])
def test_random_hands_show_openspiels_information_strings(players, starter):
    game = make(f"leduc:players={players},starting_player={starter}")
    other = pyspiel.load_game("leduc_poker", {"players": players, "starting_player": starter})
    rng = random.Random(7)
    for _ in range(60):
        cards = rng.sample(range(2 * players + 2), players + 1)
        theirs = other.new_initial_state()
        ours = game.new_initial_state(Setup(starter=starter))
        for seat in range(players):
            theirs.apply_action(cards[seat])
            ours.apply_action(cards[(seat + starter) % players])  # our deal begins with who starts
        while not theirs.is_terminal():
            assert ours.current_player() == theirs.current_player()
            if theirs.is_chance_node():
                theirs.apply_action(cards[-1])
                ours.apply_action(cards[-1])
                continue
            assert ours.legal_actions() == theirs.legal_actions()
            mover = theirs.current_player()
            for player in range(players):
                view = ours.view(player) | {"mover": mover}
                assert information_string(view) == theirs.information_state_string(player)
            action = rng.choice(theirs.legal_actions())
            theirs.apply_action(action)
            ours.apply_action(action)
        assert ours.is_terminal()
        assert ours.returns() == pytest.approx(theirs.returns())


def public_nodes(state):
    """Count public nodes as DeepStack-Leduc does: an all-in that is called is one terminal node, whatever board comes."""
    if state.is_terminal():
        return 1
    children = []
    for action in state.legal_actions():
        child = state.clone()
        child.apply_action(action)
        children.append(child)
    if state.is_chance_node():  # its boards differ in cards alone; two of the six are in players' hands here
        return 1 if children[0].is_terminal() else 1 + 6 * public_nodes(children[0])
    return 1 + sum(public_nodes(child) for child in children)


@pytest.mark.parametrize(("spec", "nodes"), [("leduc_deepstack", 653), ("leduc_deepstack:fold_anytime=false", 591)])
def test_the_public_tree_is_deepstack_leducs(spec, nodes):  # 653: DeepStack-Leduc's tree; 591 without unprompted folds
    state = make(spec).new_initial_state()
    state.apply_action(0)
    state.apply_action(3)
    assert public_nodes(state) == nodes


class FixedSeat:
    """What RLCard asks for random numbers: the small blind's seat is always 0."""

    def __init__(self, rng):
        self.rng = rng

    def randint(self, low, high):
        return 0

    def shuffle(self, deck):
        self.rng.shuffle(deck)


def test_the_rlcard_preset_plays_as_rlcard():
    rng = random.Random(3)
    theirs, game = LeducholdemGame(), make("leduc_rlcard")
    theirs.np_random = FixedSeat(rng)
    names = {0: ("fold",), 1: ("call", "check"), 2: ("raise",)}
    for _ in range(200):
        theirs.init_game()
        ours = game.new_initial_state()
        deck = [2 * "JQK".index(card.rank) + (card.suit == "S") for card in theirs.dealer.deck]
        held = [2 * "JQK".index(p.hand.rank) + (p.hand.suit == "S") for p in theirs.players]
        for card in held:
            ours.apply_action(card)
        while not theirs.is_over():
            if ours.is_chance_node():
                ours.apply_action(deck[-1])
            assert ours.current_player() == theirs.game_pointer
            legal = theirs.get_legal_actions()
            assert ours.legal_actions() == [a for a, said in names.items() if set(said) & set(legal)]
            action = rng.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.step(next(name for name in names[action] if name in legal))
        assert ours.is_terminal()
        assert ours.returns() == pytest.approx([2 * x for x in theirs.get_payoffs()])  # theirs in big blinds


def test_the_thesis_preset_has_blinds_and_one_size():
    state = make("leduc_thesis").new_initial_state()
    for card in (0, 5):
        state.apply_action(card)
    assert state.view(0)["spent"] == [1, 2]  # the dealer posts the small blind
    assert state.current_player() == 0
    for action in (2, 2, 1):
        state.apply_action(action)
    assert state.view(0)["spent"] == [6, 6]  # two raises of one big blind; no third
    state.apply_action(2)
    assert state.current_player() == 0
    state.apply_action(2)
    assert state.view(0)["spent"] == [8, 6]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("leduc:players=1", "players"),
        ("leduc:ante=0", "ante or blinds"),
        ("leduc:bets=pot", "needs a stack"),
        ("leduc:bets=allin+pot,stack=10", "ascend"),
        ("leduc:bets=huge,stack=10", "rung"),
        ("leduc:raise_sizes=2", "one a round"),
        ("leduc:starting_player=2", "starting_player"),
        ("leduc:stack=1,blinds=1+2", "must cover"),
    ],
)
def test_wrong_options_are_refused_by_name(spec, says):
    with pytest.raises(OptionError, match=says):
        make(spec)


def test_a_match_shows_the_score_and_moves_the_start():
    game = make("leduc:hands=3")
    first = game.next_hand((0.0, 0.0), None, 0)
    assert (first.starter, first.score) == (0, (0.0, 0.0))
    tables = game.tables(2)
    setups = game.next_hands(None, np.array([[1.0, -1.0], [2.5, -2.5]]), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    tables.reset(np.arange(2, dtype=np.uint64), setups=setups)
    assert tables.views(0, np.arange(2))["score"].tolist() == [[1, -1], [3, -2]]
    second = game.next_hands(setups, np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    assert second["starter"].tolist() == [1, 1]
    assert not game.match_over((0.0, 0.0), 2)
    assert game.match_over((0.0, 0.0), 3)


def test_the_starting_player_starts_in_states_and_tables_alike():
    game = make("leduc:starting_player=1")
    state, tables = game.new_initial_state(), game.tables(1)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    tables.reset(np.zeros(1, np.uint64))
    assert state.current_player() == tables.current_players()[0] == 1
    assert state.view(1)["button"] == tables.views(1, np.zeros(1, np.int64))["button"][0] == 1
    assert game.new_initial_state(Setup(starter=0)).row["button"] == 0, "a setup that is given decides"
