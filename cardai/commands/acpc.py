"""``cardai acpc``: the poker competition's dealer and player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.acpc_match import match as match

if TYPE_CHECKING:
    from cardai.formats.acpc.dealer import Match
    from cardai.formats.acpc.matchfiles import MatchFiles


def _choose_kernels(compiled: bool) -> bool:
    """Run kernels as plain Python from here on, unless they are to be compiled."""
    if not compiled:
        from cardai.core.kernel import interpret

        interpret()
    return compiled


Name = Annotated[str, typer.Argument(metavar="NAME", help="The match; its log is NAME.log.", show_default=False)]
Gamedef = Annotated[
    str,
    typer.Argument(
        metavar="GAMEDEF",
        help="A game definition: a file, a shipped one's name, or a game of cardai.",
        show_default=False,
    ),
]
Hands = Annotated[int, typer.Argument(metavar="HANDS", min=1, help="Hands to play.", show_default=False)]
DealerSeed = Annotated[
    int, typer.Argument(metavar="SEED", min=0, help="Decides the cards; below 2^32.", show_default=False)
]
Players = Annotated[
    list[str], typer.Argument(metavar="P1 P2 ...", help="The players' names, by seat.", show_default=False)
]
Fixed = Annotated[bool, typer.Option("-f", "--fixed", help="Keep the button where it is.")]
Ports = Annotated[
    str,
    typer.Option("-p", "--ports", metavar="PORT,PORT", help="The ports, by seat.", show_default="any free ones"),
]
DealerHost = Annotated[str, typer.Option("--host", help="The address to listen on; 0.0.0.0 lets other machines in.")]
Log = Annotated[bool, typer.Option("--log/--no-log", "-L/-l", help="Write NAME.log.")]
Transactions = Annotated[
    bool, typer.Option("--transactions/--no-transactions", "-T/-t", help="Write NAME.tlog, to go on from.")
]
Append = Annotated[
    bool, typer.Option("-a", "--append", help="Append to the files; with -T, go on with a broken match.")
]
TResponse = Annotated[int, typer.Option("--t_response", min=1, help="Milliseconds for a response.")]
THand = Annotated[int, typer.Option("--t_hand", min=1, help="Milliseconds a player has in a hand.")]
TPerHand = Annotated[int, typer.Option("--t_per_hand", min=1, help="Milliseconds a hand that a player has on average.")]
StartTimeout = Annotated[
    int, typer.Option("--start_timeout", help="Milliseconds to wait for the players; below 0: for ever.")
]


def dealer(
    name: Name,
    gamedef: Gamedef,
    hands: Hands,
    seed: DealerSeed,
    players: Players,
    fixed: Fixed = False,
    ports: Ports = "",
    host: DealerHost = "127.0.0.1",
    log: Log = True,
    transactions: Transactions = False,
    append: Append = False,
    t_response: TResponse = 600_000,
    t_hand: THand = 600_000,
    t_per_hand: TPerHand = 7_000,
    start_timeout: StartTimeout = -1,
) -> None:
    """Deal a match of the poker competition over TCP.

    Prints the ports, one a seat, on the first line, and the score on the last; every line sent and received goes to
    stderr, unless --quiet. The log is byte for byte what the
    competition's own dealer writes for the same seed, game and replies. Games that come with cardai:
    holdem.limit.2p.reverse_blinds, holdem.nolimit.2p.reverse_blinds, holdem.limit.3p, holdem.nolimit.3p,
    kuhn.limit.3p, leduc.limit.2p.
    """
    _choose_kernels(compiled=False)  # a few hands a second are no reason to compile anything
    from cardai.formats.acpc.matchfiles import MatchFiles
    from cardai.formats.acpc.nodes import spare_collections

    spare_collections()
    times = (t_response, t_hand, t_per_hand, start_timeout)
    match = _match(name, gamedef, hands, seed, tuple(players), fixed, host, ports, times)
    _deal(match, MatchFiles.open(name, log, transactions, append))


def _match(
    name: str,
    gamedef: str,
    hands: int,
    seed: int,
    players: tuple[str, ...],
    fixed: bool,
    host: str,
    ports: str,
    times: tuple[int, int, int, int],
) -> Match:
    """Return the match that the arguments describe; ``times``: a response's, a hand's, on average, to wait at first."""
    from cardai.core.errors import UsageError
    from cardai.formats.acpc.clock import TimeLimits
    from cardai.formats.acpc.dealer import Match
    from cardai.formats.acpc.games import find_definition

    try:
        return Match(
            name=name,
            game=find_definition(gamedef)[1],
            hands=hands,
            seed=seed,
            players=players,
            game_file=gamedef,
            fixed_button=fixed,
            host=host,
            ports=tuple(int(port) for port in ports.split(",") if port),
            limits=TimeLimits(*times[:3]),
            start_timeout=times[3],
        )
    except ValueError as error:
        raise UsageError(f"The match cannot be dealt: {error}") from error


def _deal(match: Match, files: MatchFiles) -> None:
    """Wait for the players, deal, and end with 1 where the match had to be given up."""
    from cardai.commands.invocation import current, stdout
    from cardai.formats.acpc.dealer import Dealer
    from cardai.formats.acpc.seat import MatchAborted

    with Dealer(match, files, out=stdout(), quiet=current().quiet) as table:
        table.listen()
        try:
            table.play()
        except MatchAborted:  # the dealer has said why, in the competition's words
            raise typer.Exit(1) from None


Agent = Annotated[
    str, typer.Option("--agent", "-a", metavar="AGENT", help="The player, or a trained run.", show_default=False)
]
Game = Annotated[
    str,
    typer.Option(
        "--game",
        "-g",
        metavar="GAMEDEF",
        help="A game definition: a file, a shipped one's name, or a game of cardai.",
        show_default=False,
    ),
]
Port = Annotated[int, typer.Option("--port", "-p", help="The seat's port.", show_default=False)]
PlayHost = Annotated[str, typer.Option("--host", help="The dealer's address.")]
PlaySeed = Annotated[int, typer.Option("--seed", min=0, help="Decides what the player leaves to chance.")]
Plays = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="GAME",
        help="The game the agent plays, such as holdem_fcpa.",
        show_default="the definition's",
    ),
]
Silence = Annotated[
    float,
    typer.Option("--silence", metavar="SECONDS", min=0, help="How long the dealer may say nothing; 0: for ever."),
]
Compiled = Annotated[
    bool,
    typer.Option(
        "--compiled",
        help="Compile the game's kernels (starts later; for players that need it).",
        is_eager=True,  # before --plugin loads files that import kernels
        callback=_choose_kernels,
    ),
]


def play(
    agent: Agent,
    game: Game,
    port: Port,
    host: PlayHost = "127.0.0.1",
    seed: PlaySeed = 0,
    plays: Plays = "",
    compiled: Compiled = False,
    silence: Silence = 3600.0,
) -> None:
    """Take part in a match of the poker competition with any agent.

    Ends when the dealer ends the match. The agent sees the game of cardai that the definition describes; with --as a
    game that has a ladder of bets, its bets become amounts.
    """
    from cardai.formats.acpc.client import connect
    from cardai.formats.acpc.client import play as play_match
    from cardai.formats.acpc.games import find_definition
    from cardai.formats.acpc.nodes import spare_collections
    from cardai.formats.acpc.player import AgentPlayer

    spare_collections()
    definition = find_definition(game)[1]
    player = AgentPlayer(agent, definition, seed, plays)
    told = player.hand_finished if player.wants_results else None
    play_match(connect(host, port), definition, player.choose, told, silence)
