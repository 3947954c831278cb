"""Files of the service's own in what users write (files#own-files)."""

from typing import Any

import msgspec

from contentsvc.wire.challenges import ChallengeCreate
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference, revision
from tests.api.files.filing import PNG, FilingCase, bundle, new, part
from tests.api.support import Caller
from tests.support.databases import guid


class CreateTests(FilingCase):
    async def test_claimed(self) -> None:
        """A create claims the files of its parts and its screenshots, all for its author."""
        core, other, win, linux = (self.uploaded()[0] for _ in range(4))
        (shot,) = self.uploaded(PNG)
        body = draft(
            entity=part(core),
            originating=[part(other), part("studio/part")],
            packagesOriginating=[bundle(win64=win, linux64=linux, osx64="studio/package")],
            screenshotUris=[shot, "studio.png"],
        )
        game = await self.made(body)
        for path in (core, other, win, linux):
            self.assertEqual(self.claims_of(path), [(body["revisionId"], True)])
        self.assertEqual(self.claims_of(shot), [(game, True)])

    async def test_repeat(self) -> None:
        """A repeated create is not checked."""
        (core,) = self.uploaded()
        body, game = draft(entity=part(core)), guid()
        await self.put(self.by_ann, game, body)
        self.sql("update files set stored = false where path = %s", core)
        await self.put(self.by_ann, game, body)

    async def test_used(self) -> None:
        """What is only used is not checked, and claimed without counting."""
        (core,), (package,) = self.uploaded(), self.uploaded()
        theirs = draft(entity=part(core), packagesOriginating=[bundle(win64=package)])
        await self.made(theirs)
        self.sql("update files set stored = false where path = %s", core)
        body = draft(
            using=[reference(theirs["entity"])],
            packagesUsing=[theirs["packagesOriginating"][0]["id"]],
        )
        await self.made(body, self.by_bob)
        for path in (core, package):
            expected = [(theirs["revisionId"], True), (body["revisionId"], False)]
            self.assertEqual(self.claims_of(path), sorted(expected))


class PromptTests(FilingCase):
    """Files that the author has announced lately are claimed with the parts, others by
    themselves."""

    async def test_lapsing(self) -> None:
        """A file whose announcement has lapsed, or may at any moment, is claimed too."""
        for due in ("now()", "now() + interval '50 minutes'", "null"):
            (core,) = self.uploaded()
            self.sql(f"update user_files set due = {due} where path = %s", core)
            await self.create(entity=part(core))
            self.assertEqual(len(self.claims_of(core)), 1)

    async def test_one_missing(self) -> None:
        """Where one is not good, all that are not are named."""
        (core,), (away,) = self.uploaded(), self.uploaded(stored=False)
        (invalid,), (blocked,) = self.uploaded(PNG, invalid=True), self.uploaded()
        self.sql("insert into blocked_files (sha256, reason) values (%s, '')", blocked[3:])
        for path in (away, blocked):
            act = self.create(entity=part(core), originating=[part(path)])
            self.assertEqual(await self.missing(act), [path])
        act = self.create(entity=part(core), screenshotUris=[invalid])
        self.assertEqual(await self.missing(act, "file_invalid"), [invalid])
        self.assertEqual(self.claims_of(core), [])


class FloodTests(FilingCase):
    per_day = 1

    async def test_order(self) -> None:
        """Files are checked before the number of publications, and a refusal does not count."""
        self.assertEqual(await self.code(self.create()), "too_many_requests")
        (core,), (old,) = self.uploaded(), self.uploaded()
        self.sql("update user_files set due = null where path = %s", old)
        for path in (core, old):
            self.assertEqual(await self.code(self.create(entity=part(path))), "too_many_requests")
        self.assertEqual(await self.code(self.create(entity=part(new()))), "file_missing")
        (core,) = self.uploaded(by=self.bob)
        self.assertEqual(
            await self.code(self.create(self.by_bob, entity=part(new()))), "file_missing"
        )
        await self.create(self.by_bob, entity=part(core))


class UpdateTests(FilingCase):
    async def update(self, game: str, *shots: str, by: Caller | None = None) -> None:
        """PUT of content that exists."""
        body = {"description": "other", "screenshotUris": list(shots)}
        await self.put(by or self.by_ann, game, body)

    async def test_admin(self) -> None:
        """An admin's own files count for the author; the author's are no admin's."""
        (of_ann,), (of_admin,) = self.uploaded(PNG), self.uploaded(PNG, by=self.admin)
        found = await self.missing(self.update(self.game, of_ann, by=self.by_admin))
        self.assertEqual(found, [of_ann])
        await self.update(self.game, of_admin, by=self.by_admin)
        owners = self.sql("select owner_id::text from claims where path = %s", of_admin)
        self.assertEqual(owners, [(self.ann,)])
        rows = self.sql(
            "select sent from user_files where (user_id, path) = (%s, %s)", self.ann, of_admin
        )
        self.assertEqual(rows, [(True,)])


class RevisionTests(FilingCase):
    async def test_claimed(self) -> None:
        """A revision claims all of its parts: what it uses of its own counts, the rest does not."""
        (first,), (second,), (other,) = self.uploaded(), self.uploaded(), self.uploaded(by=self.bob)
        own, theirs = draft(entity=part(first)), draft(entity=part(other))
        game = await self.made(own)
        await self.made(theirs, self.by_bob)
        body = revision(
            entity=part(second),
            using=[reference(own["entity"]), reference(theirs["entity"])],
        )
        await self.publish(body, game=game)
        id = body["revisionId"]
        self.assertIn((id, True), self.claims_of(first))
        self.assertEqual(self.claims_of(second), [(id, True)])
        self.assertIn((id, False), self.claims_of(other))

    async def test_missing(self) -> None:
        """A path that is not there is refused; a repeat of what was published is not checked."""
        (core,), unknown = self.uploaded(), new()
        body = revision(entity=part(core))
        await self.publish(body)
        self.sql("update files set stored = false where path = %s", core)
        await self.publish(body)
        self.assertEqual(
            await self.missing(self.publish(revision(entity=part(unknown)))), [unknown]
        )
        again = revision(entity=body["entity"])
        self.assertEqual(await self.missing(self.publish(again)), [core])


class UserTests(FilingCase):
    async def test_avatar(self) -> None:
        """An avatar is checked and claimed; the one before is given up; null is none."""
        first, second = self.uploaded(PNG, "image/webp")
        unknown = new(PNG)
        await self.dress(first)
        self.assertEqual(self.claims_of(first), [(self.ann, True)])
        self.assertEqual(await self.missing(self.dress(unknown)), [unknown])
        await self.dress(second)
        self.assertEqual(self.claims_of(first), [])
        self.assertEqual(self.claims_of(second), [(self.ann, True)])
        await self.dress("studio.png")
        self.assertEqual(self.claims_of(second), [])
        await self.dress(second)
        await self.dress(None)
        self.assertEqual(self.claims_of(second), [])

    async def test_refused(self) -> None:
        """A refused avatar changes nothing."""
        (part,), (invalid,) = self.uploaded(), self.uploaded(PNG, invalid=True)
        await self.dress("studio.png")
        self.assertEqual(await self.missing(self.dress(part)), [part])
        self.assertEqual(await self.missing(self.dress(invalid), "file_invalid"), [invalid])
        rows = self.sql("select avatar from users where id = %s", self.ann)
        self.assertEqual(rows, [("studio.png",)])


class ChallengeTests(FilingCase):
    def definition(self, win: str, participate: str) -> ChallengeCreate:
        """A challenge with emblems of these images."""

        def reward(image: str) -> dict[str, Any]:
            return {
                "achievement": {"key": "k", "name": "n", "description": ""},
                "emblem": {"name": "n", "description": "", "image": image, "color": "#ffffff"},
            }

        body = {"name": "c", "ordinal": 1, "description": "", "theme": ""}
        body |= {"win": reward(win), "participate": reward(participate)}
        return msgspec.convert(body, ChallengeCreate)

    async def create_challenge(self, win: str, participate: str) -> str:
        """Its id."""
        made = await self.challenges.create_challenge(
            self.by_admin, self.definition(win, participate)
        )
        return made.path.rpartition("/")[2]

    async def replace(self, challenge: str, win: str, participate: str) -> None:
        """PUT."""
        await self.challenges.replace_challenge(
            self.by_admin, challenge, self.definition(win, participate)
        )

    async def test_images(self) -> None:
        """Images of emblems are checked and claimed, count for nobody, and are given up."""
        first, second = self.uploaded(PNG, PNG, by=self.admin)
        unknown = new(PNG)
        act = self.create_challenge(first, unknown)
        self.assertEqual(await self.missing(act), [unknown])
        challenge = await self.create_challenge(first, first)
        self.assertEqual(self.claims_of(first), [(challenge, False)])
        self.assertEqual(await self.missing(self.replace(challenge, first, unknown)), [unknown])
        await self.replace(challenge, second, "studio.png")
        found = [self.claims_of(path) for path in (first, second)]
        self.assertEqual(found, [[], [(challenge, False)]])
        self.sql("update files set stored = false where path = %s", second)
        act = self.replace(challenge, second, "studio.png")
        self.assertEqual(await self.missing(act), [second])
        await self.challenges.delete_challenge(self.by_admin, challenge)
        self.assertEqual(self.claims_of(second), [])


class DeleteTests(FilingCase):
    """A revision that gives up its files."""

    async def setUp(self) -> None:
        await super().setUp()
        self.old, self.new = self.uploaded()[0], self.uploaded()[0]
        body = draft(entity=part(self.old))
        self.first, self.game = body["revisionId"], await self.made(body)
        second = revision(entity=part(self.new))
        await self.publish(second)
        self.second = second["revisionId"]

    async def test_at_once(self) -> None:
        """Of a deletion and a choice at once, one comes first, and the other is refused."""
        for _ in range(4):
            acts = (self.delete_revision(self.game, self.first), self.choose(self.first))
            found = await self.statuses(*acts)
            self.assertIn(found, (["done", "revision_gone"], ["revision_current", "done"]))
            self.sql("update revisions set gone = false where id = %s", self.first)
            await self.choose(self.second)


class PurgedTests(FilingCase):
    async def test_restore(self) -> None:
        """Purged content cannot be restored; its withdrawal can be repeated, and it stays deleted
        content for all else."""
        await self.withdrawal.delete_content(self.by_ann, self.game)
        self.sql("update contents set purged = true where id = %s", self.game)
        await self.withdrawal.delete_content(self.by_ann, self.game)
        for by in (self.by_ann, self.by_admin):
            act = self.withdrawal.restore_content(by, self.game)
            self.assertEqual(await self.code(act), "content_purged")
        act = self.withdrawal.restore_content(self.by_bob, self.game)
        self.assertEqual(await self.code(act), "content_not_found")
        self.assertEqual(await self.code(self.publish()), "content_deleted")
