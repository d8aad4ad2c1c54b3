"""Distillation from whole ranges: what is seen, where it is learned, and that hands and ranges are answered alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from attrs import frozen

import cardai
from cardai import testing
from cardai.core.agent import Agent
from cardai.core.errors import OptionError, UsageError
from cardai.core.registry import create
from cardai.plugins.trainers.range_distillation.network import Betting, card_planes
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.range_policy import RangeAdapter, range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.testing._trainer import TrainerSubject

TINY = "holdem_limit:max_raises=1+0+1+1"
SPEC = "range_distillation:teacher=acpc_mix,hands=24,nodes=6,hidden=24,channels=4,every=20"


@frozen
class PairsRaise(Agent):
    """Raises with a pocket pair where it may, calls with all else."""

    def policy(self, views, legal):
        out = np.zeros(legal.shape)
        pair = views["hole"][:, 0] % 13 == views["hole"][:, 1] % 13
        chosen = np.where(pair & legal[:, 2], 2, 1)
        out[np.arange(len(views)), chosen] = 1.0
        return out


@pytest.fixture(scope="module")
def game():
    return cardai.game(TINY)


def start(game, spec=SPEC, teacher=None):
    made = create("trainer", spec).start(game, None, 2)
    if teacher is not None:
        made._teacher = range_player(game, teacher, made.tree)
    return made


def test_every_state_has_a_code_of_its_own_and_shares_its_streets(game):
    tree = holdem_tree(cardai.game("holdem_limit"), "A test")
    betting = Betting(tree)
    places = betting.places[tree.decisions]
    assert len(np.unique(places, axis=0)) == len(tree.decisions) == 6378
    assert betting.count < 120
    for node in tree.decisions[::300].tolist():  # what a street says goes on in the states behind it
        root = int(tree.roots[node])
        street = int(tree.street[node])
        if street:
            assert np.array_equal(betting.places[node][:street], betting.places[root][:street])
        assert (betting.places[node][street + 1 :] == 0).all()


def test_planes_are_the_cards():
    planes = card_planes(np.array([COUNT - 1]), (3, 17, 30, 44))
    hole = pairs()[COUNT - 1].tolist()
    assert np.flatnonzero(planes[0, 0]).tolist() == sorted(hole)
    assert [np.flatnonzero(planes[0, k]).tolist() for k in (1, 2, 3)] == [[3, 17, 30], [44], []]
    assert np.flatnonzero(planes[0, 5]).tolist() == sorted([*hole, 3, 17, 30, 44])


def test_it_learns_what_depends_on_cards_and_answers_ranges_as_it_answers_hands(game):
    training = start(game, teacher=PairsRaise())
    rows = [row for row in training.train(160) if row]
    assert rows[-1]["kl"] < 0.5 * rows[0]["kl"]
    agent = training.agent({})
    adapter = RangeAdapter(game, agent, agent.tree)
    board = (3, 17, 30, 44, 50)
    live = np.flatnonzero(left_by(board))
    for street, size in ((0, 0), (1, 3), (3, 5)):
        nodes = agent.tree.decisions[agent.tree.street[agent.tree.decisions] == street][:2]
        one, other = (p.range_policy(nodes, board[:size]) for p in (agent, adapter))
        assert one[:, live] == pytest.approx(other[:, live], abs=1e-5)
        first = one[: agent.tree.num_children[nodes[0]], live]
        assert first.sum(axis=0) == pytest.approx(1.0)


def test_a_hand_is_answered_alike_however_many_are_asked_with_it(game):
    training = start(game)
    with torch.no_grad():
        for values in training.network.parameters():
            torch.nn.init.normal_(values, std=0.3)
    agent, tables, rows = training.agent({}), game.tables(130), np.arange(130)
    tables.reset(np.arange(130, dtype=np.uint64))
    for _ in range(3):
        seat = int(tables.current_players()[0])
        views, legal = tables.views(seat, rows), tables.legal(rows)
        each = [agent.policy(views[k : k + 1], legal[k : k + 1]) for k in rows]
        assert np.array_equal(agent.policy(views, legal), np.concatenate(each))
        tables.apply(rows, np.ones(130, np.int64))


def test_a_lesson_is_the_teachers_and_the_same_however_it_is_come_to(game):
    training = start(game, teacher=PairsRaise())
    for number in range(12):
        lesson = training.lesson(number)
        assert len(set(training.tree.street[lesson.nodes].tolist())) == 1
        assert left_by(lesson.board)[lesson.hands].all()
        pair = pairs()[lesson.hands] % 13
        pair = pair[:, 0] == pair[:, 1]
        for k, node in enumerate(lesson.nodes.tolist()):
            may = 2 in training.tree.action[node]
            assert np.array_equal(lesson.chances[k, :, 2] == 1.0, pair & may)
        again = start(game, teacher=PairsRaise()).lesson(number)
        assert np.array_equal(again.chances, lesson.chances)


def test_states_are_those_that_the_teacher_comes_to_and_others_by_their_share(game):
    class Caller(PairsRaise):
        def policy(self, views, legal):
            out = np.zeros(legal.shape)
            out[:, 1] = 1.0
            return out

    def raised(spec):
        training = start(game, spec, Caller())
        nodes = np.concatenate([training.lesson(k).nodes for k in range(40)])
        return np.mean([2 in training.tree.path(int(node)) for node in nodes])

    assert raised(SPEC + ",off_path=1") > 0.5
    below = start(game, SPEC + ",off_path=0", Caller())
    for number in range(20):
        lesson = below.lesson(number)
        if below.tree.street[lesson.nodes[0]] < 3:  # on the river a whole subtree is learned
            assert not any(2 in below.tree.path(int(node)) for node in lesson.nodes)


def test_wrong_calls_are_refused_in_a_sentence(game):
    with pytest.raises(UsageError, match="teacher=limit_equilibrium"):
        create("trainer", "range_distillation").start(game, None, 0)
    with pytest.raises(UsageError, match="hold'em for two"):
        create("trainer", SPEC).check_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match="takes no --encoder"):
        create("trainer", SPEC).start(game, create("encoder", "flat"), 0)
    with pytest.raises(OptionError, match="no options"):
        start(game).agent({"act": "argmax"})


def test_playing_does_not_depend_on_torchs_random_state(game):
    torch.manual_seed(5)
    one = start(game).network.policy.weight.detach().clone()
    torch.manual_seed(6)
    assert torch.equal(one, start(game).network.policy.weight)


@pytest.mark.parametrize("check", testing.CHECKS["trainer"], ids=lambda check: check.name)
def test_it_conforms(game, check):
    check.function(TrainerSubject(create("trainer", SPEC), game, None, 3))
