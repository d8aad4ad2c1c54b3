"""Action translation: a bet between two rungs counts as either, and the strategy's own are fractions of the real pot."""

from __future__ import annotations

from pathlib import Path
from unittest import SkipTest

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai import testing
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.legal import Legal
from cardai.poker.contract import need_holdem
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import Node, holdem_tree
from cardai.poker.resolving.resolver import Public
from cardai.poker.resolving.translation import Translated, TranslatedPlayer, harmonic
from tests.poker.resolving.test_blueprint import SHARE, Raiser

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


def test_a_whole_match_is_played_with_any_stacks_of_a_cash_game() -> None:
    for spec in ("acpc_nolimit_2p:stack=2000", "acpc_nolimit_2p:stack=2000,cash=2,hands=5"):
        ladder = cardai.game(LADDER)
        game = need_holdem(cardai.game(spec), "It")
        player = TranslatedPlayer(Translated(game, Mixed(), need_holdem(ladder, "It")))
        played = cardai.play(game, [player, "random"], games=20, seed=4)
        assert played.scores.shape == (20, 2)
        assert played.scores.sum() == pytest.approx(0)


def test_a_run_conforms_and_what_cannot_be_translated_is_said(tmp_path: Path) -> None:
    run = tmp_path / "run"
    cardai.train("bucket_mccfr:flop=1,turn=1,river=1", "acpc_nolimit_2p:stack=400,bets=pot+allin", steps=1, out=run)
    player = cardai.agent(f"translated:run={run}")
    match = cardai.play("acpc_nolimit_2p:stack=400", [f"translated:run={run}", "always_call"], games=4, seed=1)
    assert len(match.scores) == 4
    for game, words in (
        ("acpc_nolimit_2p:stack=400,bets=pot+allin", "in its own game a run plays as it is"),
        ("holdem_limit", "with bets of any size"),
        ("acpc_nolimit_2p", "was trained on"),
    ):
        with pytest.raises(UsageError, match=words):
            player.for_game(cardai.game(game))
    with pytest.raises(UsageError, match="is a run that was trained"):
        cardai.agent("translated:run=threshold").for_game(cardai.game("holdem"))
    with pytest.raises(UsageError, match="must be the directory of a run"):
        cardai.agent("translated")
    with pytest.raises(UsageError, match="let translated:run=DIR play it"):
        cardai.agent(str(run)).for_game(cardai.game("acpc_nolimit_2p:stack=400"))
    passed = 0
    for case in testing.checks_for("agent", f"translated:run={run}", game="acpc_nolimit_2p:stack=400"):
        try:
            case()
            passed += 1
        except SkipTest:  # what it does not claim
            continue
    assert passed > 5


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
    whole = evolve(translation, negligible=0.0).lines(betting, Public(1, done, 3, BOARD), 20_000)
    kept = translation.lines(betting, Public(1, done, 3, BOARD), 20_000)
    assert len(whole) == 2
    assert [line.weight for line in kept] == [whole[0].weight]
    assert 0 < whole[1].weight < 1e-3
