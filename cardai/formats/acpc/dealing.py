"""The competition's dealing: which cards a seed deals, hand by hand, as the C dealer deals them.

A Mersenne Twister MT19937, seeded by ``init_genrand(seed)``, is shared by all hands of a match. Each hand starts from the
whole deck in order; each draw takes the card at ``output mod cards left`` and puts the last card in its place; all cards
of position 0 come first, then those of position 1, ..., then the whole board (project_acpc_server: rng.c, game.c
dealCards). Seed 0 begins 5d5c | 9hQd | 8dAs8s 4h 6d.
"""

from __future__ import annotations

from random import Random

from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.states import CARD_TEXT

_STATE_SIZE = 624
_WORD = 0xFFFFFFFF


def twister(seed: int) -> Random:
    """Return a generator whose ``getrandbits(32)`` are the outputs of MT19937 after ``init_genrand(seed)``.

    The standard library has the same twister but seeds it by ``init_by_array``; here its state is set directly.
    Constants: Matsumoto and Nishimura, mt19937ar.c (2002).
    """
    if not 0 <= seed <= _WORD:
        raise ValueError(f"A seed is a whole number from 0 to {_WORD}. Got {seed}.")
    words = [seed]
    for i in range(1, _STATE_SIZE):
        last = words[-1]
        words.append((1812433253 * (last ^ (last >> 30)) + i) & _WORD)
    generator = Random()
    generator.setstate((3, (*words, _STATE_SIZE), None))
    return generator


class Deal:
    """The cards of a hand and how the wire writes them: ``hole`` by position, ``boards`` the whole board of each round."""

    __slots__ = ("boards", "cards", "hole")

    def __init__(self, game: GameDef, cards: list[int]) -> None:
        size, start = game.num_hole, game.num_players * game.num_hole
        texts = [CARD_TEXT[card] for card in cards]
        self.cards = cards
        self.hole = ["".join(texts[i : i + size]) for i in range(0, start, size)]
        self.boards: list[str] = []
        board = ""
        for round_, count in enumerate(game.num_board):
            board += ("/" if round_ else "") + "".join(texts[start : start + count])
            start += count
            self.boards.append(board)


class CardSource:
    """The deals of a match, one after another."""

    def __init__(self, game: GameDef, seed: int) -> None:
        self._game = game
        self._bits = twister(seed).getrandbits
        self._deck = list(game.deck())
        self._count = game.num_hole * game.num_players + sum(game.num_board)

    def next_hand(self) -> list[int]:
        """Return the cards of the next hand: all hole cards by position, then the board."""
        bits = self._bits
        deck = self._deck.copy()
        cards = []
        left = len(deck)
        for _ in range(self._count):
            index = bits(32) % left
            left -= 1
            cards.append(deck[index])
            deck[index] = deck[left]
        return cards

    def next_deal(self) -> Deal:
        """Return the next hand's cards with their texts."""
        return Deal(self._game, self.next_hand())
