"""The current revision (extensions §1): who goes back and forward, and when."""

from contentsvc.wire.content import ClientQuery
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import RevisionCase, revision
from tests.support.databases import guid


class ChooseTests(RevisionCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.body = revision()
        self.second = self.body["revisionId"]
        await self.publish(self.body)

    async def test_back_and_forward(self) -> None:
        """An older and a newer revision becomes the current one, with a new listing id, and nobody
        is told but those who keep the content."""
        self.sql("insert into follows (follower, followed) values (%s, %s)", self.bob, self.ann)
        self.sql("insert into subscriptions values (%s, %s)", self.bob, self.game)
        listing = self.standing()[1]
        for chosen, core in (
            (self.first, self.sent["entity"]),
            (self.second, self.body["entity"]),
        ):
            await self.choose(chosen)
            detail = await self.contents.get_content(self.by_bob, self.game, ClientQuery())
            self.assertEqual((detail.revision_id, detail.revision.id), (chosen, chosen))
            self.assertEqual(detail.entity.entity_id, core["entityId"])
            self.assertGreater(detail.listing_id, listing)
            listing = detail.listing_id
        about = "select kind, count(*) from tasks where task like %s group by kind"
        told = self.sql(about, f"%{self.game}%")
        self.assertEqual(told, [("LibraryChanged", 2)])

    async def test_same(self) -> None:
        """The current one may be chosen, which changes nothing."""
        before = self.standing()
        await self.choose(self.second)
        self.assertEqual(self.standing(), before)

    async def test_who(self) -> None:
        """Its author and admins choose; for others it is 403, and 404 once it is hidden."""
        await self.choose(self.first, self.by_admin)
        self.assertEqual(await self.code(self.choose(self.second, self.by_bob)), "forbidden")
        for flags in ({"suspended": True}, {"suspended": False, "deleted": True}):
            self.flag(self.game, **flags)
            self.assertEqual(
                await self.code(self.choose(self.second, self.by_bob)), "content_not_found"
            )
        self.assertEqual(
            await self.code(self.choose(self.second, game=guid())), "content_not_found"
        )

    async def test_unknown(self) -> None:
        """A revision that the content does not have is not found, also if other content has it,
        and on deleted content."""
        body = draft()
        await self.made(body)
        for deleted in (False, True):
            self.flag(self.game, deleted=deleted)
            for unknown in (guid(), body["revisionId"]):
                self.assertEqual(await self.code(self.choose(unknown)), "revision_not_found")

    async def test_deleted(self) -> None:
        """On deleted content none is chosen, not even the current one."""
        self.flag(self.game, deleted=True)
        before = self.standing()
        for chosen in (self.first, self.second):
            self.assertEqual(await self.code(self.choose(chosen)), "content_deleted")
        self.assertEqual(self.standing(), before)

    async def test_suspended(self) -> None:
        """On suspended content one is chosen, and it stays suspended."""
        self.flag(self.game, suspended=True)
        await self.choose(self.first)
        current, _, status = self.standing()
        self.assertEqual((current, status), (self.first, "suspended"))

    async def test_repeated_create(self) -> None:
        """The first revision's id makes a repeat of the create, whichever is current; another's
        makes an update."""
        for chosen in (self.second, self.first):
            await self.choose(chosen)
            before = self.standing()
            await self.put(self.by_ann, self.game, {**self.sent, "description": "other"})
            detail = await self.contents.get_content(self.by_ann, self.game, ClientQuery())
            self.assertEqual(detail.description, self.sent["description"])
            self.assertEqual(self.standing(), before)
        body = {**self.sent, "revisionId": self.second, "description": "other"}
        await self.put(self.by_ann, self.game, body)
        detail = await self.contents.get_content(self.by_ann, self.game, ClientQuery())
        self.assertEqual((detail.description, detail.revision_id), ("other", self.first))
