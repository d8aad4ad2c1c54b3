"""Value functions for AIVAT by name: ``equity``, ``played``, or a player that has values."""

from __future__ import annotations

from attrs import frozen, validators

from cardai import make
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.progress import tell
from cardai.core.spec import brief, build, option, parse
from cardai.poker.aivat.played import HANDS, PlayedValues, played_values
from cardai.poker.aivat.values import EquityValues, HasHandValues, StateValues, ValueFunction
from cardai.poker.ranges.hands import hole_cards


@frozen
class PlayedOptions:
    """Options of the values ``played``."""

    opponent: str = option("", holds="agent", help="Who is played against (default: the player itself).")
    hands: int = option(HANDS, help="Hands played.", validator=validators.in_(range(2, 1_000_001)))
    seed: int = option(0, help="The root of their randomness.", validator=validators.ge(0))


def values_named(spec: str | None, game: Game, agent: Agent) -> ValueFunction | Agent | None:
    """Return the value function that ``spec`` names for ``game`` (None: the default of :func:`cardai.solve.aivat.aivat`).

    In games of two hole cards: ``equity``; a player or run that has a method ``hand_values(situation)``; in hold'em also
    ``played`` with its options (:class:`PlayedOptions`), learned from hands of ``agent``, or another player or run, learned
    from hands against itself. In small games any player with a policy.

    Raises:
        UsageError: the game has no such values. SpecError, OptionError, UnknownNameError: a wrong spec.
    """
    if spec is None:
        return None
    parsed = parse(spec)
    if parsed.name not in ("equity", "played"):
        player = make.agent(parsed).for_game(game)
        if player.interactive:
            raise UsageError(f"Values come from a program. {spec} is a person.")
        if hole_cards(game) is None:
            return player
        return StateValues(player.hand_values) if isinstance(player, HasHandValues) else _learned(game, player)
    if hole_cards(game) is None or game.num_players != 2:
        raise UsageError(
            f"The values {parsed.name!r} are of two-player games of two hole cards, and {brief(game)} is none: name a player or a run."
        )
    if parsed.name == "equity":
        made: ValueFunction = build(EquityValues, parsed.values(), "The values 'equity'")
        return made
    options = build(PlayedOptions, parsed.values(), "The values 'played'")
    opponent = make.agent(options.opponent) if options.opponent else None
    return _learned(game, agent, opponent, options.hands, options.seed)


def named_now(spec: str | None) -> list[str]:
    """Return what tells the values that ``spec`` names from others: a run that is trained on has others tomorrow."""
    if spec is None:
        return []
    parsed = parse(spec)
    opponent = parsed.values().get("opponent", "") if parsed.name == "played" else ""
    return [make.spec_now(one) for one in (spec, str(opponent)) if one]


def _learned(
    game: Game, agent: Agent, opponent: Agent | None = None, hands: int | None = None, seed: int = 0
) -> PlayedValues:
    """Return values learned from play, with progress."""
    return played_values(
        game,
        agent,
        opponent,
        hands=hands or HANDS,
        seed=seed,
        progress=lambda done, total: tell("learning values from play", done, total),
    )
