"""What is measured, section by section."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen
from limit_measures import Figures

GAME = "acpc_limit_2p"
SCALED = "poker_cnn_limit"
"""The same game with ten times the chips, in which Poker-CNN learned: a player of buckets plays both alike."""
BLUEPRINT = "flop=2000,turn=2000"
"""The blueprint's buckets: more of them before the river, where they cost little memory."""
BLUEPRINT_STEPS = 30_000_000
RIVER_STEPS = 20_000
"""Boards on which the river is learned."""
EARLIER = (6_000, 12_000)
PLAIN_STEPS, TAKEN_STEPS = 12_914_699, 10_000_690
"""Iterations of 500 buckets a street, and those after which its river is learned anew."""
UNEVEN_STEPS = 14_000
"""Boards on which its river is learned, against ranges as the blueprint brings them."""
UNEVEN_EARLIER = (3_000, 6_000, 11_000)
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
TABLES = (("buckets",), ("buckets", "--options", "river_feature=ochs"))
BOARDS = 100
"""Boards from the river, of our players."""
FEW = 30
"""Boards from earlier streets, and of others from the river."""
HANDS = 10_000
"""Hands of a local best response."""
BUCKETS = f"2,000 buckets on flop and turn, {BLUEPRINT_STEPS:,} iterations"
PLAIN = f"500 buckets, {PLAIN_STEPS:,} iterations"
EVEN0 = f"ours with even=0, on {EARLIER[0]:,} boards"
UNEVEN = f"500 buckets, {TAKEN_STEPS:,} iterations, river anew, even=0"


@frozen
class Plan:
    """Where runs lie and how much is measured."""

    runs: Path
    share: float
    games: int
    poker_cnn: str
    """A run of poker_cnn_betting_ours ("": none)."""
    league: str
    """Another, with our player in its league ("": none)."""

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

    @property
    def plain(self) -> Path:
        """A run of bucket_mccfr with 500 buckets a street."""
        return self.runs / "plain"

    @property
    def uneven(self) -> str:
        """That one's river learned anew, against no range but the one that it brings itself."""
        return f"{self.runs / 'uneven'}:step={UNEVEN_STEPS}"

    @property
    def early(self) -> str:
        """Our player on the first boards of its training."""
        return f"{self.river}:step={EARLIER[0]}"

    @property
    def even0(self) -> str:
        """The same with even=0, of the same blueprint on the same boards."""
        return f"{self.runs / 'even0'}:step={EARLIER[0]}"

    def of(self, full: int) -> int:
        """Return an even number, the share of ``full``."""
        return max(2, round(full * self.share / 2) * 2)

    def curve(self, name: str) -> Path:
        """Return the run of a curve."""
        return self.runs / f"curve_{name.lower().replace(' ', '_').replace(',', '')}"

    @property
    def networks(self) -> list[tuple[str, str]]:
        """Every generation of Poker-CNN, and the last with our player in its league: what it is called, and its spec."""
        found = [
            (f"Poker-CNN, generation {k}", f"{self.poker_cnn}:generation={k}") for k in generations(self.poker_cnn)
        ]
        later = [
            (f"with ours in its league, generation {k}", f"{self.league}:generation={k}")
            for k in generations(self.league)
        ]
        return found + later

    @property
    def newest(self) -> str:
        """Poker-CNN's newest generation."""
        return f"{self.poker_cnn}:generation={max(generations(self.poker_cnn), default=-1)}"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The generations that are compared closely: the last of each run, and the one as old in the other."""
        ages = {run: max(generations(run), default=-1) for run in (self.poker_cnn, self.league)}
        wanted = {f"{self.poker_cnn}:generation={k}" for k in ages.values()} | {
            f"{self.league}:generation={ages[self.league]}"
        }
        return [(name, spec) for name, spec in self.networks if spec in wanted]

    def response(self, agent: object, street: str, boards: int, game: str = GAME) -> tuple[object, ...]:
        """Return the words of a best response's command."""
        words = ("evaluate", "best-response", "--game", game, "--agent", agent, "--from", street)
        return words if street == "preflop" else (*words, "--boards", boards)

    def lbr(self, agent: object, hands: int, game: str = GAME) -> tuple[object, ...]:
        """Return the words of a local best response's command."""
        return ("evaluate", "lbr", "--game", game, "--agent", agent, "--hands", hands)

    def match(self, agent: object, other: object, games: int, game: str = GAME) -> tuple[object, ...]:
        """Return the words of a match's command."""
        return ("run", "--game", game, "--agent", agent, "--vs", other, "--games", games)

    def responses(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the best responses of the table: what is measured, and how."""
        boards, river, uneven = self.of(BOARDS), self.river, self.runs / "uneven"
        rows = [
            (PLAIN, str(self.plain)),
            ("the same, purified", f"{self.plain}:purify=true"),
            (f"{BUCKETS}, the blueprint", str(self.blueprint)),
            *((f"ours on {step:,} boards", f"{river}:step={step}") for step in EARLIER),
            ("ours", self.player),
            (EVEN0, self.even0),
            *((f"{UNEVEN} on {step:,} boards", f"{uneven}:step={step}") for step in UNEVEN_EARLIER),
            (UNEVEN, self.uneven),
        ]  # fmt: skip
        found = [(name, self.response(spec, "river", boards)) for name, spec in rows]
        return found + [(name, self.response(name, "river", self.of(FEW))) for name in REFERENCES]

    def deeper(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the best responses from earlier streets."""
        rows = [
            ("ours", self.player), (f"ours on {EARLIER[0]:,} boards", self.early), (EVEN0, self.even0),
            (f"{BUCKETS}, the blueprint", self.blueprint), (UNEVEN, self.uneven), (PLAIN, self.plain),
            (f"500 buckets, {CURVE_STEPS:,} iterations", self.curve("500 strength")),
            (f"2,000 buckets, {CURVE_STEPS:,} iterations", self.curve("2,000 strength")),
        ]  # fmt: skip
        found = [(name, self.response(spec, "turn", self.of(FEW))) for name, spec in rows]
        flop = self.response(self.player, "flop", self.of(FEW))
        return [*found, ("ours", (*flop, "--out", self.runs / "flop.npz"))]

    def matches(self) -> list[tuple[str, str, tuple[object, ...]]]:
        """Return the matches: who, against whom, and the command."""
        players = (("ours", self.player), ("ours, purified", f"{self.player},purify=true"))
        players += (
            ("the blueprint", str(self.blueprint)),
            ("the blueprint, purified", f"{self.blueprint}:purify=true"),
        )
        players += (("the blueprint, last iterate", f"{self.blueprint}:policy=current"),)
        players += ((UNEVEN, self.uneven), (PLAIN, str(self.plain)))
        curves = {f"{name}, {CURVE_STEPS:,} iterations": str(self.curve(name)) for name in CURVES}
        players += tuple(curves.items())
        found = [
            (who, other, self.match(spec, other, self.games))
            for other in REFERENCES
            for who, spec in players
            if other == REFERENCES[1] or who not in curves
        ]
        return found + [("ours", other, self.match(self.player, other, self.games)) for other in WEAK]

    def against_networks(self) -> list[tuple[str, str, tuple[object, ...]]]:
        """Return the matches with Poker-CNN's generations, and theirs with the reference players."""
        found = [
            (
                "ours",
                name,
                self.match(self.player, spec, self.games if spec == self.newest else self.games // 5, SCALED),
            )
            for name, spec in self.networks
        ]
        return found + [
            (name, other, self.match(spec, other, self.games // 5, SCALED))
            for name, spec in self.pairs
            for other in REFERENCES
        ]

    def bounds(self) -> list[tuple[str, tuple[object, ...], tuple[object, ...]]]:
        """Return the table of everybody's bounds: who, local best response, best response from the river."""
        rows = [("ours", self.lbr(self.player, self.of(HANDS)), self.response(self.player, "river", self.of(BOARDS)))]
        rows += [
            (name, self.lbr(name, self.of(HANDS)), self.response(name, "river", self.of(FEW))) for name in REFERENCES
        ]
        for name, spec in self.pairs:
            boards = self.of(FEW)
            rows.append(
                (name, self.lbr(spec, self.of(HANDS // 5), SCALED), self.response(spec, "river", boards, SCALED))
            )
        return rows


def generations(run: str) -> list[int]:
    """Return the finished generations of a run of poker_cnn_betting, ascending; none without a run."""
    if not run:
        return []
    newest = max((Path(run) / "checkpoints").glob("step-*"))
    return sorted(int(file.stem.split("-")[1]) for file in newest.glob("generation-*.safetensors"))


def train(plan: Plan, figures: Figures) -> None:
    """Train our player, and the one that learned its river against ranges as they come."""
    words = ("--trainer", f"bucket_mccfr:{BLUEPRINT}", "--game", GAME, "--steps", BLUEPRINT_STEPS)
    figures.train(plan.blueprint, *words)
    kept = ("--checkpoint-every", 1000, "--keep", 0)
    river = ("--trainer", f"bucket_cfr_br:blueprint={plan.blueprint}", "--game", GAME, "--steps", RIVER_STEPS)
    figures.train(plan.river, *river, *kept)
    even0 = ("--trainer", f"bucket_cfr_br:blueprint={plan.blueprint},even=0", "--game", GAME, "--steps", EARLIER[0])
    figures.train(plan.runs / "even0", *even0, *kept)
    plain = ("--trainer", "bucket_mccfr", "--game", GAME, "--steps")
    figures.train(plan.plain, *plain, TAKEN_STEPS)
    uneven = ("--trainer", f"bucket_cfr_br:blueprint={plan.plain},even=0", "--game", GAME, "--steps", UNEVEN_STEPS)
    figures.train(plan.runs / "uneven", *uneven, *kept)
    figures.train(plan.plain, *plain, PLAIN_STEPS)


def tables(plan: Plan, figures: Figures) -> None:
    """Make tables of buckets where there are none."""
    for words in TABLES:
        figures.make_tables(*words)


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


def bounds(plan: Plan, figures: Figures) -> None:
    """Bound everybody's exploitability by a local best response, and by a best response from the river."""
    for _, *both in plan.bounds():
        for words in both:
            figures.measure(*words)


def matches(plan: Plan, figures: Figures) -> None:
    """Play."""
    for _, _, words in plan.matches():
        figures.measure(*words)


def networks(plan: Plan, figures: Figures) -> None:
    """Play against Poker-CNN."""
    for _, _, words in plan.against_networks():
        figures.measure(*words)


def curves(plan: Plan, figures: Figures) -> None:
    """Train shortly over other buckets, and measure each from the river."""
    for name, options in CURVES.items():
        run = plan.curve(name)
        figures.train(run, "--trainer", f"bucket_mccfr:{options}", "--game", GAME, "--steps", CURVE_STEPS)
        figures.measure(*plan.response(run, "river", plan.of(BOARDS)))


SECTIONS: dict[str, Callable[[Plan, Figures], None]] = {
    "tables": tables,
    "train": train,
    "exploitability": exploitability,
    "matches": matches,
    "exact": exact,
    "networks": networks,
    "bounds": bounds,
    "curves": curves,
    "deeper": deeper,
}
