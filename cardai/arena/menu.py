"""What a person may type at a decision, by meaning: a key, an action's name or a part of it, cards, an amount to raise to.

A key is a letter that means the same throughout a game, and no number stands for a place in a list: f, c and r fold, check
or call, and bet or raise; a is all-in, k knocks; other names go by an initial of theirs. A number is an amount, or part
of a name. Cards are typed with their suit (7c).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from cardai.cards.text import cards_text, glyphs, parse_cards
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal, legal_list

KEYS = {"fold": "f", "check": "c", "call": "c", "raise": "r", "knock": "k", "all-in": "a"}
_BETTING = ("bet", "raise")
_NAMED = 400  # actions that are looked at for names (gin has 362)
_CARDS = re.compile(r"(?:\b(?:10|[2-9TJQKA])[cdhs]\b ?)+|\b(?:[2-9TJQKA][cdhs]){2,}\b")
_TYPED_CARDS = re.compile(r"(?:(?P<verb>[a-z]+)\s+)?(?P<cards>(?:(?:10|[2-9tjqka])[cdhs][\s,+]*)+)")
_AMOUNT = re.compile(r"(?:r|b|raise|bet)?\s*(?:to)?\s*(\d+)")
ALL_IN = "all-in"
_ALL_IN = ("a", "all in", ALL_IN, "allin")


@frozen
class Choice:
    """One thing that can be done: the action, its words, the key that stands for it ("" none), and the cards in it.

    ``action`` -1 is a raise to an amount that is still to be named.
    """

    action: int
    words: str
    key: str = ""
    cards: frozenset[int] = frozenset()

    @property
    def verb(self) -> str:
        """The words without the cards: "discard"."""
        return " ".join(_CARDS.sub(" ", self.words).split())


@frozen
class Menu:
    """The choices of one decision. ``low`` and ``high`` bound a raise where amounts are named, else they are 0.

    Amounts are actions, in chips of the whole hand; what people read and type is ``offset`` less, the chips of this street.
    """

    choices: tuple[Choice, ...]
    low: int = 0
    high: int = 0
    sizes: tuple[tuple[str, int], ...] = ()
    """Named amounts within the bounds, but for the largest: half pot, pot."""
    top: str = ""
    """What ``high`` is called: all-in, or in pot-limit betting the pot."""
    keys: Mapping[str, str] = {}
    """All keys of the game, also of what is not legal now, with what they mean."""
    offset: int = 0
    """The chips that were put in before this street, which nobody counts."""
    verb: str = "raise to"
    """What naming an amount is called: "bet", "raise to"."""

    def said(self, amount: int) -> str:
        """Return an amount as people say it: on this street."""
        return f"{amount - self.offset:,}"

    def bounds(self) -> str:
        """Return what can be named: "200 to 20,000", or the one amount and what it is called."""
        return (
            f"{self.said(self.low)} to {self.said(self.high)}"
            if self.low < self.high
            else f"{self.said(self.high)}, {self.top}"
        )

    def lines(self) -> list[str]:
        """Return the menu as it is shown: what has a key, what is typed by its name, what is typed by its cards."""
        keyed = [f"{choice.key} {glyphs(choice.words)}" for choice in self.choices if choice.key]
        named = [glyphs(choice.words) for choice in self.choices if not choice.key and not choice.cards]
        lines = [item for item in (*keyed, *named) if item]
        for verb in dict.fromkeys(choice.verb for choice in self.choices if choice.cards):
            held = [choice for choice in self.choices if choice.cards and choice.verb == verb]
            if max(len(choice.cards) for choice in held) == 1:
                shown = " ".join(glyphs(cards_text(choice.cards)) for choice in held)
                lines.append(f"{verb} one of {shown}")
            elif len(held) > 4:
                largest: list[int] = []
                for choice in held:
                    largest = max(largest, list(choice.cards or ()), key=len)
                lines.append(f"{verb} any of {glyphs(cards_text(sorted(largest), ' '))}")
            else:
                lines += [glyphs(choice.words) for choice in held]
        return lines

    def understood(self, answer: str) -> int | str:
        """Return the action that ``answer`` means, or a sentence that says why it means none."""
        text = " ".join(_plain(answer).split())
        if not text:
            return f"Type {self._hint()}."
        by_key = [choice for choice in self.choices if choice.key == text]
        if len(by_key) == 1:
            return by_key[0].action if by_key[0].action >= 0 else self._how_much()
        if len(by_key) > 1:
            return f"{answer!r} could be {_listed(by_key)}. Type its amount."
        if self.high and (amount := self._amount(text)) is not None:
            return amount
        typed = _TYPED_CARDS.fullmatch(text)
        if typed and any(choice.cards for choice in self.choices):
            return self._by_cards(answer, typed["verb"] or "", typed["cards"])
        return self._by_name(answer, text)

    def _how_much(self) -> str:
        return f"{self.verb.capitalize()} how much? Type {self.bounds()}, on this street."

    def _amount(self, text: str) -> int | str | None:
        """Return the amount that a text names, a sentence for one out of bounds, None for no amount."""
        named = {**dict(self.sizes), "min": self.low, "max": self.high, self.top: self.high}
        named |= dict.fromkeys(_ALL_IN, self.high) if self.top == ALL_IN else {}
        for name in (text, text.removeprefix("r ").removeprefix("raise to ").removeprefix("raise ")):
            if name in named:
                return named[name]
        match = _AMOUNT.fullmatch(text)
        if match is None:
            return None
        digits = match.group(1)
        amount = int(digits) + self.offset if len(digits) < 16 else self.high + 1
        if self.low <= amount <= self.high:
            return amount
        return f"You can {self.verb} {self.said(self.low)} at least and {self.said(self.high)} at most, on this street."

    def _by_cards(self, answer: str, verb: str, text: str) -> int | str:
        try:
            cards = frozenset(parse_cards(text.replace("+", " ")))
        except ValueError as error:
            return str(error)
        found = [choice for choice in self.choices if choice.cards == cards and choice.verb.startswith(verb)]
        if len(found) == 1:
            return found[0].action
        if found:
            return f"{answer!r} could be {_listed(found)}. Type all of it."
        return f"Nothing can be done with {glyphs(cards_text(sorted(cards), ' '))} here. Type {self._hint()}."

    def _by_name(self, answer: str, text: str) -> int | str:
        """Find the choice whose name is typed, or begun: each word the beginning of one of its words, in order."""
        same = [choice for choice in self.choices if text in (_plain(choice.words), _extra(choice.words))]
        begun = [choice for choice in self.choices if _begins(text.split(), choice)]
        found = same or begun
        if len(found) == 1:
            return found[0].action if found[0].action >= 0 else self._how_much()
        if found:
            return f"{answer!r} could be {_listed(found)}. Type more of it."
        if text in self.keys:
            return f"{text} is {self.keys[text]}, which you cannot do here. Type {self._hint()}."
        return f"There is no action {answer!r} here. Type {self._hint()}."

    def _hint(self) -> str:
        ways = [choice.key for choice in self.choices if choice.key]
        ways += ["cards such as 7c"] if any(choice.cards for choice in self.choices) else []
        ways += ["an amount"] if self.high else []
        ways += ["the name of an action"] if not ways else []
        return ", ".join([*dict.fromkeys(ways), "? for help", "q to stop"])


def menu_of(game: Game, view: Mapping[str, Any], legal: Legal) -> Menu:
    """Return the menu of the player to act, whose view and legal actions (one row) these are."""
    keys = game_keys(game)
    meanings = {key: " or ".join(words for words, k in keys if k == key) for _, key in keys if key}
    if not isinstance(legal, Amounts):
        choices = tuple(_choice(game, view, action, keys) for action in legal_list(legal, 0))
        return Menu(_told_apart(choices), keys=meanings)
    choices = tuple(_choice(game, view, action, keys) for action in (0, 1) if legal.kinds[0, action])
    if not legal.kinds[0, 2]:
        return Menu(choices, keys=meanings)
    low, high = int(legal.min_amount[0]), int(legal.max_amount[0])
    sizes = tuple((name, amount) for name, amount in game.named_raises(view) if low <= amount < high)
    top = next((name for name, amount in reversed(game.named_raises(view)) if amount == high), "the most")
    verb = _verb_of(game.action_words(low, view))
    menu = Menu(choices, low, high, sizes, top, meanings, counted_from(game, view), verb)
    named = ", ".join(f"{name} {menu.said(amount)}" for name, amount in (*sizes, (top, high)))
    words = f"{verb} {menu.said(high)}, {top}"
    if low < high:
        words = f"{verb} {menu.said(low)}..{menu.said(high)} ({named})"
    return evolve(menu, choices=(*choices, Choice(-1, words, "r")))


def counted_from(game: Game, view: Mapping[str, Any]) -> int:
    """Return what amounts are counted from, to the player who looks: the chips of streets before this one."""
    return sum(family.counted_from(view) for family in game.families)


def _verb_of(words: str) -> str:
    """Return what stands before the amount of a raise in words: "bet", "raise to"."""
    verb = re.split(r"\s*\d", words, maxsplit=1)[0]
    return verb or "raise to"


def _choice(game: Game, view: Mapping[str, Any], action: int, keys: tuple[tuple[str, str], ...]) -> Choice:
    words = game.action_words(action, view)
    cards = _cards_in(words)
    return Choice(action, words, "" if cards else _key_of(words, game.action_to_string(action), dict(keys)), cards)


def _told_apart(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Return choices among which an all-in that shares its key with other bets has one of its own."""
    keys, own = [choice.key for choice in choices], KEYS["all-in"]
    return tuple(
        evolve(one, key=own) if "all-in" in one.words and keys.count(one.key) > 1 and own not in keys else one
        for one in choices
    )


def _key_of(words: str, name: str, keys: Mapping[str, str]) -> str:
    if words.endswith("all-in") and not words.startswith("call"):
        return keys.get("all-in", keys.get(name, ""))
    return keys.get(name, "")


def game_keys(game: Game) -> tuple[tuple[str, str], ...]:
    """Return (an action's name without a position, its key) for the actions of a game that name no cards.

    Names that share their first word share no initial; betting has the keys of every betting game.
    """
    count = 2 if game.amounts else min(game.num_distinct_actions, _NAMED)
    names = [game.action_to_string(action) for action in range(count)]
    names += ["raise to an amount"] if game.amounts else []
    names = list(dict.fromkeys(name for name in names if not _cards_in(name)))
    poker = any(name.startswith("fold") for name in names)
    first_words = [name.split()[0] for name in names]
    found: dict[str, str] = {}
    taken: set[str] = {"q", "?"}
    for name, first in zip(names, first_words, strict=True):
        key = "r" if poker and first in _BETTING else KEYS.get(first, "")
        if key:
            found[name] = key
            taken.add(key)
    for name, first in zip(names, first_words, strict=True):
        alone = first_words.count(first) == 1
        if name not in found and (alone or name == first):
            initial = next((word[0] for word in name.split() if word[0].isalpha() and word[0] not in taken), "")
            found[name] = initial
            taken.add(initial)
    return tuple((name, key) for name, key in found.items() if key)


def _cards_in(words: str) -> frozenset[int]:
    """Return the cards that an action's words name."""
    return frozenset(card for match in _CARDS.finditer(words) for card in parse_cards(match.group()))


def _plain(text: str) -> str:
    """Return text in small letters, with letters for the signs of suits and no commas between thousands."""
    plain = text.lower().translate(str.maketrans("♣♦♥♠", "cdhs"))
    return re.sub(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])", lambda found: found[0].replace(",", ""), plain).strip()


def _extra(words: str) -> str:
    """Return what stands in brackets behind a name, or its last word after a comma: "pot", "all-in"."""
    return _plain(words).partition("(")[2].rstrip(")") or _plain(words).partition(", ")[2]


def _begins(typed: list[str], choice: Choice) -> bool:
    """Whether the typed words, behind the choice's key if that stands first, are beginnings of its words in order.

    Numbers must be whole.
    """
    if len(typed) > 1 and typed[0] == choice.key:
        typed = typed[1:]
    rest = iter(word.strip("(),") for word in _plain(choice.words).split())
    return all(any(word == one if one[0].isdigit() else word.startswith(one) for word in rest) for one in typed)


def _listed(choices: list[Choice]) -> str:
    more = " ..." if len(choices) > 6 else ""
    return ", ".join(glyphs(choice.words) for choice in choices[:6]) + more
