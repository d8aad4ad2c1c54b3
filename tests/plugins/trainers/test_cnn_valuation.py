from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai import make, testing
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.legal import Amounts
from cardai.core.rng import Rows
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.learn.imitation.examples import read_examples
from cardai.learn.imitation.measures import divergences, policy_of, scores
from tests.formats.acpc_table import DATA
from tests.support import sizes

torch = pytest.importorskip("torch")

from cardai.learn.grid_networks import GridShape, parameters  # noqa: E402
from cardai.plugins.trainers.cnn_valuation import CnnValuation  # noqa: E402
from cardai.plugins.trainers.cnn_valuation.dataset import Backwards, literal_targets, outcomes  # noqa: E402
from cardai.plugins.trainers.cnn_valuation.networks import LevelPolicy, SuitPolicy, valuation_cnn  # noqa: E402

GAME = "holdem_limit"


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The decisions of 18 limit hands."""
    out = tmp_path_factory.mktemp("examples") / "limit"
    convert([str(DATA / "2p.limit.seed0.log")], stream_hands, out)
    return str(out)


@pytest.fixture(scope="session")
def no_limit(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("examples") / "nolimit"
    convert([str(DATA / "2p.nolimit.seed0.log")], stream_hands, out)
    return str(out)


def training(data: str, encoder: str = "cnn_valuation", game: str = GAME, **options: Any) -> Any:
    trainer = CnnValuation(data=data, **{"batch": 32, "every": 10**6, **options})
    return trainer.start(make.game(game), make.encoder(encoder), 1)


def test_the_networks_have_as_many_weights_as_the_publications_layers_give() -> None:
    # facts: conv part 12,832 + 18,496 + 16,448; 256 values, then 256 or none, then 3
    assert parameters(valuation_cnn(16, 17, 17, 3)) == 114_339
    assert parameters(valuation_cnn(16, 17, 17, 3, dense=False)) == 48_547
    layers = [layer for layer in valuation_cnn(16, 17, 17, 3) if isinstance(layer, torch.nn.Conv2d)]
    x, shapes = torch.zeros(1, 16, 17, 17), []
    for layer in layers:
        x = layer(x)
        shapes.append(tuple(x.shape[1:]))
    assert shapes == [(32, 7, 7), (64, 3, 3), (64, 2, 2)]
    with pytest.raises(ValueError, match="17x17"):
        valuation_cnn(16, 4, 13, 3)


def test_weights_begin_as_he_and_others_proposed() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        dense = valuation_cnn(16, 17, 17, 3)[7]
    # He et al. 2015: normal with variance 2 / fan in; five standard errors of 65,536 weights
    assert float(dense.weight.detach().std()) == pytest.approx((2 / 256) ** 0.5, rel=5 / (2 * 65_536) ** 0.5)
    assert not dense.bias.detach().any()


@pytest.mark.parametrize(
    ("options", "encoder", "share"),
    sizes(({"network": "levels", "hidden": 256, "learning_rate": 0.01}, "cnn_valuation_ours", 0.9),  # strength without the cards
          ({"learning_rate": 0.003}, "cnn_valuation", 0.95), ({"network": "suits", "learning_rate": 0.003}, "poker_cnn_limit_ours", 0.95)),
    ids=["levels", "cnn", "suits"],
)  # fmt: skip
def test_a_network_can_learn_every_action_of_a_few_hands(
    data: str, options: dict[str, Any], encoder: str, share: float
) -> None:
    run = training(data, encoder, optimizer="adam", **options)
    list(run.train(200))
    examples = read_examples(data, make.game(GAME))[1]
    train = examples.take(~examples.test)
    agent = run.agent({"act": "sample"})
    assert scores(agent.policy(train.views, train.legal), train.label).accuracy > share
    assert not agent.policy(train.views, train.legal)[~train.legal].any()


def test_a_network_is_as_wide_as_is_said(data: str) -> None:
    wide = training(data, "poker_cnn_limit_ours", network="suits", channels=24, features=40, hidden=56).network.network
    convolutions, dense, body = wide.trunk.layers, wide.trunk.dense, wide.body
    assert {layer.own.out_channels for layer in convolutions} == {24}
    assert (dense.out_features, body[0].out_features, body[2].out_features) == (40, 56, 56)


def test_weights_decay_beside_what_is_learned_and_a_run_goes_on_so(data: str, tmp_path: Path) -> None:
    """AdamW (Loshchilov and Hutter 2019): a step takes rate x decay of each weight, beside what the loss says."""
    given = {"network": "levels", "optimizer": "adam", "learning_rate": 0.01, "hidden": 8, "every": 1000}
    plain, decaying = (
        training(data, "cnn_valuation_ours", **given),
        training(data, "cnn_valuation_ours", decay=0.5, **given),
    )
    first = plain.network.body[0].weight.detach().clone()
    list(plain.train(1))
    list(decaying.train(1))
    assert torch.allclose(decaying.network.body[0].weight, plain.network.body[0].weight - 0.01 * 0.5 * first, atol=1e-7)
    decaying.save(tmp_path)
    again = training(data, "cnn_valuation_ours", decay=0.5, **given)
    again.load(tmp_path)
    list(again.train(1))
    list(decaying.train(1))
    assert torch.equal(again.network.body[0].weight, decaying.network.body[0].weight)


def test_decay_without_adam_is_refused() -> None:
    with pytest.raises(UsageError, match="is Adam's"):
        make.trainer("cnn_valuation:decay=0.1").check_game(make.game(GAME))


@pytest.mark.parametrize("spec", ["cnn_valuation:channels=32", "cnn_valuation_levels:features=64"])
def test_widths_that_a_network_has_not_are_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="are of network=suits"):
        make.trainer(spec).check_game(make.game(GAME))


def test_a_marked_cell_and_not_its_share_of_a_plane_is_seen() -> None:
    torch.manual_seed(0)
    network = SuitPolicy(GridShape((5, 4, 13), (0, 1)), 3, (16, 128, 32), cells=(3, 4)).eval()
    x = torch.zeros(3, 5, 4, 13)
    x[:, 0, 2, 5] = x[:, 2] = 1.0
    x[0, 3, 0, 7] = x[1, 4, 0, 7] = x[2, 4, 1, 7] = 1.0
    out = network(x)
    assert len(torch.unique(out, dim=0)) == 3
    other = x.clone()
    other[:, 0, 2, 5], other[:, 0, 0, 5] = 0.0, 1.0  # the same card of another suit
    assert torch.allclose(network(other), out, atol=1e-6)
    assert network.network.body[0].out_features == 32
    plain = LevelPolicy((5, 4, 13), [2], [3, 4], 3, hidden=32)
    assert len(torch.unique(plain(x), dim=0)) == 3
    assert torch.equal(plain(other), plain(x))  # cards are not looked at
    assert plain.read(x)[1].tolist() == [7, 52 + 7, 52 + 13 + 7]


def test_what_a_network_of_levels_sees_of_an_example_is_what_it_plays_by(data: str) -> None:
    run = training(data, "cnn_valuation_ours", network="levels", optimizer="adam")
    train = run._data()[0]
    rows = np.arange(5, 60, 7)
    with torch.no_grad():
        kept = run._outputs(train.take(rows), rows)
        fresh = run.network(torch.from_numpy(run.layout.encode(train.views[rows])))
    assert torch.equal(kept, fresh)


def test_what_a_network_of_levels_sees_is_not_kept_block_by_block(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tensors that are kept between the planes of each block held on to the memory of all planes there ever were."""
    run = training(data, "cnn_valuation_ours", network="levels")
    read, given, most = run.network.read, [], []

    def noted(x: Any) -> Any:
        parts = read(x)
        given.extend(map(weakref.ref, parts))
        most.append(sum(part() is not None for part in given))
        return parts

    monkeypatch.setattr(run.network, "read", noted)
    levels, marked = run._read_all(np.repeat(run._data()[0].views[:1], 2000))
    assert (levels.shape, marked.shape) == ((2000, 38), (2000,))
    assert torch.equal(levels, levels[:1].expand(2000, -1))
    assert len(most) == 8
    assert max(most) <= 4  # this block's and the one before


def test_a_run_learns_from_the_first_decisions_alone_if_it_is_told_how_many(data: str) -> None:
    every = training(data)._data()[0]
    some = training(data, most=40)._data()[0]
    assert len(some) == 40 < len(every)
    assert (some.action == every.action[:40]).all()
    with pytest.raises(UsageError, match="fewer than a minibatch of 32"):
        training(data, most=31)


@pytest.mark.long
def test_a_teachers_probabilities_are_learned_in_place_of_actions(data: str) -> None:
    run = training(
        data, "poker_cnn_limit_ours", network="suits", teacher="acpc_mix", learning_rate=0.003, optimizer="adam"
    )
    train = run._data()[0]
    rows = np.arange(20)
    policy = policy_of("acpc_mix", make.game(GAME), train.take(rows))
    assert ((policy > 0.05) | ~train.legal[rows]).all()  # .06, .47, .47 over what is legal
    logits = torch.zeros(20, 3)
    loss = float(run._loss(logits, train.take(rows), run._policy[rows]))
    # a network without an opinion is uniform over legal actions
    assert loss == pytest.approx(float(np.log(train.legal[rows].sum(axis=1)).mean()))
    list(run.train(60))
    agent = run.agent({"act": "sample"})
    assert divergences(policy, agent.policy(train.views[rows], train.legal[rows])).mean() < 0.02
    with pytest.raises(UsageError, match="in the mode imitate"):
        training(data, teacher="acpc_mix", mode="seed_literal")


def test_a_run_goes_on_with_the_teacher_that_it_began_with_though_that_was_trained_on(
    data: str, tmp_path: Path
) -> None:
    teacher, rows = tmp_path / "teacher", np.arange(20)
    own = {
        "encoder": "poker_cnn_limit_ours",
        "network": "suits",
        "data": data,
        "batch": 16,
        "validation": 0,
        "out": teacher,
    }
    cardai.train("cnn_valuation", GAME, steps=1, **own)
    begun = training(data, teacher=f"{teacher}:act=sample")
    taught = begun._policy[rows]
    begun.save(tmp_path)
    cardai.train("cnn_valuation", GAME, steps=3, resume=True, **own)
    again = training(data, teacher=f"{teacher}:act=sample")
    assert not np.array_equal(again._policy[rows], taught)
    again.load(tmp_path)
    assert np.array_equal(again._policy[rows], taught)


def test_literal_targets_shrink_by_gamma_a_step_from_the_end(data: str) -> None:
    examples = read_examples(data, make.game(GAME))[1]
    targets = literal_targets(examples, 0.9)
    follows = np.flatnonzero(examples.later[:-1] > 0)  # the next row is the same player's next decision
    assert len(follows) > 50
    assert np.abs(targets[follows] - np.float32(0.9) * targets[follows + 1]).max() < 1e-7
    last = examples.later == 0
    won = (examples.value > 0)[last]
    assert (targets[last][won] == [1, 0, 0]).all()
    assert (targets[last][(examples.value < 0)[last]] == [0, 1, 0]).all()


def test_records_are_learned_backwards_each_state_once_an_epoch(data: str) -> None:
    examples = read_examples(data, make.game(GAME))[1]
    order = Backwards(examples, 8, seed=3)
    depth, records = int(examples.later.max()) + 1, int((examples.later == 0).sum())
    steps = depth * -(-records // 8)
    seen = [order.at(step) for step in range(steps)]
    assert sorted(np.concatenate(seen).tolist()) == list(range(len(examples)))
    for step, rows in enumerate(seen):
        assert (examples.later[rows] == step % depth).all()
    assert any((order.at(steps + k) != rows).any() for k, rows in enumerate(seen) if len(rows) == 8)


@pytest.mark.long
def test_the_literal_mode_values_states_better_than_the_base_rate_and_plays_nothing(data: str) -> None:
    run = training(data, mode="seed_literal", gamma=0.95, batch=8, optimizer="adam", learning_rate=0.003)
    list(run.train(250))
    examples = read_examples(data, make.game(GAME))[1]
    train = examples.take(~examples.test)
    values = run.values(train)
    assert ((values > 0) & (values < 1)).all()
    assert (values.argmax(axis=1) == outcomes(train)).mean() > 0.9
    with pytest.raises(UsageError, match="plays nothing"):
        run.agent({})


def test_the_player_is_drawn_sharpened_or_the_likeliest(data: str) -> None:
    run = training(data)
    examples = read_examples(data, make.game(GAME))[1].take(slice(0, 20))
    plain = run.agent({"act": "sample"}).policy(examples.views, examples.legal)
    likeliest = run.agent({}).policy(examples.views, examples.legal)
    assert (likeliest.max(axis=1) == 1).all()
    assert (likeliest.argmax(axis=1) == plain.argmax(axis=1)).all()
    sharp = run.agent({"act": "sample", "temperature": "0.5"}).policy(examples.views, examples.legal)
    assert sharp == pytest.approx(plain**2 / (plain**2).sum(axis=1, keepdims=True), abs=1e-6)
    with pytest.raises(OptionError, match="no option 'noise'"):
        run.agent({"noise": "1"})
    with pytest.raises(OptionError, match="must be > 0"):
        run.agent({"temperature": "0"})


def test_a_no_limit_raise_is_of_the_share_of_the_pot_that_was_asked_for(no_limit: str) -> None:
    run = training(no_limit, game="holdem_nolimit", bet=1.0)
    views = read_examples(no_limit, make.game("holdem_nolimit"))[1].views[:1].copy()
    views["pot"], views["to_call"], views["spent"] = 300, 100, 100
    legal = Amounts(np.ones((1, 3), bool), np.array([300]), np.array([20_000]))
    rng = Rows(np.zeros(1, np.uint64))
    # own 100, call 100, then the pot of 400
    assert run.agent({}).raise_to(views, legal, rng).tolist() == [600]
    assert run.agent({"bet": "0.5"}).raise_to(views, legal, rng).tolist() == [400]
    assert run.agent({"bet": "0.1"}).raise_to(views, legal, rng).tolist() == [300]
    assert run.agent({"bet": "1000"}).raise_to(views, legal, rng).tolist() == [20_000]


def test_what_cannot_be_learned_from_is_refused_in_a_sentence(data: str, no_limit: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give --set data=DIR"):
        training("")
    with pytest.raises(UsageError, match="There are no examples"):
        training(str(tmp_path))
    with pytest.raises(UsageError, match="fewer than a minibatch of 10,000"):
        training(data, batch=10_000)
    with pytest.raises(UsageError, match=r"The player 'x' is not in the examples .* Known: p1, p2"):
        training(data, players=("x",))
    with pytest.raises(UsageError, match="are of holdem_nolimit, not of holdem_limit"):
        training(no_limit)
    calls = tmp_path / "calls.log"
    hand = "STATE:{0}:cc/cc/cc/cc:{1}|{2}/2c3d4h/5s/9c:0|0:a|b\n"
    header = "# name/game/hands/seed calls holdem.limit.2p.reverse_blinds 2 1\n"
    calls.write_text(
        header + "".join(hand.format(k, x, y) for k, (x, y) in enumerate([("AsKs", "AdKd"), ("QsJs", "QdJd")]))
    )
    convert([str(calls)], stream_hands, tmp_path / "calls", Settings(test_share=0.0))
    with pytest.raises(UsageError, match=r"All 16 decisions .* are of one class, 'check or call'"):
        training(str(tmp_path / "calls"), batch=4)


def test_a_run_goes_on_only_with_the_examples_it_began_with(data: str, tmp_path: Path) -> None:
    run = training(data)
    run.save(tmp_path)
    other = tmp_path / "other"
    convert([str(DATA / "2p.limit.seed0.log")], stream_hands, other, Settings(seed=5))
    with pytest.raises(DamagedFileError, match="not those that this run has learned from"):
        training(str(other)).load(tmp_path)


@pytest.mark.long
def test_cnn_valuation_conforms(data: str) -> None:
    trainer = CnnValuation(data=data, batch=16, every=2, validation=20)
    cases = testing.checks_for("trainer", trainer, game=GAME, encoder=make.encoder("cnn_valuation"))
    results = list(testing.run_checks(cases))
    assert len(results) > 5
    assert [result for result in results if result.status == "failed"] == []
