"""Withdrawal: authors delete their content, and take that back (content#withdrawal)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user, check_wait, required
from contentsvc.api.errors import ContentNotFound, ContentPurged, TooManyRequests, UserNotFound
from contentsvc.api.guests import PUBLISH
from contentsvc.api.paging import heavy, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SELF, SIGNED_IN
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.notifier import Notifier
from contentsvc.roles import ADMINISTER, MODERATE
from contentsvc.store.content import withdrawal
from contentsvc.store.content.library_audience import notify_subscribers
from contentsvc.store.content.visibility import announce
from contentsvc.store.moderation import audit_log
from contentsvc.store.tasks import DependencyChanged
from contentsvc.wire.base import Part
from contentsvc.wire.content import ContentInfo
from contentsvc.wire.moderation import Act
from contentsvc.wire.notifications import ContentRestored


class Withdrawal(Struct):
    """Content that its author withdraws. It stays, and the author and admins can restore it.

    A user may change content `changes_per_hour` times, 0 for any number.
    """

    db: Database
    notifier: Notifier
    queue: TaskQueue
    changes_per_hour: int

    @route(
        "DELETE",
        "/content/<guid:content>",
        allow=SIGNED_IN,
        raises=(ContentNotFound, Forbidden, TooManyRequests),
    )
    async def delete_content(self, call: Call, content: str) -> None:
        """Withdraw a content item. Its author and admins still see it, as `deleted`; nobody else
        does. Authors whose content depends on it are notified. Only its author can withdraw it."""
        await self._set(call, content, deleted=True)

    @route(
        "POST",
        "/content/<guid:content>/restore",
        allow=SIGNED_IN,
        guests=PUBLISH,
        restricts="publish",
        raises=(ContentNotFound, Forbidden, ContentPurged, TooManyRequests),
    )
    async def restore_content(self, call: Call, content: str) -> None:
        """Restore a withdrawn content item. If an admin has suspended it, it stays suspended.
        Authors whose content depends on it are notified. Its author can restore it, and an admin
        can: then the author is notified. It can be restored for 30 days; after that it gives up its
        files."""
        if await self._set(call, content, deleted=False):
            raise ContentPurged()

    async def _set(self, call: Call, content: str, *, deleted: bool) -> bool:
        """Gives whether the content is purged."""
        async with self.db.transaction(f"changes of {call.user}") as tx:
            viewer, admin = call.viewer.moderate, call.may(ADMINISTER) and not deleted
            given = call.user, viewer, deleted, self.changes_per_hour, admin
            act = required(await withdrawal.set_deleted(tx, content, *given), ContentNotFound)
            own = act.author_id == call.user
            if not own and not admin:
                raise Forbidden(
                    "Only its author can withdraw this content; its author and admins restore it."
                )
            check_wait(act.wait)
            if act.changed:
                # Who withdraws is never refused.
                await call.unrestricted(tx)
                if not own:
                    done: Act = "content_restored"
                    await audit_log.record(tx, *call.actor, done, "content", content, "")
                changed = DependencyChanged(
                    dependency=content, status=act.status, actor=call.user, by_author=own
                )
                await self.queue.put(tx, changed)
                await notify_subscribers(tx, self.queue, content, act.before)
                await announce(tx, self.queue, content)
                if not own and act.status == "active":
                    restored = ContentRestored(content=content, reason="", decision=None)
                    await self.notifier.send_many(tx, [(act.author_id, restored)])
            return act.purged

    @route(
        "GET", "/user/<guid:user>/content/deleted", allow=SELF | MODERATE, raises=(UserNotFound,)
    )
    async def list_deleted_content(self, call: Call, user: str, query: Part) -> Listed[ContentInfo]:
        """List the content that a user has withdrawn, newest first."""
        rows = await withdrawal.by_author(self.db, user, position(query), query.limit)
        if not rows:
            await check_user(self.db, user)
        infos = [row.item for row in rows if row.item is not None]
        return numbered(rows, query, cut=heavy(infos))
