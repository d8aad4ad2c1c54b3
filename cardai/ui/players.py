"""Who can play a game: the agents and trained runs that fit it, each with a line about itself and its measured strength."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

from attrs import frozen

from cardai import make
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.discovery import Entry
from cardai.core.errors import CardaiError
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.ui.strength import Strength, known_strengths, levels

RUNS = "runs"
"""The folder, in the working directory, whose trained runs are offered."""


@frozen
class Player:
    """A player that fits: its spec, a line about it, and its strength where it was measured."""

    spec: str
    about: str
    strength: Strength | None = None


@frozen
class Offered:
    """A game that can be played: its spec, what people call it, a line about it, and whether it stands behind "more"."""

    spec: str
    title: str
    about: str
    more: bool = False


FIRST = (
    *("gin", "holdem_nolimit", "holdem_limit", "video_poker", "omaha", "short_deck", "triple_draw"),
    *("liars_dice", "leduc", "kuhn"),
)
"""The built-in games as people would look for them; others' stand behind these, then presets and what else there is."""


ABOUT = {
    "gin": "For two, to 100 points: make melds, knock when little is left over.",
    "holdem_nolimit": "Two cards each, five on the board, any bet up to all you have. Two to ten seats.",
    "holdem_limit": "Two cards each, five on the board, bets and raises of fixed sizes. Two to ten seats.",
    "video_poker": "Jacks or better: five cards, hold what you like, draw once.",
    "omaha": "Four cards each, of which exactly two play; the pot is the most that can be bet.",
    "short_deck": "Hold'em without the cards below six: a flush beats a full house.",
    "triple_draw": "Five cards and three draws; the lowest hand wins, and 2-3-4-5-7 is the best.",
    "liars_dice": "Everybody rolls in secret; bids on all dice rise until somebody says liar.",
    "leduc": "Hold'em made small: six cards, one each and one on the board, two rounds of bets.",
    "kuhn": "Three cards, one each, one bet: the smallest game in which bluffing pays.",
}
"""A line for those who play about each game of :data:`FIRST`; lists of plugins have one for those who build with it."""
TITLES = {
    "acpc_limit_2p": "ACPC limit hold'em for two",
    "acpc_limit_3p": "ACPC limit hold'em for three",
    "acpc_nolimit_2p": "ACPC no-limit hold'em for two",
    "acpc_nolimit_3p": "ACPC no-limit hold'em for three",
    "acpc_nolimit_6p": "ACPC no-limit hold'em for six",
    "holdem": "Heads-up no-limit hold'em",
    "holdem_fcpa": "Hold'em with few bets (FCPA)",
    "holdem_spot": "A spot of hold'em",
    "leduc_deepstack": "No-limit Leduc (DeepStack)",
    "leduc_rlcard": "Leduc by RLCard's rules",
    "leduc_thesis": "Leduc with blinds (Joos)",
    "openspiel": "OpenSpiel's games",
    "plo": "Pot-limit Omaha",
    "plo5": "Pot-limit Omaha, five cards",
    "plo6": "Pot-limit Omaha, six cards",
    "poker_cnn_limit": "Poker-CNN's limit hold'em",
    "short_deck_button": "Short deck with a button blind",
}
"""What presets and variants of ours are called behind "more"."""


def games() -> list[Offered]:
    """Return every game that is installed; presets, and games that nobody calls anything, stand behind "more".

    A game that needs options, or whose plugin cannot be loaded, is left out.
    """
    found = []
    for entry in registry.entries("game"):
        title = _title(entry.name) if entry.status == "ok" else None
        if title is not None:
            ours = entry.distribution == "cardai"
            more = bool(entry.preset_of) or (ours and entry.name not in FIRST)
            shown = (not more and title) or (ours and TITLES.get(entry.name)) or called(entry.name)
            about = (ours and ABOUT.get(entry.name)) or _about(entry)
            found.append(Offered(entry.name, shown, about, more))
    return sorted(found, key=lambda game: (game.more, FIRST.index(game.spec) if game.spec in FIRST else len(FIRST)))


def called(name: str) -> str:
    """Return a plugin's name as a title: "my_game" is "My game"."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


@cache
def _titles() -> dict[str, str]:
    return {game.spec: game.title for game in games()}


def known_as(spec: str) -> str:
    """Return what people call the game of a spec that need not be made: what is installed is looked up by its name."""
    return _titles().get(spec) or _titles().get(spec.partition(":")[0]) or called(spec.partition(":")[0])


def against(names: Iterable[str]) -> str:
    """Return opponents in a line, each name once: "simple, threshold in 4 seats"."""
    return ", ".join(name if count == 1 else f"{name} in {count} seats" for name, count in Counter(names).items())


def title_of(game: Game, spec: str) -> str:
    """Return what people call a game, whose spec this is."""
    return game.title or called(spec.partition(":")[0])


def _title(game: str) -> str | None:
    """Return what a game says that it is called, None where it cannot be made."""
    try:
        return make.game(game).title
    except (CardaiError, ImportError, OSError):
        return None


def fitting(game: Game, spec: str) -> list[Player]:
    """Return the programs that play ``game``, whose spec is ``spec``: agents and runs in ``runs/``, the strongest first.

    One that another name stands for too (an agent of the same class with the same options) is there once. An agent that needs options, or whose plugin cannot be loaded, is
    left out; who was not measured stands behind those who were.
    """
    strengths = known_strengths(spec)
    found: list[Player] = []
    known: list[Agent] = []
    for entry in _by_generality(registry.entries("agent")):
        if entry.status == "ok" and _fits(entry.name, game):
            agent = make.agent(entry.name)
            if all(type(other) is not type(agent) or other != agent for other in known):
                known.append(agent)
                found.append(Player(entry.name, _about(entry), strengths.get(entry.name)))
    names = {player.spec for player in found}
    for name in levels(strengths):
        agent_name = name.partition(":")[0]  # what was measured here stands in a file, which may name anything
        if agent_name in names and _fits(name, game):
            found.append(Player(name, f"{agent_name}, {_written(name)}", strengths[name]))
    for run in sorted(Path(RUNS).glob("*/run.json")):
        name = f"{RUNS}/{run.parent.name}"
        if _fits(name, game):
            found.append(Player(name, "a trained run", strengths.get(name)))
    return sorted(found, key=_standing)


def _standing(player: Player) -> tuple[bool, int, float, str]:
    """Return what players are sorted by: measured ones first, by their level, then the strongest, then by name."""
    strength = player.strength
    return strength is None, strength.rank if strength else 0, -strength.mean if strength else 0.0, player.spec


def _written(spec: str) -> str:
    """Return a spec's options: "level=weak"."""
    return spec.partition(":")[2].replace(",", ", ")


def _by_generality(entries: Iterable[Entry]) -> list[Entry]:
    """Return presets before the general plugins whose options they name."""
    return sorted(entries, key=lambda entry: (not entry.preset_of, entry.name))


def surprise(players: Sequence[Player], seed: int) -> str:
    """Return one of ``players`` drawn by ``seed``: of the better half of those that were measured, if any were."""
    measured = [player for player in players if player.strength is not None]
    among = measured[: max(1, (len(measured) + 1) // 2)] or list(players)
    return among[derive(seed, "surprise") % len(among)].spec


AT_ONCE = {"holdem": "nolimit_resolving"}
"""Games by whose name one sits down against a player of the box, without being asked against whom."""
STRONG = ("champion", "nolimit_resolving", "limit_resolving")
"""Who is pointed at first, where it plays the game and whatever a ladder of quick players says."""
SEARCH = "ismcts"
"""Who is pointed at where nobody was measured: it plays every game that can draw the cards that it does not see."""


def strong(players: list[Player]) -> int:
    """Return the place in ``players``, who stand as on a ladder, of the opponent that is pointed at first: a champion, else the
    best that was measured, else the search that plays any game."""
    specs = [player.spec for player in players]
    named = next((specs.index(name) for name in STRONG if name in specs), None)
    if named is not None:
        return named
    measured = any(player.strength for player in players[:1])
    return 0 if measured or SEARCH not in specs else specs.index(SEARCH)


def at_once(game: str) -> str:
    """Return whom one sits down against at once who names ``game`` alone; "" where one chooses, as where it is not installed."""
    spec = AT_ONCE.get(game, "")
    here = any(entry.name == spec and entry.status == "ok" for entry in registry.entries("agent"))
    return spec if here else ""


_ALONE = Lock()


def _fits(spec: str, game: Game) -> bool:
    with _ALONE, warnings.catch_warnings():  # filters are one list for all threads of a page's server
        warnings.simplefilter("ignore", UserWarning)  # whoever sits down against it is told then
        try:
            agent = make.agent(spec)
            agent.check_game(game)
            return not agent.interactive
        except (CardaiError, ImportError, OSError):
            return False


def _about(entry: Entry) -> str:
    """Return a line about a plugin; of a preset that says nothing of itself, what options it has."""
    options = "" if entry.preset_line() else _options(entry)
    return f"{entry.preset_of} with {options}" if options else entry.summary()


def _options(entry: Entry) -> str:
    """Return a preset's options: "draw=immediate, knock=rules"; nothing of a general plugin, which is not imported."""
    if not entry.preset_of:
        return ""
    try:
        options: Mapping[str, object] = registry.load(entry.kind, entry.name)[1]
    except CardaiError:
        return ""
    return ", ".join(f"{key}={_value(value)}" for key, value in options.items())


def _value(value: object) -> str:
    return "+".join(str(v) for v in value) if isinstance(value, (tuple, list)) else str(value)
