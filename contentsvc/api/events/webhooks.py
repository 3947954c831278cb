"""Webhooks: where events are sent (studio#webhooks)."""

from functools import partial
from secrets import token_bytes
from typing import Final

from msgspec import Struct, json

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    TooManyWebhooks,
    UrlNotAllowed,
    WebhookNotFound,
    WebhookWithoutSecret,
)
from contentsvc.api.paging import numbered, position
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.framework.webhooks.addresses import BadUrl, NotAllowed
from contentsvc.framework.webhooks.sender import Sender
from contentsvc.framework.webhooks.signature import BYTES, secret_of
from contentsvc.push.event_feed import EventFeed
from contentsvc.roles import ADMINISTER
from contentsvc.store.events import webhooks
from contentsvc.store.moderation import audit_log
from contentsvc.wire.base import Part
from contentsvc.wire.events import Webhook, WebhookBody, WebhookSecret, WebhookTest
from contentsvc.wire.moderation import Act

TEST: Final = "Test"
"""The kind of the event that a test sends."""


class Webhooks(Struct):
    """Where events are sent. A task sends them: see contentsvc.jobs.studio."""

    db: Database
    queue: TaskQueue
    feed: EventFeed
    sender: Sender
    wall: Clock

    @route("GET", "/webhooks", allow=ADMINISTER)
    async def list_webhooks(self, call: Call, query: Part) -> Listed[Webhook]:
        """List the webhooks, newest first, and how far each has come."""
        return numbered(await webhooks.all(self.db, position(query), query.limit), query)

    @route("GET", "/webhooks/<guid:webhook>", allow=ADMINISTER, raises=(WebhookNotFound,))
    async def get_webhook(self, call: Call, webhook: str) -> Webhook:
        """Get a webhook, and how far it has come."""
        return required(await webhooks.get(self.db, webhook), WebhookNotFound)

    @route(
        "PUT",
        "/webhooks/<guid:webhook>",
        allow=ADMINISTER,
        heeds="/webhooks/<guid:webhook>",
        raises=(UrlNotAllowed, TooManyWebhooks),
    )
    async def put_webhook(self, call: Call, webhook: str, body: WebhookBody) -> Created | None:
        """Make a webhook, which sends events to a URL, or change it (studio#webhooks). The caller
        chooses the id: the first time is 201, later ones are 204. A new one begins with the events
        after it. Nothing is sent until it has a secret."""
        try:
            self.sender.rules.check(body.url)
        except BadUrl:
            raise at_pointer("/url", "This must be an absolute URL.") from None
        except NotAllowed as error:
            raise UrlNotAllowed(str(error)) from None
        # What has committed before has its number now: it does not come after this.
        await self.feed.number_all()
        async with self.db.transaction() as tx:
            act = await self._put(tx, call, webhook, body)
            if act is not None:
                await audit_log.record(tx, *call.actor, act, "webhook", webhook, "")
        return Created(f"/api/v1/webhooks/{webhook}") if act == "webhook_created" else None

    async def _put(self, tx: Db, call: Call, id: str, body: WebhookBody) -> Act | None:
        """Write it. Gives what was done; None if it was so before. Raises PreconditionFailed."""
        kinds: list[str] | None = None if body.kinds is None else [*dict.fromkeys(body.kinds)]
        newest = await webhooks.lock_newest(tx)
        await call.unchanged(tx, partial(audit_log.last, tx, "webhook", id))
        before = await webhooks.before(tx, id)
        if before is None:
            if not await webhooks.insert(tx, id, body.url, kinds, body.enabled, newest):
                raise TooManyWebhooks()
            return "webhook_created"
        now = webhooks.Before(body.url, kinds, body.enabled, False)
        if before == now:
            return None
        renewed = before._replace(kinds=kinds) != now
        await webhooks.change(tx, id, body.url, kinds, body.enabled, newest, renewed)
        if renewed:
            await webhooks.hasten(tx, id)
        await self._settle(tx, id, newest)
        return "webhook_changed"

    async def _settle(self, tx: Db, id: str, newest: int) -> None:
        if await webhooks.settle(tx, id, newest):
            tx.after_commit(self.queue.wake)

    @route("DELETE", "/webhooks/<guid:webhook>", allow=ADMINISTER)
    async def delete_webhook(self, call: Call, webhook: str) -> None:
        """Delete a webhook: nothing more is sent to it. This succeeds too if there is none with
        this id."""
        async with self.db.transaction() as tx:
            if await webhooks.delete(tx, webhook):
                await task_queue.withdraw(tx, *webhooks.place(webhook))
                await audit_log.record(tx, *call.actor, "webhook_deleted", "webhook", webhook, "")

    @route("POST", "/webhooks/<guid:webhook>/secret", allow=ADMINISTER, raises=(WebhookNotFound,))
    async def create_webhook_secret(self, call: Call, webhook: str) -> WebhookSecret:
        """Make a secret, which signs everything from now on. Only this answer shows it. The former
        secret signs too for 24 hours."""
        secret = secret_of(token_bytes(BYTES))
        async with self.db.transaction() as tx:
            newest = await webhooks.lock_newest(tx)
            if not await webhooks.renew_secret(tx, webhook, secret):
                raise WebhookNotFound()
            await self._settle(tx, webhook, newest)
            await audit_log.record(
                tx, *call.actor, "webhook_secret_created", "webhook", webhook, ""
            )
        return WebhookSecret(secret)

    @route(
        "POST",
        "/webhooks/<guid:webhook>/test",
        allow=ADMINISTER,
        raises=(WebhookNotFound, WebhookWithoutSecret),
    )
    async def send_webhook_test(self, call: Call, webhook: str) -> WebhookTest:
        """Send one event of kind `Test`, which has no number, and return the result. It counts for
        nothing else, and is sent to a webhook that is off too."""
        target = required(await webhooks.target(self.db, webhook), WebhookNotFound)
        if not target.secrets:
            raise WebhookWithoutSecret()
        event = {
            "number": None,
            "kind": TEST,
            "created": int(self.wall.seconds()),
            "actor": call.user,
            "subject": {"kind": "webhook", "id": webhook},
            "data": {},
        }
        body = json.encode({"webhook": webhook, "events": [event]})
        answer = await self.sender.send(target.url, f"{webhook}.test", body, target.secrets)
        call.waited(answer.seconds)
        return WebhookTest(answer.status, answer.error, round(1000 * answer.seconds))
