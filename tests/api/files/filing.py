"""Users who publish files of the service's own."""

from typing import Any

import msgspec

from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges.definitions import Challenges
from contentsvc.api.content.items import Content
from contentsvc.api.content.precheck import UploadPrecheck
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.api.files.references import FileReferences
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.storage.paths import BINARY, path_of
from contentsvc.wire.accounts import Profile, UserUpdate
from contentsvc.wire.content import Precheck, PrecheckAnswer
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import RevisionCase
from tests.api.support import (
    Caller,
    Notifier,
    acts,
    no_platforms,
    no_types,
)
from tests.support.databases import guid

PNG = "image/png"


def new(media_type: str = BINARY) -> str:
    """A path of the service's own that nobody has named before."""
    return path_of((guid() + guid()).replace("-", ""), media_type)


def part(path: str) -> dict[str, str]:
    """A new entity revision with this path."""
    return {"entityId": guid(), "revisionId": guid(), "path": path}


def bundle(**paths: str) -> dict[str, str]:
    """A new package with these paths."""
    return {"id": guid(), **paths}


class FilingCase(RevisionCase):
    """The operations with files of the service's own."""

    async def setUp(self) -> None:
        await super().setUp()
        claims = FileReferences(required=False)
        kinds = no_types(self.db), no_platforms(self.db)
        publishing = Publishing(self.db, self.queue, (), self.per_day, 0, claims, *kinds)
        self.contents = Content(self.db, acts(queue=self.queue), publishing, *kinds)
        self.family = Revisions(self.db, publishing, files=True)
        self.prechecks = UploadPrecheck(
            self.db, no_types(self.db), required_platforms=(), files=True
        )
        self.withdrawal = Withdrawal(self.db, Notifier(), self.queue, changes_per_hour=0)
        self.users = Users(self.db, claims, acts())
        self.challenges = Challenges(self.db, self.queue, claims, no_types(self.db))

    def uploaded(self, *media_types: str, by: str | None = None, **columns: Any) -> list[str]:
        """Files that Ann has sent, or somebody else; by default, a part."""
        paths = [new(media_type) for media_type in media_types or (BINARY,)]
        for path in paths:
            given = {"path": path, "size": 10, "stored": True} | columns
            marks = ", ".join(["%s"] * len(given))
            self.sql(f"insert into files ({', '.join(given)}) values ({marks})", *given.values())
            self.sql(
                "insert into user_files (user_id, path, size, sent) values (%s, %s, 10, true)",
                *(by or self.ann, path),
            )
        return paths

    async def create(self, by: Caller | None = None, **changes: Any) -> str:
        """The id of a new content."""
        return await self.made(draft(**changes), by)

    async def missing(self, act: Any, code: str = "file_missing") -> list[str]:
        """The paths of a refusal."""
        problem: Problem = await self.refused(act)
        self.assertEqual((problem.status, problem.code), (422, code))
        paths: list[str] = problem.members["paths"]
        return paths

    async def delete_revision(self, game: str, revision: str, by: Caller | None = None) -> None:
        """DELETE of a revision."""
        await self.family.delete_revision(by or self.by_ann, game, revision)

    async def dress(self, avatar: str | None, by: Caller | None = None) -> None:
        """PUT user with an avatar, of Ann."""
        body = UserUpdate(
            avatar=avatar, emblem=None, full_profile=Profile(), public_profile=Profile()
        )
        await self.users.update_user(by or self.by_ann, self.ann, body)

    async def check(self, **body: Any) -> PrecheckAnswer:
        """The pre-check of a create of Ann's."""
        given = {"contentId": guid(), "operation": "create", "dependencies": [], "packages": []}
        sent = Either[Precheck](msgspec.json.encode(given | body), None)
        return await self.prechecks.check_upload(self.by_ann, sent)

    def claims_of(self, path: str) -> list[tuple[Any, ...]]:
        """Who claims a file, and whether it counts for a user."""
        return self.sql(
            """select holder::text, owner_id is not null from claims where path = %s
               order by holder""",
            path,
        )
