"""The competition's dealing: which cards a seed deals, hand by hand, as the C dealer deals them.

A Mersenne Twister MT19937, seeded by ``init_genrand(seed)``, is shared by all hands of a match. Each hand starts from the
whole deck in order; each draw takes the card at ``output mod cards left`` and puts the last card in its place; all cards
of position 0 come first, then those of position 1, ..., then the whole board (project_acpc_server: rng.c, game.c
dealCards). Seed 0 begins 5d5c | 9hQd | 8dAs8s 4h 6d.
"""

from __future__ import annotations

from random import Random

from cardai.formats.acpc.gamedef import GameDef

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


class CardSource:
    """The deals of a match, one after another. ``skip`` many hands without keeping them with :meth:`next_hand`."""

    def __init__(self, game: GameDef, seed: int) -> None:
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
