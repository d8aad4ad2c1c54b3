"""Files of hands to a directory of examples: streamed, split by deal, with what is left out counted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import numpy as np
from attrs import define, field

from cardai import make
from cardai.arena.records import Record
from cardai.core.arrays import Bools, Uint64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.rng import derive, hash_rows
from cardai.learn.imitation.examples import Examples, ExampleWriter, Manifest
from cardai.learn.imitation.hands import Replayed, Replayer, classes, rule

BATCH = 2048
"""Hands played again at once."""


class Hands(Protocol):
    """The hands of a file as they are read (:class:`cardai.formats.stream.HandStream`)."""

    name: str
    game: str
    agents: list[str]
    hands: Iterator[Record | str]


Open = Callable[[str], AbstractContextManager[Hands]]
Report = Callable[[str], None]


@define
class _Count:
    """What was met so far."""

    players: list[str] = field(factory=list)
    hands: int = 0
    left_out: int = 0
    repeated: int = 0
    same_deal: int = 0
    deals: set[int] = field(factory=set)
    seen: set[int] = field(factory=set)


def convert(
    sources: Sequence[str],
    open_hands: Open,
    directory: Path,
    encoder: str = "",
    players: Sequence[str] = (),
    test_share: float = 0.2,
    seed: int = 0,
    problem: Report = lambda text: None,
    progress: Callable[[int], None] = lambda hands: None,
) -> Manifest:
    """Write the decisions of ``players`` (none: of all) in ``sources`` to ``directory`` and return the manifest.

    ``test_share`` of the deals are marked for testing, drawn by ``seed``: all hands with one deal are on one side.
    ``problem`` is told of each hand and line that is left out, ``progress`` of the hands read. Ctrl-C ends the reading:
    what was read is kept, and the manifest says so.

    Raises:
        UsageError: a player is in none of the files, two files are of different games, the encoder cannot take the game,
            or ``directory`` is not empty. DamagedFileError: there is no good hand.
    """
    writer: ExampleWriter | None = None
    count, game_spec, interrupted = _Count(), "", False
    try:
        for source in sources:
            with open_hands(source) as opened:
                if not game_spec:
                    game_spec = opened.game
                    game = make.game(game_spec)
                    layout = make.encoder(encoder).for_game(game) if encoder else None
                    writer = ExampleWriter(directory, game, layout)
                    replayer = Replayer(game, BATCH)
                if opened.game != game_spec:
                    raise UsageError(
                        f"{source} is of the game {opened.game}, {sources[0]} of {game_spec}: one at a time."
                    )
                assert writer is not None
                try:
                    for part in _parts(opened, replayer, players, count, test_share, seed, problem):
                        writer.add(part)
                        progress(count.hands)
                except KeyboardInterrupt:
                    interrupted = True
                    break
        missing = [name for name in players if name not in count.players]
        if missing and not interrupted:
            known = ", ".join(count.players[:20]) or "nobody"
            raise UsageError(f"The player {missing[0]!r} is not in {', '.join(sources)}. Known: {known}.")
        if writer is None or not count.hands:
            raise DamagedFileError(f"There is no hand in {', '.join(sources)} that can be learned from.")
    except BaseException:
        if writer is not None:
            writer.discard()
        raise
    return writer.finish(
        Manifest(
            game=game_spec,
            classes=classes(game),
            rule=rule(game),
            players=tuple(count.players),
            sources=tuple(sources),
            hands=count.hands,
            examples=0,
            test_share=test_share,
            seed=seed,
            shards=(),
            encoder=encoder,
            left_out=count.left_out,
            repeated=count.repeated,
            same_deal=count.same_deal,
            interrupted=interrupted,
        )
    )


def _parts(
    opened: Hands,
    replayer: Replayer,
    players: Sequence[str],
    count: _Count,
    test_share: float,
    seed: int,
    problem: Report,
) -> Iterator[Examples]:
    """Yield the decisions of an opened file, batch by batch."""
    while batch := list(itertools.islice(opened.hands, BATCH)):
        records: list[Record] = []
        for item in batch:
            if isinstance(item, str):
                count.left_out += 1
                problem(item)
            else:
                records.append(item)
        names = [opened.agents[k] for record in records for k in record["seats"]]
        count.players += [name for name in dict.fromkeys(names) if name not in count.players]
        wanted = [[not players or opened.agents[k] in players for k in record["seats"]] for record in records]
        replayed = replayer.replay(records, wanted) if records else None
        if replayed is None:
            continue
        for i, why in replayed.wrong.items():
            count.left_out += 1
            problem(f"{opened.name}, hand {records[i].get('hand')}: {why}. The hand was left out.")
        yield _examples(opened.agents, records, replayed, count, test_share, seed)


def _examples(
    agents: Sequence[str], records: Sequence[Record], replayed: Replayed, count: _Count, share: float, seed: int
) -> Examples:
    """Return a batch's decisions with numbers of hands, players and sides, without hands that were there before."""
    number = np.full(len(records), -1, np.int64)
    who = np.full((len(records), max((len(r["seats"]) for r in records), default=1)), -1, np.int16)
    index = {name: k for k, name in enumerate(count.players)}
    for i, record in enumerate(records):
        if i in replayed.wrong:
            continue
        names = tuple(agents[k] for k in record["seats"])
        deal = int(replayed.deal[i])
        whole = hash((deal, names, tuple(record["actions"]), tuple(record["deck"])))
        if whole in count.seen:
            count.repeated += 1
            continue
        count.seen.add(whole)
        count.same_deal += deal in count.deals
        count.deals.add(deal)
        who[i, : len(names)] = [index[name] for name in names]
        number[i] = count.hands
        count.hands += 1
    d = replayed.decisions
    kept = np.flatnonzero(number[d.hand] >= 0) if len(d) else np.zeros(0, np.int64)
    hand, deal_of = d.hand[kept], replayed.deal[d.hand[kept]]
    return Examples(
        views=d.views[kept],
        legal=d.legal[kept],
        label=d.label[kept],
        action=d.action[kept],
        hand=number[hand],
        player=who[hand, d.seat[kept]],
        later=d.later[kept],
        value=d.value[kept],
        deal=deal_of,
        test=held_out(deal_of, share, seed),
    )


def held_out(deal: Uint64s, share: float, seed: int) -> Bools:
    """Return for each deal (n,) whether it is held out: a ``share`` of all, by ``seed`` and the deal alone."""
    drawn = hash_rows(deal, derive(seed, "held out") & (2**63 - 1)) >> np.uint64(11)
    return np.asarray(drawn.astype(np.float64) * 2.0**-53 < share)
