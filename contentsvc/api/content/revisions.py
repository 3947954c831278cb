"""The revisions of content: content#revisions."""

from functools import partial

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import lock_to_change
from contentsvc.api.content.publishing import REFUSALS, Publishing, check_packages
from contentsvc.api.content.requirements import requirements
from contentsvc.api.errors import (
    ContentDeleted,
    ContentNotFound,
    DeletedDependency,
    FilesExternal,
    RevisionCurrent,
    RevisionGone,
    RevisionNotFound,
    SuspendedDependency,
    TooManyRequests,
)
from contentsvc.api.guests import PUBLISH
from contentsvc.api.paging import PART, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.store.content import items, revisions
from contentsvc.store.content.items import ContentState
from contentsvc.store.content.library_audience import notify_subscribers
from contentsvc.store.files import references
from contentsvc.wire.base import Part
from contentsvc.wire.content import (
    CurrentRevision,
    RequiresChange,
    RevisionCreate,
    RevisionInfo,
    revision_create,
)


class Revisions(Struct):
    """What has been published of a content, and which of it the content shows. `files` says whether
    the service has files of its own, which a revision can give up."""

    # One revision is read by Content.revision: its operation had that name before.

    db: Database
    publishing: Publishing
    files: bool

    @route(
        "POST",
        "/content/<guid:content>/revisions",
        allow=SIGNED_IN,
        guests=PUBLISH,
        limit=1024 * KIB,
        restricts="publish",
        raises=(ContentNotFound, Forbidden, ContentDeleted, *REFUSALS),
    )
    async def publish_revision(
        self, call: Call, content: str, body: Either[RevisionCreate]
    ) -> Created:
        """Publish a new revision of a content item, which becomes the current one. The author's
        followers are notified. If the content has a revision with this id already, nothing changes.
        Only the content's author, its members and admins may."""
        given = body.decode(revision_create(tuple(self.publishing.platforms.taken)))
        check_packages(given, self.publishing.platforms.taken)
        requires = requirements(given.requires, self.publishing.platforms)
        lock = partial(lock_to_change, call, content=content)
        await self.publishing.revise(
            *(call.user, content, lock, given, requires), allowed=call.unrestricted
        )
        return Created(f"/api/v1/content/{content}/revisions/{given.revision_id}")

    @route("GET", "/content/<guid:content>/revisions", allow=ANYONE, raises=(ContentNotFound,))
    async def list_content_revisions(
        self, call: Call, content: str, query: Part
    ) -> Listed[RevisionInfo]:
        """List the revisions of a content item, newest first."""
        rows = await revisions.page(self.db, content, *call.viewer, position(query), query.limit)
        if not rows:
            raise ContentNotFound()
        notes = (row.item.description for row in rows if row.item is not None)
        cut = sum(len(each.encode()) for each in notes) >= PART
        return numbered(rows, query, cut=cut)

    @route(
        "PUT",
        "/content/<guid:content>/revisions/current",
        allow=SIGNED_IN,
        guests=PUBLISH,
        heeds="/content/<guid:content>",
        restricts="publish",
        raises=(
            ContentNotFound,
            Forbidden,
            RevisionNotFound,
            ContentDeleted,
            RevisionGone,
            TooManyRequests,
            DeletedDependency,
            SuspendedDependency,
        ),
    )
    async def set_current_revision(self, call: Call, content: str, body: CurrentRevision) -> None:
        """Make another revision of a content item the current one, older or newer. Nobody is
        notified. Only the content's author, its members and admins may."""
        lock = partial(self._lock_unchanged, call, content)
        await self.publishing.make_current(
            *(call.user, content, lock, body.revision_id), allowed=call.unrestricted
        )

    @route(
        "DELETE",
        "/content/<guid:content>/revisions/<guid:revision>",
        allow=SIGNED_IN,
        raises=(FilesExternal, ContentNotFound, Forbidden, RevisionNotFound, RevisionCurrent),
    )
    async def delete_revision(self, call: Call, content: str, revision: str) -> None:
        """Delete an older revision of a content item, which gives up its files. It stays in the
        list, as `gone`, and cannot become the current one. Only the content's author may. 404
        `files_external` if the service stores no files."""
        if not self.files:
            raise FilesExternal()
        async with self.db.transaction() as tx:
            state = await items.lock(tx, content, *call.viewer)
            if state is None or not state.visible:
                raise ContentNotFound()
            if call.user != state.author_id:
                raise Forbidden("Only its author can delete a revision of this content.")
            if not await revisions.published(tx, content, revision):
                raise RevisionNotFound()
            if revision == state.revision_id:
                raise RevisionCurrent()
            await revisions.delete(tx, revision)
            await references.release_revision(tx, revision)
            await notify_subscribers(tx, self.publishing.queue, content)

    @route(
        "PUT",
        "/content/<guid:content>/revisions/<guid:revision>/requires",
        allow=SIGNED_IN,
        guests=PUBLISH,
        heeds="/content/<guid:content>/revisions/<guid:revision>",
        raises=(ContentNotFound, Forbidden, RevisionNotFound, ContentDeleted, TooManyRequests),
    )
    async def put_requires(
        self, call: Call, content: str, revision: str, body: RequiresChange
    ) -> None:
        """Replace what a revision of a content item requires of a client (content#requirements): a
        patch of the game may have broken it. Subscribers are told that their library has changed.
        Only the content's author, its members and admins may."""
        requires = requirements(body.requires, self.publishing.platforms)
        lock = partial(self._lock_unchanged, call, content, revision=revision)
        await self.publishing.require(call.user, content, lock, revision, requires)

    async def _lock_unchanged(
        self, call: Call, content: str, tx: Db, *, revision: str | None = None
    ) -> ContentState:
        """Lock a content that the caller may change, if it, or this revision of it, is as the
        caller has read it. Raises ContentNotFound, Forbidden and PreconditionFailed."""
        locked = await lock_to_change(call, tx, content)
        # What is not there is refused as such.
        if revision is None or (
            call.conditional and await revisions.published(tx, content, revision)
        ):
            await call.unchanged(tx)
        return locked
