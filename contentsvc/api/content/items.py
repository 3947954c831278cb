"""Content: content#publishing, content#by-author; its detail, status and featuring."""

from collections.abc import Awaitable

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from contentsvc.api.call import Call
from contentsvc.api.checks import check_may_change, check_user, required
from contentsvc.api.content import attributes
from contentsvc.api.content.publishing import REFUSALS, Publishing
from contentsvc.api.content.requirements import client, put_fitting, shown
from contentsvc.api.content.types_and_platforms import ContentTypes, Platforms
from contentsvc.api.errors import (
    ContentDeleted,
    ContentNotFound,
    RevisionNotFound,
    RevisionNotPublished,
    UserNotFound,
)
from contentsvc.api.guests import PUBLISH
from contentsvc.api.moderation.acts import Acts
from contentsvc.api.paging import (
    PIECE,
    EncodedPart,
    LongList,
    Piece,
    choice,
    heavy,
    numbered,
    position,
)
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.decode import Either, fitting
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.reply import Encoded, Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import CURATE, MODERATE
from contentsvc.store.content import dependents, revisions
from contentsvc.store.content import items as store
from contentsvc.store.content.dependencies import Used, of_revision, packages_of_revision
from contentsvc.store.fragments import statuses_of
from contentsvc.store.moderation import audit_log
from contentsvc.wire.base import MediaPath, Part
from contentsvc.wire.content import (
    CONTENT_STATUSES,
    LISTED_STATUSES,
    ContentCreate,
    ContentDetail,
    ContentInfo,
    ContentRepeat,
    ContentUpdate,
    Entity,
    FeaturedChange,
    Revision,
    RevisionDetail,
    StatusChange,
    content_create,
)
from contentsvc.wire.moderation import Act
from contentsvc.wire.packages import packages as shown_packages
from contentsvc.wire.searches import ClientQuery, ContentQuery

_Bodies = Either[ContentCreate | ContentUpdate]


class Content(Struct):
    """Games, assets and boxes that users have made."""

    db: Database
    acts: Acts
    publishing: Publishing
    types: ContentTypes
    platforms: Platforms
    piece: Piece = PIECE

    @route(
        "PUT",
        "/content/<guid:content>",
        allow=SIGNED_IN,
        guests=PUBLISH,
        limit=1024 * KIB,
        heeds="/content/<guid:content>",
        restricts="publish",
        raises=(Forbidden, ContentDeleted, RevisionNotPublished, *REFUSALS),
    )
    async def put_content(self, call: Call, content: str, body: _Bodies) -> None:
        """Create content if it does not exist, and update it otherwise (content#publishing). The
        author's followers are notified of new content. If the author repeats a create, nothing
        changes. Only the content's author, its members and admins may update it."""
        state = await store.state_of(self.db, content, *call.viewer)
        if state is None:
            await call.unchanged(self.db)
            created = body.decode(content_create(tuple(self.platforms.taken)))
            try:
                await self.publishing.create(call.user, content, created, allowed=call.unrestricted)
                return
            except Refused:
                # Another create came at the same time and was first, or the revision exists.
                state = await store.state_of(self.db, content, *call.viewer)
                if state is None:
                    raise
        await self._change(call, content, state, body)

    async def _change(
        self, call: Call, content: str, state: store.ContentState, body: _Bodies
    ) -> None:
        check_may_change(call, state)
        revision = body.decode(ContentRepeat).revision_id
        if revision == state.first_revision and call.user == state.author_id:
            await call.unchanged(self.db)
            return
        update = body.decode(ContentUpdate)
        fitting("screenshotUris", update.screenshot_uris, list[MediaPath])
        if update.attributes is not UNSET:
            attributes.stored(update.attributes)
        await self.publishing.check_tags(content, update)
        if state.status == "deleted":
            raise ContentDeleted()
        if revision is not None and not await revisions.published(self.db, content, revision):
            raise RevisionNotPublished()
        check = call.unchanged if call.conditional else None
        await self.publishing.describe(
            *(call.user, content, update),
            editor=state.editor,
            check=check,
            allowed=call.unrestricted,
        )

    @route("GET", "/user/<guid:user>/content", allow=ANYONE, raises=(UserNotFound,))
    async def list_user_content(
        self, call: Call, user: str, query: ContentQuery
    ) -> LongList[ContentInfo]:
        """List the content that a user has created (content#by-author), newest first. If the query
        says what the client has, only what fits it is listed."""
        has = await client(query, self.platforms)
        types = await self.types.choice(query.category)
        viewer = call.viewer
        if call.may(MODERATE) and query.status is not None:
            statuses = choice("status", query.status, CONTENT_STATUSES)
        else:
            # Moderators who ask for no status see what is not public, but nothing that is hidden
            # from everybody.
            statuses = list(LISTED_STATUSES) if viewer.user == user else ["active"]
        before, db = position(query), self.db.whole()
        chosen = types, statuses_of(statuses), attributes.asked(query.attr), *viewer

        cut = False

        async def page(after: int | None) -> EncodedPart[int | None]:
            nonlocal cut
            most = self.piece.rows if query.limit is None else query.limit
            given = user, *chosen, after, most
            if has.asked:
                part = await store.by_author_fitting(db, *given, *has)
            else:
                part = await store.by_author(db, *given)
            cut = part.cut
            return EncodedPart(f"[{part.json}]".encode(), part.found, part.last)

        def state() -> Awaitable[str]:
            given = user, *chosen, before
            if has.asked:
                return store.by_author_fitting_state(db, *given, *has)
            return store.by_author_state(db, *given)

        first = await page(before)
        if not first.length:
            await check_user(self.db, user)
        if query.limit is not None:
            more = str(first.last) if cut or first.length == query.limit else None
            return Listed(Encoded(first.json), more)
        return self.piece.of_parts(first, start=before, page=page, state=state)

    @route("GET", "/content/<guid:content>", allow=ANYONE, raises=(ContentNotFound,))
    async def get_content(self, call: Call, content: str, query: ClientQuery) -> ContentDetail:
        """Get a content item with all its details (content#detail). If the query says what the
        client has, `fitting` is the revision that fits it."""
        has = await client(query, self.platforms)
        row = required(await store.detail(self.db, content, *call.viewer), ContentNotFound)
        if has.asked:
            await put_fitting(self.db, [row.info], has)
        revision = await self._revision(call, content, row.info.revision_id)
        if revision is None:
            raise ContentNotFound()
        return ContentDetail(
            **asdict(row.info),
            description=row.description,
            screenshot_uris=row.screenshots,
            tags=row.tags,
            updated=row.updated,
            revision=Revision(
                revision.id, revision.version, revision.description, revision.created
            ),
            entity=revision.entity,
            originating=revision.originating,
            using=revision.using,
            packages=revision.packages,
            requires=revision.requires,
            comment_count=row.info.comments,
            comments_locked=row.comments_locked,
        )

    @route(
        "GET",
        "/content/<guid:content>/revisions/<guid:revision>",
        allow=ANYONE,
        raises=(ContentNotFound, RevisionNotFound),
    )
    async def get_revision(self, call: Call, content: str, revision: str) -> RevisionDetail:
        """Get one revision of a content item, with its entities and packages."""
        return required(await self._revision(call, content, revision), RevisionNotFound)

    async def _revision(self, call: Call, content: str, revision: str) -> RevisionDetail | None:
        row = await revisions.get(self.db, content, revision, *call.viewer)
        if row is None:
            raise ContentNotFound()
        if row.revision is None:
            return None
        used = await of_revision(self.db, revision)
        bundles = await packages_of_revision(self.db, revision)
        return RevisionDetail(
            **asdict(row.revision),
            entity=Entity(entity_id=row.entity_id, revision_id=row.entity_revision, path=row.path),
            originating=[_entity(entity) for entity in used if entity.originating],
            using=[_entity(entity) for entity in used if not entity.originating],
            packages=shown_packages([(package.id, package.paths) for package in bundles]),
            requires=shown(row.requires),
            gone=row.gone,
        )

    @route("PUT", "/content/<guid:content>/status", allow=MODERATE, raises=(ContentNotFound,))
    async def set_content_status(self, call: Call, content: str, body: StatusChange) -> None:
        """Suspend a content item, or lift its suspension. If this changes anything, its author is
        notified, and so are authors whose content depends on it. Content that its author has
        withdrawn stays withdrawn."""
        if body.status == "suspended":
            order = self.acts.order(body.reason)
            async with self.db.transaction() as tx:
                await self.acts.suspend(tx, call.actor, content, order)
        else:
            async with self.db.transaction() as tx:
                await self.acts.restore(tx, call.actor, content, body.reason)

    @route("PUT", "/content/<guid:content>/featured", allow=CURATE, raises=(ContentNotFound,))
    async def set_content_featured(self, call: Call, content: str, body: FeaturedChange) -> None:
        """Set or clear a content item's featured flag. Content that the caller does not see is
        404."""
        async with self.db.transaction() as tx:
            changed = await store.set_featured(tx, content, *call.viewer, body.featured)
            if changed is None:
                raise ContentNotFound()
            if changed:
                done: Act = "content_featured" if body.featured else "content_unfeatured"
                await audit_log.record(tx, *call.actor, done, "content", content, "")


def _entity(used: Used) -> Entity:
    return Entity(entity_id=used.entity_id, revision_id=used.revision_id, path=used.path)


class Dependents(Struct):
    """The content that uses what other content has brought."""

    db: Db

    @route("GET", "/content/<guid:content>/dependents", allow=ANYONE, raises=(ContentNotFound,))
    async def list_dependents(self, call: Call, content: str, query: Part) -> Listed[ContentInfo]:
        """List the active content whose current revision uses an entity or package of this content
        item, newest first (content#dependents)."""
        window = position(query), query.limit
        rows = await dependents.of_content(self.db, content, *call.viewer, *window)
        if not rows:
            raise ContentNotFound()
        infos = [row.item for row in rows if row.item is not None]
        return numbered(rows, query, cut=heavy(infos))
