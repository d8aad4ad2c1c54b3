"""``cardai preflop DIR --values RUN``: a table of play before the flop for a player that re-solves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from attrs import frozen

from cardai.commands.invocation import note, out, print_json
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.poker.resolving.preflop_solving import TableRecipe
    from cardai.poker.values.plain_network import PlainNetwork

LOOKS = 2
"""Flops that an iteration looks at."""


@frozen
class Asked:
    """What table is to be solved, as the options say it."""

    values: str
    depths: str
    bets: str
    flops: int
    iterations: int

    def recipe(self) -> tuple[PlainNetwork, TableRecipe, tuple[int, ...]]:
        """Return the network of the flop, the recipe and the depths. Raises UsageError: there is no such table."""
        from cardai.poker.ranges.flops import subset
        from cardai.poker.ranges.menus import menus
        from cardai.poker.resolving.depth_limit import hand_network
        from cardai.poker.resolving.preflop import check_table, ladder_tree
        from cardai.poker.resolving.preflop_solving import TableRecipe

        network = hand_network(self.values, "flop")
        (menu,) = menus(self.bets, ("preflop",))
        if len(menu.levels) > 1:
            raise UsageError(f"A table has one ladder for all bets and raises, without /. Got {self.bets!r}.")
        depths = tuple(int(word) if word.isdecimal() else 0 for word in self.depths.split("+"))
        check_table(menu.levels[0], depths)
        if depths[-1] > 1 and len(ladder_tree(menu.levels[0], depths[-1]).root.children) < 3:  # to fold and to call
            raise UsageError(f"Nobody could raise before the flop by {self.bets!r}: all are below the least raise.")
        subset(self.flops)
        return network, TableRecipe(network.digest, menu.levels[0], self.iterations, self.flops, LOOKS), depths


def solve(directory: Path | None, name: str | None, asked: Asked, json: bool) -> None:
    """Solve the table into ``directory``, a depth of stacks at a time, and say how far from equilibrium each is."""
    from cardai.core.locks import DirectoryLock
    from cardai.poker.resolving.preflop_solving import solve_table

    if directory is None or name is not None:
        raise UsageError(
            "A table is solved into a directory of its own: cardai preflop DIR --values RUN, without --name."
        )
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file. A table is solved into a directory.")
    network, recipe, depths = asked.recipe()
    found: dict[int, float] = {}
    try:
        with DirectoryLock(directory, "The table {} is being solved", ", or choose another directory"):
            table = solve_table(
                directory, network, recipe, depths, lambda depth, one: found.update({depth: 10 * one.exploitability})
            )
    except KeyboardInterrupt:
        note("Stopped. The same command goes on from the depths that are solved.")
        raise typer.Exit(130) from None
    if json:
        print_json({"directory": str(directory), "depths": table.depths, "from_equilibrium": found})
        return
    for depth, gap in found.items():
        out().print(f"{depth} big blinds: {gap:.1f} mbb/g from equilibrium, by what the network says.")
    count = len(table.depths)  # some may have been there
    out().print(
        f"{directory}: a table of {count} depth{'s' * (count > 1)}. Play by it before the flop: resolving:preflop={directory}."
    )
