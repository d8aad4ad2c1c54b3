"""Servers of our own that speak the two sites' protocols, with the oddities that readers of them report."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import CARD_TEXT
from cardai.formats.slumbot import GAME, from_slumbot, to_slumbot


class Deal:
    """A hand under way: ``client`` is the position of the one who calls, the other plays at random."""

    def __init__(self, seed: int, number: int, client: int) -> None:
        self.tree = WireTree(load_game(GAME))
        self.rng, self.client, self.number = Random(f"{seed} {number}"), client, number
        self.deck = self.rng.sample(range(52), 9)
        self.node = self.tree.root
        self.asked = 0
        self._answer()

    def take(self, text: str) -> None:
        """Take the client's action in Slumbot's letters, then the other's until the client is to act."""
        self.asked += 1
        played = to_slumbot(self.node) + text
        self.node = from_slumbot(played, self.tree)
        self._answer()

    def _answer(self) -> None:
        while self.node.actor >= 0 and self.node.actor != self.client:
            raises = [self.node.least, self.node.most] if self.node.least and self.rng.random() < 0.3 else []
            folds = [0] if self.node.can_fold and self.rng.random() < 0.3 else []
            self.node = self.tree.after(self.node, self.rng.choice([1, *raises, *folds]))

    @property
    def over(self) -> bool:
        return self.node.actor < 0

    def cards(self, position: int) -> list[str]:
        return [CARD_TEXT[card] for card in self.deck[2 * position : 2 * position + 2]]

    def board(self) -> list[str]:
        return [CARD_TEXT[card] for card in self.deck[4 : 4 + (0, 3, 4, 5)[self.node.round]]]

    def winnings(self) -> int:
        return int(self.tree.values(self.node, self.deck)[self.client])


class Sites:
    """Both sites at once. ``faults`` holds, by path, what the next calls answer instead: a status (nothing is done),
    "cut" or "half" (it is done, and nobody hears of it), or a JSON value."""

    def __init__(self, seed: int = 7, hide: bool = False) -> None:
        self.seed, self.hide = seed, hide
        self.deals: dict[str, Deal] = {}
        self.begun = 0
        self.faults: dict[str, list[Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []

    def _new(self) -> tuple[str, Deal]:
        deal = Deal(self.seed, self.begun, self.begun % 2)
        name = f"hand-{self.begun}"
        self.deals[name] = deal
        self.begun += 1
        return name, deal

    def slumbot(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a call of Slumbot's protocol; a new token comes with a session's first hand and with every third."""
        if path == "/api/login":
            return {"token": "signed in"} if body["password"] == "right" else {"error_msg": "Invalid password\x1b[31m"}
        if path == "/api/new_hand":
            self.current, deal = self._new()
        else:
            deal = self.deals[self.current]
            assert body["token"] == self.token
            deal.take(body["incr"])
        answer: dict[str, Any] = {
            "old_action": "",
            "action": to_slumbot(deal.node),
            "client_pos": deal.client,
            "hole_cards": deal.cards(deal.client),
            "board": deal.board(),
        }
        if path == "/api/new_hand" and (not body.get("token") or self.begun % 3 == 1):
            self.token = answer["token"] = f"token {self.begun}"
        if deal.over:
            answer |= {"winnings": deal.winnings(), "won_pot": 0, "baseline_winnings": deal.winnings() - 100}
            answer |= {
                "bot_hole_cards": [] if self.hide else deal.cards(1 - deal.client),
                "session_num_hands": self.begun,
            }
        return answer

    def wizard(self, path: str, body: dict[str, Any] | None) -> Any:
        """Answer a call of GTO Wizard's protocol; blinds come in either order, cards of both may be shown all the time."""
        if path == "/hands/in-progress":
            return [self.frame(n, d) for n, d in self.deals.items() if not d.over]
        assert body is not None
        if path == "/hands":
            assert body == {"game_name": "HUNL 200BB"}
            return self.frame(*self._new())
        name = path.split("/")[2]
        deal = self.deals[name]
        deal.take(body["action"] + str(body["amount"] or ""))
        return self.frame(name, deal)

    def frame(self, name: str, deal: Deal) -> dict[str, Any]:
        shown = deal.over and not self.hide
        seats = [("GTO Wizard", 1 - deal.client), ("tester", deal.client)]
        players = [
            {
                "name": who,
                "position": ("BB", "SB")[position],
                "stack": 20000.0,
                "hole_cards": "".join(deal.cards(position)) if shown or position == deal.client else None,
            }
            for who, position in seats[:: 1 if deal.number % 2 else -1]
        ]
        state = {
            "board_cards": "".join(deal.board()),
            "is_hand_over": deal.over,
            "players": players,
            "action_history": _history(to_slumbot(deal.node)),
            "winnings": deal.winnings() if deal.over else (None, 0.0)[deal.number % 2],
            "aivat_score": 25.0 if deal.over else None,
        }
        game = {"starting_stack": 20000.0, "blinds": [50.0, 100.0][:: 1 if deal.number % 3 else -1]}
        return {"hand_id": name, "game": {**game, "stack_reset_per_hand": True}, "game_state": state}


def _history(text: str) -> list[str]:
    steps: list[str] = []
    for letter in text:
        if letter.isdigit():
            steps[-1] += letter
        else:
            steps.append("_" if letter == "/" else letter)
    return steps


@contextmanager
def serving(sites: Sites) -> Iterator[str]:
    """Serve ``sites`` on this machine and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, body: dict[str, Any] | None) -> None:
            sites.calls.append((self.path, body or {}))
            sites.headers.append(dict(self.headers))
            fault = sites.faults.get(self.path.partition("?")[0], [])
            wrong = fault.pop(0) if fault else None
            if wrong == "cut":  # it is done, and nobody hears of it
                self._of(body)
                self.close_connection = True
                return
            status = wrong if isinstance(wrong, int) else 200
            value = {"error": "busy"} if status != 200 else self._of(body) if wrong in (None, "half") else wrong
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if wrong == "half" else data)
            self.close_connection = True

        def _of(self, body: dict[str, Any] | None) -> Any:
            if self.path.startswith("/api"):
                return sites.slumbot(self.path, body or {})
            path, _, asked = self.path.partition("?")
            assert asked == ("game_name=HUNL+200BB" if body is None else "")
            return sites.wizard(path, body)

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
