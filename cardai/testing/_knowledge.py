"""Checks of what players know: keys, views, and the leak check.

The leak check redraws, along a played history, the chance outcomes that a player has not seen and replays the actions;
the player's view, legal actions and key must stay as they were. Replays that became illegal are dropped, and fewer than
:data:`ENOUGH` effective ones a seat fail as not exercised. A small game is checked as a whole tree instead: all
histories that differ only in what the player has not seen are compared, which is every replay there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from attrs import frozen

from cardai.core.game import CHANCE, Game, State
from cardai.testing._checks import CheckFailed, NotApplicable, check, require
from cardai.testing._play import GameSubject, StateTree, Step, packed, play_hand, shorten

ENOUGH = 100
MOST_HANDS = 60
REDRAWS = 12
"""Redraws of one hand for one seat."""


@check("game")
def equal_keys_mean_equal_knowledge(subject: GameSubject) -> None:
    """Two states with the same key for a player show that player the same view and, to act, the same legal actions."""
    tree = subject.tree
    for player in range(subject.game.num_players):
        first: dict[bytes, int] = {}
        for i, node in enumerate(tree.nodes):
            if node.current == -4:  # a showdown shows hands that no key holds
                continue
            j = first.setdefault(node.keys[player], i)
            other = tree.nodes[j]
            if node.views[player] != other.views[player]:
                raise CheckFailed(f"One key but two views: player {player} after {_both(tree, i, j)}.")
            if node.current == player == other.current and node.legal != other.legal:
                raise CheckFailed(f"One key but different legal actions: player {player} after {_both(tree, i, j)}.")


@check("game")
def keys_hold_what_was_seen(subject: GameSubject) -> None:
    """A player's key changes with the player's own actions and with chance outcomes that the player sees."""
    tree = subject.tree
    for player in range(subject.game.num_players):
        known: dict[tuple[int, bytes], int] = {}
        for i, node in enumerate(tree.nodes):
            if node.parent < 0:
                continue
            parent = tree.nodes[node.parent]
            own = parent.current == player or (parent.current == CHANCE and player in parent.seen_by)
            if own:
                j = known.setdefault((node.parent, node.keys[player]), i)
                if i != j:
                    what = "what player %d did" if parent.current == player else "an outcome that player %d sees"
                    raise CheckFailed(f"The key does not hold {what % player}: the same after {_both(tree, i, j)}.")


@check("game")
def keys_hide_what_was_not_seen(subject: GameSubject) -> None:
    """A player's key does not change with a chance outcome that the player does not see."""
    tree = subject.tree
    for player in range(subject.game.num_players):
        known: dict[int, int] = {}
        for i, node in enumerate(tree.nodes):
            if node.parent < 0:
                continue
            parent = tree.nodes[node.parent]
            if parent.current == CHANCE and player not in parent.seen_by and node.current != -4:
                j = known.setdefault(node.parent, i)
                if node.keys[player] != tree.nodes[j].keys[player]:
                    paths = _both(tree, i, j)
                    raise CheckFailed(f"Player {player}'s key leaks an outcome that only others see: after {paths}.")


@check("game")
def keys_differ_by_player(subject: GameSubject) -> None:
    """No key belongs to two players, and a key is bytes."""
    owner: dict[bytes, int] = {}
    for node in subject.tree.nodes:
        if node.current < 0:
            continue
        key = node.keys[node.current]
        require(isinstance(key, bytes), f"A key must be bytes. Got {type(key).__name__}.")
        first = owner.setdefault(key, node.current)
        require(first == node.current, f"Players {first} and {node.current} share the key {key!r}.")


@check("game")
def nothing_is_forgotten(subject: GameSubject) -> None:
    """Perfect recall: a key tells which keys the player met and which actions the player took before."""
    tree = subject.tree
    for player in range(subject.game.num_players):
        memory: list[int] = []  # of each node: a number for the player's own past, the same for the same past
        numbers: dict[tuple[int, bytes, int], int] = {}
        past_of: dict[bytes, tuple[int, int]] = {}
        for i, node in enumerate(tree.nodes):
            past = 0
            if node.parent >= 0:
                parent, past = tree.nodes[node.parent], memory[node.parent]
                if parent.current == player:
                    past = numbers.setdefault((past, parent.keys[player], node.action), len(numbers) + 1)
            memory.append(past)
            if node.current == player:
                first, j = past_of.setdefault(node.keys[player], (past, i))
                if first != past:
                    raise CheckFailed(f"Player {player} forgets own actions: the same key after {_both(tree, i, j)}.")


@check("game")
def nothing_leaks(subject: GameSubject) -> None:
    """The leak check: redrawing what a player has not seen changes neither the player's view, legal actions nor key."""
    tree = subject.tree
    effective = _compare_all(subject.game, tree) if tree.complete else _redraw_hands(subject.game)
    if not effective:
        raise NotApplicable("Nothing is hidden: every player sees every chance outcome before acting.")


def _compare_all(game: Game, tree: StateTree) -> Counter[int]:
    """Compare all decisions of each player that differ only in what the player has not seen; count the replays."""
    effective: Counter[int] = Counter()
    for player in range(game.num_players):
        past: list[tuple[int, ...]] = []  # of each node: its history with -1 for what the player has not seen
        groups: dict[tuple[int, ...], int] = {}
        for i, node in enumerate(tree.nodes):
            before: tuple[int, ...] = ()
            if node.parent >= 0:
                parent = tree.nodes[node.parent]
                hidden = parent.current == CHANCE and player not in parent.seen_by
                before = (*past[node.parent], -1 if hidden else node.action)
            past.append(before)
            if node.current != player:
                continue
            j = groups.setdefault(before, i)
            if i != j:
                effective[player] += 1
                other = tree.nodes[j]
                one = _Seen(other.keys[player], other.views[player], other.legal)
                two = _Seen(node.keys[player], node.views[player], node.legal)
                if one != two:
                    raise _leak(player, one, two, _both(tree, i, j))
    return effective


@frozen
class _Seen:
    key: bytes
    view: bytes
    legal: tuple[int, ...]


def _leak(player: int, one: _Seen, other: _Seen, where: str) -> CheckFailed:
    """Say what a player knows in one state and not in another that differs only in what the player has not seen."""
    names = {"view": "view", "legal": "legal actions (or their order)", "key": "key"}
    said = " and ".join(text for name, text in names.items() if getattr(one, name) != getattr(other, name))
    return CheckFailed(f"LEAK: player {player}'s {said} depend on what the player has not seen: after {where}.")


def _both(tree: StateTree, i: int, j: int) -> str:
    """Return the histories of two nodes."""
    return f"{shorten(tree.path(j))} and {shorten(tree.path(i))}"


def _redraw_hands(game: Game) -> Counter[int]:
    """Redraw hands of random play until each seat has enough effective replays; return their number."""
    effective: Counter[int] = Counter()
    hides = set()
    for seed in range(MOST_HANDS):
        steps, _ = play_hand(game, seed)
        for player in range(game.num_players):
            if effective[player] >= ENOUGH:
                continue
            hidden = _hidden_before_acting(steps, player)
            if hidden:
                hides.add(player)
                for attempt in range(REDRAWS):
                    effective[player] += _redrawn_is_same(game, steps, player, hidden, Random(1000 * seed + attempt))
        if all(effective[player] >= ENOUGH for player in hides) and seed >= 3:
            break
    for player in hides:
        count = effective[player]
        require(count >= ENOUGH, f"Not exercised: only {count} effective replays for player {player}; {ENOUGH} needed.")
    return effective


def _hidden_before_acting(steps: Sequence[Step], player: int) -> list[int]:
    """Return the positions of the outcomes that the player has not seen and that come before a decision of theirs."""
    last = max((i for i, step in enumerate(steps) if step.actor == player), default=-1)
    hidden = [i for i, s in enumerate(steps[: last + 1]) if s.actor == CHANCE and player not in s.seen_by]
    return [i for i in hidden if len(steps[i].choices) > 1]


def _redrawn_is_same(game: Game, steps: Sequence[Step], player: int, hidden: list[int], rng: Random) -> bool:
    """Replay a hand with some hidden outcomes redrawn and require that the player notices nothing.

    Returns whether the replay was effective: it came to a decision of the player after a change.
    """
    changed = redraw(steps, player, rng.sample(hidden, min(len(hidden), rng.choice((1, 1, 2, 3)))), rng)
    state, other = game.new_initial_state(), game.new_initial_state()
    history: list[int] = []
    differs = reached = False
    for i, step in enumerate(steps):
        if other.current_player() != step.actor:
            break  # the change shows in who acts: this replay ends here
        if step.actor == player and differs:
            reached = True
            one, two = _seen(game, state, player), _seen(game, other, player)
            if one != two:
                where = f"{shorten([s.action for s in steps[:i]])} and {shorten(history)}"
                raise _leak(player, one, two, where)
        action = changed.get(i, step.action)
        if not _possible(other, action):
            break  # the change shows in what others do: so does this one
        if step.actor == CHANCE and tuple(other.chance_seen_by()) != step.seen_by:
            break
        if step.actor not in (CHANCE, player) and rng.random() < 0.25:
            action = _secret_alternative(state, other, step, action, player, rng)
        moved = game.shows_later and step.actor != CHANCE and differs
        alike = moved and state.key(player) == other.key(player)
        differs = differs or action != step.action
        state.apply_action(step.action)
        other.apply_action(action)
        history.append(action)
        if alike and state.key(player) != other.key(player):
            break  # the move has shown it: the player is in another world from here on
    return reached


def redraw(steps: Sequence[Step], player: int, positions: list[int], rng: Random) -> dict[int, int]:
    """Return other outcomes for some hidden ones: undealt cards, or cards swapped with later hidden outcomes.

    Swapping few outcomes keeps most replays legal; drawing all anew would hardly ever do so in long games. An outcome that was the
    only one there was stays: nobody need say who sees it (as the last card of a deck that is dealt out).
    """
    changed: dict[int, int] = {}
    for i in sorted(positions):
        now = [changed.get(k, step.action) if step.actor == CHANCE else None for k, step in enumerate(steps)]
        fixed = (s.actor == CHANCE and (player in s.seen_by or len(s.choices) == 1) for s in steps)
        later = {now[k] for k, stays in enumerate(fixed) if k > i and stays}
        taken = {now[i], *later, *(value for k, value in changed.items() if k < i)}
        free = [outcome for outcome in steps[i].choices if outcome not in taken]
        if not free:
            continue
        outcome = rng.choice(free)
        for k in range(i + 1, len(steps)):
            if now[k] == outcome:
                changed[k] = changed.get(i, steps[i].action)
                break
        changed[i] = outcome
    return changed


def _secret_alternative(state: State, other: State, step: Step, action: int, player: int, rng: Random) -> int:
    """Return another action of an opponent that the player cannot tell from ``action``, if a random one is so."""
    legal = [a for a in other.legal_actions() if a != action]
    if not legal:
        return action
    candidate = rng.choice(legal)
    one, two = state.clone(), other.clone()
    one.apply_action(step.action)
    two.apply_action(candidate)
    return candidate if one.key(player) == two.key(player) and not two.is_terminal() else action


def _possible(state: State, action: int) -> bool:
    return action in ([a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions())


def _seen(game: Game, state: State, player: int) -> _Seen:
    return _Seen(state.key(player), packed(game, state, player), tuple(state.legal_actions()))
