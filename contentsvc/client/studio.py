"""For the studio's back end: events, read one after the other, and webhooks (studio#events,
studio#webhooks)."""

from collections import deque
from collections.abc import Iterable, Mapping
from random import Random
from time import time
from typing import Any, Final

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import deferLater

from contentsvc.client.calls import Calls, Family, Page, Seen, quoted
from contentsvc.client.errors import ApiError, ClientError, TlsError, Unreachable
from contentsvc.client.http import FIRST_PAUSE, TEMPORARY
from contentsvc.framework.core.timers import Backoff
from contentsvc.framework.webhooks.signature import ID, SIGNATURE, TIMESTAMP, fault
from contentsvc.wire.base import Part
from contentsvc.wire.events import (
    Event,
    EventPage,
    EventQuery,
    Webhook,
    WebhookBody,
    WebhookSecret,
    WebhookTest,
)

WAIT: Final = 25
"""Seconds for which one request waits for events. Proxies may close a connection that is silent for
longer."""
LAST_PAUSE: Final = 30.0
"""The longest pause, in seconds, between two requests while the service cannot be reached."""


class EventReader:
    """Events in the order of their numbers, each once, until `stop`. Use it in one loop at a time.

    After no answer, 429, 502, 503 and 504 the reader tries again without end: first with the
    client's usual repeats, then with pauses of up to 30 s, and never sooner than the service asks.
    It raises all other errors: ApiError (`cursor_expired`: some events were deleted, or an older
    back-up was restored), SessionEnded, NotSignedIn, TlsError. After an error it can be used again.
    """

    def __init__(
        self,
        reactor: Any,
        calls: Calls,
        random: Random,
        after: int | None,
        kinds: str | None,
        limit: int,
    ) -> None:
        self._reactor = reactor
        self._calls = calls
        self._backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, random)
        self._kinds = kinds
        self._limit = limit
        self.after = after
        """The number of the last event that the reader gave. With `kinds`, it also passes the
        numbers of other kinds when the loop asks for the next event. None until the service has
        named its newest event."""
        self._items: deque[Event] = deque()
        self._next = after
        self._asking: Deferred[EventPage] | None = None
        self.over = False
        """Whether the reader was stopped."""

    def __aiter__(self) -> "EventReader":
        return self

    async def __anext__(self) -> Event:
        while not self.over:
            if self._items:
                event = self._items.popleft()
                self.after = event.number
                return event
            self.after = self._next
            try:
                await self._read()
            except CancelledError:
                if not self.over:
                    raise
        raise StopAsyncIteration

    def stop(self) -> None:
        """Stop the reader at once, also while it waits. `after` keeps its value."""
        self.over = True
        self._items.clear()
        if self._asking is not None:
            self._asking.cancel()

    async def _read(self) -> None:
        """Read the next events. Raises CancelledError."""
        query = EventQuery(limit=self._limit)
        if self.after is not None:
            query = EventQuery(self.after, self._kinds, self._limit, WAIT)
        self._asking = Deferred.fromCoroutine(self._page(query))
        try:
            page = await self._asking
        finally:
            self._asking = None
        if self.after is None:
            self.after = page.next
        # A cache on the way may have answered with events that came before.
        new = [each for each in page.items if each.number > self.after]
        self._items.extend(new)
        self._next = max(page.next, self.after, *(each.number for each in new))

    async def _page(self, query: EventQuery) -> EventPage:
        while True:
            try:
                page = await self._calls.get("/events", EventPage, query, longer=query.wait)
            except TlsError:
                raise
            except Unreachable:
                least = 0.0
            except ApiError as error:
                if error.status not in TEMPORARY:
                    raise
                least = error.retry_after or 0.0
            else:
                self._backoff.reset()
                return page
            await deferLater(self._reactor, self._backoff.next(least))


class Events:
    """The events of the service, for admins and for service accounts with the scope `events`
    (studio#events). The readers share `random`."""

    def __init__(self, reactor: Any, calls: Calls, random: Random) -> None:
        self._reactor = reactor
        self._calls = calls
        self._random = random
        self._readers: list[EventReader] = []

    async def list(self, query: EventQuery | None = None) -> EventPage:
        """Read events. Without `after` the list is empty, and `next` of the answer is the number to
        begin with. Raises ApiError (`cursor_expired`)."""
        return await self._calls.get("/events", EventPage, query)

    def follow(
        self, after: int | None = None, kinds: str | None = None, *, limit: int = 200
    ) -> EventReader:
        """Read all events after the number `after`, and then each new one, with `async for`. 0
        begins with the oldest event that is stored, None with the next new one. `kinds` is a list
        of kinds, separated by commas. One answer has at most `limit` events. Store the reader's
        `after`, and pass it when you start again."""
        reader = EventReader(self._reactor, self._calls, self._random, after, kinds, limit)
        self._readers = [each for each in self._readers if not each.over]
        self._readers.append(reader)
        return reader

    def stop(self) -> None:
        """Stop all readers."""
        for reader in self._readers:
            reader.stop()


class NotSigned(ClientError):
    """A request is not from the service, or too old. `str()` says why."""


def verify_webhook(
    secret: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float | None = None,
) -> str:
    """Check the signature of a request to your webhook (studio#webhooks). `body` are the bytes as
    they came: check them before you parse them. Returns the `webhook-id`: a request with an id that
    you have had before is a repeat. While you change secrets, pass both. `now` is in Unix seconds.

    Raises NotSigned if the request is not signed with one of the secrets, or not within 5 minutes
    of `now`. Raises ValueError if a secret is not valid.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signature = (given[name] for name in (ID, TIMESTAMP, SIGNATURE))
    except KeyError as error:
        raise NotSigned(f"it has no header {error.args[0]}") from None
    secrets = [secret] if isinstance(secret, str) else secret
    now = time() if now is None else now
    why = fault(secrets, id, timestamp, signature, body, now=now)
    if why is not None:
        raise NotSigned(why)
    return id


class Webhooks(Family):
    """The URLs to which the service sends events, for admins (studio#webhooks)."""

    async def list(self, query: Part | None = None) -> Page[Webhook]:
        """List the webhooks, newest first."""
        return await self._calls.page("/webhooks", Webhook, query)

    async def get(self, webhook: str, *, seen: Seen | None = None) -> Webhook:
        """Get a webhook, and how far it has come. Raises ApiError (`webhook_not_found`)."""
        return await self._calls.get(f"/webhooks/{quoted(webhook)}", Webhook, seen=seen)

    async def put(self, webhook: str, body: WebhookBody, *, seen: Seen | None = None) -> None:
        """Make a webhook, whose id is a GUID of your choice, or change it. The service sends
        nothing before `create_secret`. Raises ApiError (`url_not_allowed`, `too_many_webhooks`)."""
        await self._calls.send("PUT", f"/webhooks/{quoted(webhook)}", body, seen=seen)

    async def delete(self, webhook: str) -> None:
        """Delete a webhook: the service sends nothing more to it."""
        await self._calls.send("DELETE", f"/webhooks/{quoted(webhook)}")

    async def create_secret(self, webhook: str) -> WebhookSecret:
        """Make a new secret. Only this answer shows it. For 24 hours the service signs with the
        former secret too. Raises ApiError (`webhook_not_found`)."""
        return await self._calls.ask(f"/webhooks/{quoted(webhook)}/secret", None, WebhookSecret)

    async def send_test(self, webhook: str) -> WebhookTest:
        """Send one event of kind `Test`, and return the result. Raises ApiError
        (`webhook_not_found`, `webhook_without_secret`)."""
        return await self._calls.ask(f"/webhooks/{quoted(webhook)}/test", None, WebhookTest)
