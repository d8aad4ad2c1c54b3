"""External sampling and CFR-BR over buckets: each kernel against a slow obvious reference, and the player."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import cardai
from cardai import testing
from cardai.arena.match import play
from cardai.cards.poker._public_tree_kernels import FOLD
from cardai.cards.poker.boards import boards
from cardai.cards.poker.buckets import BucketOptions, Buckets, starting_classes
from cardai.cards.poker.combos import COUNT, pairs
from cardai.cards.poker.equity import river_strengths
from cardai.cards.poker.public_tree import DECISION, SHOWDOWN
from cardai.cards.poker.ranges import board_hands
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.registry import create
from cardai.core.rng import hash64
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent
from cardai.plugins.trainers.bucket_mccfr.layout import holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.river import RiverLearner, groups_of

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


def cards_of(buckets):
    training = create("trainer", PLAIN).start(cardai.game("acpc_limit_2p"), None, 0)
    training.buckets = buckets
    return training.cards


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
    kernels.deal(hash64(np.uint64(seed), t), dealt)
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


def test_an_iteration_against_pure_play_is_the_exact_one(buckets):
    layout, regret = setting(buckets, 1, pure=True)
    cards = cards_of(buckets)
    for seed in range(20):
        _, own, result = dealt_in(cards, seed, 3)
        reference = Reference(layout, regret.copy(), own, result)
        for seat in range(2):  # the second walk sees what the first has learned
            reference.gained[:] = 0.0
            reference.walk(0, seat, 1.0)
            reference.regret += (3 * reference.gained).astype(np.float32)
        after, average = regret.copy(), np.zeros(layout.size, np.float32)
        kernels.iterate(layout.nodes, cards, 3, 4, np.uint64(seed), 4, after, average)
        assert np.abs(after - regret).max() > 1
        assert after == pytest.approx(reference.regret, abs=0.02)
        assert average == pytest.approx(3 * reference.averaged, abs=1e-4)


def test_the_mean_of_sampled_iterations_is_the_exact_one(buckets):
    layout, regret = setting(buckets, 2, pure=False)
    cards, count = cards_of(buckets), 3000
    first = owned(layout, 0)  # the walk for seat 0 comes first, so that it sees the regrets as they are
    exact = Reference(layout, regret, None, 0)
    total, squares, summed = np.zeros(layout.size), np.zeros(layout.size), np.zeros(layout.size)
    for seed in range(count):
        _, exact.buckets, exact.result = dealt_in(cards, seed, 1)
        exact.walk(0, 0, 1.0)
        after, average = regret.copy(), np.zeros(layout.size, np.float32)
        kernels.iterate(layout.nodes, cards, 1, 2, np.uint64(seed), 4, after, average)
        change = (after - regret).astype(float)
        total += change
        squares += change**2
        summed += average
    error = np.abs(total - exact.gained)[first] / np.sqrt(np.maximum(squares[first], 25.0))
    assert error.max() < 5  # standard deviations, of some thousand places
    assert (
        0.3 < error[squares[first] > 25].mean() < 1.0
    )  # 0.8 for normal errors; less where the sampling matters little
    second = owned(layout, 1)
    assert np.abs(summed - exact.averaged)[second].max() < 0.05 * count
    assert summed[second].sum() == pytest.approx(exact.averaged[second].sum(), rel=0.02)


def test_streets_that_another_learns_are_left_alone_but_played(buckets):
    layout, regret = setting(buckets, 3, pure=True)
    cards = cards_of(buckets)
    river = np.zeros(layout.size, bool)
    for node in layout.tree.decisions[layout.tree.street[layout.tree.decisions] == 3]:
        base, stride = layout.nodes.node[node, kernels.BASE], layout.nodes.node[node, kernels.STRIDE]
        for k in range(int(layout.tree.num_children[node])):
            river[base + k :: stride][:7] = True
    for seed in range(10):
        tables = []
        for learned in (3, 4):
            after, average = regret.copy(), np.zeros(layout.size, np.float32)
            kernels.iterate(layout.nodes, cards, 1, 2, np.uint64(seed), learned, after, average)
            tables.append((after, average))
        (short, short_average), (whole, whole_average) = tables
        assert np.array_equal(short[river], regret[river])
        assert not short_average[river].any()
        assert np.array_equal(short[~river], whole[~river])  # play is pure: sampling an action is taking it
        assert np.array_equal(short_average[~river], whole_average[~river])


def test_cards_are_dealt_evenly_and_looked_up_as_the_slow_way_says(buckets):
    cards = cards_of(buckets)
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


class TestRiver:
    """CFR-BR against dense matrices."""

    @pytest.fixture(scope="class")
    def learner(self, buckets):
        layout = lay_out(holdem_tree(cardai.game(TINY)), buckets.counts)
        return RiverLearner(layout, buckets, 1, lanes=5)

    def test_every_subtree_of_the_river_is_in_a_group_of_its_shape(self, learner):
        tree = learner.layout.tree
        roots = np.unique(tree.roots[(tree.street == 3) & (tree.kind == DECISION)])
        assert sorted(learner.roots.tolist()) == roots.tolist()
        assert [
            len(group.roots) for group in groups_of(lay_out(holdem_tree(cardai.game("acpc_limit_2p")), (1, 1, 1, 1)))
        ] == [567]
        ladder = lay_out(holdem_tree(cardai.game("holdem_fcpa")), (1, 1, 1, 1))
        assert sum(len(group.roots) for group in groups_of(ladder)) == len(
            np.unique(ladder.tree.roots[(ladder.tree.street == 3) & (ladder.tree.kind == DECISION)])
        )

    def test_ranges_come_to_the_river_by_the_average_policy(self, learner, buckets):
        layout, tree = learner.layout, learner.layout.tree
        average = np.random.default_rng(0).random(layout.size).astype(np.float32)
        board = [3, 17, 30, 44, 50]
        hands = board_hands(board)
        found = learner._trunk.ranges(board, hands, learner.roots, buckets, average)
        for s in range(0, len(learner.roots), 3):
            expected, node = np.ones((2, len(hands.hands))), int(learner.roots[s])
            while tree.parent[node] >= 0:
                parent = int(tree.parent[node])
                if tree.kind[parent] == DECISION:
                    k = tree.child[parent].tolist().index(node)
                    size = (0, 3, 4)[tree.street[parent]]
                    own = buckets.of(board[:size], hands.hands)
                    chances = [current(layout, average, parent, int(b))[1][k] for b in own]
                    expected[tree.actor[parent]] *= chances
                node = parent
            assert found[:, :, s] == pytest.approx(expected, rel=1e-4)

    def test_a_board_teaches_what_dense_matrices_say(self, learner, buckets):
        layout, tree = learner.layout, learner.layout.tree
        rng = np.random.default_rng(4)
        regret = rng.normal(size=layout.size).astype(np.float32)
        average = rng.random(layout.size).astype(np.float32)
        before = regret.copy(), average.copy()
        learner.chances[:] = 1 / len(learner.chances)
        boards_seen, start_of = [], learner._trunk.ranges
        learner._trunk.ranges = lambda board, hands, roots, *rest: (
            boards_seen.append((board, hands, roots)) or start_of(board, hands, roots, *rest)
        )
        learner.learn(3, regret, average)
        del learner._trunk.ranges
        ((board, hands, roots),) = boards_seen
        start = start_of(board, hands, roots, buckets, before[1])
        ranks = river_strengths(board)
        n = hands.hands
        meet = ~(pairs()[n][:, None, :, None] == pairs()[n][None, :, None, :]).any(axis=(2, 3))
        sign = np.sign(ranks[n][:, None] - ranks[n][None, :])
        own = buckets.of(board, n)
        gained, weights = np.zeros(layout.size), np.zeros(layout.size)
        for s, root in enumerate(roots.tolist()):
            for seat in range(2):
                teach(layout, before[0], own, meet, sign, root, seat, start[:, :, s].astype(float), gained, weights)
        assert np.abs(gained).max() > 100
        assert regret - before[0] == pytest.approx(3 * gained, rel=1e-3, abs=0.05)
        assert average - before[1] == pytest.approx(3 * weights, rel=1e-3, abs=0.05)

    def test_likelier_subtrees_are_chosen_more_often(self, learner):
        learner.chances[:] = 0.01 / len(learner.chances)
        heavy = len(learner.chances) // 2
        learner.chances[heavy] = 0.99
        rng = np.random.default_rng(0)
        groups = [learner._choose(rng.random(1 + len(learner.roots))) for _ in range(100)]
        hits = sum(learner.roots[heavy] in group.roots[chosen] for group, chosen in groups)
        assert hits > 90
        assert all(len(set(chosen.tolist())) == min(5, len(group.roots)) for group, chosen in groups)


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


class TestPlayer:
    @pytest.fixture(scope="class")
    def player(self, buckets):
        game = cardai.game("acpc_limit_2p")
        layout = lay_out(holdem_tree(game), buckets.counts)
        table = np.random.default_rng(1).gamma(0.3, size=layout.size).astype(np.float32)
        table[::5] = -1.0  # a regret: it counts nothing
        return BucketAgent(game, layout, buckets, table, False, "The player")

    def asked(self, game, actions, board, hands):
        """The views of many hands at one public state."""
        state = game.new_initial_state()
        order = iter([*hands[0], *(c for c in range(52) if c not in board and c not in hands[0])][:4])
        dealt = [next(order) for _ in range(4)] + board
        dealt = dealt[2:4] + dealt[:2] + board  # the seat to act first holds the first two
        for card in dealt[:4]:
            state.apply_action(card)
        rest = iter(board)
        for action in actions:
            while state.is_chance_node():
                state.apply_action(next(rest))
            state.apply_action(action)
        while state.is_chance_node():
            state.apply_action(next(rest))
        tables = game.tables(1)
        tables.data[:] = state._tables.data
        views = np.repeat(tables.views(state.current_player(), np.arange(1)), len(hands))
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


@testing.parametrize_checks("trainer", f"{PLAIN},river_solver=cfr_br,board_every=3,lanes=4", game=TINY, steps=7)
def test_the_trainer_with_best_replies_conforms(check):
    check()


@pytest.mark.parametrize("options", ["", ",river_solver=cfr_br,board_every=4,lanes=3"])
def test_stopping_anywhere_changes_nothing(options, tmp_path):
    trainer, game = create("trainer", PLAIN + options), cardai.game(TINY)
    whole = trainer.start(game, None, 9)
    list(whole.train(50))
    part = trainer.start(game, None, 9)
    list(part.train(13))
    part.save(tmp_path)
    again = trainer.start(game, None, 9)
    again.load(tmp_path)
    list(again.train(37))
    assert np.array_equal(again.regret, whole.regret)
    assert np.array_equal(again.average, whole.average)
    assert again.nodes == whole.nodes


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("leduc", "plays hold'em: two hole cards"),
        ("gin", "plays hold'em: two hole cards"),
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
    assert edges @ counts * 8 <= 1.5e9 < edges @ (counts + [0, 1, 1, 1]) * 8


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
    assert itertools is not None
