"""What a content is called (content#names)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, lock_to_change
from contentsvc.api.errors import ContentDeleted, ContentNotFound, TooManyRequests
from contentsvc.api.guests import PUBLISH
from contentsvc.api.paging import PART, full, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SIGNED_IN
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import ADMINISTER, MODERATE
from contentsvc.store.content import items, names, search_index
from contentsvc.store.content.library_audience import notify_subscribers
from contentsvc.store.moderation import audit_log
from contentsvc.wire.base import Part
from contentsvc.wire.content import ContentNameChange
from contentsvc.wire.library import ContentName


class Names(Struct):
    """What a content is called, and what it was called. Each may be renamed `per_day` times, 0 for
    any number."""

    db: Database
    queue: TaskQueue
    per_day: int

    @route(
        "PUT",
        "/content/<guid:content>/name",
        allow=SIGNED_IN,
        guests=PUBLISH,
        heeds="/content/<guid:content>",
        raises=(ContentNotFound, Forbidden, ContentDeleted, TooManyRequests),
    )
    async def set_content_name(self, call: Call, content: str, body: ContentNameChange) -> None:
        """Change the name of a content item. Lists and searches have it at once. Only its author,
        its members and admins may."""
        async with self.db.transaction() as tx:
            state = await lock_to_change(call, tx, content)
            await call.unchanged(tx)
            if state.status == "deleted":
                raise ContentDeleted()
            most = 0 if call.may(ADMINISTER) else self.per_day
            staff = call.user != state.author_id and not state.editor
            done = await names.rename(tx, content, body.name, call.user, staff, most)
            if done is None:
                return
            check_wait(done.wait)
            words = body.name, done.tags, done.description, done.attributes
            await search_index.replace(tx, content, *words)
            if staff:
                await audit_log.record(
                    tx, call.user, False, "content_renamed", "content", content, body.name
                )
            await notify_subscribers(tx, self.queue, content)

    @route(
        "GET",
        "/content/<guid:content>/names",
        allow=SIGNED_IN | MODERATE,
        raises=(ContentNotFound, Forbidden),
    )
    async def list_content_names(
        self, call: Call, content: str, query: Part
    ) -> Listed[ContentName]:
        """List all names of a content item, the present name first. Only its author and moderators
        may."""
        before = position(query)
        state = await items.state_of(self.db, content, *call.viewer)
        if state is None or not state.visible:
            raise ContentNotFound()
        if call.user != state.author_id and not call.may(MODERATE):
            raise Forbidden("Only its author and moderators see what this content was called.")
        rows = await names.names(self.db, content, before, query.limit)
        return listed(
            rows,
            query,
            lambda row: row.number,
            lambda row: ContentName(row.name, row.since, row.by),
            cut=full((row.by for row in rows if row.by is not None), PART),
        )
