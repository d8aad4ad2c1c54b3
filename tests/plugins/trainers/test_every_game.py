"""Every trainer takes every game, or refuses it in a sentence: none fails half way."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.rng import Rows, derive_many

TRAINERS = {
    "bucket_mccfr": "bucket_mccfr:flop=1,turn=1,river=1",
    "gin_values": "gin_values:hands=64,belief_hands=256,taught=1,batch=16,hidden=8",
    "cfr": "cfr",
    "mccfr": "mccfr",
    "xfp": "xfp",
    "mmd": "mmd:hidden=8,layers=1,batch=16,tables=4,minibatches=1,epochs=1,eval_every=6,measure_limit=1000",
    "nfsp": "nfsp:hidden=8,tables=8,min_data=16,batch=8,rl_capacity=500,sl_capacity=500,eval_every=20",
    "sd_cfr": "sd_cfr:traversals=2,updates=1,batch=8,hidden=8,layers=1,measure_limit=1000",
    "poker_cnn": "poker_cnn:network=dense,examples=64,batch=16,every=8,validation=0,measure=false,threads=1",
    "poker_cnn_betting": "poker_cnn_betting:network=dense,hands=10,batch=16,branches=0,threads=1",
}
ELSEWHERE = {"bucket_cfr_br", "bucket_mccfr_draw", "cnn_valuation", "counterfactual_values", "range_distillation"}
"""They begin with a solved run, examples, a teacher, or tables of hands: their own tests start them."""
TAKEN = {
    ("bucket_mccfr", "holdem_limit"), ("gin_values", "gin"),
    *((name, "holdem_spot") for name in ("cfr", "mccfr", "xfp", "nfsp", "poker_cnn", "poker_cnn_betting")),
    *((name, "openspiel") for name in ("cfr", "mccfr", "xfp", "nfsp")),
    ("cfr", "kuhn"), ("cfr", "leduc"), ("mccfr", "kuhn"), ("mccfr", "leduc"), ("xfp", "kuhn"), ("xfp", "leduc"),
    ("nfsp", "kuhn"), ("nfsp", "leduc"),
    *((name, "liars_dice") for name in ("cfr", "mccfr", "xfp", "nfsp", "poker_cnn_betting")),
    *(("mmd", name) for name in (
        "gin", "holdem_limit", "holdem_spot", "kuhn", "leduc", "liars_dice", "openspiel", "triple_draw", "video_poker"
    )),
    *(("sd_cfr", name) for name in ("holdem_limit", "holdem_spot", "kuhn", "leduc", "liars_dice", "openspiel")),
    ("poker_cnn", "holdem_limit"), ("poker_cnn", "holdem_nolimit"), ("poker_cnn", "triple_draw"),
    ("poker_cnn", "video_poker"),
    ("poker_cnn_betting", "kuhn"), ("poker_cnn_betting", "leduc"), ("poker_cnn_betting", "gin"),
    ("poker_cnn_betting", "holdem_limit"), ("poker_cnn_betting", "triple_draw"), ("poker_cnn_betting", "video_poker"),
}  # fmt: skip
GAMES = sorted(
    entry.name for entry in registry.entries("game") if not entry.preset_of and entry.distribution == "cardai"
)


def test_every_trainer_is_tried() -> None:
    ours = [e.name for e in registry.entries("trainer") if not e.preset_of and e.distribution == "cardai"]
    assert set(ours) == {*TRAINERS, *ELSEWHERE}


LONG = {
    *(("sd_cfr", name) for name in ("gin", "triple_draw", "holdem_limit")),
    ("nfsp", "holdem_spot"),
    ("mmd", "gin"),
    ("poker_cnn_betting", "gin"),
    *((name, "liars_dice") for name in ("cfr", "mccfr", "xfp", "nfsp", "poker_cnn_betting")),
    *((name, game) for name in ("cfr", "xfp", "nfsp", "sd_cfr", "mmd") for game in ("kuhn", "leduc")),
    ("mccfr", "kuhn"), ("gin_values", "gin"), ("poker_cnn", "video_poker"), ("poker_cnn", "triple_draw"), ("poker_cnn_betting", "leduc"),
}  # fmt: skip
"""They take some seconds or half a minute: every information set is laid out, or hands are walked over plain States. Or their
own tests train them on this game, and hold them to the kit.
"""
PAIRS = [
    pytest.param(name, game, marks=[pytest.mark.long] if (name, game) in LONG else [])
    for name in TRAINERS
    for game in GAMES
]


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_a_trainer_trains_on_a_game_or_refuses_it_before_it_starts(name: str, game: str) -> None:
    trainer, played = registry.create("trainer", TRAINERS[name]), registry.create("game", game)
    cards = [f.name for f in played.view_fields if f.role == "own" and f.kind in ("card", "cards", "card_set")]
    encoder = registry.create("encoder", f"grid_4x13:fields={cards[0]}" if cards else "flat")
    encoder = encoder if trainer.needs_encoder else None
    if (name, game) not in TAKEN:
        with pytest.raises(UsageError):
            trainer.start(played, encoder, 1)
        return
    training = trainer.start(played, encoder, 1)
    for _ in training.train(12):
        pass
    assert training.step == 12
    player, tables, rows = training.agent({}).for_game(played), played.tables(2), np.arange(2)
    tables.reset(derive_many(1, "deal", count=2))
    seat = int(tables.current_players()[0])
    tables.apply(rows, player.act(tables.views(seat, rows), tables.legal(rows), Rows(derive_many(2, "act", count=2))))
