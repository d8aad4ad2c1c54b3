from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardai import make
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import view_dtype
from cardai.core.legal import Amounts
from cardai.core.rng import Rows, hash_rows
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import convert
from cardai.learn.imitation.examples import read_examples
from tests.formats.acpc_table import DATA

torch = pytest.importorskip("torch")

from cardai.plugins.trainers.cnn_valuation import CnnValuation  # noqa: E402
from cardai.plugins.trainers.cnn_valuation.ladder import Ladder  # noqa: E402
from tests.support import sizes  # noqa: E402

GAME = "holdem_nolimit"
LADDER = ("0.5", "pot", "2", "allin")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("examples") / "nolimit"
    convert([str(DATA / "2p.nolimit.seed0.log")], stream_hands, out)
    return str(out)


def view(pot: int, to_call: int, own: int, behind: int, count: int = 1) -> np.ndarray:
    """Return views of seat 1."""
    views = np.zeros(count, view_dtype(make.game(GAME).view_fields))
    views["player"], views["pot"], views["to_call"] = 1, pot, to_call
    views["spent"][:, 1], views["stacks"][:, 1] = own, behind
    return views


def test_a_raise_is_of_the_rung_whose_share_of_the_pot_is_nearest_by_ratio() -> None:
    ladder = Ladder(LADDER)
    assert ladder.names == ("fold", "call", "raise 0.5 pot", "raise 1 pot", "raise 2 pot", "all-in")
    # 100 in, 100 to call, 300 in the pot: called it is 400, so rungs raise to 200 + 200, 400, 800; all-in to 20,000
    views = view(pot=300, to_call=100, own=100, behind=19_900)
    assert ladder.amounts(views).tolist() == [[400, 600, 1000, 20_000]]
    played = {0: 0, 1: 1, 300: 2, 480: 2, 490: 3, 600: 3, 760: 3, 770: 4, 1000: 4, 3900: 4, 4200: 5, 20_000: 5}
    # between half and whole the middle by ratio is 200 * sqrt(2) = 283 above the call; between 800 and 19,800 it is 3,980
    for action, label in played.items():
        assert ladder.labels(views, np.array([action])).tolist() == [label], action
    short = view(pot=300, to_call=100, own=100, behind=500)  # all-in is the pot
    assert ladder.labels(short, np.array([600])).tolist() == [5]
    assert Ladder(("0.5", "pot")).labels(short, np.array([600])).tolist() == [3]


@pytest.mark.parametrize("count", sizes(750, 3000))
def test_rungs_are_drawn_by_their_probabilities_and_raising_is_as_likely_as_all_of_them(data: str, count: int) -> None:
    run = CnnValuation(data=data, batch=32, bets=LADDER).start(make.game(GAME), make.encoder("cnn_valuation"), 1)
    wanted = np.log(np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1]))
    last = run.network[-1]
    with torch.no_grad():
        last.weight.zero_()
        last.bias.copy_(torch.from_numpy(wanted))
    views = view(300, 100, 100, 19_900, count)
    legal = Amounts(np.ones((count, 3), bool), np.full(count, 450), np.full(count, 20_000))
    rng = Rows(hash_rows(np.arange(count, dtype=np.uint64), 7))
    player = run.agent({"act": "sample"})
    assert player.policy(views[:1], legal.take(slice(1)))[0] == pytest.approx([0.1, 0.2, 0.7], abs=1e-6)
    played = player.act(views, legal, rng)
    values, counts = np.unique(played, return_counts=True)
    assert values.tolist() == [0, 1, 450, 600, 1000, 20_000]  # half the pot is 400: the least legal is 450
    assert counts / count == pytest.approx([0.1, 0.2, 0.3, 0.1, 0.2, 0.1], abs=0.02 * (3000 / count) ** 0.5)
    likeliest = run.agent({"act": "argmax"})
    assert set(likeliest.act(views[:5], legal.take(slice(5)), Rows(rng.seeds[:5])).tolist()) == {450}


@pytest.mark.long
def test_a_run_learns_the_rungs_of_a_log_and_is_played_again(data: str, tmp_path: Path) -> None:
    game = make.game(GAME)
    trainer = CnnValuation(data=data, batch=32, every=10**6, bets=LADDER, optimizer="adam", learning_rate=0.003)
    run = trainer.start(game, make.encoder("cnn_valuation_ours:size=17x17"), 1)
    train, _ = run._data()
    assert set(train.label.tolist()) > {1, 2, 3, 5}
    assert train.legal.shape == (len(train), 6)
    *_, last = run.train(100)
    assert last["loss"] < 0.7
    run.save(tmp_path)
    again = trainer.trained_agent(game, make.encoder("cnn_valuation_ours:size=17x17"), 1, tmp_path, {"act": "sample"})
    examples = read_examples(data, game)[1].take(slice(20))
    legal = Amounts(examples.legal, np.full(20, 2), np.full(20, 20_000))
    assert again.policy(examples.views, legal) == pytest.approx(
        run.agent({"act": "sample"}).policy(examples.views, legal)
    )


def test_wrong_ladders_are_refused_in_a_sentence(data: str, tmp_path: Path) -> None:
    for text, words in (("x", "positive number"), ("2+1", "must ascend"), ("allin+2", "allin last")):
        with pytest.raises((OptionError, ValueError), match=words):
            make.trainer(f"cnn_valuation:data={data},bets={text}")
    limit = tmp_path / "limit"
    convert([str(DATA / "2p.limit.seed0.log")], stream_hands, limit)
    with pytest.raises(UsageError, match="classes of no-limit raises"):
        CnnValuation(data=str(limit), bets=LADDER).start(make.game("holdem_limit"), make.encoder("cnn_valuation"), 1)
