"""Every built-in plugin passes the conformance kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from cardai import testing
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.testing import Case

GAMES = (
    "kuhn",
    "leduc",
    "gin",
    "triple_draw",
    "video_poker",
    "holdem_limit",
    "openspiel:name=gin_rummy",
)
"""The games on which encoders and agents are checked, each on the first that it takes; the small ones come first."""
AGENTS = {"resolving": "resolving:iterations=10,values=exact", "ismcts": "ismcts:simulations=40"}
"""Specs of plugins that need smaller options to be checked quickly."""
ELSEWHERE = (
    "poker_cnn", "poker_cnn_betting", "gin_values", "cnn_valuation", "bucket_mccfr", "bucket_cfr_br", "counterfactual_values",
    "bucket_mccfr_draw", "range_distillation", "nfsp", "mmd", "sd_cfr",
)  # fmt: skip
"""Trainers that need a game, an encoder, examples, a run or options of their own: their own tests hold them to the kit."""


WITH_FILES = ("solved_spot",)
"""Plugins that take a spot in a directory: tests/poker/ranges/test_spot_game.py holds them to the kit."""


def ours(kind: str, presets: bool = True) -> list[str]:
    """Return the names of our own plugins."""
    found = [entry for entry in registry.entries(kind) if entry.distribution == "cardai"]
    return [entry.name for entry in found if presets or not entry.preset_of]


def cases(kind: str) -> Iterator[Case]:
    """Yield the cases of all our plugins of a kind, each on the first game that it takes."""
    for name in ours(kind):
        try:
            plugin = registry.create(kind, name)
        except UsageError:  # a general plugin that cannot be built without options; its presets are checked
            continue
        if name in WITH_FILES:
            continue
        game = next((game for game in GAMES if takes(plugin, game)), None)
        assert game, f"none of {GAMES} is taken by the {kind} {name}"
        yield from testing.checks_for(kind, AGENTS.get(name, name), game=game)


def takes(plugin: Any, game: str) -> bool:
    """Whether an encoder or an agent plays a game."""
    try:
        plugin.for_game(registry.create("game", game))
    except UsageError:
        return False
    return True


def named(cases: Iterable[Case]) -> list[object]:
    return [pytest.param(case, id=f"{case.about}-{case.check.name}") for case in cases]


@pytest.mark.long(
    "gin-nothing-leaks",
    "gin-illegal",
    "gin-tables-agree-in-a-match",
    "short_deck",
    "omaha",
    "holdem_spot",
    "triple_draw-nothing-leaks",
    "holdem_nolimit-nothing-leaks",
)
@testing.parametrize_checks("game", *ours("game", presets=False))
def test_game_conforms(check: Case) -> None:
    check()


PRESETS = [name for name in ours("game") if name not in ours("game", presets=False)]
OF_PRESETS = {"options-are-described", "tables-agree-with-states", "views-fit-their-fields", "matches-are-sound"}
"""A preset has the rules of its general game, so the checks of numbers suffice."""


@pytest.mark.long("6p", "3p")
@pytest.mark.parametrize(
    "check", named(c for name in PRESETS for c in testing.checks_for("game", name) if c.check.name in OF_PRESETS)
)
def test_preset_of_a_game_conforms(check: Case) -> None:
    check()


@pytest.mark.parametrize("check", named(cases("encoder")))
def test_encoder_conforms(check: Case) -> None:
    check()


@pytest.mark.parametrize("check", named(cases("agent")))
def test_agent_conforms(check: Case) -> None:
    check()


@testing.parametrize_checks("trainer", *(name for name in ours("trainer", presets=False) if name not in ELSEWHERE))
def test_trainer_conforms(check: Case) -> None:
    check()
