"""Which game of cardai a game definition describes, and the way back: specs, cards, seats.

Positions of the competition become seats of cardai by a rotation that the caller chooses; the button of cardai's hold'em
is the last position, Leduc's "button" (whoever starts) the first.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from cardai.core import registry
from cardai.core.errors import SpecError, UsageError, nearest
from cardai.core.game import Game
from cardai.core.spec import Spec, options_of, parse, write_value
from cardai.formats.acpc.gamedef import MAX_ACTIONS, MAX_HOLE, NO_CAP, UNLIMITED, GameDef, game_names, load_game
from cardai.formats.acpc.states import CALL, FOLD, RAISE
from cardai.poker.contract import FRENCH, HIGH, PAIR, BoardGame, board_game, described
from cardai.poker.rules.growing_tree import BettingNode

_BOARD = (0, 3, 1, 1)


@frozen
class GameMap:
    """A game definition and the game of cardai that it is. ``starter`` is the position whose seat is the button."""

    definition: GameDef
    spec: str
    game: Game = field(eq=False)
    starter: int

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Cardai's number of each card of the competition (-1: not in the deck)."""
        if self.definition.num_hole == 2:
            return tuple(range(52))
        low = 13 - self.definition.num_ranks
        return tuple(2 * (card % 13 - low) + 3 - card // 13 if card in self._deck else -1 for card in range(52))

    @cached_property
    def _deck(self) -> frozenset[int]:
        return frozenset(self.definition.deck())

    @cached_property
    def wire_cards(self) -> dict[int, int]:
        """The competition's card of each of cardai's."""
        return {ours: card for card, ours in enumerate(self.cards) if ours >= 0}

    @property
    def ante(self) -> int:
        """What cardai's game calls an ante and the definition a blind."""
        return self.board_game.betting.ante

    @property
    def board_game(self) -> BoardGame:
        """The game as what it declares. Raises UsageError where it declares nothing (Kuhn poker)."""
        said = board_game(self.game)
        if said is None:
            raise UsageError(f"The game {self.spec!r} has no betting over a board.")
        return said

    def game_action(self, node: BettingNode, action: int) -> int:
        """Return the game's action that ``action`` of the wire is at ``node``."""
        return action

    def outcome(self, last: BettingNode) -> dict[str, Any]:
        """Return what a record notes of a hand whose betting ended at ``last``."""
        before = last.parent
        return {"showdown": last.contested, "round": before.round if before else 0, "pot": sum(last.row["spent"])}


@frozen
class KuhnMap(GameMap):
    """Kuhn poker. A pass is a check or a fold, a bet a raise or a call; cards are the highest of spades."""

    @cached_property
    def cards(self) -> tuple[int, ...]:
        low = 52 - self.definition.num_ranks
        return (-1,) * low + tuple(range(self.definition.num_ranks))

    def game_action(self, node: BettingNode, action: int) -> int:
        return int(action == (CALL if node.can_fold else RAISE))

    def wire_action(self, node: BettingNode, chosen: int) -> int:
        """Return the action of the wire that ``chosen`` (0 pass, 1 bet) is at ``node``."""
        if chosen not in (0, 1):
            return chosen
        return ((FOLD, CALL) if node.can_fold else (CALL, RAISE))[chosen]

    def outcome(self, last: BettingNode) -> dict[str, Any]:
        return {}


def game_map(definition: GameDef, spec: str = "") -> GameMap:
    """Return the game of cardai that ``definition`` is; ``spec`` names it where it could be another (a bet ladder's).

    Raises:
        UsageError: cardai has no such game, or ``spec`` is another one; the message says what differs.
    """
    spec = spec or _spec_of(definition)
    game = registry.create("game", spec)
    if _is_kuhn(game):
        if evolve(definition, name="") != kuhn_definition(game.num_players):
            raise UsageError(f"The game {spec!r} is not {definition.name}: Kuhn poker is another.")
        return KuhnMap(definition, spec, game, 0)
    said = board_game(game)
    if said is None:
        raise UsageError(f"The game {spec!r} is no betting game, so it cannot be {definition.name}.")
    betting, cards = said.betting, _cards(said, spec)
    compared: list[tuple[str, Any, Any]] = [
        ("players", game.num_players, definition.num_players),
        ("suits and ranks", cards[:2], (definition.num_suits, definition.num_ranks)),
        ("hole cards", cards[2], definition.num_hole),
        ("cards of the board", cards[3], definition.num_board),
        ("no-limit", betting.no_limit, definition.no_limit),
        ("blinds", tuple(blind + betting.ante for blind in betting.blinds), definition.blind),
        ("first players", betting.first, definition.first_player),
        ("stacks", said.stacks, definition.stack),
    ]
    if not definition.no_limit:
        compared.append(("raise sizes", betting.raise_sizes, definition.raise_size))
        compared.append(("raises allowed", _capped(betting.max_raises), _capped(definition.max_raises)))
    for name, one, other in compared:
        if one != other:
            raise UsageError(f"The game {spec!r} is not {definition.name}: its {name} are {one}, not {other}.")
    return GameMap(definition, spec, game, -betting.offset % game.num_players)


def _capped(raises: tuple[int, ...]) -> tuple[int, ...]:
    """Return caps as far as they matter: a round has at most 64 actions."""
    return tuple(min(cap, MAX_ACTIONS - 4) for cap in raises)


def _spec_of(definition: GameDef) -> str:
    if len(set(definition.stack)) > 1:
        raise UsageError(f"cardai's agents play with equal stacks. {definition.name} has {definition.stack}.")
    kind = (definition.num_hole, definition.num_board, definition.num_suits, definition.num_ranks)
    if kind == (2, _BOARD, 4, 13):
        return _holdem_spec(definition)
    if kind == (1, (0, 1), 2, definition.num_players + 1) and not definition.no_limit:
        return _leduc_spec(definition)
    if evolve(definition, name="") == kuhn_definition(definition.num_players):
        return _written("kuhn", {"players": definition.num_players})
    raise UsageError(
        f"cardai has no game that {definition.name} describes: hold'em (limit and no-limit), limit Leduc and Kuhn poker "
        "are known. The dealer deals it all the same."
    )


def _is_kuhn(game: Game) -> bool:
    return parse(registry.spec_of(game)).name == "kuhn"


def kuhn_definition(players: int, name: str = "") -> GameDef:
    """Return the definition of Kuhn poker: everybody antes one, one bet of one, a card each of players + 1."""
    return GameDef(
        betting="limit",
        num_players=players,
        num_rounds=1,
        stack=(UNLIMITED,) * players,
        blind=(1,) * players,
        raise_size=(1,),
        first_player=(0,),
        max_raises=(1,),
        num_suits=1,
        num_ranks=players + 1,
        num_hole=1,
        num_board=(0,),
        name=name,
    )


def _holdem_spec(definition: GameDef) -> str:
    n, blinds = definition.num_players, definition.blind
    reverse = n == 2 and definition.first_player[0] == 1
    posted = blinds[::-1] if reverse else blinds[: max((k + 1 for k in range(n) if blinds[k]), default=1)]
    options: dict[str, Any] = {"players": n, "blinds": posted, "reverse_blinds": reverse or n > 2}
    if definition.no_limit:
        return _written("holdem_nolimit", {**options, "stack": (definition.stack[0],)})
    options |= {"raise_sizes": definition.raise_size, "max_raises": _capped(definition.max_raises)}
    return _written("holdem_limit", options | _limit_stacks(definition))


def _leduc_spec(definition: GameDef) -> str:
    blinds = definition.blind
    posted = blinds[: max((k + 1 for k in range(len(blinds)) if blinds[k]), default=1)]
    same = len(set(blinds)) == 1
    options = {
        "players": definition.num_players,
        "ante": blinds[0] if same else 0,
        "blinds": () if same else posted,
        "raise_sizes": definition.raise_size,
        "max_raises": definition.max_raises,
    }
    return _written("leduc", options | _limit_stacks(definition))


def _limit_stacks(definition: GameDef) -> dict[str, Any]:
    """Return the options of a limit game's stacks; with two players no raise can be empty."""
    stack = definition.stack[0] % UNLIMITED
    return {"stack": stack, "empty_raises": bool(stack) and definition.num_players > 2}


def _written(name: str, options: dict[str, Any]) -> str:
    """Return the spec with those options that are not the game's defaults anyway."""
    known = options_of(registry.load("game", name)[0])
    return str(Spec(name, tuple((k, write_value(v)) for k, v in options.items() if v != known[k].default)))


def find_definition(name: str) -> tuple[str, GameDef]:
    """Return a definition and what it is called: that of a file, a shipped one, or of a game of cardai (``acpc_limit_2p``).

    A game of cardai that is a shipped definition's is called by the latter's name.

    Raises:
        UsageError: there is none of that name, or the competition's files cannot describe the game.
        DamagedFileError: the file is wrong.
    """
    shipped = game_names()
    if os.path.isfile(name) or Path(name).name.removesuffix(".game") in shipped:
        return name, load_game(name)
    games = [entry.name for entry in registry.entries("game")]
    try:
        known = parse(name).name in games
    except SpecError:
        known = False
    if not known:
        raise UsageError(
            f"There is no game definition file {name!r}.{nearest(name, [*shipped, *games])} Give a file, a game of cardai, "
            f"or one of: {', '.join(shipped)}."
        )
    definition = definition_of(registry.create("game", name), name)
    for other in shipped:
        if load_game(other) == evolve(definition, name=load_game(other).name):
            return other, load_game(other)
    return name, definition


def definition_of(game: Game, name: str) -> GameDef:
    """Return the game definition of a game of cardai.

    Raises:
        UsageError: the competition's files cannot describe it; the message says why.
    """
    if _is_kuhn(game):
        return kuhn_definition(game.num_players, name)
    said = board_game(game)
    if said is None:
        raise UsageError(f"The game {name!r} has no hole cards and board: ACPC cannot describe it.")
    suits, ranks, held, board = _cards(said, name)
    betting = said.betting
    if len(set(said.stacks)) > 1:
        raise UsageError(
            f"The game {name!r} has unequal stacks: ACPC's game definitions have them, cardai's agents not."
        )
    if betting.fold_anytime or min(betting.first) < 0 or said.action_mapping:
        raise UsageError(f"The game {name!r} has rules that ACPC's game definitions cannot express (folds, order).")
    return GameDef(
        betting="nolimit" if betting.no_limit else "limit",
        num_players=said.num_players,
        num_rounds=betting.num_rounds,
        stack=said.stacks,
        blind=tuple(blind + betting.ante for blind in betting.blinds),
        raise_size=() if betting.no_limit else betting.raise_sizes,
        first_player=betting.first,
        max_raises=tuple(NO_CAP if cap >= NO_CAP else cap for cap in betting.max_raises),
        num_suits=suits,
        num_ranks=ranks,
        num_hole=held,
        num_board=board,
        name=name,
    )


def _cards(said: BoardGame, name: str) -> tuple[int, int, int, tuple[int, ...]]:
    """Return suits, ranks, hole cards and the board's cards by round of a game that the competition's dealer can play.

    Raises:
        UsageError: it deals other cards, compares them in another way, or has other bets; the message says so.
    """
    board = tuple(later - earlier for earlier, later in zip((0, *said.board), said.board, strict=False))
    betting, held = said.betting, said.hole.count
    if (
        betting.pot_limit
        or betting.full_blinds
        or betting.completes
        or any(betting.dead)
        or (betting.no_limit and 0 < betting.minimum_bet < max(betting.blinds))
    ):
        raise UsageError(
            f"ACPC's dealer cannot play {name!r}: it knows no pot limit, no ante of one seat for all, no other dead chips, and "
            "no blind above the least bet (a straddle) or larger than what its seat posted."
        )
    if said.deck == FRENCH and said.ranking == HIGH and not said.hole.playing and held <= MAX_HOLE:
        return 4, 13, held, board
    if said.ranking == PAIR and len(said.deck.cards) == 2 * (said.num_players + 1):
        return 2, said.num_players + 1, held, board
    raise UsageError(
        f"ACPC's dealer cannot play {name!r} ({described(said)}): it deals 52 cards and compares the best five of all that "
        "a seat sees, as in hold'em, or Leduc's cards and pairs."
    )
