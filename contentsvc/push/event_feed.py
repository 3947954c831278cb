"""The readers of this process that wait for events (studio#events).

A process that numbers events announces it to the others. Each process then reads once, for all of
its readers, which kinds are new, and wakes the readers of those kinds. Until then they cost
nothing.
"""

from collections.abc import Callable
from typing import Final

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import cancel, timer
from contentsvc.framework.db.query import Db
from contentsvc.store.events import events
from contentsvc.wire.events import EVENT_KINDS

MOST: Final = 100
"""Readers who wait at once."""
EACH: Final = 20
"""Those of one account among them."""
NUMBER_EVERY: Final = 4.0
"""Seconds after which events are numbered again while a reader waits: this process may have missed
that others have numbered some."""

log = Logger()


@define(eq=False)
class _Reader:
    """A reader of this account, which waits for events of these kinds after a number, as long as
    it `may`."""

    kinds: frozenset[str]
    after: int
    account: str
    may: Callable[[], bool]
    woken: Deferred[None] = field(factory=Deferred, init=False)

    def wake(self) -> None:
        if not self.woken.called:
            self.woken.callback(None)


class EventFeed:
    """The readers who wait, and the numbering of events. `db` is read when there are new events.
    `announce` is called with the newest number when this process has numbered some, `due` when
    events must be numbered although this process has written none."""

    def __init__(
        self,
        reactor: IReactorTime,
        db: Db,
        *,
        announce: Callable[[int], object] = lambda newest: None,
        due: Callable[[], object] = lambda: None,
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._readers: dict[_Reader, None] = {}
        self._newest = 0
        self._searched = 0
        self._announce = announce
        self._due = due
        self._due_call: IDelayedCall | None = None
        self.stopped = False
        """Whether nobody may wait any more: the process ends."""
        self._search = SingleFlight(self._find, self._failed)

    @property
    def waiting(self) -> int:
        """How many readers wait."""
        return len(self._readers)

    def full(self, account: str) -> bool:
        """Whether no more of this account may wait."""
        own = sum(reader.account == account for reader in self._readers)
        return self.waiting >= MOST or own >= EACH

    def recheck(self) -> None:
        """Wake all readers that may not wait any longer."""
        for reader in list(self._readers):
            if not reader.may():
                reader.wake()

    async def number(self) -> int:
        """Number committed events, and return how many. If these are AT_ONCE, there may be
        more."""
        newest, given = await events.number(self._db, events.AT_ONCE)
        self.reached(newest)
        if given:
            self._announce(newest)
        return given

    async def number_all(self) -> None:
        """Number all events that were committed before."""
        while await self.number() == events.AT_ONCE:
            pass

    def reached(self, newest: int) -> None:
        """Events are numbered up to this one."""
        # A database that was restored has lower ones.
        self._newest, self._searched = newest, min(newest, self._searched)
        self._go_on()

    async def wait(
        self,
        after: int,
        kinds: list[str] | None,
        seconds: float,
        gone: Callable[[Callable[[], object]], object] = lambda act: None,
        account: str = "",
        may: Callable[[], bool] = lambda: True,
    ) -> None:
        """Wait until there may be events of these kinds after a number, at most `seconds`. None
        means all kinds. `gone` gets the function to call if the client disconnects. The reader
        belongs to this account, and waits only as long as `may` returns True."""
        if self.stopped or self._searched > after:
            return
        wanted = frozenset(EVENT_KINDS if kinds is None else kinds)
        reader = _Reader(wanted, after, account, may)
        self._readers[reader] = None
        gone(reader.wake)
        if self._due_call is None:
            self._due_call = self._reactor.callLater(NUMBER_EVERY, self._number_again)
        try:
            self._go_on()
            with timer(self._reactor, seconds, reader.wake):
                await reader.woken
        finally:
            self._readers.pop(reader, None)
            if not self._readers:
                cancel(self._due_call)
                self._due_call = None

    def _number_again(self) -> None:
        self._due_call = self._reactor.callLater(NUMBER_EVERY, self._number_again)
        self.recheck()
        self._due()

    def stop(self) -> None:
        """Let nobody wait any longer."""
        self.stopped = True
        for reader in list(self._readers):
            reader.wake()

    def _go_on(self) -> None:
        if not self._readers:
            self._searched = self._newest
        elif self._searched < self._newest:
            self._search.begin()

    async def _find(self) -> None:
        while self._readers and self._searched < self._newest:
            since, upto = self._searched, self._newest
            asked = frozenset(self._readers)
            wanted = sorted(set().union(*(reader.kinds for reader in asked)))
            come = frozenset(await events.present(self._db, wanted, since, upto))
            self._searched = upto
            for reader in list(self._readers):
                fits = reader not in asked or not come.isdisjoint(reader.kinds)
                if reader.after < upto and fits:
                    reader.wake()

    def _failed(self, failure: Failure) -> None:
        # Log: the database did not say which events are new, so those who wait for some are
        # answered when their time is over. Do: nothing, if it is the only such line.
        log.warn("Could not look for new events: {error}", error=failure.getErrorMessage())
