"""Magnetic mirror descent and PPO: advantages are right, it learns, resumes bit for bit, and refuses what it cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from attrs import evolve

import cardai
from cardai import make, testing
from cardai.core import registry
from cardai.core.arrays import Bools, Float32s, Float64s
from cardai.core.errors import AgentError, DamagedFileError, OptionError, UsageError
from cardai.learn.distinct import distinct
from cardai.learn.networks import mlp, tanh_mlp
from cardai.learn.policies import legal_softmax
from cardai.plugins.trainers.mmd import rollouts
from cardai.plugins.trainers.mmd.advantages import ExactGame, corrected_targets, generalised_advantages
from cardai.plugins.trainers.mmd.average import Average
from cardai.plugins.trainers.mmd.losses import mean_gains
from cardai.plugins.trainers.mmd.natural import mirror_step, natural_step
from cardai.plugins.trainers.mmd.player import asked
from cardai.plugins.trainers.mmd.training import MMDTraining
from cardai.solve.measures import exploitability
from cardai.testing import Case

TINY = "hidden=8,layers=1,batch=24,tables=8,epochs=2,minibatches=2,eval_every=5"


@pytest.mark.long("against=random")
@testing.parametrize_checks(
    "trainer",
    f"mmd:{TINY},advantages=all_actions,clip=0,magnet_every=3,average=40,average_batch=8",
    f"mmd:{TINY},against=random",
    game="kuhn",
    encoder="flat",
    steps=10,
)
def test_it_conforms(check: Case) -> None:
    check()


@pytest.mark.long
@testing.parametrize_checks(
    "trainer", f"mmd:{TINY}", "mmd_leduc:hidden=8,eval_every=5", game="kuhn", encoder="flat", steps=10
)
def test_its_other_kinds_conform(check: Case) -> None:
    check()


def start(spec: str, game: str = "kuhn", encoder: str | None = None, seed: int = 1) -> Any:
    made = None if encoder is None else cardai.encoder(encoder)
    return registry.create("trainer", spec).start(cardai.game(game), made, seed)


def advance(training: Any, steps: int) -> dict[str, float]:
    last: dict[str, float] = {}
    for metrics in training.train(steps):
        last = metrics or last
    return last


def exact_kuhn() -> ExactGame:
    game = cardai.game("kuhn")
    return ExactGame.of(game, cardai.encoder("flat").for_game(game), 1000)


def some_policy(codes: Float32s, legal: Bools) -> Float64s:
    """Return a fixed policy (n, A) that differs from code to code."""
    steps = np.arange(codes.shape[1])[:, None] * np.arange(1, legal.shape[1] + 1)
    return legal_softmax(np.sin(codes @ np.sin(1.0 + steps)), legal)


def test_exact_advantages_are_the_slopes_of_the_games_values() -> None:
    game = exact_kuhn()
    policy = some_policy(game.codes, game.legal)
    weights, gains = game.advantages(policy)
    assert weights.sum() == pytest.approx(1)
    assert (policy * gains).sum(axis=1) == pytest.approx(0, abs=1e-12)
    owner = np.zeros(len(policy), int)
    owner[game.row_of_set] = game.tree.infosets.player
    base, step, slopes = game.measure(policy).expected, 1e-6, []
    for row in range(len(policy)):
        moved = policy.copy()
        moved[row] = (1 - step) * policy[row] + step * np.array([1.0, 0.0])
        slopes.append((game.measure(moved).expected[owner[row]] - base[owner[row]]) / step)
    # a row's slope is its reach times the advantage of the action; decisions a hand are the reaches' sum
    reached = np.array(slopes) / gains[:, 0]
    assert reached / reached.sum() == pytest.approx(weights, rel=1e-4)


@pytest.fixture(scope="module")
def played() -> tuple[Any, rollouts.Batch]:
    """Return Kuhn poker, and 40,000 decisions of some policy in it."""
    game = cardai.game("kuhn")
    layout = cardai.encoder("flat").for_game(game)
    return game, rollouts.Rollouts(game, layout, 4_000, 3, whole=True).play(some_policy, 40_000, 0)


def test_sampled_advantages_of_all_actions_have_the_exact_ones_as_their_mean_whatever_the_critic_says(
    played: Any,
) -> None:
    _, batch = played
    exact = exact_kuhn()
    weights, gains = exact.advantages(some_policy(exact.codes, exact.legal))
    q = np.cos(batch.whole @ np.cos(np.arange(batch.whole.shape[1] * 4.0)).reshape(-1, 4)).reshape(-1, 2, 2)
    targets = corrected_targets(batch, q, batch.returns, 1.0)
    at, own = np.arange(len(batch)), q[:, :, 0]
    estimate = own - (batch.policies * own).sum(axis=1, keepdims=True)
    estimate[at, batch.chosen] += (targets[:, 0] - own[at, batch.chosen]) / batch.policies[at, batch.chosen]
    for row in range(len(exact.codes)):
        mine = (batch.codes == exact.codes[row]).all(axis=1)
        assert mine.mean() == pytest.approx(weights[row], abs=0.011)
        found = estimate[mine] - (batch.policies[mine] * estimate[mine]).sum(axis=1, keepdims=True)
        # 12 sets of 2 actions: a miss by more than 5 standard errors has probability 1e-5
        assert (abs(found.mean(axis=0) - gains[row]) < 5 * found.std(axis=0) / np.sqrt(mine.sum())).all()


@pytest.mark.parametrize("advantages", ["all_actions", "gae"])
def test_what_three_seats_sample_has_the_exact_advantages_as_its_mean(advantages: str) -> None:
    """With three seats, whose returns and places among what the critic says must not be mixed up."""
    spec = f"mmd:hidden=8,layers=1,batch=3000,tables=1000,advantages={advantages},decay=1,discount=1,normalize=false"
    training = start(spec, "kuhn:players=3")
    exact = training.exact
    wanted, seen = training._tree_examples(), {}
    for _ in range(10):
        examples = training._played_examples()
        gains = mean_gains(examples, np.arange(len(examples)))
        for code, legal, mine in zip(examples.inputs.codes, examples.inputs.legal, gains, strict=True):
            seen.setdefault(code.tobytes(), []).append((mine - mine[legal].mean()) * legal)
    often = np.flatnonzero(wanted.weights > 0.015)
    assert len(often) > 10
    for row in often:
        found, gains = np.array(seen[exact.codes[row].tobytes()]), wanted.gains[row]
        # some 40 figures: a miss by 8 deviations of a mean of ten has probability 1e-3
        off = abs(found.mean(axis=0) - (gains - gains[exact.legal[row]].mean()) * exact.legal[row])
        assert (off < 8 * found.std(axis=0, ddof=1) / np.sqrt(len(found)) + 1e-9).all()


def test_what_the_critic_says_of_the_seat_that_acts_counts_and_each_seat_learns_its_own_return() -> None:
    training = start(
        f"mmd:{TINY},advantages=all_actions,decay=1,reward_scale=1".replace("epochs=2", "epochs=1"), "kuhn:players=3"
    )
    with torch.no_grad():  # says of action a that it brings a to who acts, and ten more to each seat after it
        training.critic[-1].weight.zero_()
        training.critic[-1].bias.copy_(torch.tensor([0.0, 10.0, 20.0, 1.0, 11.0, 21.0]))
    batch = training._played()
    critic, gains, residuals = training._all_actions(batch, batch.returns)
    likely = batch.policies[:, 1]
    assert gains == pytest.approx(np.stack([-likely, 1 - likely], axis=1))
    last = np.array([at == np.flatnonzero(batch.hands == hand)[-1] for at, hand in enumerate(batch.hands)])
    seats = (batch.seats[last, None] + np.arange(3)) % 3
    assert (critic.targets[last] == batch.returns[batch.hands[last][:, None], seats]).all()
    assert (critic.columns == batch.chosen[:, None] * 3 + np.arange(3)).all()
    assert residuals == pytest.approx(critic.targets[:, 0] - batch.chosen)


def test_the_magnet_is_the_actor_of_so_many_iterations_ago() -> None:
    training = start(f"mmd:{TINY},magnet_every=3")
    same = []
    for _ in range(7):
        advance(training, 1)
        pairs = zip(training.actor.parameters(), training.networks["magnet"].parameters(), strict=True)
        same.append(all(torch.equal(one, other) for one, other in pairs))
    assert same == [False, False, True, False, False, True, False]


def test_less_of_what_was_played_counts_with_a_smaller_lambda(played: Any) -> None:
    _, batch = played
    targets = corrected_targets(batch, np.zeros((len(batch), 2, 2)), batch.returns, 0.5)
    for hand in range(50):  # a critic of zero halves what was played at each decision back from the end
        at = np.flatnonzero(batch.hands == hand)
        halved = 0.5 ** np.arange(len(at) - 1, -1, -1)
        assert targets[at, 0] == pytest.approx(batch.returns[hand, batch.seats[at]] * halved)


def test_generalised_advantages_are_sums_of_td_errors(played: Any) -> None:
    _, batch = played
    values = np.sin(np.arange(len(batch), dtype=np.float64))
    found = generalised_advantages(batch, values, batch.returns, 0.9, 0.8)
    for hand in range(50):
        for seat in range(2):
            at = np.flatnonzero((batch.hands == hand) & (batch.seats == seat))
            ahead = np.append(values[at[1:]] * 0.9, batch.returns[hand, seat])
            errors = ahead - values[at]  # Schulman et al. 2016, eq. 9
            wanted = [sum((0.9 * 0.8) ** k * e for k, e in enumerate(errors[t:])) for t in range(len(at))]
            assert found[at] == pytest.approx(np.array(wanted))


def test_a_hand_depends_on_the_seed_and_its_number_alone() -> None:
    game = cardai.game("leduc")
    layout = cardai.encoder("leduc_30").for_game(game)
    by = {n: rollouts.Rollouts(game, layout, n, 5, whole=False).play(some_policy, 60, 7) for n in (1, 4)}
    assert all(len(batch) >= 60 for batch in by.values())
    for hand in range(10):
        one, four = (np.flatnonzero(by[n].hands == hand) for n in (1, 4))
        assert by[1].chosen[one].tolist() == by[4].chosen[four].tolist()
        assert (by[1].codes[one] == by[4].codes[four]).all()
        assert by[1].returns[hand].tolist() == by[4].returns[hand].tolist()


@pytest.mark.parametrize(
    ("options", "batch"),
    [
        ("", 250),
        (",advantages=exact,epochs=4", 1000),
        pytest.param(
            ",advantages=all_actions,clip=0", 1000, marks=pytest.mark.long
        ),  # natural steps below learn by them
    ],
)
def test_it_learns_kuhn_poker(options: str, batch: int) -> None:
    spec = (
        f"mmd:hidden=32,layers=1,batch={batch},minibatches=1,rate=0.02,anneal=60,normalize=false,eval_every=60{options}"
    )
    training = start(spec)
    metrics = advance(training, 60)
    # uniform play is exploitable by 0.4583 (11/24); the magnet's pull keeps it from 0
    assert metrics["exploitability"] < 0.35
    assert metrics["exploitability"] == pytest.approx(exploitability(cardai.game("kuhn"), training.agent({})), abs=1e-6)


def test_a_full_pull_to_the_magnet_leaves_uniform_play() -> None:
    training = start("mmd:hidden=16,layers=1,rate=0.01,magnet=100,advantages=exact,minibatches=1,eval_every=30")
    # 11/24, by hand: the best responses to uniform play in Kuhn poker win 1/2 and 5/12
    assert advance(training, 30)["exploitability"] == pytest.approx(11 / 24, abs=0.01)


@pytest.mark.long("exact", "against")
@pytest.mark.parametrize(
    "options",
    ["", ",advantages=all_actions,magnet_every=4,average=30,average_batch=8", ",advantages=exact", ",against=random"],
)
def test_saved_and_loaded_training_goes_on_byte_for_byte(options: str, tmp_path: Path) -> None:
    spec = f"mmd:{TINY}{options}"
    whole, half, other = (start(spec) for _ in range(3))
    advance(whole, 12)
    advance(half, 7)
    for name in ("middle", "whole", "other"):
        (tmp_path / name).mkdir()
    half.save(tmp_path / "middle")
    other.load(tmp_path / "middle")
    advance(other, 5)
    whole.save(tmp_path / "whole")
    other.save(tmp_path / "other")
    for file in (tmp_path / "whole").iterdir():
        assert file.read_bytes() == (tmp_path / "other" / file.name).read_bytes(), file.name


def test_a_checkpoint_of_other_sizes_is_refused(tmp_path: Path) -> None:
    start(f"mmd:{TINY}").save(tmp_path)
    with pytest.raises(DamagedFileError):
        start(f"mmd:{TINY}".replace("hidden=8", "hidden=16")).load(tmp_path)


def test_it_takes_more_than_two_players() -> None:
    training = start(f"mmd:{TINY},advantages=all_actions,measure_limit=1", "leduc:players=3")
    metrics = advance(training, 5)
    assert "exploitability" not in metrics
    assert metrics["env_steps"] >= 5 * 24


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        ("mmd", "holdem_nolimit", "Give it a ladder of bets"),
        ("mmd:advantages=exact", "gin", "is too large to enumerate"),
        ("mmd:advantages=exact,measure_limit=50", "kuhn", "more than 50 nodes"),
    ],
)
def test_what_it_cannot_take_is_said(spec: str, game: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        start(spec, game)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"polcy": "last"}, "has no option 'polcy'"),
        ({"policy": "first"}, "must be last, greedy or average"),
        ({"policy": "average"}, "has no averaged policy"),
    ],
)
def test_options_that_the_player_does_not_have_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        start(f"mmd:{TINY}").agent(options)


def test_the_averaged_policy_is_the_mean_of_what_was_played(played: Any) -> None:
    """Two halves of one batch that were played by different policies, as often: the network learns the middle."""
    _, batch = played
    moved = evolve(batch, policies=np.where(np.arange(len(batch))[:, None] % 2, batch.policies, [[0.5, 0.5]]))
    network = mlp(batch.codes.shape[1], (32,), 2, 1)
    average = Average(network, batch.codes.shape[1], 2, 5_000, 400, 1)
    average.remember(moved)
    assert average.held == 5_000
    average.learn(0, 1_000)
    first, _ = distinct(batch.codes)
    wanted = (some_policy(batch.codes[first], batch.legal[first]) + 0.5) / 2
    assert asked(network, batch.codes[first], batch.legal[first]) == pytest.approx(wanted, abs=0.1)


def test_what_was_never_played_is_learned_as_such_and_what_is_illegal_is_left_out(played: Any) -> None:
    """Policies of 1 and 0: a network that was shown them passes nowhere, though a 0 of an illegal action says nothing."""
    _, batch = played
    always = np.where(np.arange(2) == 1, 1.0, np.zeros(batch.legal.shape))
    network = mlp(batch.codes.shape[1], (32,), 2, 1)
    average = Average(network, batch.codes.shape[1], 2, 2_000, 250, 1)
    average.remember(evolve(batch, policies=always))
    average.learn(0, 200)
    first, _ = distinct(batch.codes)
    assert (asked(network, batch.codes[first], batch.legal[first])[:, 1] > 0.8).all()


@pytest.mark.parametrize(
    "spec",
    [
        "mmd:layers=100000000",
        "mmd:hidden=1000000000",
        "ppo:layers=33",
        "nfsp:hidden=9000",
        "mmd:tables=1000000000000",
        "mmd:batch=9999999999",
        "mmd:average=99999999999",
    ],
)
def test_networks_that_no_file_could_hold_are_refused_before_they_are_made(spec: str) -> None:
    with pytest.raises(OptionError, match="must be"):
        registry.create("trainer", spec)


def test_ppo_has_neither_pull() -> None:
    # the defaults of Rudolph et al. 2025: entropy 0.05, clip 0.1, 4 epochs of 4 minibatches of 1024 decisions
    ppo = registry.create("trainer", "ppo")
    assert (ppo.magnet, ppo.last, ppo.entropy, ppo.clip) == (0, 0, 0.05, 0.1)
    assert (ppo.batch, ppo.minibatches, ppo.epochs, ppo.hidden, ppo.layers) == (1024, 4, 4, 512, 3)
    assert isinstance(start(f"ppo:{TINY}"), MMDTraining)


def test_the_reservoir_keeps_early_and_late_decisions_alike(played: Any) -> None:
    _, batch = played
    average = Average(mlp(1, (1,), 2, 1), 1, 2, 2_000, 1, 1)
    for at in np.split(np.arange(40_000), 8):
        average.remember(
            evolve(
                batch,
                codes=at[:, None].astype(np.float32),
                legal=batch.legal[at],
                chosen=batch.chosen[at],
                policies=batch.policies[at],
            )
        )
    assert average.seen == 40_000
    counts = np.bincount((average.codes[:, 0] // 5_000).astype(int), minlength=8)
    # 250 each with a deviation of 15: a miss by 75 has probability 5e-6
    assert (abs(counts - 250) < 75).all()


@pytest.mark.parametrize(
    ("preset", "row"),
    [  # learning rate, steps of 8 tables, minibatches, epochs, clip, entropy, KL, value, norm
        ("mmd_liars_dice", (6.25e-5, 256, 1, 8, 0.025, 0.1, 0.025, 0.0625, 0.5)),
        ("mmd_phantom_ttt", (2.5e-4, 128, 4, 4, 0.1, 0.05, 0.05, 0.5, 0.5)),
        ("mmd_abrupt_phantom_ttt", (2.5e-4, 16, 1, 4, 0.8, 0.2, 0.2, 1, 0.25)),
        ("mmd_dark_hex", (6.25e-5, 128, 4, 1, 0.1, 0.2, 0.025, 2, 2)),
        ("mmd_abrupt_dark_hex", (6.25e-5, 32, 32, 2, 0.8, 0.05, 0.1, 0.0625, 0.5)),
        ("ppo_liars_dice", (6.25e-5, 256, 1, 8, 0.025, 0.1, 0, 0.0625, 0.5)),
        ("ppo_phantom_ttt", (2.5e-4, 128, 4, 4, 0.1, 0.05, 0, 0.5, 0.5)),
        ("ppo_abrupt_phantom_ttt", (2.5e-4, 512, 1, 4, 0.8, 0.2, 0, 0.5, 1)),
        ("ppo_dark_hex", (2e-3, 512, 4, 8, 0.025, 0.05, 0, 1, 2)),
        ("ppo_abrupt_dark_hex", (2.5e-4, 256, 8, 4, 0.025, 0.05, 0, 0.0625, 2)),
    ],
)
def test_presets_are_the_benchmarks_best(preset: str, row: tuple[float, ...]) -> None:
    """best_hyperparameters of nathanlct/IIG-RL-Benchmark; MMD's entropy is the pull to a uniform magnet."""
    o = registry.create("trainer", preset)
    assert (o.rate, o.batch / 8, o.minibatches, o.epochs, o.clip) == row[:5]
    assert (o.magnet + o.entropy, o.last, o.value_weight, o.norm) == row[5:]
    assert o.anneal * o.batch == pytest.approx(10_000_000, rel=0.01)


def test_against_a_player_one_seat_learns_and_from_hand_to_hand_another() -> None:
    game = cardai.game("leduc")
    layout = cardai.encoder("leduc_30").for_game(game)
    rival = cardai.agent("random").for_game(game)
    by = {n: rollouts.Rollouts(game, layout, n, 5, False, rival).play(some_policy, 60, 6) for n in (1, 4)}
    for batch in by.values():
        assert (batch.seats == (6 + batch.hands) // 2 % 2).all()
    for hand in range(10):
        one, four = (np.flatnonzero(by[n].hands == hand) for n in (1, 4))
        assert by[1].chosen[one].tolist() == by[4].chosen[four].tolist()
        assert by[1].returns[hand].tolist() == by[4].returns[hand].tolist()


def test_a_rival_that_answers_wrongly_is_named_as_the_one_in_the_other_seats() -> None:
    game = cardai.game("kuhn")
    layout = cardai.encoder("flat").for_game(game)
    rival = make.as_agent(lambda view, legal: 7).for_game(game)
    with pytest.raises(AgentError, match="player in the other seats chose the illegal action 7"):
        rollouts.Rollouts(game, layout, 4, 5, False, rival).play(some_policy, 20, 0)


@pytest.mark.parametrize("made", [mlp(4, (64,), 3, 1), tanh_mlp(4, (32, 32), 3, 0.5, 1)])
def test_a_natural_step_moves_the_policy_as_wanted(made: Any) -> None:
    rng = np.random.default_rng(1)
    codes, legal = rng.normal(size=(6, 4)).astype(np.float32), np.ones((6, 3), bool)
    legal[::2, 1] = False
    wanted = rng.normal(size=(6, 3)) * 2e-3
    before = asked(made, codes, legal)
    natural_step(made, torch.from_numpy(codes), legal, wanted, 1e-6)
    after = asked(made, codes, legal)
    moved = np.log(np.where(legal, after / np.where(legal, before, 1), 1))
    for row in range(6):  # up to a constant a row
        own = legal[row]
        assert moved[row, own] - moved[row, own][0] == pytest.approx(wanted[row, own] - wanted[row, own][0], abs=2e-4)


def test_a_mirror_step_is_where_the_gain_less_both_pulls_is_greatest() -> None:
    gains, policy, magnet = np.array([[1.0, -0.5, 0.2]]), np.array([[0.2, 0.5, 0.3]]), np.array([[0.4, 0.4, 0.2]])
    best = policy * np.exp(mirror_step(gains, policy, np.ones((1, 3), bool), magnet, 0.3, 2.0, 0.0))
    shown = policy ** (2 / 2.3) * magnet ** (0.3 / 2.3) * np.exp(gains / 2.3)
    assert best == pytest.approx(shown / shown.sum())

    def worth(p: Float64s) -> float:
        return float((p * (gains - 0.3 * np.log(p / magnet) - 2 * np.log(p / policy))).sum())

    for other in np.random.default_rng(1).dirichlet(np.ones(3), 200):
        assert worth(other[None]) < worth(best)


def test_a_mirror_step_stops_at_the_floor_and_leaves_illegal_actions_alone() -> None:
    policy, legal = np.array([[0.5, 0.499, 0.001, 0.0]]), np.array([[True, True, True, False]])
    gains = np.array([[0.0, -400.0, -400.0, 9.0]])
    moved = mirror_step(gains, policy, legal, legal / 3, 0.1, 20.0, 1e-3)
    assert policy[0] * np.exp(moved[0]) == pytest.approx([1.0, 1e-3, 1e-3, 0.0], abs=1e-6)
    assert moved[0, 3] == 0


@pytest.mark.long
def test_natural_steps_learn_leduc_poker_within_a_second() -> None:
    training = start("mmd_leduc:anneal=150,eval_every=150,last_end=30,magnet_end=0.3", "leduc", "leduc_30")
    # uniform play is exploitable by 2.3736; Adam on the same advantages is above 0.5 after 1,000 iterations
    assert advance(training, 150)["exploitability"] < 0.5


@pytest.mark.long
def test_natural_steps_learn_kuhn_poker_from_what_was_played() -> None:
    sampled = "advantages=all_actions,batch=512,tables=128,last=5,magnet=0.1"
    training = start(f"mmd:optimizer=natural,minibatches=1,epochs=1,hidden=32,layers=1,{sampled},eval_every=60")
    # uniform play is exploitable by 11/24 = 0.4583; 0.07 to 0.09 with other seeds
    assert advance(training, 60)["exploitability"] < 0.15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("advantages=gae,epochs=1", "need advantages of all actions"),
        ("advantages=exact,epochs=2", "epochs=1"),
        ("advantages=exact,epochs=1,last=0", "last above 0"),
        ("advantages=all_actions,epochs=1,entropy=0.05", "know no bonus for entropy.* Got entropy=0.05"),
        ("advantages=exact,epochs=1,device=cuda", "on the CPU. Got device=cuda"),
        ("advantages=exact,epochs=1,magnet_end=0.1,rate_end=0.01", "magnet_end=0.1, rate_end=0.01.* give anneal"),
    ],
)
def test_what_natural_steps_cannot_be_asked_is_refused(options: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        registry.create("trainer", f"mmd:optimizer=natural,minibatches=1,{options}")


def test_a_weight_of_0_that_is_to_grow_is_refused() -> None:
    """It goes to its end by factors: it stayed 0."""
    with pytest.raises(
        OptionError, match="one of 0 stays 0: with magnet_end and last_end give magnet and last above 0"
    ):
        registry.create("trainer", "ppo:magnet_end=0.1,last_end=0.2,anneal=9")
    registry.create("trainer", "ppo:magnet=0.1,magnet_end=0.2,rate_end=0.0001,anneal=9")


def test_too_many_inputs_for_a_natural_step_are_refused() -> None:
    with pytest.raises(UsageError, match="Take optimizer=adam"):
        natural_step(mlp(2, (4,), 3, 1), torch.zeros(3001, 2), np.ones((3001, 3), bool), np.zeros((3001, 3)), 1e-3)


def test_the_greedy_player_plays_the_likeliest_action_alone() -> None:
    training = start(f"mmd:{TINY}")
    game = exact_kuhn()
    last, best = (training.agent({"policy": name}).on_codes(game.codes, game.legal) for name in ("last", "greedy"))
    assert (best.max(axis=1) == 1).all()
    assert (best.argmax(axis=1) == last.argmax(axis=1)).all()
