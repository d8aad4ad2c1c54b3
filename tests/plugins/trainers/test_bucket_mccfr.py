"""External sampling and CFR-BR over buckets: each kernel against a slow obvious reference, and the player."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import cardai
from cardai import testing
from cardai.arena.match import play
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.registry import create
from cardai.core.rng import hash64
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent
from cardai.plugins.trainers.bucket_mccfr.checkpoints import read_table, shrink_table, write_table
from cardai.plugins.trainers.bucket_mccfr.layout import holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.river import RiverBuckets, groups_of
from cardai.plugins.trainers.bucket_mccfr.training import kernel_cards
from cardai.poker.buckets.tables import BucketOptions, Buckets, starting_classes
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.boards import boards
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.range_policy import RangeAdapter
from cardai.poker.ranges._public_tree_kernels import FOLD
from cardai.poker.ranges.public_tree import DECISION, SHOWDOWN
from cardai.poker.responses.street_response import Walker
from cardai.testing._trainer import TrainerSubject
from cardai.training.runs import Run
from cardai.training.session import Session

TINY = "holdem_limit:max_raises=1+0+1+1"
PLAIN = "bucket_mccfr:flop=1,turn=1,river=1"


def random_buckets(count=7, seed=0):
    """Buckets without meaning, but the same for hands that are alike."""
    rng = np.random.default_rng(seed)
    tables = [starting_classes().astype(np.uint16)[None]]
    tables += [rng.integers(0, count, (len(boards(size).cards), COUNT), dtype=np.uint16) for size in (3, 4, 5)]
    return Buckets(BucketOptions(count, count, count), (169, count, count, count), tuple(tables))


@pytest.fixture(scope="module")
def buckets():
    return random_buckets()


@pytest.fixture(scope="module")
def cards(buckets):
    return kernel_cards(buckets)


def current(layout, regret, node, bucket):
    """Regret matching, by the book."""
    place = layout.nodes.node[node, kernels.BASE] + bucket * layout.nodes.node[node, kernels.STRIDE]
    count = int(layout.tree.num_children[node])
    positive = np.maximum(regret[place : place + count], 0).astype(float)
    total = positive.sum()
    return place, positive / total if total > 0 else np.full(count, 1 / count)


class Reference:
    """One iteration of external sampling on a deal, over all of the other seat's actions."""

    def __init__(self, layout, regret, buckets, result):
        self.layout, self.regret, self.buckets, self.result = layout, regret, buckets, result
        self.gained, self.averaged = np.zeros(layout.size), np.zeros(layout.size)

    def walk(self, node, seat, reach):
        tree = self.layout.tree
        kind = tree.kind[node]
        if kind == FOLD:
            return (-1 if tree.actor[node] == seat else 1) * float(tree.spent[node, tree.actor[node]])
        if kind == SHOWDOWN:
            return (1 if seat == 0 else -1) * self.result * float(tree.spent[node].min())
        if kind != DECISION:
            return self.walk(int(tree.child[node, 0]), seat, reach)
        actor, street = tree.actor[node], tree.street[node]
        place, chances = current(self.layout, self.regret, node, self.buckets[actor, street])
        children = tree.child[node, : tree.num_children[node]]
        if actor != seat:
            self.averaged[place : place + len(chances)] += reach * chances
            below = [self.walk(int(c), seat, reach * p) for c, p in zip(children, chances, strict=True)]
            return float(np.dot(chances, below))
        below = np.array([self.walk(int(c), seat, reach) for c in children])
        # the sampled gains are those below what the other seat played: its reach is the chance to come here at all
        self.gained[place : place + len(chances)] += reach * (below - chances @ below)
        return float(chances @ below)


def setting(buckets, seed, pure):
    layout = lay_out(holdem_tree(cardai.game(TINY)), buckets.counts)
    rng = np.random.default_rng(seed)
    regret = (1e4 * rng.normal(size=layout.size)).astype(np.float32)
    if pure:  # one action of each information set has a positive regret: nothing is left to sample
        for node in layout.tree.decisions:
            count = int(layout.tree.num_children[node])
            for bucket in range(buckets.counts[layout.tree.street[node]]):
                place, _ = current(layout, regret, node, bucket)
                regret[place : place + count] = -1e4
                regret[place + rng.integers(count)] = 1e4
    return layout, regret


def dealt_in(cards, seed, t):
    dealt, own = np.empty(9, np.int64), np.empty((2, 4), np.int64)
    kernels.deal(np.uint64(hash64(np.uint64(seed), t)), dealt)
    kernels.look_up(cards, dealt, own)
    return dealt, own, int(kernels.compare(cards, dealt))


def owned(layout, seat):
    """The places in the tables that belong to a seat."""
    out = np.zeros(layout.size, bool)
    for node in layout.tree.decisions[layout.tree.actor[layout.tree.decisions] == seat]:
        base, stride = layout.nodes.node[node, kernels.BASE], layout.nodes.node[node, kernels.STRIDE]
        for k in range(int(layout.tree.num_children[node])):
            out[base + k :: stride][: (169, 7, 7, 7)[layout.tree.street[node]]] = True
    return out


def test_an_iteration_against_pure_play_is_the_exact_one(buckets, cards):
    layout, regret = setting(buckets, 1, pure=True)
    for seed in range(4):
        _, own, result = dealt_in(cards, seed, 3)
        reference = Reference(layout, regret.copy(), own, result)
        for seat in range(2):  # the second walk sees what the first has learned
            reference.gained[:] = 0.0
            reference.walk(0, seat, 1.0)
            reference.regret += (3 * reference.gained).astype(np.float32)
        after, average = regret.copy(), np.zeros(layout.size, np.float32)
        kernels.iterate(layout.nodes, cards, 3, 4, (0, 2), np.uint64(seed), after, after, average)
        assert np.abs(after - regret).max() > 1
        assert after == pytest.approx(reference.regret, abs=0.02)
        assert average == pytest.approx(3 * reference.averaged, abs=1e-4)


@pytest.mark.long
def test_the_mean_of_sampled_iterations_is_the_exact_one(buckets, cards):
    layout, regret = setting(buckets, 2, pure=False)
    count = 2000
    first = owned(layout, 0)  # the walk for seat 0 comes first, so that it sees the regrets as they are
    exact = Reference(layout, regret, None, 0)
    total, squares, summed, hits = np.zeros((4, layout.size))
    for seed in range(count):
        _, exact.buckets, exact.result = dealt_in(cards, seed, 1)
        exact.walk(0, 0, 1.0)
        after, average = regret.copy(), np.zeros(layout.size, np.float32)
        kernels.iterate(layout.nodes, cards, 1, 2, (0, 2), np.uint64(seed), after, after, average)
        change = (after - regret).astype(float)
        total += change
        squares += change**2
        summed += average
        hits += change != 0
    often = first & (hits >= 30)
    error = np.abs(total - exact.gained)[often] / np.sqrt(squares[often])
    assert often.sum() > 100
    assert error.max() < 5  # standard deviations
    assert 0.3 < error.mean() < 1.0  # 0.8 for normal errors; less where the sampling matters little
    second = owned(layout, 1)
    assert np.abs(summed - exact.averaged)[second].max() < 0.05 * count
    assert summed[second].sum() == pytest.approx(exact.averaged[second].sum(), rel=0.02)


def test_a_seat_alone_acts_on_its_own_regrets_and_sees_the_others_copy(buckets, cards):
    layout, regret = setting(buckets, 3, pure=True)
    first = owned(layout, 0)
    learned = np.zeros(layout.size, bool)
    for seed in range(10):
        both, average = regret.copy(), np.zeros(layout.size, np.float32)
        kernels.iterate(layout.nodes, cards, 1, 2, (0, 2), np.uint64(seed), both, both, average)
        apart, halves = regret.copy(), np.zeros(layout.size, np.float32)
        for seat in range(2):
            kernels.iterate(layout.nodes, cards, 1, 2, (seat, seat + 1), np.uint64(seed), apart, regret.copy(), halves)
        # against pure play the other's regrets of before and after the first walk mean the same actions
        assert np.array_equal(apart, both)
        assert np.array_equal(halves, average)
        learned |= both != regret
    assert learned[first].any()
    assert learned[~first].any()


def test_cards_are_dealt_evenly_and_looked_up_as_the_slow_way_says(buckets, cards):
    seen = np.zeros((9, 52))
    for t in range(3000):
        dealt, own, result = dealt_in(cards, 5, t)
        assert len(set(dealt.tolist())) == 9
        seen[np.arange(9), dealt] += 1
        if t % 50:
            continue
        board, ranks = dealt[4:].tolist(), river_strengths(dealt[4:].tolist())
        hands = [
            int(max(pair) * (max(pair) - 1) // 2 + min(pair)) for pair in (dealt[:2].tolist(), dealt[2:4].tolist())
        ]
        for street, size in enumerate((0, 3, 4, 5)):
            assert own[:, street].tolist() == buckets.of(board[:size], hands).tolist()
        assert result == np.sign(ranks[hands[0]] - ranks[hands[1]])
    # 57.7 expected a place and card, standard deviation 7.5
    assert 57.7 - 5 * 7.5 < seen.min() <= seen.max() < 57.7 + 5 * 7.5


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "blueprint"
    made = Run.create(run, PLAIN, TINY, None, 1)
    session = Session.start(made)
    session.train(3000)
    return create("trainer", f"bucket_cfr_br:blueprint={run},own=5,equity=4,lanes=5").start(cardai.game(TINY), None, 1)


class TestRiver:
    """CFR-BR against dense matrices."""

    def test_every_subtree_of_the_river_is_in_a_group_of_its_shape(self, training):
        for game, groups in (("acpc_limit_2p", [567]), (TINY, None), ("holdem_fcpa", None)):
            layout = lay_out(holdem_tree(cardai.game(game)), (1, 1, 1, 1))
            tree, found = layout.tree, groups_of(layout)
            roots = np.unique(tree.roots[(tree.street == 3) & (tree.kind == DECISION)])
            assert sorted(np.concatenate([group.roots for group in found]).tolist()) == roots.tolist()
            assert groups in (None, [len(group.roots) for group in found])

    @pytest.mark.long
    def test_ranges_come_to_the_river_by_the_blueprints_policy(self, training):
        blueprint, roots = training.blueprint, training.roots
        layout, tree = blueprint.layout, blueprint.layout.tree
        board = [3, 17, 30, 44, 50]
        hands = board_hands(board)
        found = blueprint.ranges(board, hands, roots)
        for s, root in enumerate(roots.tolist()):
            expected, node = np.ones((2, len(hands.hands))), root
            while tree.parent[node] >= 0:
                parent = int(tree.parent[node])
                if tree.kind[parent] == DECISION:
                    k = tree.child[parent].tolist().index(node)
                    own = blueprint.buckets.of(board[: (0, 3, 4)[tree.street[parent]]], hands.hands)
                    expected[tree.actor[parent]] *= [
                        current(layout, blueprint.average, parent, int(b))[1][k] for b in own
                    ]
                node = parent
            assert found[:, :, s] == pytest.approx(expected, rel=1e-4)
        assert found.std(axis=1).max() > 0.1  # the blueprint tells hands apart

    def test_a_place_in_the_ranges_is_what_it_says(self, training):
        board = [3, 17, 30, 44, 50]
        hands = board_hands(board)
        start = np.random.default_rng(0).random((2, len(hands.hands), 3)).astype(np.float32)
        start[0, :, 1] = 0.0  # nobody comes
        kind = RiverBuckets(40, 25)
        places = kind.of(hands, start)
        ranks = river_strengths(board)[hands.hands]
        n = hands.hands
        meet = ~(pairs()[n][:, None, :, None] == pairs()[n][None, :, None, :]).any(axis=(2, 3))
        beats = (ranks[:, None] > ranks[None, :]) + 0.5 * (ranks[:, None] == ranks[None, :])
        for seat in range(2):
            for s in range(3):
                own, other = start[seat, :, s].astype(float), start[1 - seat, :, s].astype(float)
                even = np.ones(len(n)) if not own.any() else own
                weaker = (beats @ even) / even.sum()
                equity = (meet * beats) @ other / (meet @ other) if other.any() else np.full(len(n), 0.5)
                first, second = places[seat, :, s] // 25, places[seat, :, s] % 25
                assert np.abs(first - np.minimum(weaker * 40, 39.999).astype(int)).max() <= 1
                assert np.mean(first != np.minimum(weaker * 40, 39.999).astype(int)) < 0.01
                assert np.mean(second != np.minimum(equity * 25, 24.999).astype(int)) < 0.01

    @pytest.mark.parametrize(("threads", "even"), [(1, 0.0), (2, 0.3), (1, 1.0)])
    def test_a_board_teaches_what_dense_matrices_say(self, training, threads, even):
        layout = training.layout
        rng = np.random.default_rng(4)
        training.regret[:] = rng.normal(size=layout.size)
        training.average[:] = rng.random(layout.size)
        training.chances = np.full(len(training.roots), 1 / len(training.roots))
        training.options = attrs.evolve(training.options, threads=threads, even=even)
        before, seen, ranges = (training.regret.copy(), training.average.copy()), [], training.blueprint.ranges

        def noted(board, hands, roots):
            seen.append((board, hands, roots, ranges(board, hands, roots)))
            return seen[-1][-1]

        training.blueprint.ranges = noted
        training.learn(3)
        del training.blueprint.ranges
        ((board, hands, roots, start),) = seen
        places, n = training.kind.of(hands, start), hands.hands
        ranks = river_strengths(board)
        meet = ~(pairs()[n][:, None, :, None] == pairs()[n][None, :, None, :]).any(axis=(2, 3))
        sign = np.sign(ranks[n][:, None] - ranks[n][None, :])
        gained, weights = np.zeros(layout.size), np.zeros(layout.size)
        for s, root in enumerate(roots.tolist()):
            for seat in range(2):
                come = start[:, :, s].astype(float)  # the opponent may have come with any hand
                come[1 - seat] = (1 - even) * come[1 - seat] + even * come[1 - seat].sum() / len(n)
                teach(layout, before[0], places[seat, :, s], meet, sign, root, seat, come, gained, weights)
        assert np.abs(gained).max() > 10
        assert training.regret - before[0] == pytest.approx(3 * gained, rel=1e-3, abs=0.05)
        assert training.average - before[1] == pytest.approx(3 * weights, rel=1e-3, abs=0.05)

    def test_likelier_subtrees_are_chosen_more_often(self, training):
        chances = np.full(len(training.roots), 0.01 / len(training.roots))
        heavy = len(chances) // 2
        chances[heavy] = 0.99
        training.chances = chances
        rng = np.random.default_rng(0)
        found = [training._choose(rng.random(1 + len(chances))) for _ in range(100)]
        assert sum(training.roots[heavy] in group.roots[chosen] for group, chosen in found) > 90
        assert all(len(set(chosen.tolist())) == min(5, len(group.roots)) for group, chosen in found)

    def test_learning_lowers_what_best_replies_win_and_the_player_plays_what_was_learned(self, training, tmp_path):
        trainer = training.options
        fresh = trainer.start(cardai.game(TINY), None, 5)
        list(fresh.train(60))
        player = fresh.agent({})
        gains = []
        for one in (trainer.start(cardai.game(TINY), None, 5).agent({}), player):
            gains.append(Walker(one.tree, one).gain(3, [3, 17, 30, 44, 50]))
        assert gains[1] < 0.6 * gains[0]
        fresh.save(tmp_path)
        moved = attrs.evolve(trainer, blueprint="gone").resume(cardai.game(TINY), None, 5, tmp_path)
        assert np.array_equal(moved.regret, fresh.regret)
        again = trainer.trained_agent(cardai.game(TINY), None, 5, tmp_path, {})
        nodes = player.tree.decisions[player.tree.street[player.tree.decisions] == 3][:3]
        nodes = nodes[player.tree.roots[nodes] == player.tree.roots[nodes[0]]]
        board = [3, 17, 30, 44, 50]
        assert np.array_equal(player.range_policy(nodes, board), again.range_policy(nodes, board))

    def test_a_blueprint_that_is_none_is_refused(self, training, tmp_path):
        trainer = training.options
        with pytest.raises(UsageError, match=r"no training run in .*nowhere"):
            create("trainer", "bucket_cfr_br:blueprint=nowhere").start(cardai.game(TINY), None, 0)
        with pytest.raises(UsageError, match="cannot play"):
            trainer.start(cardai.game("holdem_fcpa"), None, 0)
        Session.start(Run.create(tmp_path / "kuhn", "cfr", "kuhn", None, 0)).train(1)
        with pytest.raises(UsageError, match=r"must be a run of bucket_mccfr"):
            create("trainer", f"bucket_cfr_br:blueprint={tmp_path / 'kuhn'}").start(cardai.game(TINY), None, 0)

    @pytest.mark.parametrize("check", testing.CHECKS["trainer"], ids=lambda check: check.name)
    def test_it_conforms(self, training, check):
        check.function(TrainerSubject(training.options, cardai.game(TINY), None, 3))


def teach(layout, regret, own, meet, sign, root, seat, start, gained, weights):
    """Add what CFR-BR teaches ``seat`` in one subtree: dense, node by node."""
    tree = layout.tree
    chances = {}
    for node in tree.decisions:
        if tree.roots[node] == root and tree.actor[node] == seat:
            found = [current(layout, regret, node, int(b)) for b in own]
            chances[node] = np.array([place for place, _ in found]), np.stack([p for _, p in found], axis=1)

    def end(node, player, other):
        if tree.kind[node] == FOLD:
            loser = tree.actor[node]
            return (-1 if loser == player else 1) * float(tree.spent[node, loser]) * (meet @ other)
        return float(tree.spent[node].min()) * ((meet * sign) @ other)

    def best(node, other):  # the replying seat's values against the learner's range ``other``, and its choices
        if tree.kind[node] != DECISION:
            return end(node, 1 - seat, other)
        children = tree.child[node, : tree.num_children[node]]
        if tree.actor[node] == seat:
            return sum(best(int(c), other * p) for c, p in zip(children, chances[node][1], strict=True))
        below = np.stack([best(int(c), other) for c in children])
        chosen[node] = below.argmax(axis=0)
        return below.max(axis=0)

    def learn(node, reply, mass):
        if tree.kind[node] != DECISION:
            return end(node, seat, reply)
        children = tree.child[node, : tree.num_children[node]]
        if tree.actor[node] != seat:
            return sum(learn(int(c), reply * (chosen[node] == k), mass) for k, c in enumerate(children))
        places, policy = chances[node]
        below = np.stack([learn(int(c), reply, mass * p) for c, p in zip(children, policy, strict=True)])
        value = (policy * below).sum(axis=0)
        for k in range(len(children)):
            np.add.at(gained, places + k, below[k] - value)
            np.add.at(weights, places + k, mass * policy[k])
        return value

    chosen = {}
    best(root, start[seat])
    learn(root, start[1 - seat], start[seat])


@pytest.fixture(scope="module")
def player(buckets):
    game = cardai.game("acpc_limit_2p")
    layout = lay_out(holdem_tree(game), buckets.counts)
    table = np.random.default_rng(1).gamma(0.3, size=layout.size).astype(np.float32)
    table[::5] = -1.0  # a regret: it counts nothing
    return BucketAgent(game, layout, buckets, table, False, "The player")


class TestPlayer:
    def asked(self, game, actions, board, hands):
        """The views of many hands at one public state."""
        others = [card for card in range(52) if card not in board and card not in hands[0]]
        deck = [*others[:2], *hands[0].tolist(), *board, *others[2:]]  # the seat to act first gets the second two
        tables = game.tables(1)
        tables.reset(np.zeros(1, np.uint64), np.array([deck], np.int8))
        for action in actions:
            tables.apply(np.arange(1), np.array([action]))
        views = np.repeat(tables.views(int(tables.current_players()[0]), np.arange(1)), len(hands))
        views["hole"] = hands
        return views, np.repeat(tables.legal(np.arange(1)), len(hands), axis=0)

    @pytest.mark.parametrize("actions", [[], [1, 1], [2, 1, 1, 2], [2, 1, 1, 1, 1, 2, 1, 2]])
    def test_a_whole_range_is_answered_as_its_hands_are_one_by_one(self, player, actions):
        game, board = player.game, [3, 17, 30, 44, 50]
        hands = pairs()[~np.isin(pairs(), board).any(axis=1)]
        views, legal = self.asked(game, actions, board, hands)
        together = player.policy(views, legal)
        assert together.sum(axis=1) == pytest.approx(1.0)
        assert (together[~legal] == 0).all()
        for k in range(0, len(hands), 97):
            turned = views[k : k + 1].copy()
            turned["hole"] = turned["hole"][:, ::-1]
            assert np.array_equal(player.policy(turned, legal[:1])[0], together[k])
        node = player.layout.tree.find(views["history"][:1])
        shown = board[: (0, 3, 4, 5)[player.layout.tree.street[node[0]]]]
        rows = player.range_policy(node, shown)
        numbers = hands.max(axis=1).astype(int) * (hands.max(axis=1).astype(int) - 1) // 2 + hands.min(axis=1)
        actions_there = player.layout.tree.action[node[0], : len(rows)]
        assert pytest.approx(together[:, actions_there]) == rows[:, numbers].T

    @pytest.mark.long
    def test_its_ranges_are_what_asking_for_every_hand_says(self, player):
        asked, board = RangeAdapter(player.game, player, player.tree), [3, 17, 30, 44, 50]
        live = board_hands(board).hands
        for street, size in enumerate((0, 3, 4, 5)):
            nodes = player.tree.decisions[player.tree.street[player.tree.decisions] == street][::97]
            found = asked.range_policy(nodes, board[:size])
            assert found[:, live] == pytest.approx(player.range_policy(nodes, board[:size])[:, live])

    def test_purified_it_plays_the_likeliest_action_alone(self, player):
        pure = BucketAgent(player.game, player.layout, player.buckets, player.table, True, "pure")
        views, legal = self.asked(player.game, [2, 1], [3, 17, 30, 44, 50], pairs()[100:110])
        mixed, chosen = player.policy(views, legal), pure.policy(views, legal)
        assert (np.sort(chosen, axis=1)[:, -1] == 1).all()
        assert np.array_equal(chosen.argmax(axis=1), mixed.argmax(axis=1))

    def test_the_same_game_with_other_chips_is_played_and_another_is_not(self, player):
        scaled = player.for_game(cardai.game("poker_cnn_limit"))
        result = play(cardai.game("poker_cnn_limit"), [scaled, cardai.agent("random")], games=20, seed=1)
        assert result is not None
        with pytest.raises(UsageError, match="whose bets differ"):
            player.for_game(cardai.game("holdem_limit:raise_sizes=10+10+10+20"))
        with pytest.raises(UsageError, match="cannot play"):
            player.for_game(cardai.game("leduc"))

    def test_betting_that_it_does_not_know_is_refused(self, player):
        views, legal = self.asked(player.game, [], [3, 17, 30, 44, 50], pairs()[:1])
        views["history"][0, :2] = [0, 0]
        with pytest.raises(UsageError, match="does not know the betting"):
            player.policy(views, legal)


@testing.parametrize_checks("trainer", PLAIN, game=TINY, steps=200)
def test_the_trainer_conforms(check):
    check()


@testing.parametrize_checks("trainer", f"{PLAIN},threads=2", game=TINY, steps=200)
def test_the_trainer_with_two_threads_conforms(check):
    check()


@pytest.mark.parametrize("options", ["", ",threads=2"])
def test_stopping_anywhere_changes_nothing(options, tmp_path):
    trainer, game = create("trainer", PLAIN + options), cardai.game(TINY)
    whole = trainer.start(game, None, 9)
    list(whole.train(2500))
    part = trainer.start(game, None, 9)
    list(part.train(1300))
    part.save(tmp_path)
    again = trainer.start(game, None, 9)
    again.load(tmp_path)
    list(again.train(1200))
    assert np.array_equal(again.regret, whole.regret)
    assert np.array_equal(again.average, whole.average)
    assert sum(again.visited) == sum(whole.visited)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("leduc", "is for hold'em for two: 52 cards, two hole cards.* Leduc is 6 cards"),
        ("gin", "is for hold'em for two: 52 cards, two hole cards.* Gin is no board game"),
        ("acpc_limit_3p", "hold'em for two"),
        ("acpc_nolimit_2p", "give the game a ladder"),
        ("holdem_nolimit:bets=pot+allin,stack=1000+2000", "the same chips"),
    ],
)
def test_games_that_it_cannot_take_are_refused_with_a_reason(game, message):
    with pytest.raises(UsageError, match=message):
        create("trainer", "bucket_mccfr").start(cardai.game(game), None, 0)


def test_tables_that_are_too_big_are_refused_before_any_work_with_what_would_fit():
    trainer = create("trainer", "bucket_mccfr:river=60000")
    with pytest.raises(
        UsageError, match=r"340,5\d\d,\d\d\d information sets.* GB of tables.*At most [\d,]+ buckets"
    ) as told:
        trainer.start(cardai.game("acpc_limit_2p"), None, 0)
    most = int(str(told.value).partition("At most ")[2].partition(" ")[0].replace(",", ""))
    widths = holdem_tree(cardai.game("acpc_limit_2p"))
    counts = np.array([169, most, most, most])
    edges = np.bincount(widths.street[widths.decisions], widths.num_children[widths.decisions])
    assert edges @ counts * 8 <= 1.5e9 < edges @ (counts + np.array([0, 1, 1, 1])) * 8


def test_a_seed_of_buckets_that_no_checkpoint_of_a_better_river_can_hold_is_refused():
    with pytest.raises(OptionError, match="bucket_seed"):
        create("trainer", f"{PLAIN},bucket_seed=-1")


def test_options_and_files_that_are_wrong_are_named(tmp_path):
    trainer, game = create("trainer", PLAIN), cardai.game(TINY)
    training = trainer.start(game, None, 0)
    training.save(tmp_path)
    with pytest.raises(OptionError, match="no option 'colour'"):
        trainer.trained_agent(game, None, 0, tmp_path, {"colour": "red"})
    with pytest.raises(OptionError, match="average or current"):
        trainer.trained_agent(game, None, 0, tmp_path, {"policy": "best"})
    (tmp_path / "state.json").write_text('{"step": "many", "nodes": 0}')
    with pytest.raises(DamagedFileError, match=r"state\.json"):
        training.load(tmp_path)


@pytest.mark.long
def test_small_hands_are_played_as_the_exact_solution_plays_them():
    """Betting before the flop alone: what the sampled player wins is what it can, within a few thousandths of a blind."""
    game = cardai.game("holdem_limit:max_raises=1+0+0+0")
    training = create("trainer", PLAIN).start(game, None, 3)
    list(training.train(400_000))
    # one street of bets with 169 classes: no strategy of seat 1 gains much on another run's
    other = create("trainer", PLAIN).start(game, None, 4)
    list(other.train(400_000))
    node = holdem_tree(game).decisions
    first, second = (one.agent({}).range_policy(node[:1], ()) for one in (training, other))
    assert np.abs(first - second).mean() < 0.05


def test_a_small_table_plays_as_the_whole_one_to_a_255th(tmp_path):
    """Weights below 0 count nothing, an information set without weight plays all actions alike, scale means nothing."""
    tree, counts = holdem_tree(cardai.game("acpc_limit_2p")), (169, 3, 2, 2)
    layout = lay_out(tree, counts)
    rng = np.random.default_rng(4)
    table = (rng.random(layout.size) * 10.0 ** rng.integers(-6, 6, layout.size)).astype(np.float32)
    table[rng.random(layout.size) < 0.2] = -3
    write_table(tmp_path / "average.npy", table)
    shrink_table(tmp_path / "average.npy", layout, counts)
    assert [file.name for file in tmp_path.iterdir()] == ["average.npz"]
    small = read_table(tmp_path / "average.npy", layout.size)
    empty = 0
    for at in tree.decisions:
        for bucket in (0, counts[tree.street[at]] - 1):
            place, before = current(layout, table, at, bucket)
            assert np.abs(current(layout, small, at, bucket)[1] - before).max() <= 1 / 255
            empty += not (table[place : place + tree.num_children[at]] > 0).any()
    assert empty > 10
    with pytest.raises(DamagedFileError, match="average"):
        read_table(tmp_path / "average.npy", layout.size + 1)
