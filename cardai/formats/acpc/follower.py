"""Following a match from its lines: what a player knows of the current hand, read as little anew as possible.

A line usually repeats the last one and adds an action, so only the tail is read, and a betting string that was seen before
is one dictionary lookup.
"""

from __future__ import annotations

import re

from cardai.core.errors import DamagedFileError, IllegalActionError
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import CALL, CARD_TEXT, FOLD, parse_betting, parse_match_state
from cardai.poker.rules.growing_tree import BettingNode

_CARD_OF = {text.encode(): card for card, text in enumerate(CARD_TEXT)}
_SIMPLE = {b"f": (FOLD,), b"c": (CALL,)}
_NUMBER = re.compile(rb"[0-9]{1,3}:[0-9]{1,10}")


class Follower:
    """What a player has seen: after :meth:`see`, ``position`` and ``hand``, the ``node`` of betting, and the cards."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.tree = WireTree(game)
        self.node: BettingNode = self.tree.root
        self.position = 0
        self.hand = -1
        self._head = b"?"
        self._deal = b""
        self._private, self._public = b"", b""  # the texts of the cards last read
        self._hole: list[int] = []
        self._board: list[int] = []

    def see(self, line: bytes) -> bool:
        """Take in one match state (without line end) and say whether it is this player's turn.

        Raises:
            DamagedFileError: a line that is no match state of this game.
        """
        head = self._head
        if not line.startswith(head):
            self._new_hand(line)
            head = self._head
        end = line.find(b":", len(head))
        betting = line[len(head) : end]
        self._deal = line[end + 1 :]
        node = self.node
        if betting != node.wire:
            known = self.tree.known.get(betting)
            if known is None:
                goes_on = betting.startswith(node.wire)
                known = self._step(node, betting[len(node.wire) :]) if goes_on else self._parse(line)
            self.node = node = known
        return node.actor == self.position

    def act(self, action: int) -> None:
        """Go on to the node after the player's own ``action``.

        A dealer that takes the action as another is believed when its line comes.
        """
        self.node = self.tree.after(self.node, action)

    def longer(self) -> int:
        """Return by how much the line that the own action just taken leads to will be longer than the last one.

        Returns 0 when that line may need an answer at once, or is the hand's last state.
        """
        ahead, node = self.node, self.node.parent
        if node is None or ahead.actor < 0 or ahead.actor == self.position:
            return 0
        longer = len(ahead.wire) - len(node.wire)
        for round_ in range(node.round + 1, ahead.round + 1):
            longer += 1 + 2 * self.game.num_board[round_]
        return longer

    def _new_hand(self, line: bytes) -> None:
        fields = line.split(b":", 4)
        if len(fields) != 5 or fields[0] != b"MATCHSTATE" or not _NUMBER.fullmatch(fields[1] + b":" + fields[2]):
            raise DamagedFileError(f"The dealer sent {line[:120]!r}, which is no match state.")
        self.position, self.hand = int(fields[1]), int(fields[2])
        if self.position >= self.game.num_players or fields[4].count(b"|") != self.game.num_players - 1:
            raise DamagedFileError(f"The dealer sent {line[:120]!r}, which is not the game {self.game.name}.")
        self._head = b":".join(fields[:3]) + b":"
        self.node = self.tree.root

    def _step(self, node: BettingNode, tail: bytes) -> BettingNode:
        """Return the node ``tail`` leads to."""
        letters = tail.rstrip(b"/")
        actions: tuple[int, ...]
        if letters in _SIMPLE:
            actions = _SIMPLE[letters]
        elif (
            letters[:1] == b"r"
            and letters[1:].isdigit()
            and self.tree.no_limit
            and 2 < len(letters) < 12
            and letters[1] != 48
        ):
            actions = (int(letters[1:]),)
        else:
            actions = sum(parse_betting(tail.decode("latin-1"), self.game.no_limit), ())
        step = node
        try:
            for action in actions:
                step = self.tree.after(step, action)
        except IllegalActionError as error:
            raise DamagedFileError(
                f"The dealer sent a betting that the game {self.game.name} refuses: {error}"
            ) from error
        return step

    def _parse(self, line: bytes) -> BettingNode:
        """Return the node of a line that does not go on from the last one."""
        state = parse_match_state(line.decode("latin-1"), self.game)
        return self.tree.walk(parse_betting(state.betting, self.game.no_limit))

    def hole(self) -> list[int]:
        """Return the player's own hole cards (read them only: they are kept)."""
        private = self._deal.partition(b"/")[0]
        if private != self._private:
            self._hole, self._private = self.shown(self.position), private
        return self._hole

    def shown(self, position: int) -> list[int]:
        """Return the hole cards of ``position`` that the last line showed (empty: not shown)."""
        return _cards(self._deal.split(b"/", 1)[0].split(b"|")[position])

    def board(self) -> list[int]:
        """Return the board cards of the last line, in dealt order (read them only: they are kept)."""
        public = self._deal.partition(b"/")[2]
        if public != self._public:
            self._board, self._public = _cards(public.replace(b"/", b"")), public
        return self._board


def _cards(text: bytes) -> list[int]:
    try:
        return [_CARD_OF[text[i : i + 2]] for i in range(0, len(text), 2)]
    except KeyError:
        raise DamagedFileError(f"The dealer sent the cards {text!r}, which are no cards.") from None
