"""A match of the competition without processes and sockets: the same lines, the same replies, the same log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cardai.formats.acpc.dealer import Match, private_texts, shown_texts
from cardai.formats.acpc.dealing import CardSource, Deal
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.logs import Score
from cardai.formats.acpc.matchfiles import MatchFiles, finished_line
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.series import Series
from cardai.poker.rules.growing_tree import BettingNode


def play_in_process(
    match: Match, files: MatchFiles, players: Sequence[AgentPlayer], progress: Callable[[int], None] | None = None
) -> Score:
    """Play ``match`` between ``players``, by seat, write its log as the dealer does, and return the score.

    The log is byte for byte that of the same players over the wire: each sees the state lines that it would answer.

    Raises:
        AgentError: a player raised, or chose what is not legal; the log keeps the finished hands and has no score.
    """
    n, tree, source = match.game.num_players, WireTree(match.game), CardSource(match.game, match.seed)
    followers = [Follower(match.game) for _ in players]
    totals = [0.0] * n
    files.begin(match)
    for hand in range(match.hands):
        first = 0 if match.fixed_button else hand % n
        deal = source.next_deal()
        node = _play_hand(hand, first, deal, tree, followers, players)
        values = tree.values(node, deal.cards)
        names = [match.players[(position + first) % n] for position in range(n)]
        for position, value in enumerate(values):
            totals[(position + first) % n] += value
        files.add(finished_line(hand, node, deal, values, names))
        if progress is not None:
            progress(hand + 1)
    score = Score(tuple(totals), match.players)
    files.end(score)
    return score


def play_agents(series: Series, match: Match, seats: Sequence[int], directory: Path, plays: str = "") -> Score:
    """Play a match of a series between agents; its log is ``directory``/NAME.log. Raises AgentError, UsageError."""
    players = [
        AgentPlayer(series.players[k], match.game, series.client_seed(match, seat), plays)
        for seat, k in enumerate(seats)
    ]
    files = MatchFiles.open(str(directory / match.name))
    try:
        return play_in_process(match, files, players)
    finally:
        files.close()


def _play_hand(
    hand: int, first: int, deal: Deal, tree: WireTree, followers: Sequence[Follower], players: Sequence[AgentPlayer]
) -> BettingNode:
    """Play one hand, tell those who learn how it ended, and return its last node."""
    n, node, private = len(players), tree.root, private_texts(deal)
    while node.actor >= 0:
        position = node.actor
        seat = (position + first) % n
        follower = followers[seat]
        text = private[position] + deal.boards[node.round].encode()
        follower.see(b"MATCHSTATE:%d:%d:" % (position, hand) + node.wire + text)
        node = tree.after(node, players[seat].choose(follower))
    shown = shown_texts(deal, node)
    for seat, player in enumerate(players):
        if player.wants_results:
            position = (seat - first) % n
            text = b":" + shown[position] + deal.boards[node.round].encode()
            followers[seat].see(b"MATCHSTATE:%d:%d:" % (position, hand) + node.wire + text)
            player.hand_finished(followers[seat])
    return node
