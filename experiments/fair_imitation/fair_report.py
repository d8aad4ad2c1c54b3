"""Writes report.md from what is kept: every figure with its interval, and with the command that prints it where there is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fair_teachers import TEACHERS

from cardai.core.files import write_atomically

Figures = dict[str, dict[str, Any]]
KL, SHARE, LOSS = 0.04, 0.99, 60.0
"""Aimed at: the divergence, the agreement as a share of the ceiling, and at most so many mbb a hand lost to the teacher."""
PUBLISHED = 0.89
"""The publication's accuracy on other logs, without a baseline."""


def write(work: Path, made_by: Mapping[str, str]) -> None:
    """Write ``work``/report.md; ``made_by`` are commands by teacher."""
    known = {file.stem: json.loads(file.read_text()) for file in sorted((work / "figures").glob("*.json"))}
    lines = [
        "# Imitators of teachers whose features nobody shows them",
        "",
        f"Made by these commands (of their parts what stands here; `--only`, `--systems` and `--seed` choose), "
        f"{sum(one['cpu_seconds'] for one in known.values()):,.0f} CPU seconds of measuring beside the training:",
        "",
        "```sh",
        *made_by.values(),
        "```",
        "",
        "Teachers:",
        "",
        *(f"- {one.name}: {one.words} (`{one.game}`)" for one in TEACHERS.values() if one.name in made_by),
        "",
        *_learned(of(known, "learn")),
        *_fresh(of(known, "fresh")),
        *_amounts(of(known, "amounts")),
        *_played(of(known, "play"), of(known, "values")),
        *_exploited(of(known, "river"), of(known, "lbr")),
    ]
    write_atomically(work / "report.md", ("\n".join(lines).rstrip() + "\n").encode())


def of(known: Figures, part: str) -> Figures:
    """Return the figures of a part by what they are of."""
    return {key.removeprefix(f"{part}-"): one for key, one in known.items() if key.startswith(f"{part}-")}


def _learned(known: Figures) -> list[str]:
    if not known:
        return []
    lines = [
        "## What is learned",
        "",
        "All learn from the same decisions. Agreement: how often the teacher does what the imitator thinks likeliest, as a "
        "share of the most that anybody can guess (the ceiling). Actions that are counted as three: fold, call, raise by "
        f"whatever size, as the publication's {PUBLISHED:.0%} counts them. Rising still: what the last quarter of the training "
        "brought in held-out log loss.",
        "",
        "| run | decisions | accuracy | as three actions | their ceiling | agreement | KL, nats | rising still |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, one in known.items():
        own, kinds = one["own"], one["kinds"]
        rising = f"{one['last_quarter']:+.4f}" if "last_quarter" in one else "-"
        lines.append(
            f"| {key} | {one['fitted']:,} | {own['accuracy']:.4f} ± {own['accuracy_half_width']:.4f} | {kinds['accuracy']:.4f} | "
            f"{one['kind_ceiling']:.4f} | {one['agreement']:.4f} | {one['kl']:.4f} ± {one['kl_half_width']:.4f} | {rising} |"
        )
        for name, guess in one.get("guesses", {}).items():
            lines.append(
                f"| {one['teacher']}: {name} | {one['fitted']:,} | {guess['accuracy']:.4f} ± {guess['accuracy_half_width']:.4f} | | | "
                f"{guess['accuracy'] / one['ceiling']:.4f} | log loss {guess['log_loss']:.4f} | |"
            )
    lines += ["", f"Aimed at: KL at most {KL}, agreement at least {SHARE}.", ""]
    for key, one in known.items():
        met = "met" if one["kl"] <= KL else "missed"
        said = "met" if one["agreement"] >= SHARE else "missed"
        streets = ", ".join(f"{name} {part['kl']:.3f}" for name, part in one["streets"].items())
        lines.append(f"- {key}: KL {met} ({streets}); agreement {said}")
    return [*lines, ""]


def _fresh(known: Figures) -> list[str]:
    if not known:
        return []
    lines = [
        "On decisions that were played for it, by which nothing was learned and nothing chosen:",
        "",
        "| run | decisions | accuracy | agreement | KL, nats |",
        "|---|---|---|---|---|",
    ]
    for key, one in known.items():
        own = one["own"]
        lines.append(
            f"| {key} | {own['count']:,} | {own['accuracy']:.4f} ± {own['accuracy_half_width']:.4f} | {one['agreement']:.4f} | "
            f"{one['kl']:.4f} ± {one['kl_half_width']:.4f} |"
        )
    return [*lines, ""]


def _amounts(known: Figures) -> list[str]:
    if not known:
        return []
    lines = [
        "## Amounts of data (the publication's figure 5), four folds",
        "",
        "| system and teacher | decisions | accuracy, mean of four folds (least to most) | KL |",
        "|---|---|---|---|",
    ]
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for key, one in known.items():
        name, decisions, _ = key.removeprefix("fold-").rsplit("-", 2)
        groups.setdefault((name, int(decisions)), []).append(one)
    for (name, decisions), folds in sorted(groups.items()):
        found = [one["own"]["accuracy"] for one in folds]
        lines.append(
            f"| {name} | {decisions:,} | {np.mean(found):.4f} ({min(found):.4f} to {max(found):.4f}; {len(found)} folds) | "
            f"{np.mean([one['kl'] for one in folds]):.4f} |"
        )
    return [*lines, ""]


def _played(known: Figures, valued: Figures) -> list[str]:
    if not known and not valued:
        return []
    lines = [
        "## Against the teacher",
        "",
        "Duplicate deals, mbb a hand.",
        "",
        "| player | wins | deals | |",
        "|---|---|---|---|",
    ]
    for key, one in known.items():
        won = one["found"]["players"][0]["figures"]["mbb/g"]
        mean, wide, deals = won["mean"], (won["high"] - won["low"]) / 2, won["count"]
        met = "met" if mean >= -LOSS else "missed"
        lines.append(f"| {key} | {mean:+.1f} ± {wide:.1f} | {deals:,} | at most {LOSS:.0f} lost: {met} |")
    for one in valued.values():
        lines.append(
            f"| acts on E(S), {one['worth']} | {one['mean']:+.1f} ± {one['half_width']:.1f} | {one['deals']:,} | |"
        )
    return [*lines, "", *_commands(known)]


def _exploited(river: Figures, lbr: Figures) -> list[str]:
    if not river and not lbr:
        return []
    lines = [
        "## How exploitable an imitator is",
        "",
        "mbb a hand that are won from the player. Best response: from the river on, over sampled boards, a lower bound on "
        "exploitability. LBR: a lower bound too; a negative figure proves nothing.",
        "",
        "| player | best response from the river | boards | LBR | boards |",
        "|---|---|---|---|---|",
    ]
    for key in dict.fromkeys([*river, *lbr]):
        cells = []
        for found in (river.get(key), lbr.get(key)):
            cells += ["-", "-"] if found is None else list(_bound(found["found"]))
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return [*lines, "", *_commands(river), *_commands(lbr)]


def _bound(found: dict[str, Any]) -> tuple[str, str]:
    """Return a bound with its interval, and over how much, from a command's JSON."""
    if "half_width" in found:
        return f"{found['mean']:+.0f} ± {found['half_width']:.0f}", str(found["boards"])
    interval = "" if found["low"] is None else f" ({found['low']:.0f} to {found['high']:.0f})"
    return f"{found['mean']:.1f}{interval}", str(found["boards"])


def _commands(known: Figures) -> list[str]:
    commands = [one["command"] for one in known.values()]
    return ["```sh", *commands, "```", ""] if commands else []
