"""Everything put together: the tables, their pages, the door and the server, until a signal comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from cardai.core.compiling import compiled_apart
from cardai.core.memory import give_back
from cardai.web.door import Door
from cardai.web.offers import Offers
from cardai.web.pages import Asked, House
from cardai.web.server import Server, listening, server, until_signal
from cardai.web.sittings import Sittings


def serve(
    asked: Asked,
    host: str,
    port: int,
    tables: int,
    show: bool,
    said: Callable[[str], None],
    told: Callable[[str], None],
) -> int:
    """Offer the pages until Ctrl-C, SIGTERM or SIGHUP; return the signal's number.

    ``said`` hears the address, ``told`` what else there is to say; ``show`` opens the first page; at most ``tables`` are
    played at a time. Threads that compute for long, and do not heed that all ends, may still do so then.

    Raises:
        OSError: the address cannot be listened on.
    """

    async def run() -> int:
        house = House(Door(host), Sittings(tables), asked, Offers(asked.table))
        listener = listening(house.door, port)
        made = server(house.application(), tables, told, house.stop)
        async with tidied(house):
            return await until_signal(made, listener, house.door, show, said, told)

    give_back()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # which keeps it: closing it, as asyncio.run does, would wait for requests' threads
    running = loop.create_task(run())
    try:
        with compiled_apart():
            return loop.run_until_complete(running)
    except KeyboardInterrupt:  # where signals do not reach the loop
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(running)
        raise


@contextlib.asynccontextmanager
async def tidied(house: House) -> AsyncIterator[None]:
    """Put away tables that nobody shows meanwhile, and all of them at the end."""
    tidying = asyncio.create_task(house.tidying())
    try:
        yield
    finally:
        tidying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tidying


@contextlib.asynccontextmanager
async def served(house: House, told: Callable[[str], None], port: int = 0) -> AsyncIterator[Server]:
    """Serve in this event loop for as long as the context is open."""
    listener = listening(house.door, port)
    made = server(house.application(), house.tables.most, told, house.stop)
    serving = asyncio.create_task(made.serve(sockets=[listener]))
    async with tidied(house):
        try:
            while not made.started:
                await asyncio.sleep(0.005)
            yield made
        finally:
            made.should_exit = True
            await serving
