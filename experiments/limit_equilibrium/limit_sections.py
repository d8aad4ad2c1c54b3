"""What is measured, section by section."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen
from limit_measures import Figures

GAME = "acpc_limit_2p"
TAKEN_STEPS = 10_000_690
"""Iterations after which the river is learned anew."""
BLUEPRINT_STEPS = 12_914_699
"""Iterations of the whole game over buckets, which goes on after that."""
RIVER_STEPS = 14_000
"""Boards on which the river is learned."""
EARLIER = (3_000, 6_000, 11_000)
CURVE_STEPS = 2_000_000
CURVES = {
    "100 strength": "flop=100,turn=100,river=100",
    "500 strength": "flop=500,turn=500,river=500",
    "500 OCHS": "flop=500,turn=500,river=500,river_feature=ochs",
    "2,000 strength": "flop=2000,turn=2000,river=2000",
}
BLIND = ("always_call", "always_raise", "mix:fold=0,call=1,raises=1", "random", "acpc_mix")
REFERENCES = ("threshold", "holdem_heuristic")
WEAK = ("always_call", "always_raise", "acpc_mix")


@frozen
class Plan:
    """Where runs lie and how much is measured."""

    runs: Path
    share: float
    games: int
    poker_cnn: str

    @property
    def blueprint(self) -> Path:
        """The run of bucket_mccfr."""
        return self.runs / "blueprint"

    @property
    def river(self) -> Path:
        """The run of bucket_cfr_br on it: the player."""
        return self.runs / "river"

    @property
    def player(self) -> str:
        """Our player."""
        return f"{self.river}:step={RIVER_STEPS}"

    def of(self, full: int) -> int:
        """Return an even number, the share of ``full``."""
        return max(2, round(full * self.share / 2) * 2)

    def curve(self, name: str) -> Path:
        """Return the run of a curve."""
        return self.runs / f"curve_{name.lower().replace(' ', '_').replace(',', '')}"

    @property
    def others(self) -> tuple[str, ...]:
        """Players that are measured as ours is."""
        return (*REFERENCES, self.poker_cnn) if self.poker_cnn else REFERENCES

    def response(self, agent: object, street: str, boards: int) -> tuple[object, ...]:
        """Return the words of a best response's command."""
        words = ("evaluate", "best-response", "--game", GAME, "--agent", agent, "--from", street)
        return words if street == "preflop" else (*words, "--boards", boards)

    def lbr(self, agent: object, hands: int) -> tuple[object, ...]:
        """Return the words of a local best response's command."""
        return ("evaluate", "lbr", "--game", GAME, "--agent", agent, "--hands", hands)

    def match(self, agent: object, other: object, games: int) -> tuple[object, ...]:
        """Return the words of a match's command."""
        return ("run", "--game", GAME, "--agent", agent, "--vs", other, "--games", games)

    def responses(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the best responses of the table: what is measured, and how."""
        anew = f"its river learned anew after {TAKEN_STEPS:,}, on {RIVER_STEPS:,} boards"
        rows = [
            (f"buckets, {BLUEPRINT_STEPS:,} iterations", self.response(self.blueprint, "river", self.of(100))),
            (anew, self.response(self.player, "river", self.of(100))),
            *((f"the same on {step:,} boards", self.response(f"{self.river}:step={step}", "river", self.of(100))) for step in EARLIER),
            ("the first, purified", self.response(f"{self.blueprint}:purify=true", "river", self.of(100))),
        ]  # fmt: skip
        return rows + [(name, self.response(name, "river", self.of(20))) for name in self.others]

    def deeper(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the best responses from earlier streets."""
        return [("ours", self.response(self.player, street, self.of(20))) for street in ("turn", "flop")]

    def matches(self) -> list[tuple[object, ...]]:
        """Return the commands of the matches, of the player and of the blueprint."""
        found = [self.match(self.player, other, self.games) for other in self.others]
        found += [self.match(self.blueprint, other, self.games) for other in self.others]
        return found + [self.match(self.player, other, self.games // 10 * 2) for other in WEAK]

    def lbrs(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the local best responses of the table."""
        return [("ours", self.lbr(self.player, self.of(10_000)))] + [
            (name, self.lbr(name, self.of(10_000))) for name in self.others
        ]


def train(plan: Plan, figures: Figures) -> None:
    """Train the whole game, the river of what it had found by then, and the whole game further."""
    words = ("--trainer", "bucket_mccfr", "--game", GAME, "--steps")
    figures.train(plan.blueprint, *words, TAKEN_STEPS)
    river = ("--trainer", f"bucket_cfr_br:blueprint={plan.blueprint}", "--game", GAME, "--steps", RIVER_STEPS)
    figures.train(plan.river, *river, "--checkpoint-every", 1000, "--keep", 0)
    figures.train(plan.blueprint, *words, BLUEPRINT_STEPS)


def exact(plan: Plan, figures: Figures) -> None:
    """Measure players that do not look at their cards, exactly."""
    for name in BLIND:
        figures.measure(*plan.response(name, "preflop", 0))


def exploitability(plan: Plan, figures: Figures) -> None:
    """Bound everybody's exploitability."""
    for _, words in plan.responses():
        figures.measure(*words)


def deeper(plan: Plan, figures: Figures) -> None:
    """Bound our player's exploitability from earlier streets."""
    for _, words in plan.deeper():
        figures.measure(*words)


def local(plan: Plan, figures: Figures) -> None:
    """Measure local best responses."""
    for _, words in plan.lbrs():
        figures.measure(*words)


def matches(plan: Plan, figures: Figures) -> None:
    """Play."""
    for words in plan.matches():
        figures.measure(*words)


def curves(plan: Plan, figures: Figures) -> None:
    """Train shortly over other buckets, and measure each from the river."""
    for name, options in CURVES.items():
        run = plan.curve(name)
        figures.train(run, "--trainer", f"bucket_mccfr:{options}", "--game", GAME, "--steps", CURVE_STEPS)
        figures.measure(*plan.response(run, "river", plan.of(100)))


SECTIONS: dict[str, Callable[[Plan, Figures], None]] = {
    "train": train,
    "exploitability": exploitability,
    "matches": matches,
    "exact": exact,
    "local": local,
    "curves": curves,
    "deeper": deeper,
}
