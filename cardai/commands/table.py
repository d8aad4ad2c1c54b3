"""The map of commands: cardai's own, and those that plugins bring."""

from __future__ import annotations

from attrs import frozen

from cardai.core import registry
from cardai.core.errors import PluginError
from cardai.core.registry import Entry

PLAY, LOOK, LEARN, PLUG, WIRE = "Play", "Look at", "Learn and measure", "Write plugins", "Other programs"
FROM_PLUGINS = "From plugins"


@frozen
class Command:
    """One line of the map: ``target`` is module:attribute inside ``cardai.commands``; ``panel`` its place in the help."""

    target: str
    help: str
    panel: str
    members: tuple[str, ...] = ()
    """Names of functions in the module that are commands of this group, if it is one and the module has no Typer."""

    @property
    def module(self) -> str:
        return f"cardai.commands.{self.target.partition(':')[0]}"


COMMANDS = {
    "play": Command("play:play", "Play yourself, in the terminal or in the browser.", PLAY),
    "run": Command("run:run", "Play games between two agents and report who is better, with an interval.", PLAY),
    "tournament": Command("tournament:tournament", "Play every pair of several agents and print the crosstable.", PLAY),
    "replay": Command("replay:replay", "Step through a recorded hand, with its cards drawn.", PLAY),
    "review": Command("review:review", "Grade a player's decisions: what each cost, the dearest first.", PLAY),
    "matches": Command(
        "matches:matches", "Your matches: a list to search, what they come to, your data out or away.", PLAY
    ),
    "drill": Command("drill:drill", "Meet your dearest mistakes again, graded at once.", PLAY),
    "list-plugins": Command(
        "list_plugins:list_plugins", "List games, encoders, agents, trainers, watchers, commands and formats.", LOOK
    ),
    "describe": Command("describe:describe", "Show a plugin's rules, options, fields and actions.", LOOK),
    "inspect": Command("inspect:inspect", "Look through a file from somebody else before it is used.", LOOK),
    "buckets": Command("buckets:buckets", "Show which hands of hold'em an abstraction treats alike.", LOOK),
    "train": Command("train:train", "Train or solve, into a directory that can be resumed and played.", LEARN),
    "sweep": Command("sweep:sweep", "Train over several options and seeds, in processes or on a Ray cluster.", LEARN),
    "plot": Command("plot:plot", "Draw the learning curves of trained runs.", LEARN),
    "export": Command("export:export", "Write a player's policy as a table: CSV, JSON or Parquet.", LEARN),
    "evaluate": Command("evaluate:evaluate", "Measure a player exactly: exploitability, best response.", LEARN),
    "solve": Command(
        "solve:solve", "Solve a spot of hold'em over ranges: how often to bet what, and its worth.", LEARN
    ),
    "range": Command("range:show_range", "Show, count, combine and convert ranges of hold'em.", LOOK),
    "spot": Command(
        "spot:spot", "Read a solved spot: hands by what they are, all next cards, the tree as a file.", LEARN
    ),
    "report": Command("report:report", "Solve one spot on many flops: a row a flop, and the weighted mean.", LEARN),
    "flops": Command("report:flops", "Show few flops that stand for all 1,755, with their weights.", LEARN),
    "preflop": Command("preflop:preflop", "Play before the flop for two to nine: charts shown, or solved anew.", LEARN),
    "library": Command("library:library", "List a library's solved spots, and keep ranges in it by position.", LEARN),
    "situations": Command(
        "situations:situations", "Solve many situations over ranges, for value networks to learn from.", LEARN
    ),
    "new": Command("new:new", "Write a ready plugin package, with a test, to start from.", PLUG),
    "check": Command("check:check", "Run the conformance checks on an installed plugin.", PLUG),
    "acpc": Command(
        "acpc:acpc", "The poker competition's dealer, players and matches.", WIRE, ("dealer", "play", "match")
    ),
    "match": Command(
        "match:match", "Play against Slumbot, or in GTO Wizard's benchmark.", WIRE, ("slumbot", "gtowizard")
    ),
    "convert": Command("convert:convert", "Convert hand records between formats.", WIRE),
}


def plugin_commands() -> dict[str, Entry]:
    """Return the commands that plugins bring, by name, without importing any; one that has the name of ours is none."""
    return {entry.name: entry for entry in registry.entries("command") if entry.name not in COMMANDS}


def own_name(entry: Entry) -> str:
    """Return what is wrong with a plugin's command that has the name of one of ours, or nothing."""
    taken = entry.kind == "command" and entry.name in COMMANDS
    return f"duplicate: cardai has a command {entry.name!r} itself, which is called instead" if taken else ""


def refuse_own_name(entry: Entry) -> None:
    """Raise PluginError, naming both, where a plugin's command has the name of one of ours."""
    if own_name(entry):
        raise PluginError(
            f"The command {entry.name!r} of {entry.distribution!r} has the name of a command of cardai itself. Rename it."
        )
