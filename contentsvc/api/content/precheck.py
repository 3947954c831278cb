"""The upload pre-check: content#pre-check."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_may_change, check_wait
from contentsvc.api.content.dependencies import Dependencies, foreign_core, key
from contentsvc.api.content.tags import ANY_TAGS, TagRules
from contentsvc.api.content.types_and_platforms import ContentTypes
from contentsvc.api.errors import (
    ContentDeleted,
    ContentExists,
    ContentNotFound,
    TooManyRequests,
)
from contentsvc.api.guests import PUBLISH
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Forbidden, Problem
from contentsvc.framework.http.permissions import SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.bucket import Bucket, StorageUnavailable
from contentsvc.framework.storage.paths import is_ours
from contentsvc.store.content import items
from contentsvc.store.files import references
from contentsvc.store.rate_limits import PRECHECKS, look_parts, take_parts
from contentsvc.wire.content import Precheck, PrecheckAnswer, PrecheckProblem

_LARGE: Final = 16 * KIB
"""Bytes of a body beyond which its limit is checked before it is decoded, and it counts whatever
the outcome."""
_PART: Final = 100
"""Bytes of one part of a body."""


class UploadPrecheck(Struct):
    """The upload pre-check: which parts to upload first, and which problems there would be.

    `files` says whether the service has files of its own. Then a part is also to be uploaded if one
    of them is gone: from the database, or from the `folder`, if they lie in one. A user may ask
    `per_minute` times, 0 for any number.
    """

    db: Database
    types: ContentTypes
    required_platforms: Sequence[str]
    files: bool
    folder: Bucket | None = None
    per_minute: int = 0
    tags: TagRules = ANY_TAGS

    @route(
        "POST",
        "/content/upload-precheck",
        allow=SIGNED_IN,
        guests=PUBLISH,
        limit=1024 * KIB,
        raises=(ContentExists, ContentNotFound, Forbidden, ContentDeleted, TooManyRequests),
    )
    async def check_upload(self, call: Call, body: Either[Precheck]) -> PrecheckAnswer:
        """Check, before a create or an update, which dependencies must be uploaded first, and what
        would make it fail (content#pre-check)."""
        if body.size <= _LARGE:
            return await self._check(call, body.decode(Precheck), counted=False)
        # Decoding so many parts only to refuse them would delay others as well.
        limit, supposed = (PRECHECKS, call.user, self.per_minute), body.size // _PART
        check_wait(await look_parts(self.db, *limit, supposed))
        try:
            decoded = body.decode(Precheck)
        except Problem:
            await take_parts(self.db, *limit, supposed)
            raise
        check_wait(await take_parts(self.db, *limit, _parts(decoded)))
        async with self.db.large(call.user):
            return await self._check(call, decoded, counted=True)

    async def _check(self, call: Call, body: Precheck, *, counted: bool) -> PrecheckAnswer:
        if body.type is not None:
            self.types.check("/type", body.type)
        state = await items.state_of(self.db, body.content_id, *call.viewer)
        if body.operation == "create":
            if state is not None:
                raise ContentExists()
        elif state is None:
            raise ContentNotFound()
        else:
            check_may_change(call, state)
            if state.status == "deleted":
                raise ContentDeleted()

        if not counted:
            limit = PRECHECKS, call.user, self.per_minute
            check_wait(await take_parts(self.db, *limit, _parts(body)))
        author, current = (
            (call.user, None) if state is None else (state.author_id, state.revision_id)
        )
        core = body.entity
        if core is None and len(body.dependencies) == 1:
            (core,) = body.dependencies
        depends = await Dependencies.look_up(
            self.db,
            body.content_id,
            author,
            body.dependencies,
            body.packages,
            current=current,
            foreign=None if core is None else await foreign_core(self.db, author, core),
        )
        own = [path for path, _ in depends.files() if is_ours(path)]
        users = [call.user, author]
        entities, packages = depends.needed(
            await self._there(users, own) if own and self.files else set(own)
        )
        problems = depends.problems(
            paths={key(each): each.path for each in body.dependencies if each.path is not None},
            required=self.required_platforms,
        )
        tags = [] if body.tags is None else await self._problems(body, body.tags)
        return PrecheckAnswer(
            needed=entities,
            needed_packages=packages,
            problems=[
                PrecheckProblem(
                    code=problem.code,
                    detail=problem.detail,
                    entities=problem.members.get("entities") or UNSET,
                    packages=problem.members.get("packages") or UNSET,
                    tags=problem.members.get("tags", UNSET),
                    group=problem.members.get("group", UNSET),
                    most=problem.members.get("most", UNSET),
                )
                for problem in (*problems, *tags)
            ],
        )

    async def _problems(self, body: Precheck, tags: list[str]) -> list[Problem]:
        """What makes the tags wrong. Raises InvalidBody if they are too many."""
        there = None
        if body.operation == "update":
            there = await items.tagged(self.db, body.content_id)
        type, before = (body.type, []) if there is None else there
        self.tags.check_many(tags, before)
        return [*self.tags.problems(self.tags.spelt(tags), type, before)]

    async def _there(self, users: list[str], paths: list[str]) -> set[str]:
        """Those of the service's own paths whose bytes are there for one of these users."""
        stored = set(await references.stored(self.db, users, paths))
        if self.folder is None or not stored:
            return stored
        try:
            return stored & (await self.folder.stat(stored)).keys()
        except StorageUnavailable:
            # The next step goes by the database as well.
            return stored


def _parts(body: Precheck) -> int:
    return len(body.dependencies) + len(body.packages)
