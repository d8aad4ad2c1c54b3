"""Action translation: a bet between two rungs counts as either, and the strategy's own are fractions of the real pot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.legal import Legal
from cardai.poker.contract import need_holdem
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import Node, holdem_tree
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.translation import Line, Translated, _likely, harmonic
from tests.poker.resolving.test_blueprint import SHARE, Raiser
from tests.support import checks_passed

GAME = "acpc_nolimit_2p:stack=2000"
LADDER = f"{GAME},bets=0.5+1+allin"
BOARD = (3, 17, 30, 44, 50)


class Mixed(Raiser):
    """Takes every legal action, each by a share that the hand, the action, the pot and the board give."""

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = np.asarray(legal)
        hole = views["hole"].astype(np.int64).sum(axis=1) + views["pot"] + np.maximum(views["board"], 0).sum(axis=1)
        out = mask * (1 + (hole[:, None] * (1 + np.arange(mask.shape[1]))) % 7)
        return np.asarray(out / out.sum(axis=1, keepdims=True))


def translated(player: Raiser | None = None, game: str = GAME) -> Translated:
    ladder = need_holdem(cardai.game(f"{game},bets=0.5+1+allin"), "It")
    return Translated(need_holdem(cardai.game(game), "It"), player or Mixed(), ladder)


def own_nodes(actions: list[tuple[int, int]]) -> list[Node]:
    """Return the decisions of the ladder's game at which the rungs (action, round) were taken, and the one after."""
    node = holdem_tree(cardai.game(LADDER), "It").root
    found = [node]
    for action, _ in actions:
        kinds = [(one.kind, one.amount) for one in node.actions]
        chosen = kinds.index((action, 0)) if action < 2 else kinds.index((2, action))
        node = node.children[chosen]
        while not node.actions and node.children:
            node = node.children[0]
        found.append(node)
    return found


# the button calls and the flop is bet by half the pot and raised by the pot, called; the turn is checked to the button
ON_RUNGS = [(1, 0), (1, 0), (200, 1), (600, 1), (1, 1), (1, 2)]


@pytest.mark.parametrize("button", [0, 1])
@pytest.mark.parametrize("count", range(len(ON_RUNGS) + 1))
def test_where_all_bets_are_rungs_it_plays_as_it_does_in_its_own_game(button: int, count: int) -> None:
    known, nodes = translated(), own_nodes(ON_RUNGS[:count])
    node = nodes[-1]
    seats = [one.actor ^ button for one in nodes[:-1]]
    done = tuple((action, round_, seat) for (action, round_), seat in zip(ON_RUNGS, seats, strict=False))
    board = BOARD[: (0, 3, 4, 5)[node.street]]
    plan = known.plan(Public(button, done, node.street, board))
    own = cardai.game(LADDER)
    wanted = range_player(own, Mixed(), holdem_tree(own, "It")).range_policy(np.array([node.number]), board)
    assert [(one.kind, one.amount) for one in plan.actions] == [(one.kind, one.amount) for one in node.actions]
    assert np.abs(plan.strategy - wanted)[:, left_by(board)].max() < 1e-9


def test_a_bet_between_two_rungs_counts_as_either_by_the_pseudo_harmonic_mapping() -> None:
    known, button = translated(), 1
    plan = known.plan(Public(button, ((450, 0, button),), 0, ()))  # 1.75 pots after the call of 200
    below, above = (own_nodes([(rung, 0)])[-1] for rung in (300, 2000))
    odds = (9.5 - 1.75) * (1 + 1) / ((9.5 - 1) * (1 + 1.75))  # the paper's f(x) of A = 1, B = 9.5
    assert harmonic(1, 1.75, 9.5) == pytest.approx(odds)
    own = cardai.game(LADDER)
    tree = holdem_tree(own, "It")
    player = range_player(own, Mixed(), tree)
    start = player.range_policy(np.array([0]), ())
    rungs = [one.amount for one in tree.root.actions]
    # fold and call; how likely a line is follows from the mapping and from how often the button bets so
    weights = [odds * start[rungs.index(300)].sum(), (1 - odds) * start[rungs.index(2000)].sum()]
    rows = [player.range_policy(np.array([node.number]), ()) for node in (below, above)]
    wanted = (weights[0] * rows[0][0] + weights[1] * rows[1][0]) / sum(weights)
    assert np.abs(plan.strategy[0] - wanted).max() < 1e-9
    assert np.abs(plan.strategy.sum(axis=0) - 1).max() < 1e-12
    amounts = [one.amount for one in plan.actions if one.kind == 2]
    assert amounts == [900, 1350, 2000]  # half and all of the 900 that a call makes of the pot
    # who thinks of the bet as all-in can but call: of the raises only the other line's are played
    assert np.abs(plan.strategy[2:].sum(axis=0) - weights[0] * rows[0][2:].sum(axis=0) / sum(weights)).max() < 1e-9


def test_what_it_does_itself_tells_it_how_it_took_a_bet() -> None:
    """Raiser bets all-in or folds: of two lines the one in which its hands would be here is the likelier."""
    known, button = translated(Raiser()), 1
    allin = known.ranges(
        Public(button, ((1_500, 0, button),), 0, ())
    )  # between the pot, which it never bets, and all-in
    assert np.abs(allin[button] / allin[button].max() - SHARE / SHARE.max()).max() < 1e-9


def test_where_its_own_betting_is_over_it_goes_on_by_calling() -> None:
    known = translated(Raiser())
    # a bet of all but one chip counts as all-in; it is called, and in truth there is a flop
    done = ((1_999, 0, 1), (1, 0, 0))
    plan = known.plan(Public(1, done, 1, BOARD[:3]))
    assert [one.kind for one in plan.actions] == [1, 2]
    assert (plan.strategy[0] == 1).all()
    assert plan.strategy.shape == (2, COUNT)


def test_a_run_conforms_and_what_cannot_be_translated_is_said(tmp_path: Path) -> None:
    run = tmp_path / "run"
    cardai.train("bucket_mccfr:flop=1,turn=1,river=1", "acpc_nolimit_2p:stack=400,bets=pot+allin", steps=1, out=run)
    player = cardai.agent(f"translated:run={run}")
    for cash in ("", ",cash=1,hands=5", ",cash=2,hands=5"):  # stacks that go on from hand to hand, and twice as deep
        match = cardai.play(f"acpc_nolimit_2p:stack=400{cash}", [f"translated:run={run}", "random"], games=10, seed=1)
        assert match.scores.sum() == pytest.approx(0)
    for game, words in (
        ("acpc_nolimit_2p:stack=400,bets=pot+allin", "in its own game a run plays as it is"),
        ("holdem_limit", "with bets of any size"),
        ("acpc_nolimit_2p", "was trained on"),
        ("acpc_nolimit_2p:stack=400,ante=10", "was trained on"),
        ("acpc_nolimit_3p", "of two players"),
    ):
        with pytest.raises(UsageError, match=words):
            player.for_game(cardai.game(game))
    with pytest.raises(UsageError, match="is a run that was trained"):
        cardai.agent("translated:run=threshold").for_game(cardai.game("holdem"))
    with pytest.raises(UsageError, match="must be the directory of a run"):
        cardai.agent("translated")
    with pytest.raises(UsageError, match="let translated:run=DIR play it"):
        cardai.agent(str(run)).for_game(cardai.game("acpc_nolimit_2p:stack=400"))
    of_limit = tmp_path / "limit"  # has no ladder to translate from
    cardai.train("bucket_mccfr:flop=1,turn=1,river=1", "acpc_limit_2p:max_raises=1+0+0+0", steps=1, out=of_limit)
    with pytest.raises(UsageError, match="it cannot play"):
        cardai.agent(str(of_limit)).for_game(cardai.game("acpc_nolimit_2p:stack=400"))
    assert checks_passed("agent", f"translated:run={run}", "acpc_nolimit_2p:stack=400") > 5


def test_lines_that_rounding_alone_makes_are_not_followed() -> None:
    known = translated(game="acpc_nolimit_2p:stack=20000")
    translation, betting = known._on(BOARD), known.game.betting
    done = (
        (300, 0, 1),
        (1, 0, 0),
        (900, 1, 0),
        (1, 1, 1),
        (2700, 2, 0),
        (1, 2, 1),
        (8101, 3, 0),
    )  # the pot, and a chip
    whole = evolve(translation, followed=list).lines(betting, Public(1, done, 3, BOARD), 20_000)
    kept = translation.lines(betting, Public(1, done, 3, BOARD), 20_000)
    assert len(whole) == 2
    assert [line.weight for line in kept] == [whole[0].weight]
    assert 0 < whole[1].weight < 1e-3


def test_of_many_unlikely_lines_the_likeliest_are_followed() -> None:
    """Bets between two rungs double them: each is then unlikely, and one of them is what happened."""
    root = holdem_tree(cardai.game(LADDER), "It").root
    weights = [2.0**-12 * (1 + k / 100) for k in range(100)]
    kept = _likely([Line(weight, root, np.ones((2, COUNT))) for weight in weights])
    assert [line.weight for line in kept] == weights[:35:-1]


def test_ranges_are_those_that_come_to_the_flop() -> None:
    known = translated()
    early = ((450, 0, 1), (1, 0, 0))
    before = known.ranges(Public(1, early, 0, ()))
    later = known.ranges(Public(1, (*early, (900, 1, 0)), 1, BOARD[:3]))
    assert np.array_equal(before, later)
    assert before[1].std() > 0
    turned = known.ranges(Public(0, tuple((action, 0, 1 - seat) for action, _, seat in early), 0, ()))
    assert np.abs(turned[::-1] - before).max() < 1e-12


def test_how_likely_a_line_is_counts_the_hands_that_the_board_leaves() -> None:
    """Before the flop the button bet between two rungs and was called; the caller acts first behind it."""
    plan = translated().plan(Public(1, ((450, 0, 1), (1, 0, 0)), 1, BOARD[:3]))
    own = cardai.game(LADDER)
    player = range_player(own, Mixed(), holdem_tree(own, "It"))
    live, odds = left_by(BOARD[:3]), harmonic(1, 1.75, 9.5)
    top, total = np.zeros(COUNT), np.zeros(COUNT)
    for rung, chance in ((300, odds), (2000, 1 - odds)):
        root, faced, *flop = own_nodes([(rung, 0), (1, 0)])
        bets = player.range_policy(np.array([root.number]), ())[[one.amount for one in root.actions].index(rung)]
        calls = player.range_policy(np.array([faced.number]), ())[[one.kind for one in faced.actions].index(1)]
        weight = chance * bets[live].sum() * calls
        total += weight
        if flop[0].actions:  # else all-in was called: it goes on by checking
            checks = [one.kind for one in flop[0].actions].index(1)
            top += weight * player.range_policy(np.array([flop[0].number]), BOARD[:3])[checks]
        else:
            top += weight
    assert plan.actions[0].kind == 1
    assert np.abs(plan.strategy[0] - top / total)[live].max() < 1e-9


def test_all_in_is_what_the_shorter_stack_has() -> None:
    known = translated()
    short = Public(1, ((700, 0, 1),), 0, (), (2_000, 700))
    allin = own_nodes([(2000, 0)])[-1]
    own = cardai.game(LADDER)
    wanted = range_player(own, Mixed(), holdem_tree(own, "It")).range_policy(np.array([allin.number]), ())
    assert np.abs(known.plan(short).strategy - wanted).max() < 1e-9


def test_a_raise_that_it_takes_for_a_call_leaves_the_street_to_the_real_hand() -> None:
    """A quarter of the pot is less than the least raise: before the flop its own game has no bets."""
    ladder = need_holdem(cardai.game(f"{GAME},bets=0.25"), "It")
    known = Translated(need_holdem(cardai.game(GAME), "It"), Mixed(), ladder)
    done = ((250, 0, 1), (600, 0, 0), (1_300, 0, 1))
    plan = known.plan(Public(1, done, 0, ()))
    assert [one.kind for one in plan.actions][:2] == [0, 1]
    assert (plan.strategy[1] == 1).all()
    flop = Public(1, (*done, (1, 0, 0)), 1, BOARD[:3])
    (line,) = known._on(flop.board).lines(known.game.betting, flop, 2_000)
    assert (line.node.street, line.node.spent) == (1, (100, 100))
    assert known.plan(flop).strategy[0].std() > 0  # there it has something to say again
