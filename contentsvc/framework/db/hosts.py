"""The servers that a DSN names. Each host, and each address of its name, is one try.

libpq goes through them by itself, but only where it may block. It looks names up in the thread that
calls it, for as long as no name server answers. And a non-blocking connect has no time limit in
libpq, so it would wait forever for a machine that has silently gone.
"""

import ipaddress
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, Final

from psycopg2.extensions import make_dsn, parse_dsn
from twisted.internet.defer import Deferred, TimeoutError
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.db.errors import Unavailable

AGAIN: Final = 1.0
"""Seconds that a look-up may take before the addresses of the last one are tried."""


def each_host(dsn: str) -> list[str]:
    """One DSN for each host, in order. With target_session_attrs=prefer-standby all come twice, as
    standbys first. A DSN with one host stays as it is."""
    given = _given(dsn)
    parts: dict[str, list[str]] = {
        key: given[key].split(",") for key in ("host", "hostaddr", "port") if key in given
    }
    count = max((len(part) for part in parts.values()), default=1)
    one_by_one = [{key: part[n % len(part)] for key, part in parts.items()} for n in range(count)]
    if given.get("target_session_attrs") == "prefer-standby":
        one_by_one = [
            {**one, "target_session_attrs": kind}
            for kind in ("standby", "any")
            for one in one_by_one
        ]
    elif count == 1:
        return [dsn]
    return [make_dsn(dsn, **one) for one in one_by_one]


def _given(dsn: str) -> dict[str, str]:
    """What a DSN says, and the environment where libpq would look there. A service file is libpq's
    own."""
    given: dict[str, str] = parse_dsn(dsn)
    if "service" not in given and "PGSERVICE" not in os.environ:
        for key, variable in (("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT")):
            if variable in os.environ:
                given.setdefault(key, os.environ[variable])
    return given


def name_of(dsn: str) -> str | None:
    """The name that is to be looked up for a DSN of one host; None if it has an address or the path
    of a socket."""
    given = _given(dsn)
    host: str = given.get("host", "")
    if given.get("hostaddr") or not host or host[0] in "/@":
        return None
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host
    return None


def look_up(name: str) -> list[str]:
    """The addresses of a name, in the system's order. Blocks. Raises OSError."""
    # As bytes, like libpq: not each name of a private network is one of IDNA.
    found = socket.getaddrinfo(name.encode(), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def with_address(dsn: str, address: str) -> str:
    """The DSN for this address. Its name stays, for TLS."""
    full: str = make_dsn(dsn, hostaddr=address)
    return full


def each_try(dsn: str) -> Iterator[str]:
    """One DSN for each address of each host. Blocks. A name without an address is left to libpq,
    whose error says so."""
    for host in each_host(dsn):
        name = name_of(host)
        try:
            addresses = [] if name is None else look_up(name)
        except OSError:
            addresses = []
        yield from (with_address(host, address) for address in addresses) if addresses else (host,)


async def _look_up(reactor: Any, name: str) -> list[str]:
    """Look a name up in a thread of its own: it may take a minute, and neither other work of a
    pool nor the end of the process should wait for it."""
    found: Deferred[list[str]] = Deferred()

    def work() -> None:
        try:
            result: list[str] | Failure = look_up(name)
        except Exception:
            result = Failure()
        reactor.callFromThread(found.callback, result)

    threading.Thread(target=work, name=f"look-up of {name}", daemon=True).start()
    return await found


class Resolver:
    """Looks names up by `look_up`, in threads, and remembers what was found last."""

    def __init__(self, look_up: Callable[[Any, str], Awaitable[list[str]]] = _look_up) -> None:
        self._look_up = look_up
        self._flights: dict[tuple[Any, str], SingleFlight[list[str]]] = {}
        self._known: dict[str, list[str]] = {}

    async def each_address(self, reactor: Any, dsn: str, timeout: float) -> list[str]:
        """One DSN for each address of a DSN of one host, within `timeout` seconds. Where no name
        server answers, these are the addresses of the last time. Raises Unavailable."""
        name = name_of(dsn)
        if name is None:
            return [dsn]
        flight = self._flights.get((reactor, name))
        if flight is None:
            flight = SingleFlight(partial(self._find, reactor, name))
            self._flights[reactor, name] = flight
        known = self._known.get(name)
        patience = timeout if known is None else min(AGAIN, timeout / 2)
        try:
            found = await flight.ask().addTimeout(patience, reactor)
        except (OSError, UnicodeError, TimeoutError, RuntimeError) as error:
            if known is None:
                why = "no answer" if isinstance(error, TimeoutError) else _said(error)
                raise Unavailable(f"the name {name} cannot be resolved: {why}") from error
            found = known
        return [with_address(dsn, address) for address in found]

    async def _find(self, reactor: Any, name: str) -> list[str]:
        # Whoever has waited may have given up by then: the next one gets it.
        found = self._known[name] = await self._look_up(reactor, name)
        return found


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
