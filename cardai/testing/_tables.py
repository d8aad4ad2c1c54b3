"""Checks of a game's Tables: many hands in lock step, and matches of hands."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from attrs import define, field

from cardai.core.fields import unpack_view, view_dtype
from cardai.core.game import Amounts, Game, Legal, PlayedHand, Tables, allows, pack_setups, setup_dtype, unpack_setup
from cardai.core.rng import derive
from cardai.core.states import StateTables
from cardai.testing._checks import check, require
from cardai.testing._play import GameSubject, all_legal, prefer, refuses, shorten

COUNT = 12
MOST_STEPS = 20_000


@define
class Log:
    """What one hand at a table looked like from outside, step by step."""

    actions: list[int] = field(factory=list)
    facts: list[tuple[Any, ...]] = field(factory=list)
    end: tuple[Any, ...] = ()
    deck: list[int] = field(factory=list)


def seeds_of(count: int, name: str = "deck") -> Any:
    """Return (count,) deck seeds."""
    return np.array([derive(7, name, i) for i in range(count)], np.uint64)


def play_tables(tables: Tables, names: list[int], actions: list[list[int]] | None = None) -> list[Log]:
    """Play all hands to the end: at random by each row's name, or the ``actions`` given a row."""
    logs = [Log() for _ in names]
    choosers = [Random(name) for name in names]
    players = range(tables.game.num_players)
    for _ in range(MOST_STEPS):
        current = tables.current_players()
        live = np.flatnonzero(current >= 0)
        if not len(live):
            break
        legal = tables.legal(live)
        views = [tables.views(p, live) for p in players]
        _check_asked(tables, current[live].astype(np.int64), live, legal, views)
        chosen = []
        for k, row in enumerate(live):
            log = logs[row]
            if actions is None:
                chosen.append(prefer(all_legal(legal, k), names[row], choosers[row]))
            else:
                require(len(log.actions) < len(actions[row]), "A hand goes on where the same hand was over before.")
                chosen.append(actions[row][len(log.actions)])
            log.facts.append((int(current[row]), legal_bytes(legal, k), *(v[k].tobytes() for v in views)))
            log.actions.append(chosen[-1])
        ok = allows(legal, np.array(chosen))
        require(ok.all(), f"The actions {chosen} were legal in the same hands before; now they are not.")
        tables.apply(live, np.array(chosen, np.int64))
    else:
        require(False, f"Hands at tables were not over after {MOST_STEPS} actions.")
    rows = np.arange(len(names))
    returns, outcomes = tables.returns(rows), tables.outcomes(rows)
    for i, log in enumerate(logs):
        log.end = (returns[i].tolist(), outcomes[i].tobytes(), *(tables.views(p, rows)[i].tobytes() for p in players))
        log.deck = tables.deck(i)
    return logs


def _check_asked(tables: Tables, seats: Any, rows: Any, legal: Legal, views: list[Any]) -> None:
    """Require that what the players to act are told together is what each is told alone."""
    offered, seen = tables.asked(seats, rows)
    for k, seat in enumerate(seats):
        same = legal_bytes(offered, k) == legal_bytes(legal, k) and seen[k].tobytes() == views[seat][k].tobytes()
        require(same, f"asked() tells seat {seat} otherwise than legal() and views() do.")


def legal_bytes(legal: Legal, row: int) -> bytes:
    """Return one row's legal actions as bytes (no-limit: amounts only where a raise is legal)."""
    if not isinstance(legal, Amounts):
        return bytes(legal[row].tobytes())
    amounts = (int(legal.min_amount[row]), int(legal.max_amount[row])) if legal.kinds[row, 2] else ()
    return bytes(legal.kinds[row].tobytes()) + repr(amounts).encode()


def compare(game: Game, one: list[Log], other: list[Log], what: str) -> None:
    """Require that two lists of logs are equal, naming the first difference."""
    names = ["the player to act", "the legal actions", *(f"player {p}'s view" for p in range(game.num_players))]
    ends = ["the returns", "the outcome", *(f"player {p}'s last view" for p in range(game.num_players))]
    for row, (a, b) in enumerate(zip(one, other, strict=True)):
        for step, (x, y) in enumerate(zip(a.facts, b.facts, strict=False)):
            odd = [name for name, u, v in zip(names, x, y, strict=True) if u != v]
            if odd:
                detail = _difference(game, x, y)
                done = shorten(a.actions[:step])
                require(False, f"{what}: {', '.join(odd)} differ{detail} at table {row} after the actions {done}.")
        require(len(a.facts) == len(b.facts), f"{what}: table {row} took {len(a.facts)} and {len(b.facts)} actions.")
        odd = [name for name, u, v in zip(ends, a.end, b.end, strict=True) if u != v]
        require(not odd, f"{what}: {', '.join(odd)} differ at the end of table {row}: {a.end[0]} and {b.end[0]}.")


def _difference(game: Game, x: tuple[Any, ...], y: tuple[Any, ...]) -> str:
    """Name the fields in which two steps' views differ."""
    dtype = view_dtype(game.view_fields)
    fields = []
    for u, v in zip(x[2:], y[2:], strict=True):
        one, other = np.frombuffer(u, dtype)[0], np.frombuffer(v, dtype)[0]
        for name in dtype.names or ():
            if not np.array_equal(one[name], other[name]):
                fields.append(f"{name}: {one[name].tolist()} and {other[name].tolist()}")
    return f" ({'; '.join(fields[:3])})" if fields else ""


@check("game")
def tables_agree_with_states(subject: GameSubject) -> None:
    """Tables and States of the same cards and actions show the same views, legal actions, returns and outcomes."""
    game = subject.game
    fast = game.tables(COUNT)
    fast.reset(seeds_of(COUNT))
    played = play_tables(fast, list(range(COUNT)))
    actions, decks = [log.actions for log in played], [log.deck for log in played]
    plain = StateTables(game, COUNT)
    plain.reset(seeds_of(COUNT, "other"), decks)
    compare(game, played, play_tables(plain, list(range(COUNT)), actions), "Tables and States disagree")
    again = game.tables(COUNT)
    again.reset(seeds_of(COUNT), decks)
    compare(game, played, play_tables(again, list(range(COUNT)), actions), "Tables given the deck they drew disagree")


@check("game")
def tables_agree_in_a_match(subject: GameSubject) -> None:
    """Tables and States agree for hands within a match too: other starters, scores and stacks."""
    game = subject.game
    setups = [game.next_hand((0.0,) * game.num_players, None, 5)]
    for _ in range(COUNT - 1):
        result = tuple(float(i + 1) for i in range(game.num_players))
        setups.append(game.next_hand(result, PlayedHand(setups[-1], result, _some_outcome(subject)), 5))
    fast = game.tables(COUNT)
    fast.reset(seeds_of(COUNT), setups=pack_setups(game.num_players, setups))
    played = play_tables(fast, list(range(COUNT)))
    plain = StateTables(game, COUNT)
    plain.reset(seeds_of(COUNT), [log.deck for log in played], setups=pack_setups(game.num_players, setups))
    replayed = play_tables(plain, list(range(COUNT)), [log.actions for log in played])
    compare(game, played, replayed, "Tables and States disagree in a match")


def _some_outcome(subject: GameSubject) -> dict[str, Any]:
    return subject.hands[0][2].outcome()


@check("game")
def tables_do_not_depend_on_size(subject: GameSubject) -> None:
    """A hand is the same alone, in a batch of any size, and at any place in it; the same seeds give the same hands."""
    game = subject.game
    whole = game.tables(COUNT)
    whole.reset(seeds_of(COUNT))
    played = play_tables(whole, list(range(COUNT)))
    order = Random(3).sample(range(COUNT), COUNT)
    mixed = game.tables(COUNT)
    mixed.reset(seeds_of(COUNT)[order])
    compare(game, [played[i] for i in order], play_tables(mixed, order), "The place in the batch matters")
    for i in range(3):
        alone = game.tables(1)
        alone.reset(seeds_of(COUNT)[i : i + 1])
        compare(game, [played[i]], play_tables(alone, [i]), "The size of the batch matters")


@check("game")
def single_rows_reset(subject: GameSubject) -> None:
    """Resetting some rows begins new hands there, as on fresh tables, and leaves all other rows as they are."""
    game = subject.game
    tables = game.tables(4)
    tables.reset(seeds_of(4))
    rng = Random(1)
    for _ in range(3):
        live = np.flatnonzero(tables.current_players() >= 0)
        legal = tables.legal(live)
        tables.apply(live, np.array([prefer(all_legal(legal, i), 1, rng) for i in range(len(live))], np.int64))
    players = range(game.num_players)
    others = np.array([0, 3])
    before = [tables.views(p, others).tobytes() for p in players]
    rows = np.array([2, 1])
    tables.reset(seeds_of(2, "new"), rows=rows)
    require([tables.views(p, others).tobytes() for p in players] == before, "Resetting rows 2 and 1 changed others.")
    fresh = game.tables(2)
    fresh.reset(seeds_of(2, "new"))
    for p in players:
        same = tables.views(p, rows).tobytes() == fresh.views(p, np.arange(2)).tobytes()
        require(same, f"A row that was reset differs from a fresh one in player {p}'s view.")
    both = tables.current_players()[rows].tolist(), fresh.current_players().tolist()
    require(both[0] == both[1], f"After reset the players to act are {both[0]}; on fresh tables {both[1]}.")


@check("game")
def tables_refuse_illegal_actions(subject: GameSubject) -> None:
    """An illegal action at one row raises IllegalActionError and changes no row; a finished row refuses every action."""
    game = subject.game
    tables = game.tables(3)
    tables.reset(seeds_of(3))
    rows, players = np.arange(3), range(game.num_players)
    live = rows[tables.current_players() >= 0]
    if len(live):
        legal = tables.legal(live)
        chosen = np.array([all_legal(legal, i)[0] for i in range(len(live))], np.int64)
        chosen[-1] = game.num_distinct_actions
        before = [tables.views(p, rows).tobytes() for p in players]
        refused = refuses(lambda: tables.apply(live, chosen))
        require(refused, f"Tables did not refuse the action {chosen[-1]}.")
        require([tables.views(p, rows).tobytes() for p in players] == before, "A refused action changed a row.")
    play_tables(tables, [0, 1, 2])
    for action in range(min(game.num_distinct_actions, 3)):
        over = refuses(lambda action=action: tables.apply(rows[:1], np.array([action], np.int64)))  # type: ignore[misc]
        require(over, f"Tables did not refuse the action {action} where the hand was over.")
    require((tables.current_players() == -4).all(), "current_players must be -4 where the hand is over.")


@check("game")
def table_arrays_are_typed(subject: GameSubject) -> None:
    """Tables answer with the documented shapes and dtypes, and views are copies."""
    game = subject.game
    tables = game.tables(3)
    tables.reset(seeds_of(3))
    current, rows = tables.current_players(), np.array([2, 0])
    require(current.shape == (3,) and current.dtype == np.int8, f"current_players: {current.dtype} {current.shape}.")
    legal = tables.legal(rows)
    if isinstance(legal, Amounts):
        require(legal.kinds.shape == (2, 3) and legal.kinds.dtype == bool, "legal.kinds must be (n, 3) bool.")
        require(legal.min_amount.dtype == legal.max_amount.dtype == np.int64, "legal's amounts must be int64.")
    else:
        shape = (2, game.num_distinct_actions)
        require(legal.shape == shape and legal.dtype == bool, f"legal must be {shape} bool; it is {legal.dtype}.")
    returns = tables.returns(rows)
    require(returns.shape == (2, game.num_players) and returns.dtype == np.float64, "returns must be (n, P) float64.")
    for p in range(game.num_players):
        views = tables.views(p, rows)
        require(views.shape == (2,), f"views must be ({2},); they are {views.shape}.")
        require(views.dtype == view_dtype(game.view_fields), f"views have the dtype {views.dtype}.")
        before = views.tobytes()
        views[:] = np.zeros(2, views.dtype)
        require(tables.views(p, rows).tobytes() == before, "Writing into views changes the hands: they must be copies.")


@check("game")
def matches_are_sound(subject: GameSubject) -> None:
    """Matches end; starters are seats; rules for many matches at once agree with those for one."""
    game = subject.game
    count, players = 4, game.num_players
    seeds = seeds_of(count, "match")
    scores, hands = np.zeros((count, players)), np.zeros(count, np.int64)
    setups = game.next_hands(None, scores, scores, np.zeros(count, view_dtype(game.outcome_fields)), seeds)
    tables = game.tables(count)
    for hand in range(4):
        require(setups.dtype == setup_dtype(players), f"next_hands gave the dtype {setups.dtype}.")
        starters = setups["starter"]
        require(((starters >= 0) & (starters < players)).all(), f"A hand begins with seat {starters.tolist()}.")
        require((setups["hand"] == hand).all(), f"Hand {hand} of a match is numbered {setups['hand'].tolist()}.")
        tables.reset(seeds + np.uint64(hand), setups=setups)
        logs = play_tables(tables, [hand * count + i for i in range(count)])
        rows = np.arange(count)
        returns, outcomes = tables.returns(rows), tables.outcomes(rows)
        scores, hands = game.add_score(scores, returns), hands + 1
        require(scores.shape == (count, players), f"add_score gave the shape {scores.shape}.")
        over = game.matches_over(scores, hands)
        following = game.next_hands(setups, scores, returns, outcomes, seeds)
        for i, log in enumerate(logs):
            require(
                bool(over[i]) == game.match_over(tuple(scores[i]), hand + 1), "match_over and matches_over disagree."
            )
            outcome = unpack_view(game.outcome_fields, outcomes[i])
            played = PlayedHand(unpack_setup(setups[i]), tuple(log.end[0]), outcome)
            one = game.next_hand(tuple(float(x) for x in scores[i]), played, int(seeds[i]))
            same = pack_setups(players, [one])[0].tobytes() == following[i].tobytes()
            require(same, f"next_hand and next_hands disagree: {one} and {unpack_setup(following[i])}.")
        setups = following
    _match_ends(game, [log.end[0] for log in logs], setups, outcomes, seeds)


def _match_ends(game: Game, results: list[list[float]], setups: Any, outcomes: Any, seeds: Any) -> None:
    """Require that a match in which one seat wins hand after hand ends within 10,000 hands."""
    best = np.array([max(results, key=lambda r: abs(r[0]))])
    if not best.any():
        best[0, 0] = 1.0
    scores = np.zeros((1, game.num_players))
    for hand in range(10_000):
        if game.matches_over(scores, np.array([hand]))[0] and hand > 0:
            return
        scores = game.add_score(scores, best)
    require(False, f"A match is not over after 10,000 hands with the returns {best[0].tolist()} each.")


@check("game")
def copied_rows_go_on_alike(subject: GameSubject) -> None:
    """Hands copied to other tables look, go on and end as their originals do, and leave those alone."""
    game = subject.game
    source, copies = game.tables(COUNT), game.tables(COUNT)
    source.reset(seeds_of(COUNT))
    for step in range(3):  # the hands go on for none to three actions
        live = np.flatnonzero((source.current_players() >= 0) & (np.arange(COUNT) % 4 > step))
        if len(live):
            legal = source.legal(live)
            actions = [all_legal(legal, k)[len(all_legal(legal, k)) // 2] for k in range(len(live))]
            source.apply(live, np.array(actions, np.int64))
    rows = np.arange(1, COUNT, 2)
    copies.copy_rows(source, rows)
    players, there = range(game.num_players), np.arange(len(rows))
    before = [source.views(p, rows).tobytes() for p in players]
    require(before == [copies.views(p, there).tobytes() for p in players], "A copied hand looks different.")
    ends = _ends(copies, len(rows))
    after = [source.views(p, rows).tobytes() for p in players]
    require(before == after, "Playing a copy on has changed the hand that it was copied from.")
    own = _ends(source, COUNT)
    require([own[int(row)] for row in rows] == ends, "A copy and its original end differently.")


def _ends(tables: Tables, count: int) -> list[tuple[Any, ...]]:
    """Play the first ``count`` hands on by a fixed rule; return how each ended."""
    for _ in range(MOST_STEPS):
        current = tables.current_players()[:count]
        live = np.flatnonzero(current >= 0)
        if not len(live):
            break
        legal = tables.legal(live)
        tables.apply(live, np.array([all_legal(legal, k)[0] for k in range(len(live))], np.int64))
    rows = np.arange(count)
    seats = range(tables.game.num_players)
    views = [tables.views(p, rows) for p in seats]
    returns = tables.returns(rows)
    return [(returns[i].tolist(), *(v[i].tobytes() for v in views)) for i in range(count)]
