"""Checks of a game's description and of its States: one hand at a time."""

from __future__ import annotations

import math
import pickle
from random import Random
from typing import Any

import numpy as np

from cardai.core.fields import Field, pack_views, unpack_view, view_dtype
from cardai.core.game import Game, State
from cardai.testing._checks import CheckFailed, check, require
from cardai.testing._play import GameSubject, Step, choices_of, misfitting, packed, play_hand, refuses, replay, shorten


@check("game")
def description_is_complete(subject: GameSubject) -> None:
    """Rules, unit and every field are described, and the numbers of seats and actions make sense."""
    game = subject.game
    require(game.rules.strip(), "The game has no rules text: set `rules`, the rules in a paragraph.")
    require(game.unit.strip(), "The game has no unit: set `unit` (points, chips, ...).")
    require(game.num_players >= 1, f"num_players is {game.num_players}; it must be at least 1.")
    require(game.num_distinct_actions >= 1, f"num_distinct_actions is {game.num_distinct_actions}; at least 1 needed.")
    require(game.num_chance_outcomes >= 0, f"num_chance_outcomes is {game.num_chance_outcomes}; it cannot be negative.")
    for label, fields in (("view", game.view_fields), ("outcome", game.outcome_fields)):
        names = [f.name for f in fields]
        require(len(set(names)) == len(names), f"Two {label} fields have one name: {sorted(names)}.")
        for f in fields:
            require(f.name.isidentifier(), f"The {label} field {f.name!r} is not named as an identifier.")
            require(f.doc.strip(), f"The {label} field {f.name!r} has no doc.")
            needs_size = f.kind in ("cards", "public_history", "private_history")
            require(f.size > 0 or not needs_size, f"The {label} field {f.name!r} ({f.kind}) needs a size above 0.")
    require(game.view_fields, "The game has no view fields: a player would see nothing.")


@check("game")
def hand_ends(subject: GameSubject) -> None:
    """Random play ends, and the players to act are seats of the game."""
    for _, steps, state in subject.hands:
        require(state.is_terminal(), "A hand is not over although nobody is left to act.")
        for step in steps:
            require(-1 <= step.actor < subject.game.num_players, f"current_player gave {step.actor}, which is no seat.")


@check("game")
def legal_actions_are_sorted(subject: GameSubject) -> None:
    """Legal actions are ascending, distinct, in range, and none when the hand is over; chance's are its outcomes."""
    game = subject.game
    for node in subject.tree.nodes:
        legal = list(node.legal)
        require(legal == sorted(set(legal)), f"Legal actions must ascend without repeats. Got {shorten(legal)}.")
        bound = game.num_distinct_actions
        require(not legal or 0 <= legal[0] <= legal[-1] < bound, f"Legal actions must be below {bound}. Got {legal}.")
        require(node.current < 0 or legal, f"Player {node.current} is to act but has no legal action.")
    for setup, steps, final in subject.hands[:6]:
        require(final.legal_actions() == [], f"A finished hand has legal actions: {final.legal_actions()}.")
        state = game.new_initial_state(setup)
        for step in steps:
            if state.is_chance_node():
                outcomes = [outcome for outcome, _ in state.chance_outcomes()]
                require(sorted(state.legal_actions()) == sorted(outcomes), "At chance, legal_actions are not outcomes.")
            state.apply_action(step.action)


@check("game")
def chance_probabilities_sum_to_one(subject: GameSubject) -> None:
    """Chance outcomes are distinct, in range, have positive probabilities, and these sum to 1."""
    game = subject.game
    for setup, steps, _ in subject.hands[:6]:
        state = game.new_initial_state(setup)
        for step in steps:
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                where = f"after {shorten(state.history)}"
                require(len(set(outcomes)) == len(outcomes), f"Chance has an outcome twice {where}.")
                require(all(0 <= o < game.num_chance_outcomes for o in outcomes), f"Outcome out of range {where}.")
                require(min(chances) > 0, f"An outcome has probability {min(chances)} {where}.")
                require(abs(sum(chances) - 1) < 1e-9, f"Probabilities sum to {sum(chances)} {where}.")
                seen = state.chance_seen_by()
                require(all(0 <= p < game.num_players for p in seen), f"chance_seen_by gave {seen} {where}.")
            state.apply_action(step.action)


@check("game")
def actions_have_names(subject: GameSubject) -> None:
    """Every legal action has a text, different from the others that are legal with it; so has every outcome."""
    game = subject.game
    for legal in sorted({node.legal for node in subject.tree.nodes if node.current >= 0})[:200]:
        texts = [game.action_to_string(a) for a in legal[:1000]]
        require(all(isinstance(t, str) and t.strip() for t in texts), f"An action of {legal} has no text: {texts}.")
        require(len(set(texts)) == len(texts), f"Two legal actions have one text: {texts}.")
    for outcome in range(min(game.num_chance_outcomes, 200)):
        require(game.chance_to_string(outcome).strip(), f"The chance outcome {outcome} has no text.")


def every(steps: list[Step], most: int = 25) -> int:
    """Return k such that every k-th step of a hand is looked at, ``most`` or fewer of a long one."""
    return 1 + len(steps) // most


@check("game")
def illegal_actions_are_refused(subject: GameSubject) -> None:
    """An illegal action or outcome raises IllegalActionError and changes nothing; a finished hand refuses all."""
    game = subject.game
    for seed, (setup, steps, final) in enumerate(subject.hands[:8]):
        rng = Random(seed)
        state = game.new_initial_state(setup)
        for i, step in enumerate(steps):
            if i % every(steps) == 0:
                legal = set(choices_of(state))
                bound = game.num_chance_outcomes if state.is_chance_node() else game.num_distinct_actions
                wrong = [-1, bound, *(a for a in rng.sample(range(bound), min(bound, 3)) if a not in legal)]
                for action in wrong:
                    _refused_unchanged(game, state, action)
            state.apply_action(step.action)
        for action in range(min(game.num_distinct_actions, 5)):
            _refused_unchanged(game, final, action)


def _refused_unchanged(game: Game, state: State, action: int) -> None:
    before = _facts(game, state)
    refused = refuses(lambda: state.apply_action(action))
    where = f"after {shorten(state.history)}"
    require(refused, f"The illegal action {action} was not refused with IllegalActionError {where}.")
    require(_facts(game, state) == before, f"Refusing the illegal action {action} changed the state {where}.")


def _facts(game: Game, state: State) -> tuple[Any, ...]:
    """Return all that can be asked of a state."""
    players = range(game.num_players)
    current = state.current_player()
    return (
        current,
        list(state.history),
        list(state.legal_actions()),
        list(state.returns()),
        [state.key(p) for p in players],
        [packed(game, state, p) for p in players],
        dict(state.outcome()) if current == -4 else {},
    )


@check("game")
def history_replays(subject: GameSubject) -> None:
    """A state's history, played again from the start, gives the same state; asking changes nothing."""
    game = subject.game
    for setup, steps, final in subject.hands:
        require(list(final.history) == [s.action for s in steps], "history is not the actions that were played.")
        facts = _facts(game, final)
        require(_facts(game, replay(game, final.history, setup)) == facts, f"Replay differs: {shorten(final.history)}.")
        require(_facts(game, final) == facts, "Asking a state about itself changes it.")
    for setup, steps, _ in subject.hands[:4]:
        half = [s.action for s in steps[: len(steps) // 2]]
        same = _facts(game, replay(game, half, setup)) == _facts(game, replay(game, half, setup))
        require(same, f"Two replays of the same history differ: {shorten(half)}.")


@check("game")
def clone_is_independent(subject: GameSubject) -> None:
    """A clone equals its original and neither is changed by what the other plays."""
    game = subject.game
    for setup, steps, final in subject.hands[:8]:
        for cut in sorted({0, len(steps) // 3, 2 * len(steps) // 3, len(steps) - 1}):
            actions = [step.action for step in steps]
            original = replay(game, actions[:cut], setup)
            before, copy = _facts(game, original), original.clone()
            require(_facts(game, copy) == before, f"A clone differs from its original: {shorten(actions[:cut])}.")
            for action in actions[cut:]:
                copy.apply_action(action)
            require(
                _facts(game, original) == before, f"Playing a clone changes its original: {shorten(actions[:cut])}."
            )
            require(
                _facts(game, copy) == _facts(game, final), "A clone that played on ended otherwise than its original."
            )
            after = _facts(game, copy)
            original.apply_action(actions[cut])
            require(_facts(game, copy) == after, f"Playing the original changes a clone: {shorten(actions[:cut])}.")


@check("game")
def returns_are_sound(subject: GameSubject) -> None:
    """Returns are a number a seat, zero until the hand is over, within what the game claims, and sum to zero if it does."""
    game = subject.game
    for setup, steps, final in subject.hands:
        values = final.returns()
        where = f"{values} after {shorten(final.history)}"
        require(len(values) == game.num_players, f"Returns must have a number a seat. Got {where}.")
        require(all(math.isfinite(v) for v in values), f"Returns must be finite. Got {where}.")
        claim = not game.zero_sum or abs(sum(values)) < 1e-6 * max(1.0, *map(abs, values))
        require(claim, f"The game claims to be zero-sum, but the returns are {where}.")
        most = game.max_utility or math.inf
        require(
            max(map(abs, values)) <= most, f"The game claims a max_utility of {most:g}, but the returns are {where}."
        )
        state = replay(game, [s.action for s in steps[:-1]], setup)
        require(not any(state.returns()), f"Returns are {state.returns()} before the hand is over: they must be 0.")
        names = {f.name for f in game.outcome_fields}
        require(set(final.outcome()) == names, f"outcome() has {sorted(final.outcome())}; fields are {sorted(names)}.")


@check("game")
def views_fit_their_fields(subject: GameSubject) -> None:
    """A view has exactly the game's fields, each within its maximum, and survives packing and unpacking."""
    game = subject.game
    for setup, steps, _ in subject.hands[:12]:
        state = game.new_initial_state(setup)
        for i, step in enumerate(steps):
            state.apply_action(step.action)
            # nobody is asked for views while cards are being dealt
            if i % every(steps, 40) == 0 and not state.is_chance_node():
                for player in range(game.num_players):
                    _check_view(game, state, player)


def _check_view(game: Game, state: State, player: int) -> None:
    view = state.view(player)
    where = f"in player {player}'s view after {shorten(state.history)}"
    names = {f.name for f in game.view_fields}
    require(set(view) == names, f"The fields are {sorted(names)}, but {sorted(view)} stand {where}.")
    try:
        row = pack_views(game.view_fields, [view])[0]
    except ValueError as error:
        raise misfitting(error, where[0].upper() + where[1:]) from error
    require(row.dtype == view_dtype(game.view_fields), f"A packed view has the dtype {row.dtype} {where}.")
    plain = unpack_view(game.view_fields, row)
    again = pack_views(game.view_fields, [plain])[0]
    require(again.tobytes() == row.tobytes(), f"Unpacking and packing again changes the view {where}.")
    for f in game.view_fields:
        problem = misfit(f, row[f.name])
        require(not problem, f"The field {f.name!r} ({f.kind}, maximum {f.maximum}) {problem} {where}.")
        if f.kind in ("count", "chips", "card", "seat") and not f.size:
            require(
                int(row[f.name]) == view[f.name], f"The field {f.name!r} loses {view[f.name]!r} in its dtype {where}."
            )


def misfit(f: Field, value: Any) -> str:
    """Return what is wrong with a packed value of a field, or nothing."""
    if f.kind in ("flag", "card_set"):
        return ""
    entries = np.atleast_1d(value).astype(np.int64)
    if entries.max(initial=-1) > f.maximum:
        return f"holds {entries.max()}, above its maximum,"
    if entries.min(initial=0) < f.minimum:
        return f"holds {entries.min()}, below {f.minimum},"
    if f.kind in ("cards", "public_history", "private_history"):
        known = np.flatnonzero(entries >= 0)
        if len(known) and known[-1] + 1 != len(known):
            return f"has -1 before its end: {entries.tolist()}"
    return ""


@check("game")
def views_are_copies(subject: GameSubject) -> None:
    """Writing into a view that was handed out changes nothing in the hand."""
    game = subject.game
    for setup, steps, _ in subject.hands[:6]:
        state = replay(game, [s.action for s in steps[: len(steps) * 2 // 3]], setup)
        before = _facts(game, state)
        for player in range(game.num_players):
            for value in state.view(player).values():
                if isinstance(value, list):
                    value += [99] * 3
                elif isinstance(value, (dict, set)):
                    value.clear()
        try:
            same = _facts(game, state) == before
        except CheckFailed:
            same = False
        require(same, "A view shares a list with the state: writing into the view changed the hand.")


@check("game")
def display_works(subject: GameSubject) -> None:
    """`draw` answers every view with a text or None, and `action_words` each legal action with words of its own."""
    game = subject.game
    for setup, steps, _ in subject.hands[:6]:
        state = game.new_initial_state(setup)
        for i, step in enumerate([*steps, None]):
            for player in range(game.num_players if i % every(steps) == 0 or step is None else 0):
                packed(game, state, player)  # a view that does not fit is said as everywhere
                shown = game.draw(unpack_view(game.view_fields, pack_views(game.view_fields, [state.view(player)])[0]))
                require(shown is None or isinstance(shown, str), f"draw returned {type(shown).__name__}, not a text.")
            if step is not None and step.actor >= 0 and i % every(steps) == 0:
                view = state.view(step.actor)
                words = [game.action_words(action, view) for action in step.choices[:100]]
                sound = all(isinstance(text, str) and text.strip() for text in words) and len(set(words)) == len(words)
                require(sound, f"action_words gives legal actions no words, or several the same: {words}.")
            if step is not None:
                state.apply_action(step.action)


@check("game")
def game_pickles(subject: GameSubject) -> None:
    """A game travels to worker processes: it pickles, and the copy equals it and plays the same hand."""
    game = subject.game
    copy = pickle.loads(pickle.dumps(game))
    require(copy == game, "A game that was pickled and read back does not equal itself: use a frozen attrs class.")
    steps, _ = play_hand(copy, 0, subject.hands[0][0])
    require(steps == subject.hands[0][1], "A game that was pickled and read back plays another hand.")
