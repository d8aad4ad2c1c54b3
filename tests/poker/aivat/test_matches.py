"""A match that is played for AIVAT: what is kept of it, and what it is known by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve, field, frozen

import cardai
from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Records
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.poker.aivat.matches import MatchOptions
from cardai.poker.responses.measure import measure

GAME = "acpc_limit_2p"
DEALS = MatchOptions(GAME, "acpc_mix", "always_call", 8, seed=3)


@frozen(eq=False)
class Caller(Agent):
    """Calls, and presses Ctrl-C at its decision number ``stop``."""

    stop: int
    asked: list[int] = field(factory=list)

    def policy(self, views: Records, legal: Legal) -> np.ndarray:  # type: ignore[type-arg]
        self.asked.append(len(views))
        if len(self.asked) == self.stop:
            raise KeyboardInterrupt
        return make.agent("always_call").policy(views, legal)

    def __str__(self) -> str:
        return "caller"


@pytest.mark.parametrize("stop", [1, 7])
def test_ctrl_c_in_the_middle_of_a_deal_ends_the_measure_and_is_gone_on_from(stop: int, tmp_path: Path) -> None:
    """A match ends at Ctrl-C with the deals that are whole: one of which nothing is left has no figures."""
    stopped = evolve(DEALS, agent="always_call", other=Caller(stop))
    whole, kept = measure(evolve(stopped, other=Caller(0))), tmp_path / "deals.npz"
    part = measure(stopped, out=kept)
    assert part.done < part.pieces == 4
    assert (part.done > 0) == (stop > 1)
    np.testing.assert_array_equal(part.gains, whole.gains[: part.done])
    assert measure(stopped, out=kept) == whole


@frozen(eq=False)
class Ready(Agent):
    """Calls, and notes which of those that were made ready for a game is asked."""

    asked: list[int] = field(factory=list)
    ready: bool = False

    def for_game(self, game: Game) -> Agent:
        return self if self.ready else evolve(self, ready=True)

    def policy(self, views: Records, legal: Legal) -> np.ndarray:  # type: ignore[type-arg]
        self.asked.append(id(self))
        return make.agent("always_call").policy(views, legal)


def test_a_hand_is_weighed_by_the_very_player_that_played_it() -> None:
    """It remembers what it solved: another would solve each decision again."""
    player = Ready()
    sampler = evolve(DEALS, agent=player).sampler()
    player.asked.clear()
    sampler.piece(0)
    assert len(set(player.asked)) == 1


def test_values_are_those_that_are_named_and_change_nothing_that_was_won() -> None:
    few = evolve(DEALS, hands=4)
    plain, learned = measure(few), measure(evolve(few, values="played:hands=20"))
    np.testing.assert_array_equal(plain.gains, learned.gains)
    assert plain.aivat is not None
    assert learned.aivat is not None
    assert (plain.aivat != learned.aivat).any()


def test_what_is_sent_to_another_machine_names_no_run_of_this_one() -> None:
    sent = DEALS.sent(DEALS.sampler())
    assert isinstance(sent, MatchOptions)
    assert not any(isinstance(one, str) for one in (sent.game, sent.agent, sent.other))


@pytest.mark.parametrize(
    ("name", "spec"), [("values", "{run}"), ("values", "played:hands=20,opponent={run}"), ("other", "{run}")]
)
def test_a_run_that_was_trained_on_is_another(name: str, spec: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    cardai.train("cfr", "kuhn", steps=1, out=run)
    named = evolve(DEALS, **{name: spec.format(run=run)})
    before = named.identity()
    assert named.identity() == before
    cardai.train("cfr", "kuhn", steps=2, out=run, resume=True)
    assert named.identity() != before
