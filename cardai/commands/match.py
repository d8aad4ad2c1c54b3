"""``cardai match``: any agent against the players of public sites, by their own protocols."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import evolve, frozen

from cardai.commands.invocation import Json, Seed, note, out, print_json, progress
from cardai.commands.show.figures import estimate_json, interval_json
from cardai.core.errors import CardaiError, UsageError

if TYPE_CHECKING:
    from cardai.core.statistics import Estimate
    from cardai.formats.sites.kept import KeptHands
    from cardai.formats.sites.series import SiteFigures
    from cardai.formats.sites.shown import Site
    from cardai.solve.aivat import Aivat

Agent = Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player, or a trained run.")]
Hands = Annotated[int, typer.Option("--hands", "-n", metavar="N", min=1, help="Hands in all, with --resume too.")]
RecordFile = Annotated[
    str, typer.Option("--record", "-r", metavar="FILE", help="Grows hand by hand.", show_default=False)
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the match in --record.")]
Plays = Annotated[
    str, typer.Option("--as", metavar="GAME", help="The game the agent plays.", show_default="the site's")
]
WithAivat = Annotated[
    bool, typer.Option("--aivat/--no-aivat", help="Take the luck out by the agent's own odds, where it tells them.")
]
Seconds = Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long an answer may take.")]
User = Annotated[str, typer.Option("--user", metavar="NAME", help="Log in; the password is in SLUMBOT_PASSWORD.")]
SlumbotUrl = Annotated[
    str, typer.Option("--url", help="Another server that speaks the protocol.", show_default="the site")
]
GameName = Annotated[str, typer.Option("--game-name", metavar="NAME", help="The benchmark's game.")]
Me = Annotated[
    str, typer.Option("--me", metavar="NAME", help="Your name at the table.", show_default="who is not GTO Wizard")
]


@frozen
class Asked:
    """What both commands ask of a match."""

    agent: str
    record: str
    hands: int
    resume: bool
    seed: int
    plays: str
    aivat: bool
    json: bool


def slumbot(
    agent: Agent,
    record: RecordFile,
    hands: Hands = 1000,
    resume: Resume = False,
    seed: Seed = 0,
    plays: Plays = "",
    aivat: WithAivat = True,
    user: User = "",
    url: SlumbotUrl = "",
    timeout: Seconds = 30.0,
    json: Json = False,
) -> None:
    """Play hands against Slumbot (slumbot.com): heads-up no-limit, 200 big blinds.

    Prints the winnings, the winnings above what Slumbot itself would have made with the same cards, and AIVAT, in
    thousandths of a big blind a hand. Ctrl-C loses no finished hand; --resume goes on.
    """
    from cardai.formats.sites import slumbot as protocol
    from cardai.formats.sites.service import Service

    service = Service(url or protocol.URL, seconds=timeout)
    site = protocol.Slumbot(service, user, os.environ.get("SLUMBOT_PASSWORD", ""))
    _play(site, Asked(agent, record, hands, resume, seed, plays, aivat, json))


def gtowizard(
    agent: Agent,
    record: RecordFile,
    hands: Hands = 1000,
    resume: Resume = False,
    seed: Seed = 0,
    plays: Plays = "",
    aivat: WithAivat = True,
    game_name: GameName = "HUNL 200BB",
    me: Me = "",
    url: SlumbotUrl = "",
    timeout: Seconds = 30.0,
    json: Json = False,
) -> None:
    """Play hands of GTO Wizard's benchmark; the key is in GTOWIZARD_API_KEY.

    Prints the winnings, the site's own AIVAT, and AIVAT by the agent's odds, in thousandths of a big blind a hand. Ctrl-C
    loses no finished hand; --resume goes on, with the hand under way too.
    """
    from cardai.formats.sites import gtowizard as protocol
    from cardai.formats.sites.service import Service

    key = os.environ.get(protocol.KEY, "").strip()  # of a file it may have a line end
    if not key:
        raise UsageError(
            f"GTO Wizard wants a key, which its site gives out by a form. Put it in the variable {protocol.KEY}."
        )
    service = Service(url or protocol.URL, {"X-API-Key": key}, seconds=timeout)
    _play(protocol.GtoWizard(service, game_name, me), Asked(agent, record, hands, resume, seed, plays, aivat, json))


def _play(site: Site, asked: Asked) -> None:
    """Play what is missing, then print what the whole record came to."""
    from cardai.formats.sites.kept import KeptHands
    from cardai.formats.sites.series import SitePlayer, header_of, play_hands

    agent, seed, record = asked.agent, asked.seed, asked.record
    player = SitePlayer(agent, site.definition, seed, asked.plays)  # before a hand is begun that it could not play
    with KeptHands(record, header_of(site.name, site.definition, agent, seed, asked.plays), asked.resume) as kept:
        try:
            with progress(f"{agent} against {site.name}", "hands") as advance:
                play_hands(site, player, kept, asked.hands, advance)
        except KeyboardInterrupt:
            if not kept.hands:
                note("Stopped before a hand was finished.")
                raise typer.Exit(130) from None
            note(f"Stopped. What is finished is in {record}; the same command with --resume goes on.")
            _report(kept, site.name, evolve(asked, aivat=False))
            raise typer.Exit(130) from None
        except CardaiError:
            if kept.hands:
                note(f"What is finished is in {record}; the same command with --resume goes on.")
            raise
        _report(kept, site.name, asked)


def _report(kept: KeptHands, site: str, asked: Asked) -> None:
    from cardai.formats.sites.series import figures

    found, agent = figures(kept.hands), asked.agent
    corrected = _aivat(agent, asked.record, found.unseen) if asked.aivat and found.hands else None
    if asked.json:
        print_json(_as_json(found, corrected, site, agent))
        return
    console = out()
    console.print(f"{agent} against {site}: {found.hands:,} hands. mbb: thousandths of a big blind.")
    if found.hands:
        console.print(f"won                  {_mbb(found.chips)}")
    if found.above_baseline is not None:
        console.print(
            f"above the baseline   {_mbb(found.above_baseline)}   ({site} in the same seats with the same cards)"
        )
    if found.aivat is not None:
        console.print(f"{site}'s own AIVAT  {_mbb(found.aivat)}")
    if corrected is not None:
        scale = 1000.0 / kept.hands[0].big_blind
        luckless = corrected.corrected.scaled(scale).text(1, "mbb a hand", sign=True)
        console.print(f"AIVAT                {luckless:>28}")
    if found.decisions:
        mean = found.seconds / found.decisions
        console.print(
            f"{found.decisions:,} decisions, {mean:.2g} s each, {found.longest:.2g} s at most. ± is half a 95% interval."
        )
    for count, what in (
        (found.lost, "were lost on the way and count in nothing"),
        (found.unseen, "showed not all cards"),
    ):
        if count:
            console.print(f"{count:,} hands {what}.")


def _aivat(agent: str, record: str, unseen: int) -> Aivat | None:
    """Return AIVAT of the record by the agent's own odds, or say why there is none."""
    from cardai import make
    from cardai.arena.records import read
    from cardai.commands.evaluate_aivat import measure, prepared

    if unseen:
        note(f"No AIVAT: of {unseen:,} hands the other cards were not shown, and which they are is no accident.")
        return None
    file = read(record)
    game, player = make.game(file.header["game"]), make.agent(agent)
    try:
        function = prepared(game, player, agent, None)
        return measure(game, player, agent, [hand for hand in file.hands if hand["deck"]], 0, function, 0)
    except UsageError as error:
        note(f"No AIVAT: {error}")
        return None


def _mbb(figure: Estimate) -> str:
    return f"{figure.text(1, 'mbb a hand', sign=True):>28}"


def _as_json(found: SiteFigures, corrected: Aivat | None, site: str, agent: str) -> dict[str, Any]:
    """Return the figures as plain values; ``aivat`` in chips a hand, the others in mbb."""
    return {
        "site": site,
        "agent": agent,
        "hands": found.hands,
        "lost": found.lost,
        "unseen": found.unseen,
        "unit": "mbb",
        "won": estimate_json(found.chips),
        "above_baseline": found.above_baseline and estimate_json(found.above_baseline),
        "site_aivat": found.aivat and estimate_json(found.aivat),
        "aivat_chips": corrected and interval_json(corrected.corrected),
        "decisions": found.decisions,
        "seconds": found.seconds,
        "longest": found.longest,
    }
