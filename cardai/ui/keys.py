"""What a key means at a decision: an action, a card, an amount to type, or a sentence that says why it means nothing here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from cardai.arena.display import is_french
from cardai.arena.menu import Choice, Menu
from cardai.cards.text import card_text, glyphs
from cardai.core.game import Game
from cardai.draw.fields import DRAW
from cardai.gin.fields import GIN
from cardai.ui.pictures import gin
from cardai.ui.scene import Scene

RANK_KEYS = {"0": "T", "1": "T", **{letter.lower(): letter for letter in "TJQKA"}}
"""Further keys of ranks: those of small letters, where they mean nothing else."""
HALF_POT, POT, ALL_IN = "/", "p", "a"
SIZES = {HALF_POT: "half pot", POT: "pot", ALL_IN: "all-in"}
TYPED = 40
"""More choices than this are typed, not listed."""


@frozen
class Act:
    """Play this action."""

    action: int


@frozen
class Toggle:
    """Choose this card, or no longer."""

    card: int


@frozen
class Ask:
    """Let the person type; the line begins with ``text``, ``why`` says what is asked."""

    why: str
    text: str = ""


@frozen
class Say:
    """Say why nothing happens."""

    words: str


@frozen
class Begin:
    """A rank of which there are several cards: the next key is a suit; ``words`` say which there are."""

    rank: str
    words: str


Meaning = Act | Toggle | Ask | Say | Begin


@frozen
class Keyboard:
    """What the keys mean at one decision.

    ``letters`` are what is typed for cards: their places from 1 where some of at most nine are chosen (``placed``), else
    what stands on them, "7" or "7c" where there are several sevens. ``several`` says whether cards are chosen and then
    played together by Enter rather than each at once.
    """

    menu: Menu
    letters: Mapping[str, int] = {}
    several: bool = False
    placed: bool = False
    verb: str = "play"
    """What is done with cards chosen together: "hold", "discard"."""

    @property
    def mark(self) -> str:
        """What is written beneath a chosen card: "HOLD " where cards are held, else a sign."""
        return "HOLD " if self.verb == "hold" else "▲"

    def press(self, key: str, begun: str = "") -> Meaning:
        """Return what a printable key means, after the rank ``begun`` a suit."""
        named = begun + key.lower() if begun else key
        if named in self.letters:
            return self.card(self.letters[named])
        found = [choice for choice in self.menu.choices if choice.key == key]
        if len(found) == 1:
            return self.choose(found[0])
        if found:
            listed = ", ".join(glyphs(choice.words) for choice in found)
            return Ask(f"{key} could be {listed}: type which", "")
        return self._rank(RANK_KEYS.get(key, key)) or self._sized(key) or Say(self._why_not(key))

    def _rank(self, rank: str) -> Meaning | None:
        """Return what a rank means: the one card of it, or that its suit is to follow."""
        if rank in self.letters:
            return self.card(self.letters[rank])
        suits = [name[1] for name in self.letters if len(name) == 2 and name[0] == rank]
        which = ", ".join(f"{suit} {glyphs(rank + suit)}" for suit in suits)
        return Begin(rank, f"Which? {which}") if suits else None

    def card(self, card: int) -> Meaning:
        """Return what clicking a card means."""
        if self.several:
            return Toggle(card)
        found = [choice for choice in self.menu.choices if choice.cards == {card}]
        if len(found) == 1:
            return Act(found[0].action)
        return Say(f"Nothing can be done with that card here. {self._known()}")

    def choose(self, choice: Choice) -> Meaning:
        """Return what taking a choice means: an amount is still to be typed."""
        if choice.action >= 0:
            return Act(choice.action)
        if self.menu.low == self.menu.high:
            return Act(self.menu.high)
        return Ask(f"{self.menu.verb} {self.menu.bounds()}, on this street", self.menu.said(self.menu.low))

    def play(self, chosen: frozenset[int]) -> Meaning:
        """Return what Enter means with these cards chosen."""
        if not self.several:
            return Say(self._known())
        found = [choice for choice in self.menu.choices if choice.cards == chosen and not (choice.key and chosen)]
        keyed = [choice for choice in found if not choice.key]
        if not chosen and len(found) > 1 and not keyed:
            found = [choice for choice in found if choice.key not in ("f", "c", "r", "k")]
        if len(found) == 1:
            return self.choose(found[0])
        return Say(f"These cards cannot be played together. {self._known()}")

    def typed(self, text: str) -> Meaning:
        """Return what a typed line means: whatever the plain-text player understands."""
        found = self.menu.understood(text)
        return Act(found) if isinstance(found, int) else Say(found)

    def listed(self) -> list[tuple[str, Choice]]:
        """Return (key, choice) for the choices that are shown as buttons: those that no card stands for."""
        shown = [(choice.key, choice) for choice in self.menu.choices if not (choice.cards and self.letters)]
        return shown if len(shown) <= TYPED else []

    def amounts(self) -> list[tuple[str, str, int]]:
        """Return (key, name, amount) for half the pot, the pot and all-in, as far as they are legal."""
        if not self.menu.high:
            return []
        keys = {name: key for key, name in SIZES.items()}
        named = (*self.menu.sizes, (self.menu.top, self.menu.high))
        return [(keys[name], name, amount) for name, amount in named if name in keys]

    def _sized(self, key: str) -> Meaning | None:
        """Return what half the pot, the pot or all-in means, if the key is one of these."""
        if key not in (HALF_POT, POT, ALL_IN) or "f" not in self.menu.keys:
            return None
        for shown, _, amount in self.amounts():
            if shown == key:
                return Act(amount)
        words = SIZES[key].capitalize()
        if self.menu.high:
            return Say(f"{words} is no legal raise here: {self.menu.bounds()} is.")
        wanted = self._of_size(key)
        return self.choose(wanted[0]) if len(wanted) == 1 else Say(f"{words} cannot be bet here. {self._known()}")

    def _of_size(self, key: str) -> list[Choice]:
        """Return the bets of a ladder that are called what the key means."""
        found = [choice for choice in self.menu.choices if SIZES[key] in choice.words]
        return [choice for choice in found if key != POT or SIZES[HALF_POT] not in choice.words]

    def sized_by(self, choice: Choice) -> str:
        """Return the keys of half the pot, the pot and all-in that mean a bet of a ladder, beside its own."""
        if self.menu.high or "f" not in self.menu.keys:
            return ""
        return "".join(key for key in SIZES if key != choice.key and self._of_size(key) == [choice])

    def _why_not(self, key: str) -> str:
        if key in self.menu.keys:
            return f"{key} is {self.menu.keys[key]}, which you cannot do here. {self._known()}"
        return f"{key} means nothing here. {self._known()}"

    def _known(self) -> str:
        ways = [f"{choice.key} {short_words(choice)}" for choice in self.menu.choices if choice.key]
        if self.letters:
            keys = list(self.letters)
            how = f"{keys[0]} to {keys[-1]}" if self.placed else "a card's rank (7, T, J), then its suit if asked,"
            ways.append(f"{how} {f'choose cards, Enter: {self.verb} them' if self.several else 'a card'}")
        return f"Keys: {', '.join(ways)}." if ways else "Choose with the arrows and Enter, or : and its name."


def short_words(choice: Choice) -> str:
    """Return a choice's words without what stands in brackets behind a raise whose amount is to be named."""
    words = glyphs(choice.words)
    return words if choice.action >= 0 else words.partition(" (")[0]


def keyboard(scene: Scene) -> Keyboard | None:
    """Return what the keys mean in a scene, None where the person is not to act."""
    menu = scene.menu
    if menu is None:
        return None
    of_cards = [choice for choice in menu.choices if choice.cards]
    order = [card for card in hand_order(scene) if any(card in choice.cards for choice in of_cards)]
    rest = sorted({card for choice in of_cards for card in choice.cards} - set(order))
    cards = order + rest
    several = any(len(choice.cards) > 1 for choice in of_cards)
    placed = several and len(cards) <= 9
    letters = dict(zip("123456789", cards, strict=False)) if placed else _named(cards)
    verbs = {choice.verb.partition(" ")[0] for choice in of_cards}
    return Keyboard(menu, letters, several, placed, verbs.pop() if len(verbs) == 1 else "play")


def _named(cards: Sequence[int]) -> dict[str, int]:
    """Return cards by what stands on them: the rank, and the suit where there are several of it."""
    ranks = [card_text(card)[0] for card in cards]
    return {card_text(card) if ranks.count(rank) > 1 else rank: card for card, rank in zip(cards, ranks, strict=True)}


def hand_order(scene: Scene) -> list[int]:
    """Return the own cards in the order in which they are drawn, where the game's cards are of 52."""
    game: Game = scene.game
    if game.speaks(GIN):
        return gin.hand_order(int(scene.view["hand"]))
    if game.speaks(DRAW):
        return [int(card) for card in scene.view["hand"]]
    cards: list[int] = []
    for f in game.view_fields:
        if f.role == "own" and f.kind == "cards":
            cards += [int(card) for card in scene.view[f.name]]
        elif f.role == "own" and f.kind == "card_set" and not f.size:
            cards += [card for card in range(52) if int(scene.view[f.name]) >> card & 1]
    return [card for card in dict.fromkeys(cards) if is_french(game, card)]
