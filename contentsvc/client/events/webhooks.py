"""Webhooks (studio §3), and the check of what they are sent."""

from collections.abc import Iterable, Mapping
from time import time

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.errors import ClientError
from contentsvc.client.reading import Page, Seen
from contentsvc.framework.webhooks.signature import ID, SIGNATURE, TIMESTAMP, fault
from contentsvc.wire.base import Part
from contentsvc.wire.webhooks import Webhook, WebhookBody, WebhookSecret, WebhookTest


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


class Webhooks:
    """Where the service sends events, for admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

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
