"""Card grids: any view as planes of suits by ranks, padded or not, and the plane lists of the publications.

Presets:
    grid_4x13: a cell a card, four suits by thirteen ranks.
    double_row_8x13: the double row, 8 by 13: each suit twice.
    padded: 4 by 13 in the middle of 17 by 17 zeros, as in Poker-CNN (Yakovenko et al. 2016).
    poker_cnn_video: Poker-CNN's 5 planes for video poker (Yakovenko et al. 2016).
    poker_cnn_limit: Poker-CNN's 31 planes for limit hold'em (Yakovenko et al. 2016).
    poker_cnn_limit_ours: the same planes, 4 by 13 and with the pot as a level that does not end at 2,600 chips; ours.
    poker_cnn_triple_draw: Poker-CNN's 31 planes for deuce-to-seven triple draw (Yakovenko et al. 2016).
    poker_cnn_triple_draw_ours: the same planes, 4 by 13 and with the pot as a level; ours.
    cnn_valuation: the 16 planes of the CNN valuation method for no-limit hold'em (Tang, Xu and Tan 2020, table 1).
    cnn_valuation_ours: for the same task poker_cnn_limit's planes, 4 by 13, with price, raises and hand strength; ours.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from attrs import evolve, frozen, validators

from cardai.core.encoder import Encoder, Plane
from cardai.core.errors import UsageError
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.plugins.encoders.grid import sources
from cardai.plugins.encoders.grid.layout import GridLayout, Source, need
from cardai.plugins.encoders.grid.papers import PAPERS, bucket, pot_as_cards, pot_as_level, pot_as_logarithm
from cardai.plugins.encoders.grid.windows import CLUBS_FIRST, SPADES_FIRST, window

Size = Literal["4x13", "8x13", "15x15", "17x17"]
Placement = Literal["centred", "corner"]


def _placed(planes: list[Source]) -> list[Source]:
    """Number the planes, so that each says where it stands."""
    out, number = [], 0
    for source in planes:
        named = []
        for plane in source.planes:
            named.append(Plane(plane.name, str(number), plane.meaning, plane.scale))
            number += 1
        out.append(evolve(source, planes=tuple(named)))
    return out


@frozen
class Grid(Encoder):
    """All fields of any view as planes: cards in their cells, numbers as filled planes, histories as bits."""

    size: Size = option("4x13", help="plane size; 8x13 is the double row, 15x15 and 17x17 are padded with zeros")
    placement: Placement = option("centred", help="where a padded plane holds the card window")
    cards: Literal["each", "together", "both"] = option(
        "each", help="ordered cards: a plane each, one plane for all, or both"
    )
    numbers: Literal["constant", "as_cards"] = option(
        "constant", help="chips: a filled plane, or a thermometer of fake cards"
    )
    chip_unit: float = option(50.0, help="chips a cell when numbers=as_cards", validator=validators.gt(0))
    history: Literal["bits", "none"] = option("bits", help="histories: bit planes, or left out")
    history_length: int = option(0, help="the last entries of a history to show, 0 for all", validator=validators.ge(0))
    fields: tuple[str, ...] = option((), help="the fields to show, joined with +; none given: all")

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "grid_4x13": {},
        "double_row_8x13": {"size": "8x13"},
        "padded": {"size": "17x17"},
    }

    def for_game(self, game: Game) -> GridLayout:
        known = need(game, "grid", *self.fields)
        shown = [known[name] for name in self.fields] if self.fields else list(game.view_fields)
        planes = [source for f in shown for source in self._sources(f)]
        complete = len(shown) == len(game.view_fields)
        whole = self.history == "bits" and all(
            not 0 < self.history_length < f.size for f in shown if f.kind.endswith("history")
        )
        exact = self.numbers == "constant"  # float32 keeps value / maximum apart for whole values below 2**23
        lossless = (
            complete and exact and self.cards != "together" and (whole or not any("history" in f.kind for f in shown))
        )
        place = window(self.size, self.placement)
        return GridLayout(place, _placed(planes), lossless)

    def _sources(self, f: Field) -> list[Source]:
        if f.kind == "card":
            return [sources.one_card(f)] if not f.size else [sources.cards_each(f)]
        if f.kind == "cards":
            out = [sources.cards_each(f)] if self.cards != "together" else []
            return [*out, sources.cards_together(f)] if self.cards != "each" else out
        if f.kind == "card_set":
            return [sources.card_sets(f)]
        if f.kind == "seat":
            return [sources.seats(f)]
        if f.kind.endswith("history"):
            return [sources.history(f, self.history_length)] if self.history == "bits" else []
        if f.kind == "chips" and self.numbers == "as_cards":
            return [sources.numbers_as_cards(f, self.chip_unit)]
        return [sources.numbers(f)]


@frozen
class PaperGrid(Encoder):
    """The planes that a publication fixes, over the standard fields of poker views."""

    planes: Literal[
        "poker_cnn_video",
        "poker_cnn_limit",
        "poker_cnn_triple_draw",
        "cnn_valuation",
        "cnn_valuation_ours",
    ] = option(help="whose list of planes")
    size: Size = option("17x17", help="plane size; the publications pad to 17x17")
    placement: Placement = option("centred", help="where a padded plane holds the card window")
    suits: Literal["cdhs", "shdc"] = option("cdhs", help="the order of the suit rows")
    chip_unit: float = option(50.0, help="chips a cell of the pot written as cards", validator=validators.gt(0))
    pot: Literal["cards", "level", "logarithm"] = option(
        "cards",
        help="cards: the publication's, which no longer grows beyond 52 cells (2,600 of the 4,800 chips that there can be); "
        "level: a plane filled with the pot's share of the largest; logarithm: the same of its logarithm in big blinds",
    )
    buckets: bool = option(
        False,
        help="hold'em: the bucket of bucket_mccfr that the hand is in, too (where they are many boards', tables are made: half a minute of CPU, once)",
    )

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "poker_cnn_video": {"planes": "poker_cnn_video"},
        "poker_cnn_limit": {"planes": "poker_cnn_limit"},
        "poker_cnn_limit_ours": {"planes": "poker_cnn_limit", "size": "4x13", "pot": "level"},
        "poker_cnn_triple_draw": {"planes": "poker_cnn_triple_draw"},
        "poker_cnn_triple_draw_ours": {"planes": "poker_cnn_triple_draw", "size": "4x13", "pot": "level"},
        "cnn_valuation": {"planes": "cnn_valuation", "placement": "corner", "suits": "shdc"},
        "cnn_valuation_ours": {"planes": "cnn_valuation_ours", "size": "4x13", "pot": "logarithm"},
    }

    def for_game(self, game: Game) -> GridLayout:
        place = window(self.size, self.placement, CLUBS_FIRST if self.suits == "cdhs" else SPADES_FIRST)
        pots = {"cards": pot_as_cards(self.chip_unit), "level": pot_as_level, "logarithm": pot_as_logarithm}
        planes = PAPERS[self.planes](game, pots[self.pot])
        planes += [bucket(game)] if self.buckets else []
        layout = GridLayout(place, _placed(planes), lossless=False)
        if not layout.planes:
            raise UsageError(
                f"The planes of {self.planes} show nothing of {type(game).__name__}. Choose another encoder."
            )
        return layout


@hookimpl
def cardai_encoder() -> dict[str, type[Encoder]]:
    """Offer both grids."""
    return {"grid": Grid, "paper_grid": PaperGrid}
