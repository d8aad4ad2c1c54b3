"""The encoders for learners written once more, over arrays of views: slow, and obviously what the layouts say."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards.codes import CARDS, bits
from cardai.core.arrays import Float32s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.gin.actions import PHASES
from cardai.gin.fields import PILE
from cardai.gin.melds import deadwoods, melded
from cardai.plugins.encoders.gin_compact import near_cards
from cardai.poker.hands.ranking import CATEGORIES, rank_high


def flat(game: Game, views: Views) -> Float32s:
    """Every field one-hot, card sets as bits, chips by their maximum."""
    parts = []
    for f in game.view_fields:
        values = views[f.name].reshape(len(views), -1)
        if f.kind == "card_set":
            part: Any = values[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        elif f.kind in ("chips", "flag") or (f.kind == "count" and not 0 < f.maximum <= 16):
            part = values / float(f.maximum or 1)
        else:
            part = values[:, :, None] == np.arange(-1 if f.kind == "count" else 0, f.maximum + 1)
        parts.append(part.reshape(len(views), -1).astype(np.float32))
    return np.concatenate(parts, axis=1)


def leduc_30(game: Game, views: Views) -> Float32s:
    """Own rank, board rank, and [seat][round][raises before][call, raise]."""
    code = np.zeros((len(views), 30), np.float32)
    for i, view in enumerate(views):
        code[i, view["hole"][0] // 2] = 1
        if view["board"][0] >= 0:
            code[i, 3 + view["board"][0] // 2] = 1
        raises = [0, 0]
        for action, number, seat in zip(view["history"], view["history_round"], view["history_seat"], strict=True):
            if action > 0:
                code[i, 6 + np.ravel_multi_index((seat, number, raises[number], action - 1), (2, 2, 3, 2))] = 1
                raises[number] += action - 1
    return code


def gin_compact(game: Game, views: Views) -> Float32s:
    """The 329 numbers of gin."""
    hand = np.ascontiguousarray(views["hand"])
    pile = np.zeros((len(views), CARDS), np.float32)
    rows, places = np.nonzero(views["discards"] >= 0)
    pile[rows, views["discards"][rows, places]] = (places + 1) / PILE
    player = views["player"]
    knocker = np.where(views["knocker"] < 0, 0, np.where(views["knocker"] == player, 1, 2))
    own = np.maximum(player, 0).astype(np.int64)
    parts = (
        bits(hand),
        bits(melded(hand)),
        bits(near_cards(hand)),
        bits(views["opponent_known"] | views["revealed"]),
        (bits(views["opponent_discards"]) + 2 * bits(views["opponent_declined"])) / 3,
        pile,
        views["phase"][:, None] == np.arange(len(PHASES)),
        knocker[:, None] == np.arange(3),
        (views["starter"] == player)[:, None],
        (views["taken_card"] >= 0)[:, None],
        deadwoods(hand)[:, None] / 100,
        views["stock"][:, None] / 31,
        views["turns"][:, None] / 50,
        np.take_along_axis(views["score"], np.stack([own, 1 - own], axis=1), axis=1) / 100,
    )
    return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)


def holdem_compact(game: Game, views: Views) -> Float32s:
    """The parts of hold'em, view by view."""
    fields, n = {f.name: f for f in game.view_fields}, game.num_players
    slots, most = min(12, n + (n - 1) * fields["raises"].maximum), fields["history"].maximum
    codes = []
    for view in views:
        cards, category = np.zeros((2, CARDS)), np.zeros(len(CATEGORIES))
        cards[0, view["hole"]] = 1
        board = [int(card) for card in view["board"] if card >= 0]
        for place, card in enumerate(board):
            cards[1, card] = (1, 1, 1, 2, 3)[place] / 3
        if len(board) >= 3:
            category[rank_high([[*map(int, view["hole"]), *board]])[0] >> 26] = 1
        betting = np.zeros((4, slots, 4 if most > 2 else 3))
        used = [0] * 4
        for action, number in zip(view["history"], view["history_round"], strict=True):
            if action >= 0:
                if used[number] < slots:
                    said = betting[number, used[number]]
                    said[min(action, 2)] = 1
                    if most > 2 and action >= 2:
                        said[3] = action / most
                used[number] += 1
        seats = [(view["player"] + k) % n for k in range(n)]
        chips = [view[name][seats] / (fields[name].maximum or 1) for name in ("spent", "stacks", "folded")]
        numbers = [[view[name] / fields[name].maximum] for name in ("pot", "to_call")]
        place = np.arange(n) == (view["player"] - view["button"]) % n
        codes.append(
            np.concatenate([*cards, category, np.arange(4) == view["round"], place, betting.ravel(), *numbers, *chips])
        )
    return np.array(codes, np.float32)
