"""CFR-BR over a whole hand: values and regrets against slow obvious references, and a run that is stopped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import attrs
import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.registry import create
from cardai.plugins.trainers.bucket_mccfr._whole_kernels import STEP
from cardai.plugins.trainers.bucket_mccfr.layout import holdem_tree
from cardai.plugins.trainers.bucket_mccfr.textures import Textured, textures
from cardai.plugins.trainers.bucket_mccfr.trunk import Trunk
from cardai.poker.buckets.tables import BucketOptions, buckets
from cardai.poker.hands.combos import pairs
from cardai.poker.ranges.public_tree import DECISION, FOLD, SHOWDOWN
from cardai.poker.responses.street_response import Walker
from cardai.training.runs import Run
from cardai.training.session import Session

TINY = "holdem_limit:max_raises=1+0+1+1"
BOARDS = 3


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "blueprint"
    Session.start(Run.create(run, "bucket_mccfr:flop=1,turn=1,river=1", TINY, None, 1)).train(3000)
    return create("trainer", f"bucket_cfr_br:blueprint={run},learns=all,own=5,equity=4,boards={BOARDS}")


def started(trainer, seed=1, **options):
    return attrs.evolve(trainer, **options).start(cardai.game(TINY), None, seed)


@pytest.fixture(scope="module")
def taught(trainer):
    """A round learned from any regrets, and all numbers as they were before."""
    training, rng = started(trainer), np.random.default_rng(4)
    for table in (training.trunk_regret, training.rival, *(packed.regret for packed in training.packed)):
        table[:] = rng.normal(size=table.shape)
    before = {name: getattr(training, name).copy() for name in ("trunk_regret", "rival")}
    before["river"] = training._river("regret")
    with ThreadPoolExecutor(1) as pool:
        training.learn(2, pool)
    return training, before


def meets(training, k):
    """Which hands of a board can meet (n, n), and of those who wins at a showdown: 1, 0 or -1."""
    batch = training._batch
    cards = np.stack([batch.a[k], batch.b[k]], axis=1)
    level = np.searchsorted(np.unique(batch.ends[k]), batch.ends[k])
    meet = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    return meet.astype(float), meet * np.sign(level[:, None] - level[None, :]).astype(float)


def policy_of(training, table, layout, node, bucket):
    """Regret matching by the book: (count, n)."""
    base, stride = layout.nodes.node[node, [4, 5]]
    places = base + bucket[None] * stride + np.arange(training.layout.tree.num_children[node])[:, None]
    positive = np.maximum(table[places], 0).astype(float)
    total = positive.sum(axis=0)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / len(positive)), places


class Slow:
    """One board of the round played out by dense matrices: the learner in ``seat``, its rival in the other."""

    def __init__(self, training, before, k, seat):
        self.training, self.before, self.k, self.seat = training, before, k, seat
        self.tree, self.meet = training.layout.tree, meets(training, k)
        self.gained = {name: np.zeros(len(table)) for name, table in before.items()}
        self.river_bucket = self._river_buckets()

    def _river_buckets(self):
        training, out = self.training, {}
        for packed, which in zip(training.packed, training._which, strict=True):
            for lane, root in enumerate(packed.grove.roots.tolist()):
                rows = which[self.k, lane // 16].reshape(2, -1, 16)[:, :, lane % 16]
                out[root] = rows - (2 * lane + np.arange(2)[:, None]) * packed.buckets
        return out

    def end(self, node, mine, theirs):
        """What both win at an end, times the other's range."""
        won, shown = self.tree.won[self.seat, node], self.tree.kind[node] == SHOWDOWN
        payoff = self.meet[int(shown)]
        return won * (payoff @ theirs), (won if shown else -won) * (payoff @ mine)

    def walk(self, node, mine, theirs):
        """Return what the learner's and the rival's hands win from a node on, and note what is regretted."""
        tree = self.tree
        if tree.kind[node] in (FOLD, SHOWDOWN):
            return self.end(node, mine, theirs)
        if tree.kind[node] != DECISION:
            rare = STEP if tree.street[node] == 2 else 0.0  # what is best is known where nobody comes
            return self.walk(int(tree.child[node, 0]), mine + rare, theirs + rare)
        street, own = int(tree.street[node]), tree.actor[node] == self.seat
        children = tree.child[node, : tree.num_children[node]].tolist()
        if street == 3 and not own:
            return self.best(node, mine, theirs)
        if street == 3:
            table, layout, name = self.before["river"], self.training.layout, "river"
            bucket = self.river_bucket[int(tree.roots[node])][self.seat]
        else:
            table, layout, name = (
                (self.before["trunk_regret"], self.training.trunk_layout, "trunk_regret")
                if own
                else (self.before["rival"], self.training.rival_layout, "rival")
            )
            bucket = self.training._batch.buckets[0 if own else 1, street, self.k]
        chances, places = policy_of(self.training, table, layout, node, bucket)
        found = [
            self.walk(child, mine * chance if own else mine, theirs if own else theirs * chance)
            for child, chance in zip(children, chances, strict=True)
        ]
        acting, waiting = np.array([one[0 if own else 1] for one in found]), sum(one[1 if own else 0] for one in found)
        value = (chances * acting).sum(axis=0)
        np.add.at(self.gained[name], places, acting - value)
        return (value, waiting) if own else (waiting, value)

    def best(self, node, mine, theirs):
        """The rival's decision on the river: each hand's best action, which needs what each is worth to it first."""
        children = self.tree.child[node, : self.tree.num_children[node]].tolist()
        worth = np.array([self.worth(child, mine) for child in children])
        taken = worth.argmax(axis=0)
        found = [self.walk(child, mine, theirs * (taken == k)) for k, child in enumerate(children)]
        return sum(one[0] for one in found), worth.max(axis=0)

    def worth(self, node, mine):
        """What the rival's hands win at best from a node of the river on."""
        tree = self.tree
        if tree.kind[node] in (FOLD, SHOWDOWN):
            return self.end(node, mine, np.zeros_like(mine))[1]
        children = tree.child[node, : tree.num_children[node]].tolist()
        if tree.actor[node] != self.seat:
            return np.max([self.worth(child, mine) for child in children], axis=0)
        bucket = self.river_bucket[int(tree.roots[node])][self.seat]
        chances, _ = policy_of(self.training, self.before["river"], self.training.layout, node, bucket)
        return sum(self.worth(child, mine * chance) for child, chance in zip(children, chances, strict=True))


def test_a_round_teaches_what_dense_matrices_say(taught):
    training, before = taught
    gained = {name: np.zeros(len(table)) for name, table in before.items()}
    ones = np.ones(training._batch.a.shape[1])
    for k in range(BOARDS):
        for seat in range(2):
            slow = Slow(training, before, k, seat)
            values = slow.walk(0, ones, ones)
            assert values[0].sum() == pytest.approx(-values[1].sum(), rel=1e-5)  # one wins what the other loses
            for who, at, value in ((0, seat, values[0]), (1, 1 - seat, values[1])):
                assert training._batch.back[k, who, 0, at] == pytest.approx(value, rel=1e-3, abs=0.5)
            for name, one in slow.gained.items():
                gained[name] += one
    after = {"trunk_regret": training.trunk_regret, "rival": training.rival, "river": training._river("regret")}
    for name, one in gained.items():
        assert np.abs(one).max() > 10
        assert after[name] - before[name] == pytest.approx(2 * one, rel=1e-3, abs=np.abs(one).max() * 1e-5), name


def test_a_run_that_is_stopped_inside_a_round_goes_on_as_if_nothing_had_happened_with_any_threads(trainer, tmp_path):
    whole, stopped = started(trainer, 5, threads=1), started(trainer, 5, threads=3)
    list(whole.train(7))
    list(stopped.train(4))
    assert stopped.step == 4
    stopped.save(tmp_path)
    again = attrs.evolve(trainer, blueprint="gone", threads=2).resume(cardai.game(TINY), None, 5, tmp_path)
    list(again.train(3))
    assert again.step == whole.step == 7
    for name in ("trunk_regret", "trunk_average", "rival"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
    for name in ("regret", "average"):
        assert np.array_equal(again._river(name), whole._river(name)), name


@pytest.mark.long
def test_learning_lowers_what_best_replies_win_from_the_turn_and_the_player_plays_what_was_learned(trainer, tmp_path):
    training, game, board = started(trainer, 5, boards=12), cardai.game(TINY), [3, 17, 30, 44]
    gains = [Walker(one.tree, one).gain(2, board) for one in [training.agent({})]]
    list(training.train(120))
    player = training.agent({})
    gains.append(Walker(player.tree, player).gain(2, board))
    assert gains[1] < 0.6 * gains[0]
    training.save(tmp_path)
    again = training.options.trained_agent(game, None, 5, tmp_path, {})
    for street, shown in ((0, []), (1, board[:3]), (2, board), (3, [*board, 50])):
        nodes = player.tree.decisions[player.tree.street[player.tree.decisions] == street][:1]
        assert np.array_equal(player.range_policy(nodes, shown), again.range_policy(nodes, shown))


def test_a_texture_is_a_boards_and_not_its_suits_names(trainer):
    own = Textured(buckets(BucketOptions(1, 1, 1)), high=True)
    rng = np.random.default_rng(0)
    for size in (3, 4):
        classes, count = textures(size, True)
        assert sorted(set(classes.tolist())) == list(range(count))
        board = rng.permutation(52)[:size]
        turned = (board // 13 + 1) % 4 * 13 + board % 13
        hands = np.arange(20)
        assert (own.of(board.tolist(), hands) == own.of(turned.tolist(), hands)).all()
        hole = np.tile(pairs()[:1].astype(np.int8), (2, 1))
        both = np.full((2, 5), -1, np.int8)
        both[0, :size], both[1, :size] = board, turned
        assert (own.of_hands(hole, both) == own.of(board.tolist(), [0, 0])).all()
    assert textures(3, False)[1] == 6  # flops: three suits or two or one, by no pair, a pair (two ways), three alike


def test_games_in_which_hands_are_all_in_early_are_refused():
    with pytest.raises(UsageError, match="all-in before the river"):
        Trunk.of(holdem_tree(cardai.game("holdem_fcpa")))
