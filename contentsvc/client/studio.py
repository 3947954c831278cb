"""For the studio's back end: events, read one after the other, and webhooks (studio#events)."""

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
"""Seconds for which one question waits: less than proxies let a connection be silent."""
LAST_PAUSE: Final = 30.0
"""Seconds between two questions while the service cannot be reached."""


class EventReader:
    """Events in the order of their numbers, each once, until `stop`. One loop at a time.

    It goes on for ever after no answer, 429, 502, 503 and 504: first with the client's usual
    repeats, then with pauses of up to 30 s, never sooner than the service asks. Everything else is
    raised: ApiError (`cursor_expired`: some events are not kept any more, or an older back-up was
    restored), SessionEnded, NotSignedIn, TlsError. A reader that has raised can be asked again.
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
        """The number of the event that was given last. With `kinds` it also moves on over others,
        when the next is asked for. None until the service has said which is the newest."""
        self._items: deque[Event] = deque()
        self._next = after
        self._asking: Deferred[EventPage] | None = None
        self.over = False
        """Whether it was stopped."""

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
        """End it at once, also while it waits. `after` stays."""
        self.over = True
        self._items.clear()
        if self._asking is not None:
            self._asking.cancel()

    async def _read(self) -> None:
        """Read what comes next. Raises CancelledError."""
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
        # What a cache between may have kept is not given again.
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
    """What has happened, for admins and for services with the scope `events`. The readers share
    `random`."""

    def __init__(self, reactor: Any, calls: Calls, random: Random) -> None:
        self._reactor = reactor
        self._calls = calls
        self._random = random
        self._readers: list[EventReader] = []

    async def list(self, query: EventQuery | None = None) -> EventPage:
        """Read events. Without `after` there are none, and `next` says where to begin. Raises
        ApiError (`cursor_expired`)."""
        return await self._calls.get("/events", EventPage, query)

    def follow(
        self, after: int | None = None, kinds: str | None = None, *, limit: int = 200
    ) -> EventReader:
        """All events after a number, and each that comes, for `async for`: 0 begins with the oldest
        that is kept, None with the next one. `kinds` is a comma list, `limit` the most that one
        answer has. Keep the reader's `after`, and begin there when you come back."""
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
    """Check the signature of a request to a webhook of yours, before you read its body: the bytes
    as they came. Gives its `webhook-id`: what has come under it before has come twice. While you
    change secrets, give both.

    Raises NotSigned: it is not signed with such a secret, or not within 5 minutes of `now`. Raises
    ValueError: that is no secret.
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
    """Where the service sends events, for admins."""

    async def list(self, query: Part | None = None) -> Page[Webhook]:
        """List the webhooks, newest first."""
        return await self._calls.page("/webhooks", Webhook, query)

    async def get(self, webhook: str, *, seen: Seen | None = None) -> Webhook:
        """Read how far one is. Raises ApiError (`webhook_not_found`)."""
        return await self._calls.get(f"/webhooks/{quoted(webhook)}", Webhook, seen=seen)

    async def put(self, webhook: str, body: WebhookBody, *, seen: Seen | None = None) -> None:
        """Have events sent somewhere, under an id that you have made up; or change where. Nothing
        is sent before `create_secret`. Raises ApiError (`url_not_allowed`,
        `too_many_webhooks`)."""
        await self._calls.send("PUT", f"/webhooks/{quoted(webhook)}", body, seen=seen)

    async def delete(self, webhook: str) -> None:
        """Send nothing there any more."""
        await self._calls.send("DELETE", f"/webhooks/{quoted(webhook)}")

    async def create_secret(self, webhook: str) -> WebhookSecret:
        """Make a secret, and give it this once. The one before signs too for 24 hours. Raises
        ApiError (`webhook_not_found`)."""
        return await self._calls.ask(f"/webhooks/{quoted(webhook)}/secret", None, WebhookSecret)

    async def send_test(self, webhook: str) -> WebhookTest:
        """Send one event of kind `Test`, and say what came of it. Raises ApiError
        (`webhook_not_found`, `webhook_without_secret`)."""
        return await self._calls.ask(f"/webhooks/{quoted(webhook)}/test", None, WebhookTest)
