"""``cardai describe KIND NAME``: everything a person needs to know before using a plugin."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from cardai.commands.invocation import Json, out, print_json
from cardai.commands.list_plugins import known_kind
from cardai.core.errors import CardaiError

if TYPE_CHECKING:
    from cardai.core.console import Console
    from cardai.core.format import Format
    from cardai.core.game import Game
    from cardai.core.spec import Spec

ACTIONS_SHOWN = 64
"""A game's action ids are listed in full up to this many; of more, the first ones and the last four are."""


Kind = Annotated[
    str, typer.Argument(metavar="KIND", help="game, encoder, agent, trainer, watcher or format.", show_default=False)
]
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The plugin, with options if they matter (gin:target=50); or a run.",
        show_default=False,
    ),
]
GameOption = Annotated[
    str | None, typer.Option("--game", "-g", metavar="GAME", help="Say how an encoder or agent takes this game.")
]


def describe(
    kind: Kind,
    name: Name,
    game: GameOption = None,
    json: Json = False,
) -> None:
    """Show a plugin: what it is, its options with defaults, a game's rules, view fields and actions, an encoder's planes."""
    about = gather(known_kind(kind), name, game)
    if json:
        print_json(about)
    else:
        _print(about)


def gather(kind: str, name: str, game: str | None = None) -> dict[str, Any]:
    """Return all that is known about a plugin, as plain values."""
    from cardai.core import registry
    from cardai.core.spec import parse

    spec = parse(name)
    if kind == "agent" and spec.is_run:
        return _about_run(spec)
    entry = registry.find(kind, spec.name)
    about: dict[str, Any] = {
        "kind": kind,
        "name": spec.name,
        "spec": str(spec),
        "summary": entry.summary(),
        "distribution": f"{entry.distribution} {entry.version}".strip(),
        "module": entry.module,
    }
    if kind in ("watcher", "command"):
        return about
    cls, preset = registry.load(kind, spec.name)
    about["doc"] = inspect.cleandoc(cls.__doc__ or "")  # its own, not its base's
    if entry.preset_of:
        about["preset_of"] = entry.preset_of
    given = {**preset, **spec.values()}
    about["options"] = _options(cls, given)
    about["preset_lines"] = {e.name: e.preset_line() for e in registry.entries(kind) if e.preset_of == spec.name}
    about["presets"] = {} if entry.preset_of else {k: _plain(dict(v)) for k, v in getattr(cls, "presets", {}).items()}
    try:
        plugin = registry.create(kind, spec)
    except CardaiError:
        if spec.options:
            raise
        about["needs_options"] = True  # an option without a default: the class can be described, not an instance
        return about
    about.update(_BY_KIND[kind](plugin, game))
    return about


def _about_run(spec: Spec) -> dict[str, Any]:
    """Return what is known of a trained run that is named as an agent."""
    from pathlib import Path

    from cardai.training.runs import Run, run_agent

    run = Run.open(Path(spec.name))
    if spec.options:
        run_agent(spec)  # refuses what is no option of it
    steps = run.steps()
    step = int(spec.values().get("step", steps[-1] if steps else 0))
    rows = [row for row in run.read_metrics() if steps and row["step"] <= step]  # of what can be played
    return {
        "kind": "agent",
        "name": spec.name,
        "spec": str(spec),
        "summary": "A trained run: this directory is an agent of the game it was trained on.",
        "distribution": "trained run",
        "module": run.id,
        "trainer": run.trainer_spec,
        "game": run.game_spec,
        "encoder": run.encoder_spec,
        "seed": run.seed,
        "steps": step,
        "checkpoints": steps,
        "step_unit": run.trainer().step_unit,
        "agent_options": dict(run.trainer().agent_options()),
        "metrics": rows[-1] if rows else {},
    }


def _options(cls: type, given: dict[str, Any]) -> list[dict[str, Any]]:
    import attrs

    from cardai.core.spec import options_of, type_name

    known = options_of(cls)
    hints = get_type_hints(cls) if known else {}
    rows = []
    for name, attribute in known.items():
        default: Any = attribute.default
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = default.factory()
        row = {"name": name, "type": type_name(hints[name]), "help": attribute.metadata.get("help", "")}
        if default is not attrs.NOTHING:
            row["default"] = _plain(default)
        if name in given:
            row["value"] = _plain(given[name])
        rows.append(row)
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _about_game(game: Game, _: str | None) -> dict[str, Any]:
    from cardai.arena.display import flowing

    fields = [_field(f) for f in game.view_fields]
    count = game.num_distinct_actions
    first = ACTIONS_SHOWN - 4 if count <= 1024 else 4  # beyond that they are amounts
    shown = range(count) if count <= ACTIONS_SHOWN else [*range(first), *range(count - 4, count)]
    return {
        "rules": flowing(game.rules),
        "num_players": game.num_players,
        "unit": game.unit,
        "measure": game.measure,
        "num_distinct_actions": count,
        "num_chance_outcomes": game.num_chance_outcomes,
        "families": [family.name for family in game.families],
        "actions": {str(action): game.action_to_string(action) for action in shown},
        "view_fields": fields,
        "outcome_fields": [_field(f) for f in game.outcome_fields],
    }


def _field(f: Any) -> dict[str, Any]:
    plain = {"name": f.name, "kind": f.kind, "size": f.size, "maximum": f.maximum, "unit": f.unit, "doc": f.meaning}
    return plain | {"role": f.role, "scope": f.scope, "labels": list(f.labels)}


def _about_agent(agent: Any, game: str | None) -> dict[str, Any]:
    from cardai.core import registry

    about = {"has_policy": agent.has_policy(), "stateful": agent.stateful, "interactive": agent.interactive}
    if game is not None:
        agent.for_game(registry.create("game", game))
        about["plays"] = game
    return about


def _about_encoder(encoder: Any, game: str | None) -> dict[str, Any]:
    from cardai.core import registry

    if game is None:
        return {"hint": "Add --game GAME to see the planes that a game gets."}
    layout = encoder.for_game(registry.create("game", game))
    planes = [{"name": p.name, "where": p.where, "meaning": p.meaning, "scale": p.scale} for p in layout.planes]
    return {"game": game, "shape": list(layout.shape), "lossless": bool(layout.lossless), "planes": planes}


def _about_trainer(trainer: Any, _: str | None) -> dict[str, Any]:
    return {
        "step_unit": trainer.step_unit,
        "needs_encoder": trainer.needs_encoder,
        "agent_options": dict(trainer.agent_options()),
    }


def _about_format(format_: Format, _: str | None) -> dict[str, Any]:
    from cardai.core.format import Format

    writes = type(format_).write is not Format.write
    return {"suffixes": list(format_.suffixes), "writes": writes}


_BY_KIND: dict[str, Callable[[Any, str | None], dict[str, Any]]] = {
    "game": _about_game,
    "agent": _about_agent,
    "encoder": _about_encoder,
    "trainer": _about_trainer,
    "format": _about_format,
}


def _print(about: dict[str, Any]) -> None:
    from rich.text import Text

    console = out()
    title = Text(f"{about['kind']} ").append(about["spec"], style="bold")
    if about.get("preset_of"):
        title.append(f", a preset of {about['preset_of']}")
    console.print(title.append(f"  ({about['distribution']}, {about['module']})", style="dim"))
    body = about.get("rules") or about.get("doc") or about["summary"]
    if about["summary"] and about["summary"] not in body:
        console.print(Text(about["summary"]))
    console.print()
    console.print(Text(body))
    _print_facts(console, about)
    if "options" in about:
        _print_options(console, about["options"])
    for name, options in about.get("presets", {}).items():
        text = ",".join(f"{key}={_text(value)}" for key, value in options.items())
        console.print(Text.assemble("  preset ", (name, "bold"), f" = {about['name']}:{text}" if text else ""))
        if about["preset_lines"].get(name):
            console.print(Text("    " + about["preset_lines"][name]))
    _rows(console, "Planes", about.get("planes"), ("name", "where", "meaning", "scale"))
    columns = ("name", "kind", "size", "maximum", "unit", "role", "scope", "doc")
    _rows(console, "What a view holds", about.get("view_fields"), columns)
    _rows(
        console,
        "Noted of each hand",
        about.get("outcome_fields"),
        ("name", "kind", "maximum", "unit", "doc"),
    )
    _print_actions(console, about)
    if "hint" in about:
        console.print(Text("\n" + about["hint"], style="dim"))


def _print_facts(console: Console, about: dict[str, Any]) -> None:
    from rich.text import Text

    lines = []
    if about["kind"] == "game" and "num_players" in about:
        decides = "games won" if about["measure"] == "wins" else f"the mean return a hand, in {about['unit']}"
        seats = f"{about['num_players']} players" if about["num_players"] > 1 else "1 player"
        spoken = f" It speaks {' and '.join(about['families'])}." if about["families"] else ""
        lines.append(f"{seats}; what decides is {decides}.{spoken}")
    if about["kind"] == "agent" and "has_policy" in about:
        exact = (
            "has a policy (can be measured exactly)"
            if about["has_policy"]
            else "only acts (cannot be measured exactly)"
        )
        memory = "remembers during a match" if about["stateful"] else "a function of the view alone"
        lines.append(f"{exact}; {memory}." + (f" It plays {about['plays']}." if "plays" in about else ""))
    if "trainer" in about:
        from cardai.training.specs import short_spec

        lines += [
            f"{kind:<8} {short_spec(kind, about[kind])}" for kind in ("trainer", "game", "encoder") if about[kind]
        ]
        lines.append(f"seed     {about['seed']}")
        kept = ", ".join(str(step) for step in about["checkpoints"]) or "none yet"
        lines += [f"steps    {about['steps']:,} {about['step_unit']} (checkpoints: {kept})"]
        lines += [f"         {name} {value:.6g}" for name, value in about["metrics"].items()]
        lines += [f"options  {about['name']}:{key}=...  {text}" for key, text in about["agent_options"].items()]
    elif about["kind"] == "trainer" and "step_unit" in about:
        needs = "; needs --encoder" if about["needs_encoder"] else ""
        lines.append(f"A step is counted in {about['step_unit']}{needs}.")
        lines += [f"  runs/DIR:{key}=...  {text}" for key, text in about["agent_options"].items()]
    if "suffixes" in about:
        ends = f" Names of such files end in {' or '.join(about['suffixes'])}." if about["suffixes"] else ""
        lines.append(("It is read and written." if about["writes"] else "It is read.") + ends)
    if "shape" in about:
        kept = "keeps everything (lossless)" if about["lossless"] else "not lossless"
        lines.append(f"For {about['game']}: shape {tuple(about['shape'])}, {kept}.")
    if lines:
        console.print(Text("\n" + "\n".join(lines)))


def _print_options(console: Console, options: list[dict[str, Any]]) -> None:
    rows = []
    for option in options:
        value = "required" if "default" not in option else _text(option["default"])
        if "value" in option and option["value"] != option.get("default"):
            value = f"{_text(option['value'])}  (default {value})"
        rows.append({"option": option["name"], "value": value, "type": option["type"], "help": option["help"]})
    if rows:
        _rows(console, "Options", rows, ("option", "value", "type", "help"))
    else:
        console.print("\nIt has no options.")


def _rows(console: Console, title: str, rows: list[dict[str, Any]] | None, columns: tuple[str, ...]) -> None:
    """Print a titled table of those columns in which something stands."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    used = [c for c in columns if any(_cell(row, c) for row in rows)]
    table = Table(*used, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in table.columns[:-1]:
        column.no_wrap = column.header in ("name", "option", "kind", "where")
    for row in rows:
        cells = [Text(_cell(row, c)) for c in used]
        cells[0].stylize("bold")
        table.add_row(*cells)
    console.print(Text(f"\n{title}", style="bold underline"))
    console.print(table)


def _print_actions(console: Console, about: dict[str, Any]) -> None:
    from rich.text import Text

    actions = about.get("actions")
    if not actions:
        return
    console.print(Text("\nActions", style="bold underline"))
    parts = [f"{action} {text}" for action, text in actions.items()]
    if about["num_distinct_actions"] > len(parts):
        parts.insert(len(parts) - 4, f"... ({about['num_distinct_actions']} in all) ...")
    console.print(Text(", ".join(parts)))


def _cell(row: dict[str, Any], column: str) -> str:
    """Return a cell as text: texts as they are, no zeros in size and maximum, and a scope only where it is the match."""
    value = row[column]
    usual = (column in ("size", "maximum") and not value) or (column == "scope" and value == "hand")
    return "" if usual else str(value)


def _text(value: Any) -> str:
    from cardai.core.spec import write_value

    return write_value(value) or "(none)"
