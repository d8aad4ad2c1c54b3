"""Poker hand histories (PHH, arXiv 2312.11753), written by PokerKit from hands of the competition's logs."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from cardai.core.errors import PluginError, UsageError
from cardai.formats.acpc.gamedef import UNLIMITED, GameDef
from cardai.formats.acpc.logs import Log, Problem
from cardai.formats.acpc.nodes import Tree
from cardai.formats.acpc.records import checked

_DEEP = 1000  # big bets in a stack that the game does not limit: PHH wants a number


def log_to_phh(log: Log) -> list[Any]:
    """Return each hand as PokerKit's HandHistory; hands that cannot be written join ``log.problems``.

    Raises:
        PluginError: PokerKit is not installed. UsageError: not hold'em with the usual blinds and sizes.
    """
    try:
        from pokerkit.notation import HandHistory
    except ImportError as error:
        raise PluginError(
            "PHH is written by PokerKit, which is not installed. Run: pip install 'cardai[phh]'"
        ) from error
    definition = log.game()
    game, stack = _pokerkit_game(definition)
    tree = Tree(definition)
    histories: list[Any] = []
    for hand in log.hands:
        line = evolve(hand, time="").text() + "\n"
        try:
            checked(tree, hand)
            histories += HandHistory.from_acpc_protocol(game, stack, line, error_status=True)
        except Exception as error:  # PokerKit raises what it likes
            log.problems.append(Problem(0, f"hand {hand.hand} cannot be written as PHH: {error}"))
    return histories


def phh_text(histories: list[Any]) -> str:
    """Return histories as the text of a file: one hand as it is (.phh), several as numbered tables (.phhs)."""
    if len(histories) == 1:
        return str(histories[0].dumps())
    from pokerkit.notation import HandHistory

    return str(HandHistory.dumps_all(histories))


def _pokerkit_game(definition: GameDef) -> tuple[Any, int]:
    """Return PokerKit's game of a definition, and the starting stack."""
    from pokerkit import FixedLimitTexasHoldem, NoLimitTexasHoldem

    n, sizes = definition.num_players, definition.raise_size
    reverse = n == 2 and definition.first_player[0] == 1
    usual = (definition.num_hole, definition.num_board, definition.num_suits, definition.num_ranks) == (
        2,
        (0, 3, 1, 1),
        4,
        13,
    )
    ordinary = len(set(definition.stack)) == 1 and (n > 2 or reverse)
    if not usual or not ordinary or (sizes and (sizes[0] != sizes[1] or sizes[2] != sizes[3])):
        raise UsageError(f"PHH has no variant for {definition.name}: hold'em with two bet sizes or no-limit is known.")
    blinds = definition.blind[::-1] if reverse else definition.blind
    stack = definition.stack[0] if definition.stack[0] < UNLIMITED else _DEEP * sizes[-1]
    if definition.no_limit:
        return NoLimitTexasHoldem((), True, 0, blinds, max(blinds)), stack
    return FixedLimitTexasHoldem((), True, 0, blinds, sizes[0], sizes[2]), stack
