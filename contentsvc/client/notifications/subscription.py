"""A live subscription to a user's notifications, over one socket after another
(socket#a-clients-loop)."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, NamedTuple

from msgspec import UNSET, DecodeError, Raw, Struct, UnsetType, field, json
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.client.errors import ApiError, SessionEnded, SubscriptionEnded, Unreachable
from contentsvc.client.notifications.socket import ABNORMAL, Connector, Socket
from contentsvc.framework.core.timers import Backoff, cancel
from contentsvc.wire.accounts import ConnectAnswer
from contentsvc.wire.notifications import AnyNotification, NotificationState
from contentsvc.wire.socket import (
    AnnouncementsMessage,
    ErrorMessage,
    GoodbyeMessage,
    HelloMessage,
    LibraryMessage,
    NotificationMessage,
    PingMessage,
    ServerMessage,
    StateMessage,
)

FIRST_PAUSE, LAST_PAUSE = 0.5, 30.0
"""Seconds before a new connection. The pause doubles after each connection without a hello."""
HEARTBEAT = 15.0
"""Seconds between signs of life from the service, until its hello names the number."""
GRACE = 3.0
"""Seconds that a sign of life may be late. After them the client sends a ping."""
ANSWER = 5.0
"""Seconds in which the service must answer a ping, or a close."""

_FINAL = frozenset({4403, 4409, 4410})
"""Close codes after which another connection would fail, or end that of another client."""
_PING = json.encode(PingMessage())

log = Logger()
_decoder: json.Decoder[ServerMessage] = json.Decoder(ServerMessage)


class UnknownNotification(Struct, frozen=True):
    """A notification of a kind that this version does not know. `json` is the whole object."""

    id: str
    kind: str
    created: int
    read: bool
    json: bytes = field(default=b"")


class _Common(Struct):
    id: str = ""
    kind: str = ""
    created: int = 0
    read: bool = False


_known_kinds: json.Decoder[AnyNotification] = json.Decoder(AnyNotification)
_common = json.Decoder(_Common)


def decoded(data: bytes | Raw) -> AnyNotification | UnknownNotification:
    """Decode a notification. Raises DecodeError if the data are not a notification of any kind."""
    try:
        return _known_kinds.decode(data)
    except DecodeError:
        it = _common.decode(data)
        return UnknownNotification(it.id, it.kind, it.created, it.read, bytes(data))


class Received(NamedTuple):
    """A notification with its number. `json` is the object as the service sent it, also with
    members that this version does not know."""

    seq: int
    notification: AnyNotification | UnknownNotification
    json: bytes


class State(NamedTuple):
    """How many notifications up to the number `seq` are unread (socket#unread-count)."""

    seq: int
    unread: int


class _Ended(NamedTuple):
    """Why a connection ended, and the least number of seconds until the next."""

    code: int
    reason: str
    retry_after: float = 0.0


class Subscription:
    """Delivers each notification once and in order, until it is stopped (socket#a-clients-loop).

    It calls `on_notification` with each. If that raises an error, the subscription ends, with `seq`
    still before that notification.

    It calls `on_missed` with a code and a sentence when notifications may be lost for good
    (`log_changed`, `seq_ahead`, `trimmed`, `gap`). The program should then read the list once.
    After `log_changed` and `seq_ahead` the service's database is older than before
    (socket#database-back-in-time): some notifications that were delivered are no longer in the
    list, and others have their numbers.

    It calls `on_state` with a State after each connect, after `log_changed`, and when read flags
    have changed or notifications were deleted. After a resumed connect it reads the state by REST,
    with `read_state`.

    It calls `on_announcements` with a number of seconds when announcements have changed: wait a
    random part of these seconds, and read the list.

    It calls `on_library` after each connect, and when the user's library may have changed: then
    read `client.subscriptions.get_library()`.
    """

    def __init__(
        self,
        reactor: Any,
        *,
        connect: Callable[[], Awaitable[ConnectAnswer]],
        connector: Connector,
        random: Random,
        on_notification: Callable[[Received], object],
        on_missed: Callable[[str, str], object] | None = None,
        on_state: Callable[[State], object] | None = None,
        on_announcements: Callable[[int], object] | None = None,
        on_library: Callable[[], object] | None = None,
        read_state: Callable[[], Awaitable[NotificationState]] | None = None,
        resume: int | None = None,
        resume_id: str | None = None,
    ) -> None:
        self._reactor = reactor
        self._connect = connect
        self._connector = connector
        self._random = random
        self._on_notification = on_notification
        self._on_missed = on_missed
        self._on_state = on_state
        self._on_announcements = on_announcements
        self._on_library = [] if on_library is None else [on_library]
        self._read_state = read_state
        self.seq = resume
        """The number of the last notification that `on_notification` has handled. Give it as
        `resume` next time. None until the first hello."""
        self.id = resume_id
        """The id of that notification, for `resume_id`. None if `seq` is 0 or the id is unknown."""
        self.live = False
        """Whether a connection is open and has had its hello."""
        self.connections = 0
        """How many connections have had a hello."""
        self.repeats = self.gaps = 0
        """How often a number came twice, and how often one was missing: then the client connects
        again. Both are 0 unless the service has a fault."""
        self._backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, random)
        self._stopped = False
        self._socket: Socket | None = None
        self._closed: Deferred[_Ended] | None = None
        self._goodbye = 0.0
        self._error = ""
        self._may_jump = False
        self._gap_at: int | None = None
        self._state_at = -1
        self._state_read: Deferred[None] | None = None
        self._heartbeat = HEARTBEAT
        self._heard_at = 0.0
        self._asked = False
        self._timer: IDelayedCall | None = None
        self._waiting: list[Deferred[None]] = []
        self._outcome: Failure | None = None
        self.over = False
        """Whether the subscription has ended: by `stop`, or by an error."""
        self._running: Deferred[None] | None = None

    # For the application.

    def start(self) -> None:
        """Begin. client.notifications.listen calls this."""
        self._running = Deferred.fromCoroutine(self._run())
        self._running.addBoth(self._end)

    def ended(self) -> Deferred[None]:
        """Fires when the subscription has been stopped. Fails if an error ended it:
        SubscriptionEnded, SessionEnded, ApiError, or the error of one of your functions."""
        waiter: Deferred[None] = Deferred()
        if self.over:
            waiter.callback(self._outcome)
        else:
            self._waiting.append(waiter)
        return waiter

    def watch_library(self, look: Callable[[], object]) -> None:
        """Call `look` too, whenever `on_library` is called."""
        self._on_library.append(look)

    async def stop(self) -> None:
        """Stop, deliver nothing more, and close the connection. Returns when it is closed."""
        if self.over:
            return
        self._stopped = True
        done: Deferred[None] = Deferred()
        self._waiting.append(done)
        if self._socket is not None:
            self._socket.close()
            self._watch(ANSWER)
        elif self._running is not None:
            self._running.cancel()
        try:
            await done
        except Exception:
            log.debug("the subscription had ended by itself")

    # One connection after the other.

    async def _run(self) -> None:
        while not self._stopped:
            ended = await self._one_connection()
            if self._stopped:
                return
            if ended.code in _FINAL:
                raise SubscriptionEnded(ended.code, ended.reason)
            pause = self._backoff.next(ended.retry_after, doubled=True)
            log.debug(
                "no socket ({code} {reason}), the next in {pause:.1f} s",
                code=ended.code,
                reason=ended.reason,
                pause=pause,
            )
            await deferLater(self._reactor, pause)

    async def _one_connection(self) -> _Ended:
        try:
            where = await self._connect()
        except SessionEnded:
            raise
        except ApiError as error:
            if error.status < 500 and error.status not in {408, 429}:
                raise
            return _Ended(ABNORMAL, str(error), error.retry_after or 0.0)
        except Unreachable as error:
            return _Ended(ABNORMAL, str(error))

        url = where.socket_url
        if self.seq is not None:
            url += f"{'&' if '?' in url else '?'}resume={self.seq}"
            # There is no notification 0.
            url += f"&resumeId={self.id}" if self.id is not None and self.seq > 0 else ""
        closed: Deferred[_Ended] = Deferred()
        self._closed = closed
        self._goodbye, self._error, self._may_jump = 0.0, "", False
        self._heartbeat, self._asked = HEARTBEAT, False
        self._heard_at = self._reactor.seconds()
        try:
            self._socket = await self._connector(url, where.access_token, self)
        except CancelledError:
            raise
        except Exception as error:  # whatever keeps a connection from being made
            return _Ended(ABNORMAL, str(error) or type(error).__name__)
        self._watch(HEARTBEAT + GRACE)
        try:
            return await closed
        finally:
            self.live = False
            self._socket = None
            cancel(self._timer)
            if self._state_read is not None:
                self._state_read.cancel()

    def _end(self, result: Any) -> None:
        self.over = True
        if isinstance(result, Failure) and not (self._stopped and result.check(CancelledError)):
            self._outcome = result
        waiting, self._waiting = self._waiting, []
        if self._outcome is not None and not waiting:
            log.failure("the subscription has ended", self._outcome)
        for waiter in waiting:
            if not waiter.called:
                waiter.callback(self._outcome)

    # From the socket.

    def heard(self) -> None:
        """Some bytes came: the service is alive."""
        self._heard_at = self._reactor.seconds()
        self._asked = False

    def closed(self, code: int, reason: str) -> None:
        """The connection has ended."""
        closed, self._closed = self._closed, None
        if closed is not None:
            closed.callback(_Ended(code, self._error or reason, self._goodbye))

    def message(self, data: bytes) -> None:
        """A message came. One of an unknown type, or of a wrong form, is ignored."""
        if self._stopped or self._closed is None:
            return
        try:
            message = _decoder.decode(data)
        except DecodeError:
            return
        if isinstance(message, NotificationMessage):
            self._notified(message)
        elif isinstance(message, StateMessage):
            self._report_state(State(message.seq, message.unread))
        elif isinstance(message, AnnouncementsMessage):
            self._announced(message)
        elif isinstance(message, LibraryMessage):
            self._report_library()
        elif isinstance(message, HelloMessage):
            resumed = self.seq is not None
            # After a restore the number may be lower: those numbers come again, for others.
            if message.id is not None or message.seq != self.seq:
                self.id = message.id
            self.seq = message.seq
            self.live = True
            self.connections += 1
            self._heartbeat = float(message.heartbeat)
            self._watch(self._heartbeat + GRACE)
            self._backoff.reset()
            self._greeted(message, resumed)
            self._report_library()
        elif isinstance(message, ErrorMessage):
            self._error = f"{message.code}: {message.detail}"
            if message.code == "log_changed":
                self._log_changed(message)
            elif message.code in {"seq_ahead", "trimmed", "invalid_resume"}:
                self._may_jump = True
                self._missed(message.code, message.detail)
        elif isinstance(message, GoodbyeMessage):
            self._goodbye = float(message.retry_after)

    def _notified(self, message: NotificationMessage) -> None:
        last = self.seq or 0
        if not self.live:
            return
        if message.seq <= last:
            self.repeats += 1
            return
        if message.seq > last + 1 and not self._may_jump:
            if self._gap_at != last:
                # A fault of the service, or deleted by retention: resuming shows which.
                self._gap_at = last
                self.gaps += 1
                self._abort()
                return
            self._missed("gap", f"there is nothing between {last} and {message.seq}")
        try:
            raw = bytes(message.notification)
            received = Received(message.seq, decoded(raw), raw)
            self._on_notification(received)
        except Exception:
            self._fail(Failure())
            return
        self.seq, self.id = message.seq, _known(received.notification.id)
        self._may_jump, self._gap_at = False, None

    def _greeted(self, message: HelloMessage, resumed: bool) -> None:
        self._state_at = -1
        if self._on_state is None:
            return
        if not resumed or self._read_state is None:
            self._report_state(State(message.seq, message.unread))
        else:
            # `unread` of this hello also counts notifications that are still to come.
            reading = Deferred.fromCoroutine(self._ask_state(self._read_state))
            self._state_read = reading
            reading.addErrback(
                lambda failure: log.debug("no state: {error}", error=failure.getErrorMessage())
            )

    def _announced(self, message: AnnouncementsMessage) -> None:
        if self._on_announcements is not None:
            self._on_announcements(message.within)

    def _report_library(self) -> None:
        for look in self._on_library:
            look()

    async def _ask_state(self, read: Callable[[], Awaitable[NotificationState]]) -> None:
        found = await read()
        # A message with the same number that came meanwhile is as new, or newer.
        if self.live and found.newest > self._state_at:
            self._report_state(State(found.newest, found.unread))

    def _report_state(self, state: State) -> None:
        if self._on_state is None or not self.live:
            return
        self._state_at = state.seq
        try:
            self._on_state(state)
        except Exception:
            self._fail(Failure())

    def _log_changed(self, message: ErrorMessage) -> None:
        if not self.live:
            return
        if message.seq is not UNSET:
            self.seq, self.id = message.seq, _known(message.id)
            self._may_jump, self._gap_at = False, None
        self._missed(message.code, message.detail)

    def _missed(self, code: str, detail: str) -> None:
        if self._on_missed is None:
            log.warn("notifications may be missing: {code}, {detail}", code=code, detail=detail)
            return
        try:
            self._on_missed(code, detail)
        except Exception:
            self._fail(Failure())

    def _fail(self, failure: Failure) -> None:
        closed, self._closed = self._closed, None
        self._abort()
        if closed is not None:
            closed.errback(failure)

    def _abort(self) -> None:
        self.live = False  # what is left of the data that just came is not read
        if self._socket is not None:
            self._socket.abort()

    # Silence.

    def _watch(self, seconds: float) -> None:
        cancel(self._timer)
        self._timer = self._reactor.callLater(max(0.0, seconds), self._look)

    def _look(self) -> None:
        # Before hello too: the service pings a client that waits in the queue. A new
        # connection would begin at the queue's end.
        silent = self._reactor.seconds() - self._heard_at
        quiet = self._heartbeat + GRACE
        if self._stopped or self._asked:
            self._abort()
        elif silent >= quiet:
            self._asked = True
            if self._socket is not None:
                self._socket.send(_PING)
            self._watch(ANSWER)
        else:
            self._watch(quiet - silent)


def _known(id: str | UnsetType | None) -> str | None:
    return id if isinstance(id, str) else None
