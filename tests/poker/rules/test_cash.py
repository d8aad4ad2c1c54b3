"""A cash game: stacks go on from hand to hand, who cannot post buys in again, too much is put aside."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.arena.table import Table
from cardai.core.fields import pack_views
from cardai.core.game import PlayedHand, Setup, pack_setups, unpack_setup

GAME = "holdem_nolimit:stack=1000,cash=3,hands=50"


def test_stacks_go_on_and_who_is_broke_buys_in_again() -> None:
    table = Table(GAME, [None, None], seed=3)
    stacks, rebuys = [1000, 1000], 0
    for _ in range(40):
        setup = table.unfinished["setup"] if table.unfinished is not None else {}
        assert list(setup["stacks"] or [1000, 1000]) == stacks
        seat = table.to_act
        assert seat is not None
        view = table.view(seat)
        assert view["stacks"][seat] + view["spent"][seat] == stacks[seat]
        legal = table.legal()
        table.act(int(legal.max_amount[0]) if legal.kinds[0, 2] else 1)  # all-in, and called
        while not table.hand_over:
            table.act(1)
        won = [int(x) for x in table.end().returns]
        ended = PlayedHand(Setup(stacks=tuple(stacks)), tuple(table.end().returns))
        after = [stack + gain for stack, gain in zip(stacks, won, strict=True)]
        rebuys += sum(stack < 100 for stack in after)
        stacks = [min(3000, stack if stack >= 100 else 1000) for stack in after]
        table.next_hand()
        told = table.game.told_between(ended, Setup(stacks=tuple(stacks)))
        assert told == {
            seat: "buy in again for 1,000"
            if now > left == 0
            else f"put {left - now:,} aside: 3,000 are the most that may be behind"
            for seat, (left, now) in enumerate(zip(after, stacks, strict=True))
            if left != now
        }
    assert rebuys > 3


def test_without_cash_every_hand_begins_with_the_same_stacks() -> None:
    table = Table("holdem_nolimit:stack=1000,hands=5", [None, None], seed=3)
    table.act(0)
    table.next_hand()
    assert sum(table.view(0)["stacks"]) + sum(table.view(0)["spent"]) == 2000


@pytest.mark.parametrize("name", ["holdem_nolimit", "omaha", "short_deck:blinds=50+100"])
def test_one_hand_and_many_hands_say_the_same_and_fields_hold_the_deepest_stack(name: str) -> None:
    game = cardai.game(f"{name}{',' if ':' in name else ':'}players=3,stack=1000,cash=2,hands=9")
    previous = Setup(starter=1, hand=4, score=(0.0, 0.0, 0.0), stacks=(1990, 150, 1000))
    returns = (951.0, -51.0, -900.0)  # who has just the big blind left does not buy in
    one = game.next_hand((0.0,) * 3, PlayedHand(previous, returns, {}), 7)
    rows = pack_setups(3, [previous])
    many = game.next_hands(
        rows, np.zeros((1, 3)), np.array([returns]), pack_views(game.outcome_fields, []), np.zeros(1, np.uint64)
    )
    assert unpack_setup(many[0]) == one
    assert one.stacks == (2000, 1000, 100)
    assert next(f for f in game.view_fields if f.name == "stacks").maximum == 2000
