"""What a game is: Game (options and description), State (one hand), Tables (many hands in lock step).

The names are OpenSpiel's wherever it has one. A plain Python :class:`State` is enough for a whole game: the default
:class:`~cardai.core.states.StateTables` wraps it. A fast game keeps its hands as rows of one numpy structured array and
writes its rules as kernels (:mod:`cardai.core.rows`); its State is then one row, so the rules exist once.
"""

# kernel constants

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from cardai.core.answers import Answers
from cardai.core.arrays import Bools, Float64s, Int8s, Int64s, Integers, Records, Uint64s
from cardai.core.errors import IllegalActionError, UsageError, nearest
from cardai.core.fields import Family, Field, Views, unpack_view
from cardai.core.legal import Amounts as Amounts  # known from here too, as Legal is
from cardai.core.legal import Legal as Legal
from cardai.core.legal import allows as allows
from cardai.core.rng import Source
from cardai.core.setups import PlayedHand as PlayedHand
from cardai.core.setups import Setup as Setup
from cardai.core.setups import pack_setups as pack_setups
from cardai.core.setups import setup_dtype as setup_dtype
from cardai.core.setups import unpack_setup as unpack_setup
from cardai.core.statistics import Estimate

CHANCE = -1
"""``current_player`` when chance is to act."""
TERMINAL = -4
"""``current_player`` when the hand is over."""

IntArray = Integers
Actions = Int64s
Parts = Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]]
"""What figures are made of, by name: numerators and denominators a hand, each (n,). A figure is the sum of the one by the
sum of the other; its interval is over groups."""


class State(ABC):
    """One hand, for reading, debugging, solvers and third parties. ``str(state)`` draws it, all cards shown."""

    game: Any = None
    """The game that it is a hand of, where it says so: for drawing it, and for :meth:`~cardai.core.agent.Agent.strategy`."""

    def __str__(self) -> str:
        from cardai.core.drawing import hand_text

        return hand_text(self)

    def _repr_html_(self) -> str:
        from cardai.core.drawing import hand_page

        return hand_page(self)

    @abstractmethod
    def current_player(self) -> int:
        """Return the seat to act, ``CHANCE`` (-1) or ``TERMINAL`` (-4)."""

    @abstractmethod
    def legal_actions(self) -> list[int]:
        """Return the legal actions of the player to act, ascending (chance: its outcomes; finished: none)."""

    @abstractmethod
    def apply_action(self, action: int) -> None:
        """Play ``action`` (of the player to act, or chance's outcome). Raises IllegalActionError."""

    def play(self, action: int) -> None:
        """Do the same as :meth:`apply_action` for an action that the caller has from :meth:`legal_actions`."""
        self.apply_action(action)

    @abstractmethod
    def view(self, player: int) -> dict[str, Any]:
        """Return all that ``player`` may know, a value for each of the game's ``view_fields``."""

    @abstractmethod
    def key(self, player: int) -> bytes:
        """Return the information state: public history, own observations and actions, in order."""

    @abstractmethod
    def returns(self) -> list[float]:
        """Return each seat's result of the hand in the game's unit (zeros until it is over)."""

    @abstractmethod
    def clone(self) -> State:
        """Return an independent copy."""

    @property
    @abstractmethod
    def history(self) -> list[int]:
        """All actions and chance outcomes so far: ints that replay this state exactly."""

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return chance's (outcome, probability) pairs; only at a chance node."""
        raise NotImplementedError("This game has no chance outcomes.")

    def chance_seen_by(self) -> tuple[int, ...]:
        """Return the seats that see the pending outcome (default nobody)."""
        return ()

    def is_terminal(self) -> bool:
        """Say whether the hand is over."""
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        """Say whether chance is to act."""
        return self.current_player() == CHANCE

    def outcome(self) -> dict[str, Any]:
        """Return a value for each of the game's ``outcome_fields`` (a finished hand)."""
        return {}

    def check_legal(self, action: int) -> None:
        """Raise IllegalActionError, naming the legal actions, unless ``action`` is one of them."""
        legal = self.legal_actions()
        if action not in legal:
            raise IllegalActionError(f"The action {action} is not legal here. Legal: {legal}.")


class Game(Answers, ABC):
    """A game's rules and description. Subclasses are frozen attrs classes whose fields are the game's options.

    A Game plays one *hand*; :meth:`next_hand` and :meth:`match_over` make a *match* of hands.
    """

    num_players: int
    """The number of seats."""
    num_distinct_actions: int
    """Player actions are 0 <= action < num_distinct_actions."""
    num_chance_outcomes: int
    """Chance outcomes are 0 <= outcome < num_chance_outcomes (a range of its own)."""
    view_fields: tuple[Field, ...]
    """What a view holds."""
    outcome_fields: tuple[Field, ...] = ()
    """What is noted of each finished hand beside its returns (turns, who knocked, ...)."""
    families: tuple[Family, ...] = ()
    """The vocabularies it speaks: whose fields its views have (:class:`~cardai.core.fields.Family`)."""
    amounts: bool = False
    """Whether legal actions are :class:`~cardai.core.legal.Amounts` (full no-limit betting) rather than a mask."""
    unit: ClassVar[str] = "chips"
    """The unit of returns: points, chips, ..."""
    measure: ClassVar[Literal["wins", "returns"]] = "returns"
    """What decides: games won (gin to 100), or the mean return a hand (poker)."""
    zero_sum: ClassVar[bool] = False
    """Whether every finished hand's returns sum to zero (a claim that the conformance kit tests)."""
    shows_later: bool = False
    """Whether a move can turn up, to somebody, what chance had dealt unseen by him (bridge's dummy): the leak check then takes what
    a player notices right after a move as shown, and only what is noticed as it is dealt as a leak."""
    default_encoder: str = "flat"
    """The encoder that learners get where none is named: ``flat`` lays out any game."""
    title: ClassVar[str] = ""
    """What people call it ("Gin rummy"); "" where its name says it."""
    rules: ClassVar[str] = ""
    """The rules in a paragraph, for ``cardai describe game``."""
    page: ClassVar[str] = ""
    """A jinja2 template beside the class's module that draws its table in the browser; "" (the default): from its fields."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    may: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def new_initial_state(self, setup: Setup | None = None) -> State:
        """Return a new hand before the first card."""

    @abstractmethod
    def action_to_string(self, action: int) -> str:
        """Return a player's action in words ("knock", "discard 7c", "raise to 300")."""

    def action_words(self, action: int, view: Mapping[str, Any]) -> str:
        """Return a legal action in words to the player who may take it, whose view it is.

        Here belong what :meth:`action_to_string` cannot know: amounts ("call 50") and cards ("discard 5c Kd"). Each legal
        action has words of its own.
        """
        return self.action_to_string(action)

    def chance_to_string(self, outcome: int) -> str:
        """Return a chance outcome in words."""
        return str(outcome)

    def card_to_string(self, card: int) -> str:
        """Return a card of a field in words; unless overridden, the outcome of that number. "As" is drawn as an ace of spades."""
        return self.chance_to_string(card) if 0 <= card < self.num_chance_outcomes else str(card)

    @abstractmethod
    def tables(self, count: int) -> Tables:
        """Return ``count`` hands in lock step (:class:`~cardai.core.states.StateGame` and
        :class:`~cardai.core.rows.RowGame` have it)."""

    def deck_template(self) -> npt.NDArray[np.int8]:
        """Return the cards (D,) of the deck that a hand is dealt from; none (the default) where chance is no deck."""
        return np.zeros(0, np.int8)

    def speaks(self, family: Family) -> bool:
        """Whether the game's views have the fields of ``family``, with their meaning."""
        return family in self.families

    def draw(self, view: Mapping[str, Any]) -> str | None:
        """Return a view as a person would want to see it, or None for the plain display over fields."""
        return None

    def shown_at_end(self, view: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the seats whose cards are turned over when a hand is over (default: all).

        ``view`` is any seat's last view, ``outcome`` maps the game's outcome fields to values.
        """
        return tuple(range(self.num_players))

    def action_from_string(self, text: str) -> int:
        """Return the action that :meth:`action_to_string` calls ``text`` (capitals and blanks do not matter).

        Raises UsageError: no action is called so; the message names the nearest.
        """
        wanted = " ".join(text.split()).casefold()
        names: list[str] = []
        for action in range(self.num_distinct_actions):
            names.append(self.action_to_string(action))
            if names[-1].casefold() == wanted:
                return action
        raise UsageError(f"No action is called {text!r}.{nearest(wanted, names)}")

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return ``count`` hands that agree with all that ``view`` says, in which the viewer's view is the same.

        ``rng`` is what ``Agent.act`` or ``ScalarAgent.choose`` was given, or a seed. What the viewer has not seen is drawn
        so that every deal is equally likely; ``weights`` (games say of what) say what an opponent rather holds.

        Raises:
            UsageError: the game does not offer it, ``view`` is none of this game, or wrong weights.
        """
        raise UsageError(f"{type(self).__name__} offers no determinize: see docs/plugins.md for how a game writes it.")

    def expect_determinize(self) -> None:
        """Hear that :meth:`determinize` will be asked about views that are made from now on (default: all the same)."""

    # -- matches ---------------------------------------------------------------------------------------------------

    def next_hand(self, score: tuple[float, ...], previous: PlayedHand | None, seed: int) -> Setup:
        """Return how the match's next hand begins (``previous`` None: its first; ``seed`` decides what is drawn)."""
        hand = 0 if previous is None else previous.setup.hand + 1
        return Setup(starter=hand % self.num_players, hand=hand, score=score)

    def told_between(self, previous: PlayedHand, setup: Setup) -> Mapping[int, str]:
        """Return what seats did between a hand of a match and its next, by seat, as actions are said: "buy in again for 10,000"
        (default: nothing)."""
        return {}

    def match_over(self, score: tuple[float, ...], hands: int) -> bool:
        """Say whether a match ends at ``score`` after ``hands`` hands (default: one hand)."""
        return hands >= 1

    def add_score(self, scores: Float64s, returns: Float64s) -> Float64s:
        """Return match scores (n, P) after hands with ``returns`` (n, P)."""
        return scores + returns

    def next_hands(
        self,
        previous: Records | None,
        scores: Float64s,
        returns: Float64s,
        outcomes: Records,
        seeds: Uint64s,
    ) -> Records:
        """Return the next hands' setups for n matches at once, (n,) of :func:`setup_dtype`.

        ``previous`` is the last hands' setups (None: the first hands). The default calls :meth:`next_hand` a row; fast
        games override both the same way.
        """
        setups = []
        for i in range(len(scores)):
            played = None
            if previous is not None:
                outcome = unpack_view(self.outcome_fields, outcomes[i])
                played = PlayedHand(unpack_setup(previous[i]), tuple(float(x) for x in returns[i]), outcome)
            setups.append(self.next_hand(tuple(float(x) for x in scores[i]), played, int(seeds[i])))
        return pack_setups(self.num_players, setups)

    def matches_over(self, scores: Float64s, hands: IntArray) -> Bools:
        """Return :meth:`match_over` of n matches, (n,) bool."""
        rows = zip(scores, hands, strict=True)
        return np.array([self.match_over(tuple(float(x) for x in s), int(h)) for s, h in rows], bool)

    # -- reports ---------------------------------------------------------------------------------------------------

    def summary(self, hands: Records, seats: IntArray) -> list[tuple[str, str]]:
        """Return (label, text) rows about one agent over finished hands, for ``cardai run``.

        ``hands`` is a structured array with ``returns`` (P,), ``starter`` and the outcome fields; ``seats`` is the
        agent's seat in each. The default has nothing to add.

        A game that overrides this or :meth:`figures` alone is given the hands of a long match all at once. One that has
        :meth:`figure_parts` and :meth:`figure_rows` is asked for those instead, some thousand hands at a time."""
        return []

    def figures(self, hands: Records, seats: IntArray) -> Mapping[str, Estimate]:
        """Return the numbers behind :meth:`summary` by name, for ``cardai run --json`` and experiments."""
        return {}

    def figure_parts(self, hands: Records, seats: IntArray) -> Parts:
        """Return what figures are made of. ``hands`` are whole games of whole groups, in order."""
        return {}

    def figure_rows(self, figures: Mapping[str, Estimate]) -> list[tuple[str, str]]:
        """Return (label, text) rows for ``cardai run`` of the figures whose parts are :meth:`figure_parts`."""
        return []


class Tables(ABC):
    """n hands in lock step. ``rows`` arguments are integer arrays of table numbers; results follow their order."""

    whole_deck: ClassVar[bool] = False
    """Whether :meth:`deck` is known, whole, when a hand begins (else it is complete when the hand is over)."""

    def __init__(self, game: Game, count: int) -> None:
        self.game = game
        self.count = count

    @abstractmethod
    def reset(
        self,
        seeds: Uint64s,
        decks: Sequence[Sequence[int]] | Records | None = None,
        rows: IntArray | None = None,
        setups: Records | None = None,
    ) -> None:
        """Begin new hands on ``rows`` (default all), with deck seeds (m,) uint64; chance has been advanced.

        ``decks`` fixes the chance outcomes in order (a deck may be shorter than what is needed; the rest follows from
        the seed). ``setups`` is (m,) of :func:`setup_dtype`.
        """

    @abstractmethod
    def current_players(self) -> Int8s:
        """Return (n,) int8: the seat to act at each table, -4 where the hand is over."""

    @abstractmethod
    def legal(self, rows: IntArray) -> Legal:
        """Return the legal actions of the players to act at ``rows``."""

    @abstractmethod
    def views(self, player: int, rows: IntArray) -> Views:
        """Return what ``player`` may know at ``rows``: a structured array (a copy) over the game's view fields."""

    def views_of(self, seats: IntArray, rows: IntArray) -> Views:
        """Return what ``seats`` (m,) may know, each at its table of ``rows`` (m,), as :meth:`views` says it."""
        present = np.unique(seats)
        if len(present) < 2:
            return self.views(int(present.max(initial=0)), rows)
        parts = {int(seat): np.flatnonzero(seats == seat) for seat in present}
        seen = np.concatenate([self.views(seat, rows[mine]) for seat, mine in parts.items()])
        return np.asarray(seen[np.argsort(np.concatenate(list(parts.values())))])

    def asked(self, seats: IntArray, rows: IntArray) -> tuple[Legal, Views]:
        """Return the legal actions at ``rows`` (m,), and what ``seats`` (m,), who are to act there, may know."""
        return self.legal(rows), self.views_of(seats, rows)

    @abstractmethod
    def apply(self, rows: IntArray, actions: IntArray) -> None:
        """Play one action at each of ``rows``; chance has been advanced when it returns.

        Raises IllegalActionError for an illegal action or a finished row, naming the row; no row is changed then.
        """

    def apply_checked(self, rows: IntArray, actions: IntArray) -> None:
        """Do the same as :meth:`apply` for actions that the caller has checked already."""
        self.apply(rows, actions)

    @abstractmethod
    def returns(self, rows: IntArray) -> Float64s:
        """Return (m, P) float64 results of the hands at ``rows`` (zeros until a hand is over)."""

    @abstractmethod
    def outcomes(self, rows: IntArray) -> Records:
        """Return a structured array over the game's outcome fields for finished hands at ``rows``."""

    @abstractmethod
    def copy_rows(self, source: Tables, rows: IntArray) -> None:
        """Put independent copies of the hands at ``rows`` of ``source`` (tables of the same game) on rows 0, 1, 2, ..."""

    def dealt(self, rows: IntArray) -> Int64s | None:
        """Return (m,) how many outcomes of :meth:`deck` chance has taken at ``rows``; None: it is not known (default)."""
        return None

    @abstractmethod
    def deck(self, row: int) -> list[int]:
        """Return the chance outcomes at ``row`` in order (a fast game: the whole deck; ask before anything is reshuffled).

        With the deck's seed and the actions they replay the hand exactly.
        """
