"""Best responses in the last round of draw poker: what the filter finds, what is counted, and that nothing is peeked at."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve, frozen

import cardai
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.rng import derive
from cardai.draw.actions import FIRST_DISCARD
from cardai.draw.last_round import LastRoundOptions, LastRounds, _systematic
from cardai.draw.values import hand_values
from cardai.poker.hands._ranking_kernels import deuce_to_seven
from cardai.poker.responses.measure import measure


@frozen
class PatCaller(Agent):
    """Stands pat with everything, and checks and calls."""

    def policy(self, views, legal):
        out = np.zeros(legal.shape)
        drawing = legal[:, FIRST_DISCARD]
        out[drawing, FIRST_DISCARD] = 1.0
        out[~drawing, 1] = 1.0
        return out


@frozen
class Teller(Agent):
    """Stands pat and calls, but raises before the first draw if it holds a pair and nobody has raised."""

    def policy(self, views, legal):
        out = PatCaller().policy(views, legal)
        paired = np.array([len(set(hand.tolist())) < 5 for hand in views["hand"] % 13])
        first = ~legal[:, FIRST_DISCARD] & (views["round"] == 0) & (views["raises"] == 0) & paired
        out[first] = 0.0
        out[first, 2] = 1.0
        return out


@frozen
class Rare(Agent):
    """Stands pat and calls, but raises where it holds the two of clubs."""

    def policy(self, views, legal):
        out = PatCaller().policy(views, legal)
        first = ~legal[:, FIRST_DISCARD] & (views["raises"] == 0) & (views["hand"] == 0).any(axis=1)
        out[first] = 0.0
        out[first, 2] = 1.0
        return out


@frozen
class Fickle(Agent):
    """Raises before the first draw where it is asked alone, and never among many."""

    def policy(self, views, legal):
        out = PatCaller().policy(views, legal)
        if len(views) == 1 and views["raises"][0] == 0 and not legal[0, FIRST_DISCARD]:
            out[0, 1:3] = 0.0, 1.0
        return out


def sampler(agent, **options):
    return LastRoundOptions("triple_draw", agent, **options).sampler()


@pytest.mark.long
def test_against_a_caller_good_hands_bet_once_and_bad_ones_check():
    found = sampler(PatCaller(), particles=100, seed=3)
    bets = 0
    for number in range(15):
        played = found.play(number)
        hands = np.array([played.deck[5:10], played.deck[:5]]) if played.taken[0] == 1 else None
        assert hands is not None  # the button is seat 0: the big blind is dealt first
        values, ranks = hand_values(hands), [int(deuce_to_seven(hand)) for hand in hands]
        for seat in range(2):
            gain = found.gain(played, seat, seed=number)
            true = 200.0 * np.sign(ranks[seat] - ranks[1 - seat])
            if values[seat] > 90:  # a king-high or better: the median of five cards is a pair
                assert gain == true
                bets += 1
            elif values[seat] < 70:
                assert gain == 0.0
            assert gain in (0.0, true)
    assert bets > 3


def test_hands_that_would_not_have_done_what_was_seen_are_left_out():
    found = sampler(Teller(), particles=300)
    seen = set()
    for number in range(12):
        played = found.play(number)
        raised = (0, 2) in played.done
        tables, weights = found.filter(played, 1, 5)
        hands = tables.views(0, np.arange(301))["hand"]
        paired = np.array([len(set(hand.tolist())) < 5 for hand in hands % 13])
        assert weights.sum() == pytest.approx(1.0)
        assert (paired[:300][weights > 0] == raised).all()
        mine = set(played.deck[:5])
        assert not any(mine & set(hand.tolist()) for hand in hands)
        assert sorted(hands[300].tolist()) == sorted(played.deck[5:10])  # the last row is the true hand
        seen.add(raised)
    assert seen == {True, False}


def test_the_filter_finds_the_hands_that_draws_lead_to():
    """Beside hands that draw_caller plays against itself and in which it draws as often."""
    found = sampler("draw_caller", particles=1000, seed=1)
    game, agent = cardai.game("triple_draw"), cardai.agent("draw_caller").for_game(cardai.game("triple_draw"))
    tables, rows = game.tables(4000), np.arange(4000)
    tables.reset(np.arange(4000, dtype=np.uint64))
    counts = []
    while (seat := tables.current_players()[0]) >= 0:
        legal = tables.legal(rows)
        chosen = agent.policy(tables.views(int(seat), rows), legal).argmax(axis=1)
        if legal[0, FIRST_DISCARD] and seat == 0:
            counts.append([int(mask).bit_count() for mask in chosen - FIRST_DISCARD])
        tables.apply(rows, chosen)
    drawn, values = np.array(counts).T, hand_values(tables.views(0, rows)["hand"])
    for number in range(40):
        played = found.play(number)
        said = [int(a - FIRST_DISCARD).bit_count() for seat, a in played.done if seat == 0 and a >= FIRST_DISCARD]
        alike = values[(drawn == said).all(axis=1)]
        if len(alike) < 100:
            continue
        state, weights = found.filter(played, 1, number)
        mean = hand_values(state.views(0, np.arange(1001))["hand"])[:1000] @ weights
        # card removal moves it a little: seat 1 holds five cards and has thrown some away
        assert abs(mean - alike.mean()) < 5 * alike.std() / np.sqrt(len(alike)) + 0.1 * alike.std()
        break
    else:
        pytest.fail("no hand that is played often")


def test_the_responder_chooses_by_its_particles_and_never_by_the_true_hand():
    found, done = sampler(PatCaller(), particles=60, seed=3), set()
    for number in range(8):
        played = found.play(number)
        for seat in range(2):
            tables, _ = found.filter(played, seat, number)
            ranks = [
                int(deuce_to_seven(hand)) for hand in tables.views(1 - seat, np.arange(61))["hand"].astype(np.int64)
            ]
            mine = int(deuce_to_seven(tables.views(seat, np.array([60]))["hand"][0].astype(np.int64)))
            wins = np.array([mine > rank for rank in ranks])
            for believed in (False, True):
                weights = (wins[:60] == believed).astype(float)
                if not weights.any():
                    continue
                worth = found.worth(tables, seat, weights / weights.sum(), 1.0)
                true = 1.0 if wins[60] else -1.0  # the blinds are 100; who believes to win bets the 200 that are called
                assert worth.best == true * (300.0 if believed else 100.0)
                assert worth.plain == true * 100.0
                done.add((bool(wins[60]), believed))
    assert len(done) == 4


def test_a_hand_is_worth_what_both_seats_win_on_the_mean():
    found = sampler(PatCaller(), particles=40, seed=3)
    pieces = [found.piece(number) for number in range(10)]
    each = [[found.gain(found.play(n), seat, derive(3, "particles", n, seat)) for seat in range(2)] for n in range(10)]
    assert [piece.tolist() for piece in pieces] == [[np.mean(gains), 1.0] for gains in each]
    assert any(one != other for one, other in each)


def test_what_the_player_wins_of_itself_cancels():
    found = sampler("draw_heuristic", particles=50, seed=2)
    reached = 0
    for number in range(30):
        played = found.play(number)
        if played is None:
            assert found.piece(number).tolist() == [0.0, 0.0]
            continue
        reached += 1
        plain = [found.worth(*_weighed(found, played, seat)).plain for seat in range(2)]
        assert plain[0] == pytest.approx(-plain[1])
    assert 0 < reached < 30


def _weighed(found, played, seat):
    tables, weights = found.filter(played, seat, 1)
    return tables, seat, weights, 1.0


def test_where_no_hand_is_found_that_does_what_was_seen_the_responder_plays_as_the_player():
    found, nothing = sampler(Rare(), particles=1), 0
    for number in range(40):
        played = found.play(number)
        for seat in range(2):
            if not found.filter(played, seat, number)[1].any():
                nothing += 1
                assert found.gain(played, seat, number) == 0.0
    assert nothing > 3


def test_a_player_that_does_what_it_says_it_never_does_is_refused():
    found = sampler(Fickle(), particles=20)
    with pytest.raises(UsageError, match="what it says it never does there: it is no pure function"):
        found.gain(found.play(0), 1, seed=0)


def test_particles_are_drawn_by_their_weights():
    places = _systematic(np.array([0.0, 1.0, 3.0, 0.0]), np.random.default_rng(0))
    assert places.tolist() == [1, 2, 2, 2]


def test_it_goes_on_from_its_file_and_says_how_many_hands_came_there(tmp_path):
    options = LastRoundOptions("triple_draw", PatCaller(), hands=4, particles=20)
    whole = measure(options)
    assert whole.reached == 4
    assert whole.finished
    again = measure(options, out=tmp_path / "kept.npz")
    assert again == measure(options, out=tmp_path / "kept.npz") == whole


def test_more_hands_go_on_from_a_file_of_fewer(tmp_path):
    options, told = LastRoundOptions("triple_draw", PatCaller(), hands=4, particles=20), []
    measure(evolve(options, hands=2), out=tmp_path / "kept.npz")
    again = measure(options, out=tmp_path / "kept.npz", progress=lambda done, total: told.append(done))
    assert told == [3, 4]
    assert again == measure(options)
    with pytest.raises(UsageError, match="belongs to another"):
        measure(evolve(options, particles=21), out=tmp_path / "kept.npz")


@pytest.mark.parametrize("game", ["leduc", "triple_draw:players=3", "video_poker"])
def test_other_games_are_refused(game):
    with pytest.raises(UsageError, match="draw poker of two players"):
        LastRounds(cardai.game(game), cardai.agent("random"), LastRoundOptions(game, "random"))
