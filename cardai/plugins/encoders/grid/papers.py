"""The plane lists that publications fix, and one of ours, over the fields of the families poker and draw.

Poker-CNN: Yakovenko, Cao, Raffel, Fan, "Poker-CNN: A Pattern Learning Strategy for Making Draws and Bets in Poker Games
Using Convolutional Networks", AAAI 2016, with the authors' repository for the order of planes.
CNN valuation: Tang, Xu, Tan, "Convolutional neural network valuation method for intelligent games", 2020, table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.agent import need_family
from cardai.core.encoder import Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field, Views
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.draw.contract import is_draw_poker
from cardai.draw.fields import DRAW
from cardai.plugins.encoders.grid._kernels import acted, betting_bits
from cardai.plugins.encoders.grid.layout import Bits, Levels, Source, need, union
from cardai.plugins.encoders.grid.sources import CELLS, amount_as_cards, cards_each, cards_together
from cardai.poker.buckets.tables import STREETS, BucketOptions, buckets
from cardai.poker.contract import betting_game, deals_holdem
from cardai.poker.fields import POKER, last_round
from cardai.poker.hands.strength import win_rates

PotPlane = Callable[[Game], Source]
"""How the plane of the pot is made, where a list has one of amounts as cards."""
_ACTIONS = 5  # Poker-CNN keeps five actions of a betting string
_RAISES = 4  # of a round in limit hold'em
_STEPS = 8  # planes of the chance to beat a random hand
_DEALS = 1000  # behind that chance on flop and turn, as the players threshold and holdem_heuristic take them


def poker_cnn_video(game: Game, pot: PotPlane) -> list[Source]:
    """5 planes: the dealt cards, one a plane, in dealing order."""
    need_family(game, DRAW, "The encoder poker_cnn_video shows")
    return [cards_each(_fields(game)["hand"])]


def poker_cnn_triple_draw(game: Game, pot: PotPlane) -> list[Source]:
    """31 planes of a draw game with betting."""
    if not is_draw_poker(game) or game.num_players != 2:
        raise UsageError(
            "The encoder poker_cnn_triple_draw shows draw games with betting for two (families poker and draw). "
            f"{brief(game)} is something else."
        )
    fields = _fields(game)
    draws = fields["draws_left"].maximum
    return [
        cards_each(fields["hand"]),
        cards_together(fields["hand"]),
        _left("draws left", draws, lambda views: views["draws_left"]),
        _position(),
        pot(game),
        _betting("this round", 0, draws=True),
        _kept("kept by me", fields["kept"], own=True),
        _kept("kept by the opponent", fields["kept"], own=False),
        _betting("previous round", 1, draws=True),
    ]


def poker_cnn_limit(game: Game, pot: PotPlane) -> list[Source]:
    """31 planes of a board game with betting."""
    fields = _board_game(game, "poker_cnn_limit")
    last = last_round(game)
    return [
        cards_together(fields["hole"], "private cards"),
        _board("flop", 0, 3),
        _board("turn", 3, 4),
        _board("river", 4, 5),
        _board("board", 0, 5),
        _all_cards(),
        _left("rounds left", last, lambda views: last - views["round"].astype(np.int64)),
        _position(),
        pot(game),
        _betting("this round", 0),
        _betting("three rounds back", 3),
        _betting("two rounds back", 2),
        _betting("previous round", 1),
    ]


def cnn_valuation(game: Game, pot: PotPlane) -> list[Source]:
    """16 planes of hold'em: cards one a plane, unions, stage, pot, what the opponent did this round."""
    fields = _board_game(game, "cnn_valuation")
    stages = last_round(game) + 1
    most = fields["pot"].maximum or 1

    def stage(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:] = views["round"][:, None] == np.arange(stages)

    def chips(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:, 0] = views["pot"] / most

    def opponent(views: Views, bits: Bits, levels: Levels) -> None:
        out = np.zeros((len(views), 2), np.float32)
        history, rounds, seats = views["history"], views["history_round"], views["history_seat"]
        acted(history, rounds, seats, views["round"], views["player"], out)
        levels[:] = out

    return [
        cards_each(fields["hole"]),
        cards_each(fields["board"]),
        _board("board", 0, 5),
        _all_cards(),
        Source(tuple(Plane(f"stage {k}", "", f"the hand is in betting round {k}") for k in range(stages)), stage),
        Source((Plane("pot", "", "chips in the pot", f"chips / {most}"),), chips),
        Source(
            (
                Plane("opponent called", "", "an opponent has checked or called this round"),
                Plane("opponent raised", "", "an opponent has bet or raised this round"),
            ),
            opponent,
        ),
    ]


def cnn_valuation_ours(game: Game, pot: PotPlane) -> list[Source]:
    """Ours: the 31 planes of poker_cnn_limit, then the price, the raises of this round and the hand's strength."""
    if not deals_holdem(game):
        raise UsageError(f"The encoder cnn_valuation_ours shows hold'em. {brief(game)} is something else.")
    return [*poker_cnn_limit(game, pot), _price(), _raises(), _strength()]


def _price() -> Source:
    """The share of the pot after calling that a call costs, a filled plane."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:, 0] = 2 * views["to_call"] / np.maximum(views["pot"] + views["to_call"], 1)

    meaning = "what a call costs, as a share of the pot after it"
    return Source((Plane("price", "", meaning, "2 * chips to call / (pot + chips to call)"),), fill)


def _raises() -> Source:
    """A thermometer of this round's bets and raises."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:] = views["raises"][:, None] > np.arange(_RAISES)

    names = tuple(Plane(f"raises {k + 1}", "", f"at least {k + 1} bets or raises this round") for k in range(_RAISES))
    return Source(names, fill)


def _strength() -> Source:
    """A thermometer of the chance to beat a random hand, whose last plane is filled in part."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        chances = win_rates(views["hole"], views["board"], _DEALS)
        levels[:] = np.clip(_STEPS * chances[:, None] - np.arange(_STEPS), 0, 1)

    meaning = f"the chance to beat a random hand ({_DEALS:,} deals on flop and turn)"
    return Source(
        tuple(
            Plane(f"strength {k}", "", meaning, f"its part between {k}/{_STEPS} and {k + 1}/{_STEPS}")
            for k in range(_STEPS)
        ),
        fill,
        of_hand=True,
    )


def bucket(game: Game) -> Source:
    """One cell of many planes: the hand's bucket among those of all streets (169 starting hands, then clusters)."""
    if not deals_holdem(game):
        raise UsageError(f"buckets=true shows the buckets of hold'em hands. {brief(game)} is something else.")
    options = BucketOptions()
    starts = np.cumsum([0, *options.counts])
    count = -(-int(starts[-1]) // CELLS)

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        found = (
            buckets(options, whole=False).of_hands(views["hole"], views["board"])
            + starts[views["round"].astype(np.int64)]
        )
        bits[np.arange(len(views)), found // CELLS] = np.uint64(1) << (found % CELLS).astype(np.uint64)

    meaning = "the hand's bucket: " + ", ".join(f"{a} {b}" for a, b in zip(options.counts, STREETS, strict=True))
    planes = (
        Plane(f"bucket {k}", "", meaning, f"{k * CELLS} to {k * CELLS + CELLS - 1}, a cell each") for k in range(count)
    )
    return Source(tuple(planes), fill, cells=True, of_hand=True)


def _fields(game: Game) -> dict[str, Field]:
    return {f.name: f for f in game.view_fields}


def _board_game(game: Game, called: str) -> dict[str, Field]:
    """Return the fields by name; raise UsageError unless the game is betting with hole cards and a board."""
    need_family(game, POKER, f"The encoder {called} shows")
    return need(game, called, "hole", "board")


def _left(name: str, count: int, value: Any) -> Source:
    """A thermometer filled from the back: 3 left of 3 fills all, 1 left fills the last plane."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:] = np.arange(count) >= count - np.asarray(value(views))[:, None]

    return Source(
        tuple(
            Plane(f"{name} {k}", "", f"at least {count - k} {name if count - k > 1 else name.replace('s ', ' ', 1)}")
            for k in range(count)
        ),
        fill,
    )


def _position() -> Source:
    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:, 0] = views["player"] == views["button"]

    return Source((Plane("position", "", "I am the button"),), fill)


def pot_as_cards(unit: float) -> PotPlane:
    """The publication's: fake cards, one for ``unit`` chips. Beyond 52 of them a larger pot looks the same."""

    def source(game: Game) -> Source:
        def fill(views: Views, bits: Bits, levels: Levels) -> None:
            bits[:, 0] = amount_as_cards(views["pot"], unit)

        scale = f"a cell for {unit:g} chips, in the order 2c 2d 2h 2s 3c"
        return Source((Plane("pot as cards", "", "chips in the pot", scale),), fill)

    return source


def pot_as_level(game: Game) -> Source:
    """A filled plane: the pot's share of the largest there can be, so that no two pots look the same."""
    most = _fields(game)["pot"].maximum
    if not most:
        raise UsageError(f"pot=level needs a largest pot. {brief(game)} has no limit to it: take pot=cards.")

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:, 0] = views["pot"] / most

    return Source((Plane("pot", "", "chips in the pot", f"chips / {most}"),), fill)


def pot_as_logarithm(game: Game) -> Source:
    """A filled plane: the logarithm of the pot in big blinds, of the largest there can be, for limit and no-limit alike."""
    said = betting_game(game)
    most, blind = _fields(game)["pot"].maximum, float(said.big_blind or 1) if said is not None else 1.0
    if not most:
        raise UsageError(f"pot=logarithm needs a largest pot. {brief(game)} has no limit to it: take pot=cards.")
    whole = np.log1p(most / blind)

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        levels[:, 0] = np.log1p(views["pot"] / blind) / whole

    scale = f"log(1 + chips / {blind:g}) / {whole:.4f}"
    return Source((Plane("pot", "", "chips in the pot", scale),), fill)


def _board(name: str, start: int, end: int) -> Source:
    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        bits[:, 0] = union(views["board"][:, start:end])

    return Source((Plane(name, "", f"public cards: {name}"),), fill, True)


def _all_cards() -> Source:
    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        bits[:, 0] = union(views["hole"]) | union(views["board"])

    return Source((Plane("all cards", "", "private and public cards"),), fill, True)


def _betting(name: str, back: int, draws: bool = False) -> Source:
    """Five planes, one an action of the round that lies ``back`` rounds behind."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        out = np.zeros((len(views), _ACTIONS), np.float32)
        wanted = views["round"].astype(np.int64) - back
        betting_bits(
            np.ascontiguousarray(views["history"]), np.ascontiguousarray(views["history_round"]), wanted, draws, out
        )
        levels[:] = out

    planes = tuple(
        Plane(f"{name}, action {k}", "", f"action {k + 1} of {name} was a bet or raise") for k in range(_ACTIONS)
    )
    return Source(planes, fill)


def _kept(name: str, f: Field, own: bool) -> Source:
    """A thermometer of how many cards somebody kept at the last draw made (``kept`` is seat * draws + draw, -1 before)."""

    def fill(views: Views, bits: Bits, levels: Levels) -> None:
        rounds = f.size // 2
        kept = views[f.name].reshape(len(views), 2, rounds)
        seat = views["player"].astype(np.int64) if own else 1 - views["player"].astype(np.int64)
        mine = kept[np.arange(len(views)), seat]  # (n, draws)
        last = (mine >= 0).sum(axis=1) - 1
        value: npt.NDArray[Any] = np.where(last >= 0, mine[np.arange(len(views)), np.maximum(last, 0)], 0)
        levels[:] = np.arange(5) < value[:, None]

    return Source(
        tuple(Plane(f"{name} {k + 1}", "", f"at least {k + 1} cards {name} at the last draw") for k in range(5)), fill
    )


PAPERS = {
    "poker_cnn_video": poker_cnn_video,
    "poker_cnn_limit": poker_cnn_limit,
    "poker_cnn_triple_draw": poker_cnn_triple_draw,
    "cnn_valuation": cnn_valuation,
    "cnn_valuation_ours": cnn_valuation_ours,
}
