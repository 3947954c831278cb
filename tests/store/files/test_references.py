"""Claims (files#own-files): who may use a file, for whom it counts, and who gives it up."""

from typing import Any

from contentsvc.framework.storage.paths import BINARY, path_of
from contentsvc.store.files import references
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


def new(media_type: str = BINARY) -> str:
    """A path that nobody has named before."""
    return path_of((guid() + guid()).replace("-", ""), media_type)


class ClaimCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()
        self.revision = guid()
        self.game = await self.content(self.ann, revision=self.revision)

    def file(self, path: str | None = None, **columns: Any) -> str:
        """The path of a file whose bytes are there."""
        path = path or new()
        columns = {"path": path, "size": 10, "stored": True} | columns
        names, marks = ", ".join(columns), ", ".join(["%s"] * len(columns))
        self.sql(f"insert into files ({names}) values ({marks})", *columns.values())
        return path

    def sent(self, user: str, *paths: str, sent: bool = True, due: str | None = None) -> None:
        """A user has sent these files, or has only announced them."""
        for path in paths:
            self.sql(
                """insert into user_files (user_id, path, size, sent, due)
                   values (%s, %s, 10, %s, %s)""",
                *(user, path, sent, due),
            )

    def given(self, *paths: str, by: str | None = None, **changes: Any) -> dict[str, Any]:
        """The arguments of the revision's claim on these paths."""
        count = len(paths)
        return {
            "caller": by or self.ann,
            "owner": self.ann,
            "content": self.game,
            "revision": self.revision,
            "holder": self.game,
            "kind": "content",
            "paths": list(paths),
            "own": [True] * count,
            "brought": [True] * count,
        } | changes

    async def claim(self, *paths: str, **changes: Any) -> dict[str, bool]:
        """The faults of the revision's claim on these paths: path, and whether it is invalid. It is
        rolled back if there are any."""
        faults: dict[str, bool] = {}

        class Faulty(Exception):
            pass

        try:
            async with self.db.transaction() as tx:
                found = await references.claim(tx, **self.given(*paths, **changes))
                faults = {each.path: each.invalid for each in found}
                if faults:
                    raise Faulty
        except Faulty:
            pass
        return faults

    def claimed(self, path: str) -> list[tuple[str, str, str | None, str | None]]:
        """The claims on a file: holder, kind, content and owner."""
        return self.sql(
            """select holder::text, kind, content_id::text, owner_id::text from claims
               where path = %s order by kind, holder""",
            path,
        )

    def used(self, user: str) -> tuple[int, int]:
        """The bytes and the pending files of a user."""
        rows = self.sql("select used, pending from storage where user_id = %s", user)
        return rows[0] if rows else (0, 0)

    def due(self, path: str) -> bool:
        """Whether the collector looks at a file now."""
        return self.sql("select due <= now() from files where path = %s", path) == [(True,)]


class GoodTests(ClaimCase):
    async def test_sent(self) -> None:
        """A file that is there and that the caller has sent can be claimed, by the right holder."""
        part, shot = self.file(), self.file(new("image/png"))
        self.sent(self.ann, part, shot)
        self.assertEqual(await self.claim(part, shot), {})
        self.assertEqual(self.claimed(part), [(self.revision, "revision", self.game, self.ann)])
        self.assertEqual(self.claimed(shot), [(self.game, "content", self.game, self.ann)])

    async def test_missing(self) -> None:
        """What is unknown, has no bytes, is being collected, is blocked, was announced only, or was
        sent by somebody else is missing, and nothing is claimed."""
        unknown, known = new(), self.file()
        away, going, blocked = self.file(stored=False), self.file(collecting=True), self.file()
        self.sql("insert into blocked_files (sha256, reason) values (%s, '')", blocked[3:])
        announced, of_bob = self.file(), self.file()
        self.sent(self.ann, known, away, going, blocked)
        self.sent(self.ann, announced, sent=False)
        self.sent(self.bob, of_bob)
        missing = [unknown, away, going, blocked, announced, of_bob]
        self.assertEqual(await self.claim(known, *missing), dict.fromkeys(missing, False))
        self.assertEqual(self.claimed(known), [])

    async def test_invalid(self) -> None:
        """An image that is none is invalid for who has sent it, and missing for others."""
        shot = self.file(new("image/webp"), invalid=True)
        self.sent(self.ann, shot)
        self.assertEqual(await self.claim(shot), {shot: True})
        self.assertEqual(await self.claim(shot, by=self.bob), {shot: False})

    async def test_own(self) -> None:
        """What a content claims is good for another revision of it, whoever publishes that, and
        also while it is suspended."""
        part = self.file()
        self.sent(self.ann, part)
        await self.claim(part)
        self.sql("update contents set suspended = true where id = %s", self.game)
        self.assertEqual(await self.claim(part, by=self.bob, revision=guid()), {})

    async def test_used(self) -> None:
        """What is only used is claimed where others' active content has it, whether its bytes are
        there or not, and counts for nobody. Of what is about to go there is no claim."""
        used, away, going = self.file(), self.file(), self.file()
        given = [used, away, going, new()]
        self.sent(self.bob, *given[:3])
        theirs, revision = await self.content(self.bob), guid()
        brought: dict[str, Any] = {"content": theirs, "revision": revision, "holder": theirs}
        await self.claim(*given[:3], by=self.bob, owner=self.bob, **brought)
        self.sql("update files set stored = false where path = %s", away)
        self.sql("update files set collecting = true where path = %s", going)
        flags = {"own": [False] * 4, "brought": [False] * 4}
        self.assertEqual(await self.claim(*given, owner=None, **flags), {})
        claim = (self.revision, "revision", self.game, None)
        found = [claim in self.claimed(path) for path in given]
        self.assertEqual(found, [True, True, False, False])

    async def test_only_named(self) -> None:
        """A path that a used part only names, since the service had no files then, gives no right
        to what others have sent, nor to what was withdrawn."""
        private, hidden = self.file(), self.file()
        self.sent(self.bob, private, hidden)
        theirs = await self.content(self.bob)
        brought: dict[str, Any] = {"content": theirs, "revision": guid(), "holder": theirs}
        await self.claim(hidden, by=self.bob, owner=self.bob, **brought)
        self.sql("update contents set deleted = true where id = %s", theirs)
        before = [self.claimed(path) for path in (private, hidden)]
        for own in (False, True):
            flags = {"own": [own] * 2, "brought": [False] * 2}
            self.assertEqual(await self.claim(private, hidden, **flags), {})
        self.assertEqual([self.claimed(path) for path in (private, hidden)], before)
        self.assertEqual(self.used(self.ann), (0, 0))


class CountTests(ClaimCase):
    async def test_announced(self) -> None:
        """A file that was announced is not pending any more once it is published, and has its own
        size."""
        part = self.file(size=12)
        self.sent(self.bob, part)
        self.sent(self.ann, part, sent=False)
        self.assertEqual(self.used(self.ann), (10, 1))
        await self.claim(part, by=self.bob)
        self.assertEqual(self.used(self.ann), (12, 0))

    async def test_at_once(self) -> None:
        """Publications of one user with the same files at once all succeed, and count them once."""
        paths = [self.file() for _ in range(8)]
        self.sent(self.bob, *paths)
        acts = [
            self.claim(*(paths if n % 2 else paths[::-1]), by=self.bob, revision=guid())
            for n in range(8)
        ]
        self.assertEqual(await together(*acts), [{}] * 8)
        self.assertEqual(self.used(self.ann), (80, 0))


class ReleaseTests(ClaimCase):
    async def test_due(self) -> None:
        """A file that is given up is looked at by the collector, unless its time is to come; it
        counts until the announcement has lapsed."""
        old, young = self.file(due=None), self.file()
        self.sent(self.ann, old)
        self.sent(self.ann, young, due="2100-01-01")
        await self.claim(old, young)
        self.assertEqual(self.used(self.ann), (20, 0))
        await references.release_revision(self.db, self.revision)
        self.assertEqual((self.due(old), self.due(young)), (True, False))
        self.assertEqual(self.used(self.ann), (10, 0))

    async def test_another(self) -> None:
        """A file that other content of the author claims counts on."""
        part = self.file(due=None)
        self.sent(self.ann, part)
        await self.claim(part)
        await self.claim(part, revision=guid())
        await references.release_revision(self.db, self.revision)
        self.assertEqual(self.used(self.ann), (10, 0))

    async def test_images(self) -> None:
        """Only the named images of the one holder are given up."""
        kept, gone = self.file(new("image/png")), self.file(new("image/png"))
        self.sent(self.ann, kept, gone)
        await self.claim(kept, gone)
        await references.release(self.db, self.game, "user", [gone])
        await references.release(self.db, self.ann, "content", [gone])
        self.assertEqual(len(self.claimed(gone)), 1)
        await references.release(self.db, self.game, "content", [gone])
        self.assertEqual((len(self.claimed(kept)), len(self.claimed(gone))), (1, 0))

    async def test_holders(self) -> None:
        """Who goes gives up all claims, and the collector may look."""
        part, shot = self.file(due=None), self.file(new("image/png"), due=None)
        self.sent(self.bob, part, shot)
        await self.claim(part, shot, by=self.bob)
        self.sql("delete from contents where id = %s", self.game)
        self.assertEqual([self.claimed(part), self.claimed(shot)], [[], []])
        self.assertEqual([self.due(part), self.due(shot)], [True, True])

        avatar = self.file(new("image/png"), due=None)
        self.sent(self.bob, avatar)
        worn: dict[str, Any] = {"content": None, "revision": None, "kind": "user"}
        await self.claim(avatar, by=self.bob, holder=self.ann, **worn)
        self.sql("delete from users where id = %s", self.ann)
        self.assertEqual((self.claimed(avatar), self.due(avatar)), ([], True))

        emblem, challenge = self.file(new("image/png"), due=None), guid()
        self.sent(self.bob, emblem)
        self.sql(
            """insert into challenges (id, name, ordinal, description, theme, win, participate)
               values (%s, '', 1, '', '', '{}', '{}')""",
            challenge,
        )
        worn |= {"owner": None, "own": [False], "kind": "challenge"}
        await self.claim(emblem, by=self.bob, holder=challenge, **worn)
        self.assertEqual(len(self.claimed(emblem)), 1)
        self.sql("delete from challenges where id = %s", challenge)
        self.assertEqual((self.claimed(emblem), self.due(emblem)), ([], True))
