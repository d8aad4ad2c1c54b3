"""Every number that a game takes has bounds, and what is out of them is refused at once, before anything is built."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

from cardai.core import registry
from cardai.core.errors import OptionError
from cardai.core.spec import options_of

GENERAL = [
    entry.name for entry in registry.entries("game") if not entry.preset_of and entry.module.startswith("cardai.")
]
NUMBERS = [
    (name, option, attribute.default)
    for name in GENERAL
    for cls in [registry.load("game", name)[0]]
    for option, attribute in options_of(cls).items()
    if get_type_hints(cls)[option] is int or get_args(get_type_hints(cls)[option])[:1] == (int,)
]


def test_there_are_numbers_to_try() -> None:
    assert {"gin", "holdem_limit", "holdem_nolimit", "leduc", "triple_draw", "video_poker"} <= {n[0] for n in NUMBERS}


@pytest.mark.parametrize(("game", "option", "default"), NUMBERS)
@pytest.mark.parametrize("number", [99999999999999999999, 2**31, 100_000_001, -1])
def test_a_number_that_no_game_can_use_is_refused(game: str, option: str, default: object, number: int) -> None:
    before = list(default)[:-1] if isinstance(default, tuple) else []
    text = "+".join(str(n) for n in [*before, number]) if isinstance(default, tuple) else str(number)
    with pytest.raises(OptionError, match=option.split("_")[0]):
        registry.create("game", f"{game}:{option}={text}")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("holdem_limit:raise_sizes=100000000+100000000+100000000+100000000", "more than 2,147,483,647"),
        ("leduc:raise_sizes=2+100000000,max_raises=2+60,players=10", "more than 2,147,483,647"),
        ("triple_draw:bets=90000000+100000000,players=6", "more than 2,147,483,647"),
    ],
)
def test_bets_whose_pot_no_view_has_room_for_are_refused(spec: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        registry.create("game", spec)


@pytest.mark.parametrize("spec", ["gin:target=100000", "holdem_nolimit:stack=100000000,blinds=1+100000000,players=10"])
def test_the_largest_numbers_are_still_played(spec: str) -> None:
    game = registry.create("game", spec)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    for seat in range(game.num_players):
        view = state.view(seat)
        assert all(view[f.name] <= f.maximum for f in game.view_fields if f.kind == "chips" and not f.size)


@pytest.mark.parametrize("options", ["dead=5000+0", "ante=5000,ante_from=big_blind"])
def test_dead_chips_are_in_what_a_limit_hand_can_cost(options: str) -> None:
    game = registry.create("game", f"holdem_limit:{options}")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    pot = next(f for f in game.view_fields if f.name == "pot")
    assert 5000 < state.view(0)["pot"] <= pot.maximum
    while not state.is_terminal():
        state.apply_action(0 if 0 in state.legal_actions() else 1)
    assert max(state.returns()) <= game.max_utility
