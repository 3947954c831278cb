"""Who sees a content (content#visibility)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import ContentNotFound, TooManyRequests
from contentsvc.api.guests import PUBLISH
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import ADMINISTER
from contentsvc.store.content import items, visibility
from contentsvc.store.content.library_audience import notify_subscribers
from contentsvc.store.moderation import audit_log
from contentsvc.wire.content import VisibilityChange


class Visibility(Struct):
    """Who sees a content. A user may change content `changes_per_hour` times, 0 for any number."""

    db: Database
    queue: TaskQueue
    changes_per_hour: int

    @route(
        "PUT",
        "/content/<guid:content>/visibility",
        allow=SIGNED_IN,
        guests=PUBLISH,
        heeds="/content/<guid:content>",
        raises=(ContentNotFound, Forbidden, TooManyRequests),
    )
    async def set_content_visibility(
        self, call: Call, content: str, body: VisibilityChange
    ) -> None:
        """Choose who sees a content item: everybody, everybody who has its id, friends of the
        author, or only its author, testers and members. The first time that everybody sees it, the
        author's followers are notified. Only its author and admins may."""
        given = call.user, call.viewer.moderate, call.may(ADMINISTER), body.visibility
        async with self.db.transaction(f"changes of {call.user}") as tx:
            if call.conditional:
                state = await items.lock(tx, content, *call.viewer)
                # A caller who may not is refused below, whatever they have read.
                if state is not None and state.visible and _may(call, state):
                    await call.unchanged(tx)
            act = required(
                await visibility.put(tx, content, *given, self.changes_per_hour), ContentNotFound
            )
            if not act.may:
                raise Forbidden("Only its author and admins can say who sees this content.")
            check_wait(act.wait)
            if not act.changed:
                return
            if call.user != act.author_id:
                await audit_log.record(
                    tx, call.user, False, "visibility_changed", "content", content, body.visibility
                )
            await notify_subscribers(tx, self.queue, content, act.before)
            await visibility.announce(tx, self.queue, content)


def _may(call: Call, state: items.ContentState) -> bool:
    return call.user == state.author_id or call.may(ADMINISTER)
