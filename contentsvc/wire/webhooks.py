"""Webhooks: where events are sent (studio §3)."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from contentsvc.wire.base import Id, Record, Seconds, Wire, described
from contentsvc.wire.events import Event, EventKind, EventNumber

LONGEST: Final = 2048

WebhookUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST,
        pattern=r"^[!-~]+\Z",
        description="an absolute URL of ASCII characters",
        examples=["https://hooks.studio.example/contentsvc"],
    ),
]
WebhookKinds = Annotated[list[EventKind], Meta(min_length=1, max_length=64)]


class WebhookBody(Wire):
    """Where events are sent, of which kinds (null for all, those of later releases too), and
    whether they are sent now."""

    url: WebhookUrl
    kinds: WebhookKinds | None
    enabled: bool


class Webhook(Record):
    """A webhook, and how far it is: `delivered` is the number of the last event that it has got, or
    of the newest one that was there before it; `newest` that of the newest event of all."""

    replaced: ClassVar = ("id", "url", "kinds", "enabled")
    """What an If-Match knows it by (see framework.http.reply): the rest changes all the time."""

    id: Id
    url: str
    kinds: list[str] | None
    enabled: bool
    delivered: EventNumber
    newest: EventNumber
    failing_since: (
        Annotated[Seconds, described("since when it gets nothing, in Unix seconds")] | None
    )
    last_error: Annotated[str, described("why it got nothing the last time")] | None


class WebhookSecret(Record):
    """What signs the requests. Nothing shows it again."""

    secret: Annotated[str, Meta(extra_json_schema={"examples": ["whsec_bm90IGEgcmVhbCBzZWNyZXQ="]})]


class WebhookTest(Record):
    """What came of a test: the status of the answer, or why there was none, and how long it
    took."""

    status: Annotated[int, described("the status of the answer")] | None
    error: Annotated[str, described("why it does not count as delivered")] | None
    milliseconds: Annotated[int, described("how long it took")]


class WebhookDelivery(Record):
    """The body of a request to a webhook."""

    webhook: Id
    events: list[Event]
