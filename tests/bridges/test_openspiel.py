"""OpenSpiel both ways: its own tests on our games, our kit on its games, and the same numbers of the same algorithm."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cardai
from cardai import testing
from cardai.core.errors import OptionError, PluginError, UsageError
from cardai.core.game import CHANCE
from cardai.core.registry import create
from cardai.solve.sequence_form import policy_table
from cardai.solve.tree import game_tree

pyspiel = pytest.importorskip("pyspiel")
from cardai.bridges.spiel_bots import seat  # noqa: E402
from tests.solve.spiel import information_states  # noqa: E402
from tests.support import INTERPRETED, python  # noqa: E402

OURS = (
    "kuhn",
    "kuhn:players=3",
    "leduc",
    "leduc:suits=false",
    "leduc_rlcard",
    "gin",
    "holdem_limit",
    "triple_draw",
    "video_poker",
    "liars_dice",
)


@pytest.mark.parametrize("spec", OURS)
def test_openspiels_random_simulation_passes_on_our_games(spec: str) -> None:
    sims = 3 if spec in ("kuhn", "leduc") else 1
    pyspiel.random_sim_test(cardai.to_openspiel(spec), num_sims=sims, serialize=True, verbose=False)


def test_a_registered_game_is_loaded_by_name_and_only_once() -> None:
    game = cardai.to_openspiel("leduc:players=3")
    assert cardai.to_openspiel("leduc:players=3").get_type().short_name == game.get_type().short_name
    assert pyspiel.load_game("cardai_leduc_players_3").num_players() == 3


def test_games_and_hands_go_by_pickle_to_a_process_that_has_registered_none(tmp_path: Path) -> None:
    game = cardai.to_openspiel("kuhn", "flat:history=false", max_utility=5)
    state = game.new_initial_state()
    for action in (2, 0, 1):
        state.apply_action(action)
    (tmp_path / "both").write_bytes(pickle.dumps((game, state)))
    program = (
        "import pickle, sys; game, state = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(game.max_utility(), state.history(), state.observation_tensor(0) == eval(sys.argv[2]))"
    )
    done = python("-c", program, f"{tmp_path / 'both'}", f"{state.observation_tensor(0)}", **INTERPRETED)
    assert done.stdout == "5.0 [2, 0, 1] True\n"


def test_each_encoder_is_a_game_of_its_own_there() -> None:
    """The first one asked for stayed, whatever came after it."""
    for encoder in ("leduc_30", "flat", "leduc_30", "flat:history=false"):
        game = cardai.to_openspiel("leduc:suits=false", encoder=encoder)
        layout = cardai.encoder(encoder).for_game(cardai.game("leduc:suits=false"))
        assert len(game.new_initial_state().observation_tensor(0)) == layout.shape[0]
    assert pyspiel.load_game("cardai_leduc_suits_false").max_utility() == 13
    assert pyspiel.load_game("cardai_leduc_suits_false_leduc_30").max_utility() == 13
    assert cardai.to_openspiel("leduc:suits=false", max_utility=20).max_utility() == 20
    assert cardai.to_openspiel("leduc:suits=false").max_utility() == 13


def test_a_name_that_stands_for_another_game_is_refused() -> None:
    from cardai.plugins.games.kuhn import Kuhn

    class Mine(Kuhn):
        def __str__(self) -> str:
            return "mine"

    cardai.to_openspiel(Mine())
    assert cardai.to_openspiel(Mine()).num_players() == 2
    with pytest.raises(UsageError, match="cardai_mine is another game or encoder in OpenSpiel already"):
        cardai.to_openspiel(Mine(players=3))


@pytest.mark.parametrize(
    "wrong", [{"max_utility": -1}, {"max_utility": float("nan")}, {"max_game_length": -1}], ids=str
)
def test_bounds_below_nothing_are_refused(wrong: dict[str, Any]) -> None:
    """-1 was registered as 1, with the least above the most."""
    with pytest.raises(UsageError, match="max_utility and max_game_length must be 0 or more"):
        cardai.to_openspiel("kuhn", **wrong)


def test_what_can_be_won_is_found_where_a_game_does_not_say() -> None:
    from cardai.plugins.games.kuhn import Kuhn

    class Silent(Kuhn):
        max_utility = 0.0

        def __str__(self) -> str:
            return f"silent {self.players}"

    assert cardai.to_openspiel(Silent()).max_utility() == 2
    three = cardai.to_openspiel(Silent(players=3))
    assert (three.min_utility(), three.max_utility()) == (-2, 4)


def test_a_large_game_that_does_not_say_what_can_be_won_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(cardai.game("video_poker")), "max_utility", 0.0)
    with pytest.raises(
        UsageError, match=r"what a hand of video_poker can bring.*has more than 50,000.*give max_utility="
    ):
        cardai.to_openspiel("video_poker", "flat:history=false")
    assert cardai.to_openspiel("video_poker", "flat:history=false", max_utility=976).max_utility() == 976


def test_our_leduc_is_theirs_seen_through_theirs() -> None:
    """The same numbers of histories and information states as OpenSpiel's own game."""
    from open_spiel.python.algorithms import get_all_states

    ours, theirs = cardai.to_openspiel("leduc"), pyspiel.load_game("leduc_poker")

    def counted(game: Any) -> tuple[int, int]:
        states = get_all_states.get_all_states(game, -1, False, False, to_string=lambda s: str(s.history()))
        known = {s.information_state_string() for s in states.values()}
        return len(states), len(known)

    assert counted(ours) == counted(theirs)
    assert counted(ours)[1] == 936  # the information sets of Leduc with suits


@pytest.mark.parametrize(("spec", "iterations"), [("kuhn", 12), ("leduc:suits=false", 2)])
def test_openspiels_cfr_on_our_game_is_our_cfr_on_it(spec: str, iterations: int) -> None:
    """Both average policies are the same at every information state after equally many iterations."""
    reference = pyspiel.CFRSolver(cardai.to_openspiel(spec))
    for _ in range(iterations):
        reference.evaluate_and_update_policy()
    average = reference.tabular_average_policy().policy_table()
    training: Any = create("trainer", "cfr").start(cardai.game(spec), None, 0)
    training.iterate(iterations)
    training.step += iterations
    tree = game_tree(cardai.game(spec))
    table = policy_table(tree, training.behaviour("average"))
    known = information_states(tree, cardai.to_openspiel(spec))
    assert len(known) == len(average)
    for state, row in zip(known, table, strict=True):
        assert row[[a for a, _ in average[state]]] == pytest.approx([p for _, p in average[state]], abs=1e-9)


BRIDGE = "bridge(use_double_dummy_result=false)"
THEIRS = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "tiny_hanabi",
    "tiny_bridge_2p",
    "first_sealed_auction",
    "sheriff(num_rounds=2)",
    "phantom_ttt",
    "blackjack",
    "leduc_poker(players=3)",
)


@pytest.mark.long("bridge", "first_sealed", "sheriff", "phantom", "blackjack", "players=3")
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(case, id=f"{name}-{case.check.name}")
        for name in (*THEIRS, BRIDGE)
        for case in testing.checks_for("game", f'openspiel:name="{name}"')
    ],
)
def test_their_games_pass_our_kit(check: Any) -> None:
    check()


def test_who_sees_a_chance_outcome_is_found_from_what_they_know() -> None:
    state = cardai.game("openspiel", name="leduc_poker").new_initial_state()
    assert state.chance_seen_by() == (0,)
    state.apply_action(0)
    assert state.chance_seen_by() == (1,)
    state.apply_action(1)
    state.apply_action(1)
    state.apply_action(1)
    assert state.current_player() == CHANCE
    assert state.chance_seen_by() == (0, 1)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("goofspiel", "its players move at the same time"),
        ("negotiation", "its chance is sampled inside, not explicit"),
        ("dou_dizhu", r"has 26,057 actions, more than 5,000"),
        ("catch(rows=100000)", r"may have 50,000,000,000 numbers, more than 1,000,000,000"),
        ("liars_dise", r"OpenSpiel has no game 'liars_dise'\. Did you mean 'liars_dice'"),
        ("nfg_game", r"cannot load 'nfg_game' without its parameters \(filename\)"),
        ("crossword", "crossword cannot be played here: it has no actions"),
        ("leduc_poker(players=99)", r"cannot load 'leduc_poker\(players=99\)'"),
    ],
)
def test_what_cannot_be_played_is_refused_by_name(name: str, why: str) -> None:
    with pytest.raises(OptionError, match=why):
        cardai.game("openspiel", name=name)


def test_their_leduc_is_solved_measured_and_worth_what_ours_is() -> None:
    """Leduc's value for the first player is -0.0856 antes (Southey et al. 2005): solved through either side."""
    training: Any = create("trainer", "cfr_plus").start(cardai.game("openspiel", name="leduc_poker"), None, 0)
    training.iterate(60)
    training.step += 60
    metrics = training.metrics()
    assert metrics["value"] == pytest.approx(-0.0856, abs=0.01)
    assert metrics["exploitability"] < 0.05
    assert len(training.tree.infosets) == 936


@pytest.mark.long
def test_their_gin_bot_beats_random_at_their_gin_game() -> None:
    result = cardai.play("openspiel:name=gin_rummy", ["openspiel_bot", "random"], games=20, seed=1)
    assert result.mean_return(0).mean > 0
    with pytest.raises(UsageError, match=r"plays OpenSpiel's game .*cannot play Gin"):
        cardai.play("gin", ["openspiel_bot", "random"], games=2)


def test_any_bot_of_theirs_is_seated_from_python() -> None:
    game = cardai.game("openspiel", name="kuhn_poker")
    asked: list[tuple[int, str]] = []

    class Passes(pyspiel.Bot):  # type: ignore[misc]
        def __init__(self, player: int) -> None:
            super().__init__()
            self.player = player

        def step(self, state: Any) -> int:
            assert state.current_player() == self.player
            asked.append((self.player, state.information_state_string(self.player)))
            return 0

    bot = seat(game, lambda theirs, player, seed: Passes(player))
    result = cardai.play(game, [bot, "random"], games=40, seed=2)
    alone = cardai.play(game, [bot, "random"], games=40, seed=2)
    assert np.array_equal(result.hands["returns"], alone.hands["returns"])
    assert {player for player, _ in asked} == {0, 1}
    assert result.mean_return(0).mean < 0  # who always passes loses its ante to a bet


def test_text_shows_people_what_openspiel_says() -> None:
    game = cardai.game("openspiel", name="leduc_poker", text=True)
    state = game.new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    assert game.draw(state.view(0)) == state.spiel.information_state_string(0)
    assert "[Private: 0]" in game.draw(state.view(0))


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    with pytest.raises(PluginError, match=r"needs pyspiel, which is not installed\. Run: pip install .*\[openspiel\]'"):
        cardai.to_openspiel("leduc")


@pytest.mark.parametrize("name", ["blackjack", "phantom_ttt", "kuhn_poker"])
def test_keys_hold_the_players_own_actions_and_nobody_elses(name: str) -> None:
    """Whoever acted otherwise knows it: after any two hands in which a player's own actions differ, its keys differ."""
    game: Any = cardai.game("openspiel", name=name)
    rng = np.random.default_rng(2)
    acted: dict[tuple[int, bytes], tuple[int, ...]] = {}
    for _ in range(60):
        state = game.new_initial_state()
        own: list[tuple[int, ...]] = [()] * game.num_players
        while not state.is_terminal():
            player = state.current_player()
            action = int(rng.choice(state.legal_actions()))
            if player >= 0:
                own[player] = (*own[player], action)
            state.apply_action(action)
            for seat_ in range(game.num_players):
                assert acted.setdefault((seat_, state.key(seat_)), own[seat_]) == own[seat_]


def test_a_key_tells_own_actions_that_openspiels_strings_leave_out() -> None:
    """A game whose strings say nothing of what a player did: keys differ by it all the same, and only for that player."""
    game: Any = cardai.game("openspiel", name="kuhn_poker")

    def keys(*actions: int) -> list[bytes]:
        state = game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        state.spiel = type("Silent", (), {"information_state_string": lambda self, player: "same"})()
        return [state.key(player) for player in range(2)]

    passed, bet = keys(0, 1, 0), keys(0, 1, 1)
    assert passed[0] != bet[0]
    assert passed[1] == bet[1]


def test_our_state_seen_through_theirs_says_what_ours_says() -> None:
    """Legal actions of who is to act alone, chance's outcomes once each with all of their odds, words, strings, tensors."""
    game = cardai.to_openspiel("leduc:suits=false")
    ours = cardai.game("leduc:suits=false")
    theirs, state = game.new_initial_state(), ours.new_initial_state()
    rng = np.random.default_rng(4)
    while not state.is_terminal():
        player = state.current_player()
        if player == CHANCE:
            found = dict(theirs.chance_outcomes())
            wanted: dict[int, float] = {}
            for outcome, probability in state.chance_outcomes():
                wanted[outcome] = wanted.get(outcome, 0.0) + probability
            assert found == pytest.approx(wanted)
            assert sum(found.values()) == pytest.approx(1)
            action = list(found)[int(rng.integers(len(found)))]
            assert theirs.action_to_string(CHANCE, action) == ours.chance_to_string(action)
        else:
            legal = state.legal_actions()
            assert theirs.legal_actions(player) == legal
            assert theirs.legal_actions(1 - player) == theirs._legal_actions(1 - player) == []
            action = legal[-1] if len(state.history) < 5 else legal[0]
            assert theirs.action_to_string(player, action) == ours.action_to_string(action)
            for seat_ in range(2):
                tensor = np.array(theirs.information_state_tensor(seat_), np.float32)
                other = np.array(theirs.information_state_tensor(1 - seat_), np.float32)
                assert not np.array_equal(tensor, other)
                assert theirs.information_state_string(seat_) == state.key(seat_).decode("latin-1")
                assert theirs.observation_string(seat_) != theirs.information_state_string(seat_)
        theirs.apply_action(action)
        state.apply_action(action)
    assert theirs.returns() == state.returns()


def test_outcomes_that_come_twice_are_one_with_the_odds_of_both() -> None:
    from cardai.bridges.openspiel import TheirState

    ours = SimpleNamespace(chance_outcomes=lambda: [(1, 0.25), (0, 0.25), (1, 0.5)])
    assert TheirState.chance_outcomes(SimpleNamespace(ours=ours)) == [(1, 0.75), (0, 0.25)]


def test_tensors_with_fractions_are_kept_in_thousandths_within_bounds() -> None:
    shape: Any = cardai.game("openspiel", name="kuhn_poker").shape
    shape.raw = lambda state, player: np.array([0.25, -3.0, 0.0004])
    shape.scale, shape.binary, shape.maximum = 1000, False, 2000
    assert shape.tensor(None, 0).tolist() == [250, -2000, 0]


def test_a_copy_of_a_state_goes_its_own_way() -> None:
    game: Any = cardai.game("openspiel", name="blackjack")
    state = game.new_initial_state()
    while state.current_player() < 0:
        state.apply_action(state.legal_actions()[0])
    before = state.key(0)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert state.key(0) == before
    assert copy.key(0) != before


def test_a_game_without_information_states_remembers_what_was_observed_on_the_way() -> None:
    """Where OpenSpiel says only what is observed now, a key covers all that was: who held what and who bet when."""
    game: Any = cardai.game("openspiel", name="leduc_poker")
    whole: Any = cardai.game("openspiel", name="leduc_poker")
    game.shape.strings = False
    rng = np.random.default_rng(1)
    same: dict[tuple[int, bytes], bytes] = {}
    back: dict[tuple[int, bytes], bytes] = {}
    for _ in range(150):
        state, known = game.new_initial_state(), whole.new_initial_state()
        while not state.is_terminal():
            action = int(rng.choice(state.legal_actions()))
            state.apply_action(action)
            known.apply_action(action)
            if state.current_player() < 0:
                continue
            player = state.current_player()
            ours, theirs = (player, state.key(player)), (player, known.key(player))
            assert same.setdefault(ours, theirs[1]) == theirs[1]
            assert back.setdefault(theirs, ours[1]) == ours[1]
    assert len(same) > 100


@pytest.mark.long
def test_a_game_whose_tensor_says_more_than_its_text_has_keys_that_hold_both() -> None:
    """Hanabi has no information states, and its text leaves out the last move, which its tensor says."""
    case = {case.check.name: case for case in testing.checks_for("game", "openspiel:name=hanabi")}
    case["equal-keys-mean-equal-knowledge"]()


@pytest.mark.long
def test_what_a_move_turns_up_is_no_leak_where_openspiels_rules_say_so() -> None:
    """A card of Hanabi that is thrown away is shown to who held it; it was hidden until then."""
    assert cardai.game("openspiel", name="hanabi(colors=2,ranks=2,hand_size=2)").shows_later
    assert not cardai.game("openspiel", name="gin_rummy").shows_later


@pytest.mark.long
def test_hanabis_cards_that_are_thrown_away_are_no_leak() -> None:
    case = {case.check.name: case for case in testing.checks_for("game", "openspiel:name=hanabi")}
    case["nothing-leaks"]()


def test_a_chance_event_of_one_outcome_is_not_tried_out() -> None:
    """Nobody can tell one outcome from another; in bridge the child of the last card solves the whole deal."""
    state: Any = cardai.game("openspiel", name="bridge").new_initial_state()
    state.spiel = SimpleNamespace(is_terminal=lambda: False, legal_actions=lambda: [51])
    assert state.chance_seen_by() == ()


def test_a_bot_is_made_anew_for_every_hand() -> None:
    game = cardai.game("openspiel", name="kuhn_poker")
    made: list[int] = []

    def maker(theirs: Any, player: int, seed: int) -> Any:
        made.append(player)
        return pyspiel.make_uniform_random_bot(player, seed)

    cardai.play(game, [seat(game, maker), "random"], games=6, seed=2)
    assert sorted(made) == [0, 0, 0, 1, 1, 1]
