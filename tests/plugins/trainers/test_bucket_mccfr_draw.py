"""External sampling of draw poker: exact on a small draw game, hands as the game deals them, and the player."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import cardai
from cardai import testing
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Setup, pack_setups
from cardai.core.registry import create
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.buckets import CHOICES, draw_buckets, place_hands
from cardai.draw.values import hand_values
from cardai.plugins.trainers.bucket_mccfr import _draw_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.checkpoints import read_table
from cardai.plugins.trainers.bucket_mccfr.draw_layout import draw_game, lay_out, path_classes
from cardai.poker.rules.betting import Betting
from cardai.testing._trainer import TrainerSubject

SPEC = "bucket_mccfr_draw:hands=5,final=4"
RANKS = 3
ROUND = {"": 1, "c": 0, "b": 0, "cb": 1}
"""A betting round of the small game: who acts after what was said (check or call, bet, fold)."""


class OneCard:
    """One card each of endless decks of RANKS ranks, ante 1: bet 1 or check, draw a new card or not, bet 1 or check.

    Any of three draws is the same. The solver's tables on it are measured exactly, by rules written here once more.
    """

    def __init__(self) -> None:
        betting = Betting(2, 2, (0, 0), (0, 0), (1, 1), (1, 1), ante=1)
        self.layout = lay_out(SimpleNamespace(betting=betting, draws=1), (RANKS, RANKS))  # type: ignore[arg-type]
        self.regret, self.average = np.zeros((2, self.layout.size), np.float32)

    def solve(self, iterations: int, explore: float) -> None:
        nodes, rng = self.layout.nodes, np.random.default_rng(1)
        walk, hands = kernels.new_walk(nodes, self.layout.room), kernels.new_hands(1, CHOICES)
        cards = rng.integers(RANKS, size=(iterations, 2, 1 + CHOICES))
        cards[:, :, 1] = cards[:, :, 0]  # the first path stands pat
        for t in range(iterations):
            hands.bucket[:], hands.strength[:] = cards[t], cards[t, :, 1:]
            for seat in range(2):
                kernels.walk_for(nodes, walk, hands, seat, np.uint64(t), t + 1.0, explore, self.regret, self.average)

    def policy(self, public: list[int]) -> np.ndarray:
        """(RANKS, actions) by card: fold, call, bet, and four draws."""
        found, out = np.empty((RANKS, 3), np.int64), np.zeros((RANKS, FIRST_DISCARD + CHOICES))
        kernels.follow(self.layout.nodes, np.array([[*public, -1]] * RANKS, np.int64), FIRST_DISCARD, found)
        masks = np.tile(np.arange(CHOICES), (RANKS, 1))
        table = self.average, False, FIRST_DISCARD
        kernels.answer(self.layout.nodes, found, np.arange(RANKS), masks, *table, out)
        return out

    def exploitability(self) -> float:
        even = np.full(RANKS, 1 / RANKS)
        return sum(float(self.betting(seat, [], "", 1, 0, even) @ even) for seat in range(2)) / 2

    def betting(self, me: int, public: list[int], said: str, pot: int, drawn: int, reach: np.ndarray) -> np.ndarray:
        """What each card of ``me`` wins at best against ``reach``, in a round in which ``said`` was said."""
        actor, faced = ROUND[said], said.endswith("b")
        below = {}
        for action in (0, 1) if faced else (1, 2):
            chances = self.policy(public)[:, action] if actor != me else np.ones(RANKS)
            after, come = said + "fcb"[action], reach * chances
            if action == 0:
                below[action] = come.sum() * pot * (1.0 if actor != me else -1.0) * np.ones(RANKS)
            elif after in ROUND:
                below[action] = self.betting(me, [*public, action], after, pot, drawn, come)
            else:
                paid = pot + faced
                below[action] = (
                    self.draw(me, [*public, action], 1, paid, come)
                    if not drawn
                    else paid * np.array([come[:card].sum() - come[card + 1 :].sum() for card in range(RANKS)])
                )
        return np.max(list(below.values()), axis=0) if actor == me else sum(below.values())

    def draw(self, me: int, public: list[int], seat: int, pot: int, reach: np.ndarray) -> np.ndarray:
        worth = []
        for choice in range(CHOICES):
            come = reach
            if seat != me:
                come = reach * self.policy(public)[:, FIRST_DISCARD + choice]
                come = np.full(RANKS, come.sum() / RANKS) if choice else come
            after = [*public, FIRST_DISCARD + choice]
            value = self.draw(me, after, 0, pot, come) if seat == 1 else self.betting(me, after, "", pot, 1, come)
            worth.append(np.full(RANKS, value.mean()) if choice and seat == me else value)
        return np.max(worth, axis=0) if seat == me else np.sum(worth, axis=0)


@pytest.mark.long("0.25")
@pytest.mark.parametrize(("explore", "iterations"), [(1.0, 20_000), (0.25, 60_000)])
def test_a_small_draw_game_is_solved(explore, iterations):
    game = OneCard()
    assert game.exploitability() > 0.3  # chips, the ante is 1
    game.solve(iterations, explore)
    assert game.exploitability() < 0.03
    drawn = game.policy([1, 1])[:, FIRST_DISCARD:]
    assert drawn[0, 0] < 0.1  # the lowest card is drawn to, ...
    assert drawn[-1, 0] > 0.9  # ... the highest is kept


@pytest.fixture(scope="module")
def game():
    return cardai.game("triple_draw")


@pytest.fixture(scope="module")
def buckets():
    return draw_buckets(5, 4, 3)


def test_hands_of_all_paths_are_those_that_the_game_deals(game, buckets):
    known, hands, rng = buckets.known(), kernels.new_hands(3, CHOICES), np.random.default_rng(3)
    table = kernels.new_table(3)
    for deal in range(6):
        kernels.deal(np.uint64(deal), table.dealt)
        cards = [*table.start.ravel().tolist(), *table.spare.ravel().tolist()]
        assert len(set(cards)) == 40
        kernels.fill(known, table, hands)
        chosen = rng.integers(CHOICES, size=(2, 3))
        held, deck, path = table.start.copy(), [*table.start[1], *table.start[0]], [0, 0]
        for done in range(3):  # the big blind, seat 1, is dealt first and draws first
            for seat in (1, 0):
                _, places, masks = place_hands(known, held[seat : seat + 1], np.array([done]))
                assert hands.bucket[seat, hands.first[done] + path[seat]] == places[0]
                choice = chosen[seat, done]
                gone = [i for i in range(5) if masks[0, choice] >> i & 1]
                order = np.argsort(held[seat])
                for i in gone:  # a card is replaced by the one set aside for its place among the ascending hand
                    place = int(np.flatnonzero(order == i)[0])
                    held[seat, i] = table.spare[seat, done, place]
                    deck.append(int(held[seat, i]))
                path[seat] = path[seat] * CHOICES + int(choice)
                chosen[seat, done] = masks[0, choice]
        tables = game.tables(1)
        tables.reset(np.zeros(1, np.uint64), [deck])
        row = np.zeros(1, np.int64)
        for done in range(4):
            for _ in range(2):
                tables.apply(row, np.array([1]))
            for seat in (1, 0) if done < 3 else ():
                assert tables.current_players()[0] == seat
                tables.apply(row, np.array([FIRST_DISCARD + chosen[seat, done]]))
        for seat in range(2):
            final = tables.views(seat, row)["hand"]
            assert sorted(final[0].tolist()) == sorted(held[seat].tolist())
            _, places, _ = place_hands(known, final, np.array([3]))
            assert hands.bucket[seat, hands.first[3] + path[seat]] == places[0]
        strength = [hands.strength[seat, path[seat]] for seat in range(2)]
        assert np.sign(strength[0] - strength[1]) == np.sign(tables.returns(row)[0, 0])


def test_choices_are_the_best_draws_of_their_size(buckets):
    from cardai.draw.values import draw_values

    hands = np.stack([np.random.default_rng(k).permutation(52)[:5] for k in range(40)])
    for done in range(3):
        features, _, masks = place_hands(buckets.known(), hands, np.full(len(hands), done))
        values = draw_values().holds(hands, 3 - done)
        sizes = np.array([min(mask.bit_count(), 3) for mask in range(32)])
        for choice in range(CHOICES):
            best = np.where(sizes == choice, values[:, ::-1], -1.0).max(axis=1)  # by discard: 31 - hold
            assert values[np.arange(40), 31 - masks[:, choice]] == pytest.approx(best)
            wanted = hand_values(hands) if choice == 0 else best
            assert np.abs(features[:, choice] - wanted).max() <= 0.51


def test_hands_that_differ_by_suits_names_are_alike(buckets):
    hands = np.stack([np.random.default_rng(k).permutation(52)[:5] for k in range(300)])
    turned = (hands + 13) % 52
    for done in range(4):
        one, other = (place_hands(buckets.known(), h, np.full(300, done))[1] for h in (hands, turned))
        assert np.array_equal(one, other)
        assert len(np.unique(one)) >= 3


def test_what_is_remembered_of_draws_tells_the_last_two_apart():
    classes, counts = path_classes(3)
    assert counts.tolist() == [1, 4, 10, 10]
    two = classes[2][: CHOICES**2].reshape(CHOICES, CHOICES)  # [before, last]
    assert len(set(two[:, 0].tolist())) == 4  # whoever stands pat
    assert two[2, 1] == two[3, 1] != two[1, 1]
    assert np.array_equal(classes[3].reshape(4, 16), np.tile(classes[2][:16], (4, 1)))


@pytest.fixture(scope="module")
def training(game):
    made = create("trainer", SPEC).start(game, None, 1)
    made.iterate(150)
    made.step = 150
    return made


@pytest.mark.long
def test_it_learns_to_keep_good_hands_and_to_throw_bad_ones(game):
    made, tables = create("trainer", SPEC).start(game, None, 1), game.tables(2)
    made.iterate(1500)
    agent = made.agent({})
    decks = [[5, 4, 2, 1, 13, *range(20, 25)], [12, 25, 38, 51, 0, *range(20, 25)]]  # 7c6c4c3c2d and AcAdAhAs2c
    tables.reset(np.zeros(2, np.uint64), decks)
    rows = np.arange(2)
    for _ in range(2):
        tables.apply(rows, np.array([1, 1]))
    answer = agent.policy(tables.views(1, rows), tables.legal(rows))
    assert answer.sum(axis=1) == pytest.approx(1.0)
    assert answer[0, FIRST_DISCARD] > 1.5 * answer[1, FIRST_DISCARD]
    taken = np.flatnonzero(answer[1] > 0)
    assert (taken >= FIRST_DISCARD).all()


def test_the_player_looks_up_who_acts_what_both_drew_and_its_own_bucket(game, training):
    """Beside the rules, hand by hand, with the button in either seat."""
    layout, agent = training.layout, training.agent({"policy": "current"})
    nodes, known, rng = layout.nodes, training.buckets.known(), np.random.default_rng(4)
    agent.table[:] = rng.random(layout.size).astype(np.float32)
    for number in range(14):
        tables, row = game.tables(1), np.zeros(1, np.int64)
        button = number % 2
        tables.reset(np.array([number], np.uint64), None, None, pack_setups(2, [Setup(starter=button)]))
        paths = [[], []]
        while (seat := int(tables.current_players()[0])) >= 0:
            views, legal = tables.views(seat, row), tables.legal(row)
            found = np.empty((1, 3), np.int64)
            kernels.follow(nodes, np.ascontiguousarray(views["history"], np.int64), FIRST_DISCARD, found)
            node, mine = nodes.node[found[0, 0]], (seat - button) % 2  # in the tree the button is seat 0
            assert node[kernels.ACTOR] == mine
            assert (node[kernels.KIND] == kernels.DRAW) == bool(views["drawing"][0]) == bool(legal[0, FIRST_DISCARD])
            drawn = [len(path) for path in paths]
            assert node[kernels.DRAWN : kernels.DRAWN + 2].tolist() == drawn
            codes = [sum(c * CHOICES**k for k, c in enumerate(reversed(path))) for path in paths]
            assert found[0, 1:].tolist() == codes
            seen = nodes.classes[drawn[0], codes[0]] * nodes.class_counts[drawn[1]] + nodes.classes[drawn[1], codes[1]]
            _, bucket, masks = place_hands(known, views["hand"], np.array([drawn[mine]]))
            at = node[kernels.BASE] + (seen * nodes.buckets[drawn[mine]] + bucket[0]) * node[kernels.STRIDE]
            weights = agent.table[at : at + node[kernels.COUNT]]
            wanted = np.zeros(game.num_distinct_actions)
            drawing = node[kernels.KIND] == kernels.DRAW
            where = FIRST_DISCARD + masks[0] if drawing else nodes.action[found[0, 0]][: len(weights)]
            np.add.at(wanted, where, weights / weights.sum())
            chances = agent.policy(views, legal)[0]
            assert chances == pytest.approx(wanted, abs=1e-6)
            action = int(rng.choice(len(chances), p=chances / chances.sum()))
            action = 1 if action == 0 else action  # hands that go on
            if drawing:
                paths[mine].append(min((action - FIRST_DISCARD).bit_count(), CHOICES - 1))
            tables.apply(row, np.array([action]))
        assert [len(path) for path in paths] == [3, 3]


def test_a_run_goes_on_as_if_nothing_had_happened(game, training, tmp_path):
    training.save(tmp_path)
    again = create("trainer", SPEC).resume(game, None, 1, tmp_path)
    whole = create("trainer", SPEC).start(game, None, 1)
    whole.iterate(200)
    again.iterate(50)
    assert np.array_equal(again.regret, whole.regret)
    assert np.array_equal(again.average, whole.average)


@pytest.mark.long
def test_a_small_file_plays_nearly_the_same(game, training, tmp_path):
    training.save(tmp_path)
    trainer = create("trainer", SPEC)
    tables = game.tables(50)
    tables.reset(np.arange(50, dtype=np.uint64))
    rows = np.arange(50)
    asked = tables.views(0, rows), tables.legal(rows)
    before = trainer.trained_agent(game, None, 1, tmp_path, {}).policy(*asked)
    trainer.slim(game, tmp_path)
    assert not (tmp_path / "average.npy").exists()
    after = trainer.trained_agent(game, None, 1, tmp_path, {}).policy(*asked)
    assert np.abs(before - after).max() < 0.01
    assert len(np.unique(read_table(tmp_path / "average.npy", training.layout.size))) > 10


def test_files_that_no_solver_writes_are_refused(game, training, tmp_path):
    training.save(tmp_path)
    trainer = create("trainer", SPEC)
    state = (tmp_path / "state.json").read_text()
    (tmp_path / "state.json").write_text(state.replace("150", "-3"))
    with pytest.raises(DamagedFileError, match="step, nodes"):
        trainer.resume(game, None, 1, tmp_path)
    (tmp_path / "state.json").write_text(state)
    bad = training.regret.copy()
    bad[7] = np.nan
    np.save(tmp_path / "regret.npy", bad)
    with pytest.raises(DamagedFileError, match="numbers that no solver writes"):
        trainer.resume(game, None, 1, tmp_path)
    with np.load(tmp_path / "buckets.npz") as kept:
        arrays = dict(kept)
    far = {
        **arrays,
        "centres_0": np.full_like(arrays["centres_0"], np.iinfo(np.int64).min),
    }  # its absolute value is itself
    np.savez(tmp_path / "buckets.npz", **far)
    with pytest.raises(DamagedFileError, match="no buckets of hands"):
        trainer.trained_agent(game, None, 1, tmp_path, {})
    arrays["thresholds"] = arrays["thresholds"][::-1]
    np.savez(tmp_path / "buckets.npz", **arrays)
    with pytest.raises(DamagedFileError, match="no buckets of hands"):
        trainer.trained_agent(game, None, 1, tmp_path, {})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("kuhn", "two players and up to three draws"),
        ("triple_draw:players=3", "two players"),
        ("triple_draw:stack=1000", "without a bound on stacks"),
    ],
)
def test_other_games_are_refused(spec, words):
    with pytest.raises(UsageError, match=words):
        draw_game(cardai.game(spec))


def test_a_seed_of_buckets_that_is_none_is_refused():
    with pytest.raises(OptionError, match="bucket_seed"):
        create("trainer", "bucket_mccfr_draw:bucket_seed=-1")


def test_too_large_tables_are_refused(game):
    with pytest.raises(UsageError, match=r"information sets with 5 buckets .* Take fewer buckets, or raise memory"):
        create("trainer", SPEC + ",memory=0.001").start(game, None, 0)


@pytest.fixture(scope="module")
def subject(game):
    return TrainerSubject(create("trainer", "bucket_mccfr_draw:hands=2,final=2"), game, None, 3)


@pytest.mark.parametrize("check", testing.CHECKS["trainer"], ids=lambda check: check.name)
def test_it_conforms(subject, check):
    check.function(subject)
