from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardai.core import registry
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import unpack_view
from cardai.core.game import Amounts, Setup, pack_setups
from cardai.formats.acpc.client import connect, play
from cardai.formats.acpc.dealing import CardSource
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import load_game, parse_game
from cardai.formats.acpc.games import definition_of, game_map
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.views import ViewMaker
from tests.formats.acpc_table import LIMIT, NO_LIMIT, table

SPECS = {
    LIMIT: "holdem_limit",
    "holdem.limit.3p": "holdem_limit:players=3",
    NO_LIMIT: "holdem_nolimit",
    "holdem.nolimit.3p": "holdem_nolimit:players=3",
    "leduc.limit.2p": "leduc",
}
KUHN = "kuhn.limit.3p"


@pytest.mark.parametrize("name", [*sorted(SPECS), KUHN])
def test_a_definition_becomes_a_spec_and_a_spec_a_definition(name: str) -> None:
    definition = load_game(name)
    mapped = game_map(definition)
    assert mapped.spec == {**SPECS, KUHN: "kuhn:players=3"}[name]
    back = definition_of(mapped.game, definition.name)
    assert parse_game(back.text(), definition.name) == definition


def test_definitions_that_cardai_cannot_play_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="one suit"):
        game_map(parse_game(load_game(KUHN).text().replace("numSuits = 1", "numSuits = 2"), "one suit too many"))
    with pytest.raises(UsageError, match=r"is not kuhn\.limit\.3p\.game: Kuhn poker is another"):
        game_map(load_game(KUHN), "kuhn")
    with pytest.raises(UsageError, match="its stacks are"):
        game_map(load_game(NO_LIMIT), "holdem_nolimit:stack=1000")
    with pytest.raises(UsageError, match="no betting game"):
        game_map(load_game(LIMIT), "gin")


@pytest.mark.parametrize("name", sorted(SPECS))
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_views_and_legal_actions_are_the_games_own(name: str, data: st.DataObject) -> None:
    definition = load_game(name)
    mapped = game_map(definition)
    n, held = definition.num_players, definition.num_hole
    position = data.draw(st.integers(0, n - 1))
    cards = CardSource(definition, data.draw(st.integers(0, 1000))).next_hand()
    tables = mapped.game.tables(1)
    follows = data.draw(st.booleans())
    seat = 0 if follows else (position - mapped.starter) % n  # in a hand by itself the first seat has the button
    setup = Setup(starter=(mapped.starter - position + seat) % n)
    deck = [mapped.cards[card] for card in cards]
    tables.reset(np.zeros(1, np.uint64), [deck], None, pack_setups(n, [setup]))
    tree, makes = WireTree(definition), ViewMaker(mapped, follows)
    node, row = tree.root, np.zeros(1, np.int64)
    while True:
        board = cards[n * held : n * held + definition.board_before(node.round)]
        ours = makes.packed(node, position, cards[position * held : position * held + held], board)
        theirs = unpack_view(mapped.game.view_fields, tables.views(seat, row)[0])
        assert unpack_view(mapped.game.view_fields, ours[0]) == theirs
        assert makes.plain(node, position, cards[position * held : position * held + held], board) == theirs
        current = int(tables.current_players()[0])
        assert current == ((node.actor - position + seat) % n if node.actor >= 0 else -4)
        if node.actor < 0:
            break
        legal, given_legal = tables.legal(row), makes.legal(node)
        if isinstance(legal, Amounts):
            assert isinstance(given_legal, Amounts)
            assert legal.kinds.tolist() == given_legal.kinds.tolist()
            assert (int(legal.min_amount[0]), int(legal.max_amount[0])) == (node.least, node.most)
        else:
            assert isinstance(given_legal, np.ndarray)
            assert legal.tolist() == given_legal.tolist()
        kind = data.draw(st.sampled_from([0] * node.can_fold + [1, 1] + [2] * bool(node.least)))
        action = data.draw(st.integers(node.least, node.most)) if kind == 2 and definition.no_limit else kind
        tables.apply(row, np.array([action]))
        node = tree.after(node, action)
    expected = tables.returns(row)[0].tolist()
    values = tree.values(node, cards)
    assert [values[place] for place in makes.seats(position)] == pytest.approx(expected)
    assert makes.seats(position)[seat] == position


@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_rungs_of_a_ladder_are_the_games_amounts(data: st.DataObject) -> None:
    definition = load_game(NO_LIMIT)
    mapped = game_map(definition, "holdem_nolimit:bets=0.5+pot+2+allin")
    tables, tree, makes = mapped.game.tables(1), WireTree(definition), ViewMaker(mapped)
    deck = CardSource(definition, 3).next_hand()
    tables.reset(np.zeros(1, np.uint64), [deck], None, pack_setups(2, [Setup(starter=1)]))
    node, row = tree.root, np.zeros(1, np.int64)
    while node.actor >= 0:
        legal = tables.legal(row)
        assert isinstance(legal, np.ndarray)
        assert np.asarray(makes.legal(node)).tolist() == legal.tolist()
        chosen = data.draw(st.sampled_from(np.flatnonzero(legal[0]).tolist()))
        action = makes.action(node, chosen)
        node = tree.after(node, action)
        tables.apply(row, np.array([chosen]))
        history = unpack_view(mapped.game.view_fields, tables.views(0, row)[0])["history"]
        assert history[-1] == action
    assert int(tables.current_players()[0]) == -4


def _follower(line: str, name: str) -> Follower:
    follower = Follower(load_game(name))
    follower.see(line.encode())
    return follower


def test_an_illegal_choice_names_agent_hand_and_what_is_legal(tmp_path: Path) -> None:
    file = tmp_path / "stubborn.py"
    file.write_text(
        textwrap.dedent(
            '''
            """Always raises to 7."""
            from cardai import hookimpl
            from cardai.core.agent import ScalarAgent

            class Stubborn(ScalarAgent):
                def choose(self, view, legal, rng):
                    assert legal == [0, 1, 200, 20000] and view["to_call"] == 50 and view["player"] == view["button"]
                    return 7

            @hookimpl
            def cardai_agent():
                return Stubborn
            '''
        )
    )
    registry.add_file(str(file))
    player = AgentPlayer("stubborn", load_game(NO_LIMIT))
    with pytest.raises(AgentError, match=r"stubborn chose 'r7' in hand 4 after ''. Legal: f, c, r200 to r20000"):
        player.choose(_follower("MATCHSTATE:1:4::|9hQd", NO_LIMIT))


LISTENER = '''
"""A player that learns only once it is bound to a game, as a person is; and one that writes into what it is given."""
from cardai import hookimpl
from cardai.core.agent import Agent, ScalarAgent

HEARD = []

class Listener(Agent):
    def for_game(self, game):
        return Bound()

class Bound(Agent):
    stateful = True

    def policy(self, views, legal):
        return legal * 1.0 / legal.sum()

    def hand_finished(self, view, returns):
        HEARD.append((view["hole"], view["player"], returns))

class Vandal(ScalarAgent):
    def choose(self, view, legal, rng):
        legal.clear()
        for value in view.values():
            if isinstance(value, list):
                value.clear()
        return 1

class Scribbler(Agent):
    def policy(self, views, legal):
        chosen = legal * [0.0, 1.0, 0.0]
        legal[:] = True
        views["spent"] = 7
        return chosen

class Quits(ScalarAgent):
    def choose(self, view, legal, rng):
        raise SystemExit(0)

@hookimpl
def cardai_agent():
    return {"listener": Listener, "vandal": Vandal, "scribbler": Scribbler, "quits": Quits}
'''


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "listener.py"
    file.write_text(LISTENER)
    registry.add_file(str(file))
    yield sys.modules["cardai_plugin_listener"]
    registry.default.reset()


def test_a_player_that_learns_once_it_is_bound_hears_results(listener: ModuleType) -> None:
    player = AgentPlayer("listener", load_game(LIMIT))
    assert player.wants_results
    player.hand_finished(_follower("MATCHSTATE:1:3:f:|9hQd", LIMIT))
    heard = listener.HEARD
    own = [13 * 2 + 7, 13 * 1 + 10]  # 9h and Qd; position 1 has the small blind of 5 and folded it
    assert heard == [(own, 0, [-5.0, 5.0])]
    assert not AgentPlayer("vandal", load_game(LIMIT)).wants_results


@pytest.mark.parametrize("agent", ["vandal", "scribbler"])
def test_a_player_that_writes_into_what_it_is_given_changes_nothing(listener: ModuleType, agent: str) -> None:
    player = AgentPlayer(agent, load_game(LIMIT))
    follower = _follower("MATCHSTATE:0:3:cc/r:5d5c|/8dAs8s", LIMIT)
    before = player._views.plain(follower.node, 0, follower.hole(), follower.board())
    legal = np.asarray(player._views.legal(follower.node)).tolist()
    for _ in range(2):
        assert player.choose(follower) == 1
        assert player._views.plain(follower.node, 0, follower.hole(), follower.board()) == before
        assert np.asarray(player._views.legal(follower.node)).tolist() == legal


def test_a_player_that_exits_is_named_with_its_file(listener: ModuleType) -> None:
    player = AgentPlayer("quits", load_game(LIMIT))
    with pytest.raises(AgentError, match=r"'quits' called sys.exit\(0\) \(.*listener.py, line \d+\) \(hand 4\)"):
        player.choose(_follower("MATCHSTATE:1:4::|9hQd", LIMIT))


@pytest.mark.parametrize(
    ("name", "spec"), [(LIMIT, ""), (NO_LIMIT, ""), (NO_LIMIT, "holdem_fcpa"), ("leduc.limit.2p", "")]
)
def test_agents_play_whole_matches_without_a_repair(name: str, spec: str, tmp_path: Path) -> None:
    with table(tmp_path, name, 40) as running:
        made: list[int] = []

        def seat(port: int, seed: int) -> None:
            player = AgentPlayer("random", load_game(name), seed, spec)
            made.append(play(connect("127.0.0.1", port), load_game(name), player.choose))

        threads = [threading.Thread(target=seat, args=(port, i)) for i, port in enumerate(running.ports)]
        for thread in threads:
            thread.start()
        running.wait()
        for thread in threads:
            thread.join(20)
    assert len(running.hands) == 40
    assert "WARNING" not in running.notes
    assert all(count > 0 for count in made)


def test_nobody_listening_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="No dealer can be reached"):
        connect("127.0.0.1", 1, timeout=0.2)


MIX = '''
"""The competition's example player: folds .06, calls .47, raises .47."""
import numpy as np
from attrs import frozen
from cardai import hookimpl
from cardai.core.agent import Agent

@frozen
class Mix(Agent):
    def policy(self, views, legal):
        weights = (legal.kinds if hasattr(legal, "kinds") else legal) * np.array([0.06, 0.47, 0.47])
        return weights / weights.sum(axis=1, keepdims=True)

@hookimpl
def cardai_agent():
    return Mix
'''


def test_dealer_and_players_are_commands_that_import_neither_numba_nor_torch(tmp_path: Path) -> None:
    (tmp_path / "own_mix.py").write_text(MIX)
    wrapper = textwrap.dedent(
        """
        import sys
        from cardai.cli import main
        try:
            main(sys.argv[1:])
        finally:
            heavy = {"numba", "llvmlite", "torch", "joblib"} & set(sys.modules)
            if heavy:
                sys.stderr.write(f"imported {sorted(heavy)}")
                sys.stderr.flush()
                import os
                os._exit(99)
        """
    )

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", wrapper, "acpc", *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)

    dealer = start("dealer", "match", LIMIT, "30", "1", "A", "B", "--quiet", "--start_timeout", "60000")
    assert dealer.stdout is not None
    ports = dealer.stdout.readline().split()
    players = [
        start(
            "play", "--plugin", "own_mix.py", "--agent", "own_mix", "--game", LIMIT, "--port", port, "--seed", str(seat)
        )
        for seat, port in enumerate(ports)
    ]
    for process in (*players, dealer):
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, (out, err)
    log = (tmp_path / "match.log").read_text().splitlines()
    assert sum(line.startswith("STATE:") for line in log) == 30
    assert log[-1].startswith("SCORE:")
