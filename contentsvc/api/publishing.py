"""Publishing content: its checks, and what one transaction writes (spec §4.2)."""

from collections.abc import Sequence

from msgspec import UNSET

from contentsvc.api.dependencies import Dependencies, key
from contentsvc.api.errors import TooManyRequests, UnknownReference, retry_after
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.store import audience
from contentsvc.store import content as store
from contentsvc.store.floods import DAY
from contentsvc.store.outbox import Outbox
from contentsvc.store.tasks import ContentPublished, RevisionPublished
from contentsvc.web.decode import fitting
from contentsvc.web.errors import at_pointer
from contentsvc.wire.base import MediaPath
from contentsvc.wire.content import ContentCreate
from contentsvc.wire.dependencies import PLATFORMS


class Publishing:
    """Publishes content whose packages have all of the `required_platforms`.

    An author may publish `per_day` times, 0 for any number.
    """

    def __init__(
        self, db: Database, outbox: Outbox, required_platforms: Sequence[str], per_day: int
    ) -> None:
        self._db = db
        self._outbox = outbox
        self._required_platforms = required_platforms
        self._per_day = per_day

    async def create(self, author: str, content: str, body: ContentCreate) -> None:
        """Insert a content of the author's, with its first revision.

        Raises InvalidBody, UnknownReference, SuspendedDependency, EntityConflict, PackageConflict,
        PlatformMissing and TooManyRequests; Refused `contents_id` or `revisions_id`.
        """
        fitting("screenshotUris", body.screenshot_uris, list[MediaPath])
        for index, package in enumerate(body.packages_originating):
            if all(getattr(package, platform) is UNSET for platform in PLATFORMS):
                raise at_pointer(
                    f"/packagesOriginating/{index}",
                    f"This needs at least one of {', '.join(PLATFORMS)}.",
                )
        brought = [body.entity, *body.originating]
        packages = [*(package.id for package in body.packages_originating), *body.packages_using]
        async with self._db.transaction() as tx:
            await store.create(
                tx,
                content=content,
                author=author,
                type=body.type,
                name=body.name,
                description=body.description,
                screenshots=body.screenshot_uris,
                tags=body.tags,
                revision=body.revision_id,
                version=body.version,
                revision_description=body.revision_description,
                core=body.entity.entity_id,
                core_revision=body.entity.revision_id,
                entities=brought,
                packages=body.packages_originating,
            )
            depends = await Dependencies.look_up(tx, content, [*brought, *body.using], packages)
            unknown, missing = depends.unknown()
            if unknown or missing:
                raise UnknownReference(entities=unknown, packages=missing)
            for problem in depends.problems(
                paths={key(entity): entity.path for entity in brought},
                definitions=body.packages_originating,
                platforms=self._required_platforms,
            ):
                raise problem
            wait = await store.depend(
                tx,
                revision=body.revision_id,
                originating=body.originating,
                using=body.using,
                packages=list(dict.fromkeys(packages)),
                author=author,
                most=self._per_day,
                span=DAY,
            )
            if wait:
                raise TooManyRequests(headers=retry_after(wait))
            await self._tell_followers(tx, author, content)

    async def _tell_followers(
        self, tx: Db, author: str, content: str, revision: str | None = None
    ) -> None:
        """Have the author's followers told of the content that has just been published in `tx`; of
        the `revision`, if it was there before."""
        upto = await audience.reach(tx, content)
        if upto is None:
            return
        await self._outbox.put(
            tx,
            ContentPublished(author=author, content=content, upto=upto)
            if revision is None
            else RevisionPublished(author=author, content=content, revision=revision, upto=upto),
        )
