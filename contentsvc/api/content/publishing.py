"""Publishing: its checks, and what one transaction writes (content#publishing)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct

from contentsvc.api.checks import check_wait, required
from contentsvc.api.content import attributes
from contentsvc.api.content.dependencies import Dependencies, foreign_core, key, new_package
from contentsvc.api.content.requirements import requirements
from contentsvc.api.content.tags import ANY_TAGS, TagRules
from contentsvc.api.content.types_and_platforms import ContentTypes, Platforms
from contentsvc.api.errors import (
    ContentDeleted,
    DeletedDependency,
    EntityConflict,
    EntityOwnedByOther,
    FileInvalid,
    FileMissing,
    ImageHasMetadata,
    NotPublic,
    PackageConflict,
    PlatformMissing,
    RevisionExists,
    RevisionGone,
    RevisionNotFound,
    StaffTag,
    SuspendedDependency,
    TooManyRequests,
    TooManyTags,
    UnknownReference,
    UnknownTags,
)
from contentsvc.api.files.references import FileReferences, Wanted
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.decode import fitting
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store import rate_limits
from contentsvc.store.content import (
    dependencies,
    items,
    library_audience,
    publication_audience,
    revisions,
    search_index,
)
from contentsvc.store.content import requirements as required_of
from contentsvc.store.content.dependencies import Registered
from contentsvc.store.content.items import ContentState
from contentsvc.store.content.requirements import Requirements
from contentsvc.store.events import events
from contentsvc.store.moderation import audit_log
from contentsvc.store.rate_limits import PUBLICATIONS, ROLLBACKS
from contentsvc.wire.base import MediaPath
from contentsvc.wire.content import (
    MOST_TAGS,
    ContentCreate,
    ContentUpdate,
    EntityDefinition,
    RevisionCreate,
)
from contentsvc.wire.packages import paths_of

REFUSALS: Final = (
    RevisionExists,
    EntityOwnedByOther,
    UnknownReference,
    DeletedDependency,
    SuspendedDependency,
    NotPublic,
    EntityConflict,
    PackageConflict,
    PlatformMissing,
    UnknownTags,
    StaffTag,
    TooManyTags,
    FileMissing,
    FileInvalid,
    ImageHasMetadata,
    TooManyRequests,
)
"""Why a create or a new revision may be refused for what it says."""
Check = Callable[[Db], Awaitable[None]]
"""Checks, in a transaction that has locked a content, that it is as its caller has read it."""
Lock = Callable[[Db], Awaitable[ContentState]]
"""Locks a content in a transaction, for somebody who may change it. Otherwise it raises."""


class Publishing(Struct):
    """Publishes content whose packages have all of the `required_platforms`, and some of the
    `platforms`.

    A user may publish `per_day` times, change content `changes_per_hour` times, and go back or
    forward `rollbacks_per_hour` times, 0 for any number. Without `claims` no file is the service's
    own.
    """

    db: Database
    queue: TaskQueue
    required_platforms: Sequence[str]
    per_day: int
    changes_per_hour: int
    claims: FileReferences | None
    types: ContentTypes
    platforms: Platforms
    rollbacks_per_hour: int = 0
    tags: TagRules = ANY_TAGS

    async def create(
        self, author: str, content: str, body: ContentCreate, *, allowed: Check | None = None
    ) -> None:
        """Insert a content of the author's, with its first revision.

        Raises InvalidBody and the REFUSALS; Refused `contents_id` or `revisions_id`; and what
        `allowed` raises, which says whether the caller may publish now.
        """
        self.types.check("/type", body.type)
        fitting("screenshotUris", body.screenshot_uris, list[MediaPath])
        described = attributes.stored(body.attributes)
        check_packages(body, self.platforms.taken)
        requires = requirements(body.requires, self.platforms)
        tags = self.tags.spelt(body.tags)
        if allowed is not None:
            await allowed(self.db)
        async with self.db.transaction() as tx:
            registered = await items.create(
                tx,
                content=content,
                author=author,
                type=body.type,
                name=body.name,
                description=body.description,
                screenshots=body.screenshot_uris,
                tags=tags,
                visibility=body.visibility,
                attributes=described,
                revision=body.revision_id,
                version=body.version,
                revision_description=body.revision_description,
                core=body.entity.entity_id,
                core_revision=body.entity.revision_id,
                entities=_brought(body),
                packages=list(map(new_package, body.packages_originating)),
            )
            await required_of.note(tx, body.revision_id, requires)
            depends = await self._check(tx, content, body, author, registered, current=None)
            for problem in self.tags.problems(tags, body.type):
                raise problem
            shots = body.screenshot_uris
            wanted = self._wanted(author, author, content, body, depends, screenshots=shots)
            await self._depend(tx, author, body, wanted)
            words = body.name, tags, body.description, attributes.texts(described)
            await search_index.insert(tx, content, *words)
            await publication_audience.notify_of_content(tx, self.queue, author, content)

    async def revise(
        self,
        publisher: str,
        content: str,
        lock: Lock,
        body: RevisionCreate,
        requires: Requirements,
        *,
        allowed: Check | None = None,
    ) -> None:
        """Insert one more revision of a content, which becomes the current one. If the content has
        this revision already, nothing changes.

        The body has passed check_packages, and `requires` is of it. Raises ContentDeleted and the
        REFUSALS; Refused `revisions_id`; and what `lock` and `allowed` raise.
        """
        revision = body.revision_id
        async with self.db.transaction() as tx:
            state = await lock(tx)
            if await revisions.published(tx, content, revision):
                return
            if allowed is not None:
                await allowed(tx)
            if state.status == "deleted":
                raise ContentDeleted()
            author = state.author_id
            registered = await revisions.create(
                tx,
                content=content,
                author=author,
                publisher=publisher,
                revision=revision,
                version=body.version,
                description=body.revision_description,
                core=body.entity.entity_id,
                core_revision=body.entity.revision_id,
                entities=_brought(body),
                packages=list(map(new_package, body.packages_originating)),
            )
            current = state.revision_id
            await required_of.note(tx, body.revision_id, requires)
            depends = await self._check(tx, content, body, author, registered, current=current)
            wanted = self._wanted(publisher, author, content, body, depends)
            await revisions.make_current(tx, content, revision)
            if publisher != author and not state.editor:
                await audit_log.record(
                    tx, publisher, False, "revision_published", "content", content, ""
                )
            if self.claims is not None and wanted is not None and publisher != author:
                await self.claims.claim(tx, wanted)
                wanted = None
            # Both lock the limits of a user. Two admins may publish on each other's content.
            if publisher <= author:
                await self._depend(tx, publisher, body, wanted)
            await publication_audience.notify_of_revision(tx, self.queue, author, content, revision)
            if publisher > author:
                await self._depend(tx, publisher, body, None)

    async def describe(
        self,
        caller: str,
        content: str,
        update: ContentUpdate,
        *,
        editor: bool,
        check: Check | None = None,
        allowed: Check | None = None,
    ) -> None:
        """Change the description of a content, its screenshots, tags and attributes. Where nothing
        differs, nothing is written. A change counts for the limit of the caller. An `editor` may as
        a member.

        Raises ContentDeleted, UnknownTags, StaffTag, TooManyTags, FileMissing, FileInvalid and
        TooManyRequests, and what `check` and `allowed` raise.
        """
        tags = None if update.tags is UNSET else self.tags.spelt(update.tags)
        shots = update.screenshot_uris
        given = update.attributes
        described = None if given is UNSET else attributes.stored(given)
        if check is None:
            shown = await items.shown(self.db, content, update.description, shots, described)
            if (
                shown is not None
                and shown.same
                and (tags is None or self.tags.kept(tags, shown.tags) == shown.tags)
                and (self.claims is None or await self.claims.holds(self.db, content, shots))
            ):
                return
        if allowed is not None:
            await allowed(self.db)
        async with self.db.transaction(f"changes of {caller}") as tx:
            locked = required(await items.lock_for_update(tx, content), ContentDeleted)
            if check is not None:
                await check(tx)
            if tags is not None:
                for problem in self.tags.problems(tags, locked.type, locked.tags):
                    raise problem
                tags = self.tags.kept(tags, locked.tags)
            if self.claims is not None:
                await self.claims.replace(
                    tx,
                    "content",
                    content,
                    caller=caller,
                    owner=locked.author_id,
                    old=locked.screenshots,
                    new=shots,
                )
            sent = content, update.description, shots, tags, described
            changed = await items.update(tx, *sent, caller, self.changes_per_hour)
            check_wait(changed.wait)
            if changed.name is None or changed.tags is None or changed.attributes is None:
                return
            if caller != locked.author_id and not editor:
                await audit_log.record(tx, caller, False, "content_changed", "content", content, "")
            if changed.reworded:
                words = changed.name, changed.tags, update.description, changed.attributes
                await search_index.replace(tx, content, *words)

    async def check_tags(self, content: str, update: ContentUpdate) -> None:
        """Raises InvalidBody if an update gives a content too many tags."""
        if update.tags is not UNSET and len(update.tags) > MOST_TAGS:
            there = await items.tagged(self.db, content)
            self.tags.check_many(update.tags, [] if there is None else there.tags)

    async def make_current(
        self,
        caller: str,
        content: str,
        lock: Lock,
        revision: str,
        *,
        allowed: Check | None = None,
    ) -> None:
        """Make a revision of a content the current one, whether it is older or newer.

        Raises RevisionNotFound, ContentDeleted, RevisionGone, TooManyRequests, DeletedDependency
        and SuspendedDependency, and what `lock` and `allowed` raise.
        """
        async with self.db.large(caller), self.db.transaction() as tx:
            state = await lock(tx)
            if not await revisions.published(tx, content, revision):
                raise RevisionNotFound()
            if state.status == "deleted":
                raise ContentDeleted()
            if revision == state.revision_id:
                return
            if allowed is not None:
                await allowed(tx)
            if await revisions.is_gone(tx, revision):
                raise RevisionGone()
            # To read its parts is what costs.
            check_wait(await rate_limits.look(tx, ROLLBACKS, caller, self.rollbacks_per_hour))
            references = await revisions.references(tx, content, revision)
            bundles = await dependencies.packages_of_revision(tx, revision)
            packages = [package.id for package in bundles]
            depends = await Dependencies.look_up(
                tx, content, state.author_id, references, packages, hold=True
            )
            for problem in depends.hidden(new=False):
                raise problem
            parts = len(references) + len(packages)
            most = self.rollbacks_per_hour
            check_wait(await rate_limits.take_parts(tx, ROLLBACKS, caller, most, parts))
            await revisions.make_current(tx, content, revision)
            await library_audience.notify_subscribers(tx, self.queue, content)
            await events.note(tx, "ContentChanged", caller, "content", content)
            if caller != state.author_id and not state.editor:
                await audit_log.record(
                    tx, caller, False, "revision_selected", "content", content, ""
                )

    async def require(
        self, caller: str, content: str, lock: Lock, revision: str, requires: Requirements
    ) -> None:
        """Change what a revision of a content requires. Where nothing differs, nothing is written.
        A change counts for the limit of the caller.

        Raises RevisionNotFound, ContentDeleted and TooManyRequests, and what `lock` raises.
        """
        async with self.db.transaction(f"changes of {caller}") as tx:
            state = await lock(tx)
            if state.status == "deleted":
                raise ContentDeleted()
            most = self.changes_per_hour
            given = content, revision, caller, most, *requires
            done = required(await required_of.put(tx, *given), RevisionNotFound)
            if done.wait is None:
                return
            check_wait(done.wait)
            await library_audience.notify_subscribers(tx, self.queue, content)
            await events.note(tx, "ContentChanged", caller, "content", content)
            if caller != state.author_id and not state.editor:
                await audit_log.record(
                    tx, caller, False, "revision_requires", "content", content, ""
                )

    async def _check(
        self,
        tx: Db,
        content: str,
        body: RevisionCreate,
        author: str,
        registered: Registered,
        *,
        current: str | None,
    ) -> Dependencies:
        """Check the dependencies of a revision that this transaction has inserted and `registered`.
        It may go on using the parts of the `current` revision."""
        brought = _brought(body)
        foreign = None
        if not registered.core:
            foreign = await foreign_core(tx, author, body.entity, publishing=body.revision_id)
        depends = await Dependencies.look_up(
            tx,
            content,
            author,
            [*brought, *body.using],
            _packages(body),
            current=current,
            foreign=foreign,
            new=(brought, body.packages_originating) if registered.all else ((), ()),
            hold=True,
        )
        unknown, missing = depends.unknown()
        if unknown or missing:
            raise UnknownReference(entities=unknown, packages=missing)
        for problem in depends.problems(
            paths={key(entity): entity.path for entity in brought},
            definitions=body.packages_originating,
            platforms=self.platforms.taken,
            required=self.required_platforms,
        ):
            raise problem
        return depends

    def _wanted(
        self,
        caller: str,
        author: str,
        content: str,
        body: RevisionCreate,
        depends: Dependencies,
        *,
        screenshots: Sequence[str] = (),
    ) -> Wanted | None:
        """The files that a publication wants, if any is the service's own."""
        if self.claims is None:
            return None
        brought = [entity.path for entity in _brought(body)]
        for package in body.packages_originating:
            brought += paths_of(package).values()
        return self.claims.of_revision(
            caller=caller,
            author=author,
            content=content,
            revision=body.revision_id,
            parts=depends.files(),
            brought=brought,
            screenshots=screenshots,
        )

    async def _depend(
        self, tx: Db, publisher: str, body: RevisionCreate, wanted: Wanted | None
    ) -> None:
        """Claim the files, and register the dependencies. Locks storage, files, then the limits of
        the publisher. Raises FileMissing, FileInvalid and TooManyRequests."""
        given: dict[str, Any] = {
            "revision": body.revision_id,
            "originating": body.originating,
            "using": body.using,
            "packages": list(dict.fromkeys(_packages(body))),
        }
        limit: dict[str, Any] = {"publisher": publisher, "most": self.per_day}
        wait: int | None = None
        claims = self.claims
        if claims is None or wanted is None:
            wait = await revisions.depend(tx, **given, **limit)
        elif wanted.is_plain:
            paths = list(wanted.files)
            wait = await revisions.depend_promptly(
                tx, **given, **limit, content=wanted.holder, paths=paths
            )
            if wait is None:
                await claims.claim(tx, wanted)
                wait = await rate_limits.take(tx, PUBLICATIONS, publisher, self.per_day)
        else:
            await claims.claim(tx, wanted)
            wait = await revisions.depend(tx, **given, **limit)
        check_wait(wait)


def check_packages(body: RevisionCreate, platforms: Sequence[str]) -> None:
    """Raises InvalidBody if a package to register has no path at all."""
    for index, package in enumerate(body.packages_originating):
        if not paths_of(package):
            raise at_pointer(
                f"/packagesOriginating/{index}",
                f"This needs at least one of {', '.join(platforms)}.",
            )


def _brought(body: RevisionCreate) -> list[EntityDefinition]:
    return [body.entity, *body.originating]


def _packages(body: RevisionCreate) -> list[str]:
    return [*(package.id for package in body.packages_originating), *body.packages_using]
