"""Checks of the vocabulary: fields are what their roles and scopes say, and a family's fields are there."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from cardai.core.fields import Family, Field
from cardai.core.game import Game, Setup, State
from cardai.testing._checks import check, require
from cardai.testing._game import every
from cardai.testing._play import GameSubject, replay, shorten

_HISTORIES = ("public_history", "private_history")
_PUBLIC = ("starter", "to_act", "round", "public", "by_seat", "actions")


@check("game")
def roles_hold(subject: GameSubject) -> None:
    """Fields are what their roles say: public ones look alike to all, lists beside a history are as long as it."""
    game = subject.game
    _check_declared(game)
    for setup, steps, _ in subject.hands[:8]:
        state = game.new_initial_state(setup)
        for i, step in enumerate(steps):
            state.apply_action(step.action)
            if i % every(steps) == 0 and not state.is_chance_node():
                _check_roles(game, state)


def _check_declared(game: Game) -> None:
    fields = {f.name: f for f in game.view_fields}
    for role in ("player", "starter", "to_act"):
        named = [f.name for f in fields.values() if f.role == role]
        require(len(named) < 2, f"Two fields have the role {role!r}: {named}.")
    for f in fields.values():
        role, _, history = f.role.partition(":")
        if history:
            known = history in fields and fields[history].kind in _HISTORIES
            require(known, f"The role of the field {f.name!r} names the history {history!r}, which is no field of one.")
        if role == "by_seat":
            fits = f.size > 0 and f.size % game.num_players == 0
            require(fits, f"The field {f.name!r} has {f.size} entries, which are not equally many a seat.")
        if role == "actions":
            most = game.num_distinct_actions - 1
            require(f.maximum <= most, f"The field {f.name!r} holds actions up to {f.maximum}, the last one is {most}.")


def _check_roles(game: Game, state: State) -> None:
    views = [state.view(player) for player in range(game.num_players)]
    where = f"after {shorten(state.history)}"
    for f in game.view_fields:
        role, _, history = f.role.partition(":")
        seen = [_plain(view[f.name]) for view in views]
        if role in _PUBLIC or f.kind == "public_history":
            other = next((p for p, value in enumerate(seen) if value != seen[0]), 0)
            require(
                not other,
                f"Everybody sees the field {f.name!r} (role {f.role!r}, kind {f.kind}), but player 0 sees {seen[0]} and "
                f"player {other} {seen[other]} {where}.",
            )
        if role == "player":
            require(
                seen == [*range(game.num_players)], f"The field {f.name!r} says {seen}, not whose view it is {where}."
            )
        if role == "to_act":
            acting = max(-1, state.current_player())
            require(seen[0] == acting, f"The field {f.name!r} says {seen[0]}, but {acting} is to act {where}.")
        for player, view in enumerate(views if history else ()):
            length, expected = len(view[f.name]), len(view[history])
            require(
                length == expected,
                f"Player {player} sees {length} entries of {f.name!r} beside {expected} of {history!r} {where}.",
            )


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, (set, frozenset)) else value


@check("game")
def scopes_hold(subject: GameSubject) -> None:
    """A field of the match stays as it is during a hand; a field of the hand does not change with the match's score."""
    game = subject.game
    for setup, steps, final in [hand for hand in subject.hands if hand[0] is not None][:6]:
        begun = evolve(setup or Setup(), score=tuple(float(seat + 1) for seat in range(game.num_players)))
        end = replay(game, [step.action for step in steps], begun)
        first = _first_decision(game, [step.action for step in steps], begun)
        for player in range(game.num_players):
            here, there, before = end.view(player), final.view(player), first.view(player)
            for f in game.view_fields:
                if f.scope == "match":
                    require(
                        here[f.name] == before[f.name],
                        f"The field {f.name!r} is of the match, but it changes during the hand {shorten(end.history)}.",
                    )
                else:
                    require(
                        here[f.name] == there[f.name],
                        f"The field {f.name!r} is of the hand, but with another score it is {here[f.name]}, not "
                        f"{there[f.name]}, after {shorten(end.history)}: its scope is 'match'.",
                    )


def _first_decision(game: Game, history: list[int], setup: Setup) -> State:
    """Return the state in which somebody first acts (or the end of a hand without decisions)."""
    state = game.new_initial_state(setup)
    for action in history:
        if state.is_chance_node():
            state.apply_action(action)
    return state


@check("game")
def families_are_spoken(subject: GameSubject) -> None:
    """Every family that the game says it speaks has its fields there, of the family's kinds, roles and scopes."""
    fields = {f.name: f for f in subject.game.view_fields}
    for family in subject.game.families:
        require(isinstance(family, Family), f"families holds {family!r}, which is no Family.")
        for pattern in family.fields:
            require(
                pattern.name in fields, f"The family {family.name!r} has a field {pattern.name!r}, the game has not."
            )
        for pattern in (*family.fields, *family.optional):
            if pattern.name in fields:
                wrong = _differs(fields[pattern.name], pattern)
                require(not wrong, f"The field {pattern.name!r} of the family {family.name!r} must be {wrong}.")


def _differs(f: Field, pattern: Field) -> str:
    """Return what of ``pattern`` a field is not, in words; nothing where it fits."""
    for part in ("kind", "scope", "role", "maximum", "size", "labels"):
        wanted, found = getattr(pattern, part), getattr(f, part)
        if wanted and found != wanted:
            return f"of the {part} {wanted!r}; it is {found!r}"
    single = not pattern.size and pattern.role != "by_seat" and pattern.kind not in ("cards", *_HISTORIES)
    return f"a single value; it has the size {f.size}" if single and f.size else ""
