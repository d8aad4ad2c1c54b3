"""The competition's betting strings, card strings and match states, in and out.

``MATCHSTATE:<position>:<hand>:<betting>:<cards>``. Actions are cardai's ids: 0 fold, 1 check or call, 2 bet or raise in
limit games, and in no-limit games the total number of chips N that the raiser will have put in during the whole hand.
Source: ACPC protocol 2.0.0; letters in either case, ``k`` for call and ``b`` for raise are accepted as game.c does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import frozen

from cardai.core.errors import DamagedFileError
from cardai.formats.acpc.gamedef import GameDef

FOLD, CALL, RAISE = 0, 1, 2
Cards = tuple[int, ...]

CARD_TEXT = tuple(rank + suit for suit in "cdhs" for rank in "23456789TJQKA")
"""The text of each card 13 * suit + rank."""
_CARD_OF = {text: card for card, text in enumerate(CARD_TEXT)}
_ACTION = re.compile(r"([fFcCkK])|[rRbB](\d*)")
_STATE = re.compile(r"MATCHSTATE:(\d{1,3}):(\d{1,10}):([^:]*):([^:\s]*)")
_KINDS = {"f": FOLD, "c": CALL, "k": CALL}


def cards_text(cards: Iterable[int]) -> str:
    """Return cards as text ("AsKd")."""
    return "".join([CARD_TEXT[card] for card in cards])


def parse_cards(text: str) -> Cards:
    """Return the cards of ``text``; letters in either case. Raises DamagedFileError quoting it."""
    try:
        return tuple(_CARD_OF[text[i].upper() + text[i + 1].lower()] for i in range(0, len(text), 2))
    except (KeyError, IndexError):
        raise DamagedFileError(f"{text!r} is not a list of cards such as AsKd.") from None


def parse_betting(text: str, no_limit: bool) -> tuple[tuple[int, ...], ...]:
    """Return the actions of each round begun ("cr300c/" -> ((1, 300, 1), ())).

    Raises:
        DamagedFileError: a letter that is no action, a no-limit raise without its size, a limit raise with one.
    """
    rounds = []
    for part in text.split("/"):
        actions = []
        position = 0
        while position < len(part):
            match = _ACTION.match(part, position)
            if match is None or (match[2] is not None and bool(match[2]) != no_limit):
                form = "f, c, r and a size" if no_limit else "f, c or r"
                raise DamagedFileError(
                    f"The betting {text!r} cannot be read at {part[position:]!r}. An action is {form}."
                )
            if match[1]:
                actions.append(_KINDS[match[1].lower()])
            else:
                actions.append(int(match[2]) if no_limit else RAISE)
            position = match.end()
        rounds.append(tuple(actions))
    return tuple(rounds)


def action_text(action: int, no_limit: bool) -> str:
    """Return one action as the wire writes it."""
    if action < RAISE:
        return "fc"[action]
    return f"r{action}" if no_limit else "r"


def betting_text(rounds: Iterable[Iterable[int]], no_limit: bool) -> str:
    """Return the betting string of the rounds begun (the inverse of :func:`parse_betting`)."""
    return "/".join("".join(action_text(action, no_limit) for action in actions) for actions in rounds)


@frozen
class MatchState:
    """One match state: what position ``position`` sees of hand ``hand``.

    ``betting`` is the betting string; ``hole`` has an entry a position (empty: not seen); ``board`` an entry for each
    round after the first that has begun.
    """

    position: int
    hand: int
    betting: str
    hole: tuple[Cards, ...]
    board: tuple[Cards, ...]

    def text(self) -> str:
        """Return the state as a line without its line end."""
        return f"MATCHSTATE:{self.position}:{self.hand}:{self.betting}:{deal_text(self.hole, self.board)}"


def deal_text(hole: Iterable[Cards], board: Iterable[Cards]) -> str:
    """Return hole cards and board as the wire writes them ("5d5c|/8dAs8s/4h")."""
    return "|".join(map(cards_text, hole)) + "".join("/" + cards_text(group) for group in board)


def parse_deal(text: str) -> tuple[tuple[Cards, ...], tuple[Cards, ...]]:
    """Return (hole cards by position, board cards by round after the first) of a card string."""
    private, *groups = text.split("/")
    return tuple(map(parse_cards, private.split("|"))), tuple(map(parse_cards, groups))


def read_match_state(line: str, game: GameDef) -> tuple[MatchState, str]:
    """Return the state that ``line`` begins with, its betting in plain letters, and what follows (":r300\\r\\n").

    Raises:
        DamagedFileError: no match state, or one that does not fit ``game``; the message says what is wrong.
    """
    match = _STATE.match(line)
    if match is None:
        raise DamagedFileError(f"{_short(line)} is not MATCHSTATE:position:hand:betting:cards.")
    position, hand = int(match[1]), int(match[2])
    rounds = parse_betting(match[3], game.no_limit)
    hole, board = parse_deal(match[4])
    counts = [len(cards) for cards in board]
    if position >= game.num_players or len(hole) != game.num_players:
        raise DamagedFileError(f"{_short(line)} does not have the {game.num_players} players of {game.name}.")
    if any(len(cards) not in (0, game.num_hole) for cards in hole):
        raise DamagedFileError(f"{_short(line)} must have {game.num_hole} hole cards a player, or none.")
    if len(rounds) > game.num_rounds or counts != list(game.num_board[1 : len(rounds)]):
        raise DamagedFileError(f"{_short(line)} has betting and board cards that do not fit together.")
    return MatchState(position, hand, betting_text(rounds, game.no_limit), hole, board), line[match.end() :]


def parse_match_state(line: str, game: GameDef) -> MatchState:
    """Return the match state of a whole line (with or without its line end). Raises DamagedFileError."""
    state, rest = read_match_state(line, game)
    if rest.strip():
        raise DamagedFileError(f"{_short(line)} has {_short(rest)} after the match state.")
    return state


def _short(text: str) -> str:
    """Quote foreign text for a message, cut to a readable length."""
    return repr(text if len(text) <= 120 else text[:117] + "...")
