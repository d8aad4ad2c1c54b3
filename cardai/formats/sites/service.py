"""JSON over HTTPS: one call, its answer checked, patience with a service that is busy.

Waits between tries are drawn from 0 to a bound that doubles ("full jitter": Brooker, "Exponential backoff and jitter", AWS
Architecture Blog 2015), so that many clients that were refused together do not come back together.
"""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from cardai.core.errors import DamagedFileError, RemoteError, UsageError
from cardai.core.files import too_deep
from cardai.core.progress import tell
from cardai.core.text import one_line

BUSY = frozenset({502, 503, 504})
"""What a gateway answers for a service behind it that has no time."""
LONGEST = 1 << 20
"""Bytes of an answer; a hand takes about one thousand."""
_AGENT = "cardai (imperfect-information card games; one client)"
"""A library's own User-Agent is refused with 403 by one of the sites."""
WAITED = 2
"""Times ``seconds`` that are waited in all for answers that do not come; busy and refusing services answer at once."""
_LOCAL = {"127.0.0.1", "localhost", "::1"}


class BusyError(RemoteError):
    """The service answers that it has no time or no place now. ``status`` is what it said."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class NoAnswerError(RemoteError):
    """No answer came: the service cannot be reached, or was cut off, so that nobody knows whether it did what was asked."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address could be anybody's, and headers hold a key."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Service:
    """Calls one site at ``url``. ``headers`` go with every call, ``seconds`` is how long an answer may take, ``tries`` how
    often a call is tried that may be repeated. A service that says nothing is waited for twice so long, however often.

    Raises:
        UsageError: ``url`` is neither https nor this machine's, or a header is none.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        seconds: float = 30.0,
        tries: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)):
            raise UsageError(
                f"--url must begin with https:// (or http:// on this machine, to try a server of your own). Got {url!r}."
            )
        for name, value in (headers or {}).items():  # http.client would say it with the value, which is a secret
            if not value.isascii() or not value.isprintable():
                raise UsageError(f"What goes out as {name} has a line end in it, or a letter that is none of ASCII.")
        self.url, self.host = url.rstrip("/"), parts.netloc
        self._headers = {"Accept": "application/json", "User-Agent": _AGENT, **(headers or {})}
        self._seconds, self._tries, self._sleep = seconds, tries, sleep
        self._open = urllib.request.build_opener(
            _NoRedirects, urllib.request.HTTPSHandler(context=ssl.create_default_context())
        ).open
        self._waited = 0.0  # by the call that asks where things stand
        self._jitter = random.Random()  # no game depends on it

    def call(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        again: frozenset[int] = BUSY,
        repeat: bool = True,
        bare: str = "",
        stands: Callable[[], dict[str, Any] | None] | None = None,
    ) -> dict[str, Any]:
        """Return the answer to one call, a JSON object: POST with a ``body``, else GET. Whoever calls hands it to the schema.
        Where a bare list may come, ``bare`` is the key under which it is returned.

        Busy answers (``again``) and lost ones are waited for and tried anew, where the call may be repeated (``repeat``). What
        was asked may be done all the same: ``stands`` is asked after each such try, and what it returns is the answer.

        Raises:
            BusyError, NoAnswerError: at the last try. RemoteError: the service refuses. DamagedFileError: it answers with
                what is no such answer.
        """
        waited = self._waited
        for tried in range(self._tries):
            begun = time.monotonic()
            try:
                return self._within(path, lambda: self._once(path, body, again, bare))
            except (BusyError, NoAnswerError) as error:
                if not repeat:
                    raise
                waited += time.monotonic() - begun if isinstance(error, NoAnswerError) else 0.0
                last = tried + 1 == self._tries or waited > (WAITED - 0.5) * self._seconds
                if not last:
                    tell(f"{self.host} is busy or does not answer: trying again")
                    self._sleep(self._jitter.uniform(0.0, min(30.0, 0.5 * 2.0**tried)))
                if stands is not None and (found := self._asked(stands, waited)) is not None:
                    return found
                if last:
                    error.args = (f"{error} It was tried {tried + 1} times.",) if tried else error.args
                    raise
        raise AssertionError("a last try returns or raises")

    def _asked(self, stands: Callable[[], dict[str, Any] | None], waited: float) -> dict[str, Any] | None:
        """Return what ``stands`` does, in the time that a call which has ``waited`` so long has left."""
        self._waited = waited
        try:
            return stands()
        finally:
            self._waited = 0.0

    def _within(self, path: str, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what ``ask`` does, if it is done in time: a socket's own timeout begins anew with every byte.

        Raises:
            NoAnswerError: it is not. What ``ask`` raises.
        """
        asked: Future[dict[str, Any]] = Future()

        def run() -> None:
            try:
                asked.set_result(ask())
            except BaseException as error:
                asked.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        try:
            return asked.result(self._seconds)
        except TimeoutError:
            raise self._silent(path) from None

    def _silent(self, path: str) -> NoAnswerError:
        return NoAnswerError(f"{self.host} did not answer {path} within {self._seconds:g} seconds.")

    def _once(self, path: str, body: Mapping[str, Any] | None, again: frozenset[int], bare: str) -> dict[str, Any]:
        sent = None if body is None else json.dumps(body).encode()
        headers = self._headers if sent is None else {**self._headers, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=sent, headers=headers)
        try:
            with self._open(request, timeout=self._seconds) as answer:
                data = answer.read(LONGEST + 1)
                if len(data) <= LONGEST and answer.length:  # read with a limit, http.client tells nobody
                    raise http.client.IncompleteRead(data, answer.length)
                return self.parsed(path, data, bare)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(path, error, again) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = getattr(error, "reason", None) or error
            if isinstance(why, TimeoutError):  # the socket's own clock, which may ring before the one around it
                raise self._silent(path) from error
            raise NoAnswerError(
                f"{self.host} did not answer {path}: {one_line(str(why))[:200]}. Is this machine connected?"
            ) from error

    def _refused(self, path: str, error: urllib.error.HTTPError, again: frozenset[int]) -> RemoteError:
        try:
            said = error.read(4096).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            said = ""
        message = f"{self.host} answered {path} with {error.code} {one_line(str(error.reason))[:80]}"
        message += f": {one_line(said).strip()[:300]}." if said.strip() else "."
        return BusyError(message, error.code) if error.code in again else RemoteError(message)

    def parsed(self, path: str, data: bytes, bare: str = "") -> dict[str, Any]:
        """Return the JSON object that an answer is. Raises DamagedFileError, or RemoteError with what it says is wrong."""
        if len(data) > LONGEST:
            raise DamagedFileError(f"{self.host} answered {path} with more than {LONGEST:,} bytes.")
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        value = {bare: value} if bare and isinstance(value, list) else value
        if not isinstance(value, dict) or too_deep(value):
            raise DamagedFileError(f"{self.host} answered {path} with {data[:60]!r}, which is no JSON object.")
        said = value.get("error_msg") or value.get("detail") or value.get("error")
        if said:
            raise RemoteError(f"{self.host} refused {path}: {one_line(str(said))[:300]}.")
        return value
