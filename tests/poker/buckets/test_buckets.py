"""Card abstraction: every kernel against the slow obvious way, and tables that follow from the options alone."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardai.cards.text import parse_cards
from cardai.poker.buckets import _kernels as kernels
from cardai.poker.buckets import _store as store
from cardai.poker.buckets import rows
from cardai.poker.buckets import tables as module
from cardai.poker.buckets._kmeans import Centres, k_means
from cardai.poker.buckets.clusters import clusters
from cardai.poker.buckets.report import report
from cardai.poker.buckets.tables import BucketOptions, Buckets, percentiles, starting_classes
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import range_equity, river_strengths
from cardai.poker.hands.ranking import batch_tables


def hand(text):
    low, high = sorted(parse_cards(text))
    return high * (high - 1) // 2 + low


def slow_strength(board, number):
    """Twice the hands beaten plus the ties, by comparing ranks."""
    ranks, a, b = river_strengths(board), *pairs()[number].tolist()
    meets = (ranks >= 0) & ~np.isin(pairs(), [a, b]).any(axis=1)
    return 2 * int((ranks[meets] < ranks[number]).sum()) + int((ranks[meets] == ranks[number]).sum())


def quick_strength(board, number):
    """The same by the kernel, which a test holds against the slow one."""
    out = np.empty((1, COUNT), np.uint16)
    kernels.strengths(np.array([board], np.int8), pairs(), batch_tables(7), out)
    return int(out[0, number])


def slow_bucket(board, number):
    """The default bucket of a hand: the nearest centre to how it may end, or what its strength on the river is put into."""
    options = BucketOptions()
    if not board:
        return starting_classes()[number]
    if len(board) == 5:
        return clusters(options.of_street(3))[slow_strength(board, number)]
    centres = clusters(options.of_street(len(board) - 2)).astype(int)
    rest = [card for card in range(52) if card not in [*board, *pairs()[number].tolist()]]
    ends = list(itertools.combinations(rest, 5 - len(board)))
    bins = np.bincount([quick_strength([*board, *more], number) * kernels.BINS // 1981 for more in ends], minlength=25)
    above = (len(ends) - np.cumsum(bins)[:-1]) * kernels.SCALE // len(ends)
    return ((centres - above) ** 2).sum(axis=1).argmin()


def test_there_are_169_classes_of_starting_hands():
    classes, counts = np.unique(starting_classes(), return_counts=True)
    assert classes.tolist() == list(range(169))
    assert sorted(counts.tolist()) == [4] * 78 + [6] * 13 + [12] * 78  # suited, pairs, unsuited
    assert starting_classes()[hand("AsKs")] == starting_classes()[hand("AdKd")] != starting_classes()[hand("AsKd")]


@pytest.mark.parametrize("board", ["2c2d2h2sAs", "KdQsJh4c3c", "9h8h7h6h2c"])
def test_river_strengths_are_those_of_comparing_every_pair(board):
    cards = parse_cards(board)
    out = np.empty((1, COUNT), np.uint16)
    kernels.strengths(np.array([cards], np.int8), pairs(), batch_tables(7), out)
    blocked = np.isin(pairs(), cards).any(axis=1)
    assert (out[0, blocked] == kernels.BLOCKED).all()
    for number in np.flatnonzero(~blocked)[::53]:
        assert out[0, number] == slow_strength(cards, number)


def test_equities_against_ranges_are_the_equity_calculators():
    cards = parse_cards("KdQsJh4c3c")
    rng = np.random.default_rng(2)
    ranges = rng.integers(0, 3, (COUNT, 2))
    out = np.empty((1, COUNT, 2), np.int16)
    kernels.equities(np.array([cards], np.int8), pairs(), batch_tables(7), ranges, out)
    for r in range(2):
        exact = range_equity(np.ones(COUNT), ranges[:, r].astype(float), cards).by_hand[0]
        open_hands = out[0, :, r] >= 0
        assert np.array_equal(open_hands, ~np.isin(pairs(), cards).any(axis=1))
        assert np.abs(out[0, open_hands, r] / kernels.SCALE - exact[open_hands]).max() <= 1 / kernels.SCALE


@pytest.mark.parametrize("board", ["Kd7s2c9h", "Kd7s2c"])
def test_distributions_count_how_a_hand_may_end(board):
    cards, number = parse_cards(board), hand("KsQs")
    river = boards(5)
    known = np.zeros((len(river.cards), COUNT), np.uint16)  # filled where this board can lead, to keep the test quick
    rest = [card for card in range(52) if card not in cards]
    ends = list(itertools.combinations(rest, 5 - len(cards)))
    classes = sorted({river.find([*cards, *more])[0] for more in ends})
    some = np.empty((len(classes), COUNT), np.uint16)
    kernels.strengths(river.cards[classes], pairs(), batch_tables(7), some)
    known[classes] = some
    out = np.empty((COUNT, kernels.BINS - 1), np.int16)
    room = np.empty((COUNT, kernels.BINS), np.int64)
    args = (river.class_of, river.renaming_of), known, hand_maps(), room, out
    kernels.distributions(np.array(cards), *args)
    own = parse_cards("KsQs")
    step = 1 if len(ends) < 100 else 40
    found = []
    for more in ends[::step]:
        if not set(more) & set(own):
            found.append(slow_strength([*cards, *more], number))
    expected = [np.mean([x * kernels.BINS // 1981 > j for x in found]) for j in range(kernels.BINS - 1)]
    error = np.abs(out[number] / kernels.SCALE - expected).max()
    assert error < (1.01 / kernels.SCALE if step == 1 else 0.25)
    assert (np.diff(out[number]) <= 0).all()
    assert (out[np.isin(pairs(), cards).any(axis=1)] == -1).all()


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([5, 200, kernels.SCALE]))
def test_the_nearest_centre_is_found(count, dimensions, seed, high):
    rng = np.random.default_rng(seed)
    centres = Centres(rng.integers(0, high + 1, (count, dimensions)))
    points = rng.integers(0, high + 1, (50, dimensions)).astype(np.int16)
    distances = ((points[:, None].astype(np.int64) - centres.points[None]) ** 2).sum(axis=2)
    found = centres.nearest(points)
    chosen = distances[np.arange(50), found]
    assert (chosen <= distances.min(axis=1) * (1 + 1e-5)).all()  # squares are summed in single precision


def test_clusters_that_are_apart_are_found_and_follow_from_the_seed():
    rng = np.random.default_rng(0)
    middles = np.array([[100, 100], [100, 3000], [3000, 100], [3000, 3000], [1500, 1500]])
    points = (np.repeat(middles, 200, axis=0) + rng.integers(-50, 51, (1000, 2))).astype(np.int16)
    found = [k_means(points, 5, seed, 30).points for seed in (1, 1, 2)]
    assert np.array_equal(found[0], found[1])
    assert np.abs(np.sort(found[0], axis=0) - np.sort(middles, axis=0)).max() < 10
    assert len(k_means(points[:3], 5, 1, 10).points) == 3  # no more clusters than different points


def test_percentiles_hold_equal_shares_and_keep_the_order():
    mass = np.random.default_rng(1).integers(0, 50, 1000)
    bucket_of = percentiles(mass, 20)
    shares = np.bincount(bucket_of, mass) / mass.sum()
    assert len(shares) == 20
    assert np.abs(shares - 0.05).max() < 0.003
    assert (np.diff(bucket_of.astype(int)) >= 0).all()
    common = np.array([1, 1000, 1, 1, 1])
    assert percentiles(common, 4).max() + 1 == len(np.unique(percentiles(common, 4)))  # none is left empty


class TestTables:
    @pytest.fixture
    def kept(self, monkeypatch, tmp_path):
        monkeypatch.setenv("CARDAI_CACHE_DIR", str(tmp_path))
        module.buckets.cache_clear()
        yield tmp_path
        module.buckets.cache_clear()

    def test_a_hand_is_in_one_bucket_whatever_the_suits_are_called(self):
        rng = np.random.default_rng(5)
        tables = tuple(rng.integers(0, 500, (len(boards(size).cards), COUNT)).astype(np.uint16) for size in (0, 3))
        made = Buckets(BucketOptions(), (169, 500, 500, 500), tables)
        first = made.of(parse_cards("Kd7s2c"), [hand("AhKh"), hand("7d7c")])
        assert first.tolist() == made.of(parse_cards("2h7cKs"), [hand("AdKd"), hand("7s7h")]).tolist()
        with pytest.raises(ValueError, match="0, 3, 4 or 5 cards"):
            made.of(parse_cards("Kd7s"), [0])

    def test_one_bucket_a_street_needs_no_work(self, kept):
        made = module.buckets(BucketOptions(flop=1, turn=1, river=1))
        assert made.counts == (169, 1, 1, 1)
        assert not any(table.any() for table in made.tables[1:])
        assert not list(kept.iterdir())

    def test_a_kept_table_is_taken_up_and_a_damaged_one_is_not(self, kept):
        options, shape = BucketOptions(flop=7).of_street(1), (1755, COUNT)
        table = np.random.default_rng(0).integers(0, 7, shape).astype(np.uint16)
        assert store.load(options, shape) is None
        store.save(options, table)
        assert np.array_equal(store.load(options, shape), table)
        assert isinstance(store.load(options, shape), np.memmap)
        assert store.load(BucketOptions(flop=8).of_street(1), shape) is None
        file = store.folder(options) / "table.npy"
        whole = file.read_bytes()
        file.write_bytes(whole[:-2] + bytes([whole[-2] ^ 1, whole[-1]]))
        assert store.load(options, shape) is None
        assert store.load(options, (3, COUNT)) is None

    def test_rows_that_are_worked_out_as_boards_come_are_those_of_the_whole_tables(self, kept, monkeypatch):
        rng = np.random.default_rng(6)
        dealt = [rng.permutation(52)[:7] for _ in range(4)]
        hole, board = np.array([cards[:2] for cards in dealt]), np.array([cards[2:] for cards in dealt], np.int8)
        board[0, 4:], board[1, 3:], board[2] = -1, -1, -1
        made = module.buckets(whole=False)
        found = made.of_hands(hole, board)
        for row, cards in enumerate(board):
            shown = [int(card) for card in cards if card >= 0]
            number = int(max(hole[row]) * (max(hole[row]) - 1) // 2 + min(hole[row]))
            assert made.of(shown, [number])[0] == found[row] == slow_bucket(shown, number)
        assert not list(kept.iterdir())  # no table was made
        assert len(pickle.dumps(made)) < 1000  # a worker is told the options alone
        asked = []
        monkeypatch.setitem(rows.MOST, 2, 1)
        monkeypatch.setattr(
            module.Work, "table", lambda _, street: asked.append(street) or np.full((16432, COUNT), 9, np.uint16)
        )
        made.of(parse_cards("9c8c7c2h"), [0])
        assert asked == [2]  # where they become many
        assert made.of(parse_cards("9c8c7c3h"), [700]) == 9

    @pytest.mark.long
    def test_the_clusters_that_come_with_cardai_are_what_is_found(self):
        work, options = module.Work(BucketOptions()), BucketOptions()
        for street in (1, 2):
            assert np.array_equal(clusters(options.of_street(street)), work.centres(street).points)
        assert np.array_equal(clusters(options.of_street(3)), work.strength_buckets(500))

    def test_what_a_table_depends_on_is_in_its_name(self):
        one, other = BucketOptions(), BucketOptions(river=600, seed=3)
        assert store.folder(one.of_street(1)) != store.folder(other.of_street(1))  # the seed
        assert one.of_street(2) == BucketOptions(river=600).of_street(
            2
        )  # the river's number is not the turn's business
        assert one.of_street(3) == BucketOptions(seed=3).of_street(3)  # percentiles need no seed
        assert one.of_street(3) != BucketOptions(river_feature="ochs").of_street(3)


def test_an_empty_bucket_is_said_to_be_empty() -> None:
    options = BucketOptions(flop=2, turn=1, river=1)
    tables = [np.zeros((len(boards(size).cards), COUNT), np.uint16) for size in (0, 3, 4)]
    held = Buckets(options, options.counts, (*tables, tables[0]))
    assert report(held, 1, 0, examples=1).share == pytest.approx(1.0)
    with pytest.raises(ValueError, match="No hand is in the bucket 1 of the flop: some of its 2 are empty"):
        report(held, 1, 1)
