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
from cardai.plugins.trainers.range_distillation.worth import WorthLessons
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.range_policy import RangeAdapter, holding, range_player
from cardai.poker.ranges.public_tree import SHOWDOWN, holdem_tree
from cardai.testing._trainer import TrainerSubject
from tests.support import sizes

TINY = "holdem_limit:max_raises=1+0+1+1"
SPEC = "range_distillation:teacher=acpc_mix,sees=numbers,hands=24,nodes=6,hidden=24,channels=4,every=20"


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
        made.lessons().teacher = range_player(game, teacher, made.tree)
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


@pytest.mark.long
@pytest.mark.parametrize("sees", sizes("numbers", "planes"))
def test_it_learns_what_depends_on_cards_and_answers_ranges_as_it_answers_hands(game, sees):
    training = start(game, SPEC.replace("numbers", sees), PairsRaise())
    rows = [row for row in training.train(100) if row]
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
    tables.reset(np.arange(130, dtype=np.uint64) % np.uint64(13))  # boards are looked at once
    for _ in range(3):
        seat = int(tables.current_players()[0])
        views, legal = tables.views(seat, rows), tables.legal(rows)
        each = [agent.policy(views[k : k + 1], legal[k : k + 1]) for k in rows[::13]]
        assert np.array_equal(agent.policy(views, legal)[::13], np.concatenate(each))
        tables.apply(rows, np.ones(130, np.int64))


def test_a_lesson_is_the_teachers_and_the_same_however_it_is_come_to(game):
    lessons = start(game, teacher=PairsRaise()).lessons()
    for number in range(12):
        lesson = lessons.lesson(number)
        assert len(set(lessons.tree.street[lesson.nodes].tolist())) == 1
        assert left_by(lesson.board)[lesson.hands].all()
        assert lesson.weights.shape == lesson.chances.shape[:2]
        assert lesson.weights.sum() == pytest.approx(1.0, abs=1e-5)
        pair = pairs()[lesson.hands] % 13
        pair = pair[:, 0] == pair[:, 1]
        for k, node in enumerate(lesson.nodes.tolist()):
            may = 2 in lessons.tree.action[node]
            assert np.array_equal(lesson.chances[k, :, 2] == 1.0, pair & may)
        again = start(game, teacher=PairsRaise()).lessons().lesson(number)
        assert np.array_equal(again.chances, lesson.chances)
        assert np.array_equal(again.weights, lesson.weights)


def test_states_are_those_that_the_teacher_comes_to_whatever_the_other_does(game):
    class Caller(PairsRaise):
        def policy(self, views, legal):
            out = np.zeros(legal.shape)
            out[:, 1] = 1.0
            return out

    def raises(off_path):
        """How often the seat that acts has raised, and how often the other has, of all states before the river."""
        lessons = start(game, f"{SPEC},off_path={off_path}", Caller()).lessons()
        tree, own, other, count = lessons.tree, 0, 0, 0
        for number in range(30):
            for node in lessons.lesson(number).nodes.tolist():
                if tree.street[node] == 3:
                    continue
                count += 1
                child, actor, raised = node, tree.actor[node], set()
                while child:
                    parent = int(tree.parent[child])
                    if tree.kind[parent] == 0 and 2 in tree.action[parent][tree.child[parent] == child]:
                        raised.add(tree.actor[parent] == actor)
                    child = parent
                own, other = own + (True in raised), other + (False in raised)
        return own / count, other / count

    assert raises(0) == (0, 0)
    own, other = raises(1)
    assert own == 0
    assert other > 0.4


def test_a_hand_weighs_how_likely_the_teacher_brings_it(game):
    lessons = start(game, teacher=PairsRaise()).lessons()
    tree = lessons.tree
    nodes = tree.decisions[tree.street[tree.decisions] == 2]
    reach, live = lessons.reaches(nodes, (3, 17, 30, 44)), np.flatnonzero(left_by((3, 17, 30, 44)))
    ranks = pairs() % 13
    pair = ranks[:, 0] == ranks[:, 1]
    for k, node in enumerate(nodes.tolist()):
        wanted, child = np.ones(COUNT, bool), node
        while child:
            parent = int(tree.parent[child])
            if tree.kind[parent] == 0 and tree.actor[parent] == tree.actor[node] and 2 in tree.action[parent]:
                raised = int(tree.action[parent][tree.child[parent] == child][0]) == 2
                wanted &= pair if raised else ~pair
            child = parent
        assert np.array_equal(reach[k, live], wanted[live])
    assert len(np.unique(reach[:, live].sum(axis=1))) >= 3


def test_wrong_calls_are_refused_in_a_sentence(game):
    with pytest.raises(UsageError, match="teacher=limit_equilibrium"):
        create("trainer", "range_distillation").start(game, None, 0)
    with pytest.raises(UsageError, match="hold'em for two"):
        create("trainer", SPEC).check_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match="takes no --encoder"):
        create("trainer", SPEC).start(game, create("encoder", "flat"), 0)
    with pytest.raises(OptionError, match="act"):
        start(game).agent({"act": "argmax"})
    with pytest.raises(UsageError, match="values=true"):
        start(game, SPEC + ",regret=1")


def test_playing_does_not_depend_on_torchs_random_state(game):
    torch.manual_seed(5)
    one = start(game).network.policy.weight.detach().clone()
    torch.manual_seed(6)
    assert torch.equal(one, start(game).network.policy.weight)


class OftenRaises(PairsRaise):
    """Does so four times in five, and else anything."""

    def policy(self, views, legal):
        return 0.8 * super().policy(views, legal) + 0.2 * legal / legal.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("street", [pytest.param(2, marks=pytest.mark.long), 3])
def test_what_actions_are_worth_is_what_hands_win_from_the_teachers_range(game, street):
    worth = start(game, f"{SPEC},values=true", OftenRaises()).worth_lessons()
    tree, board = worth.lessons.tree, (3, 17, 30, 44, 50)[: street + 2]
    facing = [n for n in tree.decisions if tree.street[n] == street and tree.action[n][0] == 0]
    for node in facing[:: 40 if street == 3 else len(facing)]:  # before the river all rivers are counted out
        root, seat = int(tree.roots[node]), int(tree.actor[node])
        ranges = worth.ranges_at(root, board)
        nodes, won, mass, reaches = worth.walked(root, ranges, board, worth.counted(board))
        assert (reaches * won).sum() == pytest.approx(
            0, abs=1e-6 * np.abs(reaches * won).sum()
        )  # what one wins, one loses
        place, known = int(np.flatnonzero(nodes == node)[0]), mass[seat, np.flatnonzero(nodes == node)[0]] > 0
        assert known.any()
        fold, call = (int(np.flatnonzero(nodes == tree.child[node, k])[0]) for k in (0, 1))
        folded = won[seat, fold, known] / mass[seat, place, known]
        assert folded == pytest.approx(-float(tree.spent[node, seat]))
        other = reaches[1 - seat, place]
        assert mass[seat, place] == pytest.approx(board_hands(board).fold(other))
        if street == 3 and tree.kind[tree.child[node, 1]] == SHOWDOWN:
            shown = board_hands(board).showdown(other, float(tree.spent[node, 1 - seat]))
            assert won[seat, call] == pytest.approx(shown)


def test_regret_makes_it_throw_away_less_than_a_teacher_who_folds_the_best_hand(game):
    training = start(game, f"{SPEC},values=true,regret=200")
    list(training.train(30))
    agent, board, teacher = training.agent({}), (3, 17, 30, 44, 50), training.lessons().teacher
    tree = agent.tree
    node = next(n for n in tree.decisions if tree.street[n] == 3 and tree.action[n][0] == 0)
    best = int(board_hands(board).hands[-1])
    folds, taught = (who.range_policy(np.array([node]), board)[0, best] for who in (agent, teacher))
    assert taught > 0.02
    assert folds < 0.5 * taught
    views, legal = view_at(agent, node, board)
    values = agent.action_values(views, legal)
    assert np.isfinite(values[legal]).all()
    assert np.isnan(values[~legal]).all()


def view_at(agent, node, board):
    return RangeAdapter(agent.game, agent, agent.tree).views_at(np.array([node]), board)


def test_actions_that_are_hardly_ever_played_are_left_out_and_ranges_and_hands_agree(game):
    training = start(game, f"{SPEC}")
    agent = training.agent({"least": "0.4"})
    nodes = agent.tree.decisions[agent.tree.street[agent.tree.decisions] == 1][:3]
    for board in ((3, 17, 30), (4, 17, 50)):  # one behind the other: what is kept is the board's
        plain = training.agent({}).range_policy(nodes, board)
        found, live = agent.range_policy(nodes, board), np.flatnonzero(left_by(board))
        assert ((found > 0) == (plain >= 0.4))[:, live].all()
        assert found[: agent.tree.num_children[nodes[0]], live].sum(axis=0) == pytest.approx(1.0)
        assert found[:, live] == pytest.approx(
            RangeAdapter(game, agent, agent.tree).range_policy(nodes, board)[:, live], abs=1e-5
        )


def test_hints_are_chips_and_what_is_asked_of_a_street_to_come_is_the_same(game):
    training = start(game, f"{SPEC},values=true")
    with torch.no_grad():
        for values in (*training.network.parameters(), *training.worth.parameters()):
            torch.nn.init.normal_(values, std=0.3)
    agent, board, hands = training.agent({}), (3, 17, 30, 44), np.array([7, 400, 1100])
    node = next(n for n in agent.tree.decisions if agent.tree.street[n] == 2 and agent.tree.action[n][0] == 0)
    views, legal = view_at(agent, node, board)
    views, legal = holding(views, hands), np.repeat(legal, len(hands), axis=0)
    values = agent.action_values(views, legal)
    assert (np.isnan(values) == ~legal).all()
    acts, waits = training._expected(np.array([node]), board, hands)
    assert (agent.policy(views, legal) * np.nan_to_num(values)).sum(axis=1) == pytest.approx(acts[0], rel=1e-4)
    said = torch.from_numpy(training.betting.places[[node], None])
    with torch.inference_mode():
        told = training.worth.meet(training.worth.of_cards(torch.from_numpy(training.seen.of(hands, board))), said)
    pot = float(agent.tree.spent[node].sum())
    assert values[legal] == pytest.approx(told[0, :, :-1].numpy()[legal] * pot, rel=1e-4)
    assert waits[0] == pytest.approx(told[0, :, -1].numpy() * pot, rel=1e-4)


def test_what_hands_are_worth_on_boards_to_come_is_theirs_who_act_there(game):
    lessons = start(game, f"{SPEC},values=true", OftenRaises()).lessons()
    tree, board, hands = lessons.tree, (3, 17, 30, 44), np.array([7, 400, 1100])
    worth = WorthLessons(lessons, lambda roots, _, held: tuple(np.full((len(roots), len(held)), x) for x in (7.0, -3)))
    later = worth.guessed(2, board, hands, np.random.default_rng(1))
    root = next(n for n in worth.walker.trees if tree.street[n] == 2)
    one = worth.walker.trees[root]
    others = np.tile(left_by(board).astype(float), (len(one.deals), 1))
    mass = 10.0 + np.arange(COUNT) + np.zeros((len(one.deals), 1))
    for seat in range(2):
        found = later(seat, one, others, mass)
        wanted = np.where(tree.actor[one.deals] == seat, 7.0, -3.0)[:, None] * mass[:, hands]
        assert found[:, hands] == pytest.approx(wanted)
        assert np.isnan(np.delete(found, hands, axis=1)).all()


def test_hands_that_are_drawn_stand_for_all(game):
    """What they weigh, over their odds, adds up on the mean to what all hands weigh."""
    lessons, rng = start(game).lessons(), np.random.default_rng(2)
    reach = rng.random((5, 300)) ** 4
    sums = []
    for _ in range(1500):
        drawn, odds = lessons.drawn(reach, rng)
        assert len(set(drawn.tolist())) == 24
        sums.append((reach[:, drawn] / odds).sum(axis=1))
    assert np.mean(sums, axis=0) == pytest.approx(reach.sum(axis=1), rel=0.05)  # the odds are about those of drawing


def test_a_run_goes_on_with_the_teacher_that_it_began_with_though_that_was_trained_on(game, tmp_path):
    teacher, small = tmp_path / "teacher", SPEC.replace("hands=24,nodes=6,hidden=24", "hands=4,nodes=1,hidden=4")
    cardai.train(small, game, steps=1, out=teacher)
    spec = small.replace("acpc_mix", f'"{teacher}"')
    begun = start(game, spec)
    taught = begun.lessons().lesson(1).chances
    begun.save(tmp_path)
    cardai.train(small, game, steps=3, out=teacher, resume=True)
    assert not np.array_equal(start(game, spec).lessons().lesson(1).chances, taught)
    again = create("trainer", spec).resume(game, None, 2, tmp_path)
    assert np.array_equal(again.lessons().lesson(1).chances, taught)


@pytest.fixture(scope="module")
def subject(game):
    spec = SPEC.replace("hands=24,nodes=6", "hands=8,nodes=2")
    return TrainerSubject(create("trainer", f"{spec},values=true,regret=2"), game, None, 3)


@pytest.mark.long("deterministic", "saved-player", "damage", "trained-agent")
@pytest.mark.parametrize("check", testing.CHECKS["trainer"], ids=lambda check: check.name)
def test_it_conforms(subject, check):
    check.function(subject)
