"""Imitators of hold'em answer for whole ranges as they play each hand."""

from __future__ import annotations

import numpy as np
import pytest

from cardai import make
from cardai.cards.text import parse_cards
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import convert
from cardai.poker.buckets.tables import Buckets
from cardai.poker.hands.boards import BOARD_SIZES, COUNTS
from cardai.poker.range_policy import RangeAdapter, range_player
from cardai.poker.ranges.public_tree import holdem_tree
from tests.formats.acpc_table import DATA

torch = pytest.importorskip("torch")

from cardai.plugins.encoders.grid import papers  # noqa: E402
from cardai.plugins.trainers.cnn_valuation import CnnValuation  # noqa: E402
from cardai.plugins.trainers.cnn_valuation.ranges import RangeImitator, answers_ranges  # noqa: E402


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The decisions of 18 limit hands."""
    out = tmp_path_factory.mktemp("examples") / "limit"
    convert([str(DATA / "2p.limit.seed0.log")], stream_hands, out)
    return str(out)


@pytest.mark.long("cards", "and bucket")
@pytest.mark.parametrize(
    ("network", "encoder", "options"),
    [
        ("levels", "cnn_valuation_ours:buckets=true", {"act": "sample", "temperature": 0.5}),
        ("levels", "cnn_valuation_ours:buckets=true", {"act": "argmax"}),
        ("suits", "poker_cnn_limit_ours", {"act": "sample"}),
        ("suits", "cnn_valuation_ours:buckets=true", {"act": "sample"}),
        ("cnn", "cnn_valuation", {"act": "sample"}),
        ("cnn_flat", "poker_cnn_limit", {"act": "sample"}),
    ],
    ids=["levels", "likeliest", "cards", "strength and bucket", "publication", "pot as cards"],
)
def test_an_imitator_answers_for_a_range_what_it_plays_with_each_hand(
    network: str, encoder: str, options: dict[str, object], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, rng = papers.BucketOptions(), np.random.default_rng(1)
    tables = [np.zeros((count, 1326), np.uint16) for count in COUNTS.values()]
    tables[0][:], tables[1][:] = rng.integers(0, 169, (1, 1326)), rng.integers(0, 500, (1755, 1326))
    made = Buckets(known, known.counts, tables)  # ours are made in a minute
    monkeypatch.setattr(papers, "buckets", lambda options, whole: made)
    monkeypatch.setattr(papers, "_DEALS", 8)  # strength need not be exact here
    game = make.game("holdem_limit")
    trainer = CnnValuation(data=data, network=network, batch=32, optimizer="adam", hidden=32, every=10**6)
    run = trainer.start(game, make.encoder(encoder), 1)
    list(run.train(20))
    player, tree = run.agent(options), holdem_tree(game, "A test")
    fast = range_player(game, player, tree)
    assert fast is player
    assert isinstance(player, RangeImitator)
    slow = RangeAdapter(game, player, tree)
    for street, text in ((0, ""), (1, "9h8h2c"), (1, "9h8h2d")):  # another board is answered anew
        board = parse_cards(text)
        assert len(board) == BOARD_SIZES[street]
        nodes = tree.decisions[tree.street[tree.decisions] == street][:: 40 if street else 5]
        found, expected = fast.range_policy(nodes, board), slow.range_policy(nodes, board)
        assert found.shape == expected.shape
        assert len(np.unique(expected.round(6))) > (20 if options["act"] == "sample" else 1)
        assert np.abs(found - expected).max() < 1e-5


def test_nodes_that_the_publications_planes_show_alike_are_answered_once(data: str) -> None:
    game = make.game("holdem_limit")
    run = CnnValuation(data=data, network="cnn", batch=32, every=10**6).start(game, make.encoder("cnn_valuation"), 1)
    player, tree = run.agent({"act": "sample"}), holdem_tree(game, "A test")
    assert isinstance(player, RangeImitator)
    nodes = tree.decisions[tree.street[tree.decisions] == 1]
    found = player.range_policy(nodes, parse_cards("9h8h2c"))
    assert found.sum() == pytest.approx(len(nodes) * 1176)
    assert 10 < len(player._answers) < len(nodes) / 2


def test_a_layout_that_does_not_say_what_follows_from_the_hand_is_asked_hand_by_hand(data: str) -> None:
    game = make.game("holdem_limit")
    run = CnnValuation(data=data, network="cnn", batch=32, every=10**6).start(game, make.encoder("cnn_valuation"), 1)

    class Bare:
        shape = run.layout.shape

    assert answers_ranges(run.network, run.layout, game)
    assert not answers_ranges(run.network, Bare(), game)
    assert not answers_ranges(run.network, run.layout, make.game("acpc_nolimit_2p"))
