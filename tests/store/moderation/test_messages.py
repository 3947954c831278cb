"""Messages that a moderator takes away: those that reports name, and no others."""

from contentsvc.store.moderation import evidence, messages, reports
from contentsvc.store.social import removal
from contentsvc.store.social.messages import get
from tests.store.social.test_removal import RemovalCase


class NamedTests(RemovalCase):
    """Ann has sent the same id to Bob and to Cat."""

    async def setUp(self) -> None:
        await super().setUp()
        self.cat = await self.user()
        self.befriend(self.ann, self.cat)
        await self.send(self.ann, self.cat, self.message, text="to cat")

    async def names(self, reporter: str) -> None:
        """Report Ann, and name the message."""
        found = await evidence.of_user(self.db, self.ann, reporter, [self.message])
        assert found is not None
        given = "user", self.ann, None, reporter, "abuse", "", found.text, found.messages
        await reports.file(self.db, *given, 0)

    async def act(self, *, back: bool = False) -> list[str]:
        """Take it away, or give it back."""
        what = messages.give_back if back else messages.remove
        async with self.db.transaction() as tx:
            return await what(tx, self.ann, self.message)

    async def texts(self) -> list[str]:
        """What Bob and Cat read."""
        found = [await get(self.db, each, self.ann, self.message) for each in (self.bob, self.cat)]
        return [each.text for each in found if each is not None]

    async def test_unnamed(self) -> None:
        """What no report names, nobody sees or takes away."""
        self.assertEqual(await messages.named(self.db, self.ann, self.message), [])
        self.assertEqual(await self.act(), [])
        self.assertEqual(await self.texts(), ["secret", "to cat"])

    async def test_only_named(self) -> None:
        """Where an id went to several, only those are seen and taken away that are named."""
        await self.names(self.bob)
        (found,) = await messages.named(self.db, self.ann, self.message)
        self.assertEqual((found.recipient, found.text, found.removed), (self.bob, "secret", False))
        self.assertEqual(await self.act(), [self.bob])
        self.assertEqual(await self.texts(), ["", "to cat"])
        self.assertEqual(await self.act(), [])
        (found,) = await messages.named(self.db, self.ann, self.message)
        self.assertEqual((found.text, found.removed), ("secret", True))

    async def test_given_back(self) -> None:
        """All that was taken away comes back, once, but not what its sender took away."""
        for each in (self.bob, self.cat):
            await self.names(each)
        self.assertCountEqual(await self.act(), [self.bob, self.cat])
        await self.remove()
        self.assertCountEqual(await self.act(back=True), [self.bob, self.cat])
        self.assertEqual(await self.texts(), ["", "to cat"])
        self.assertEqual(await self.act(back=True), [])

    async def test_proof_gone(self) -> None:
        """Once its text is gone, a moderator sees none."""
        await self.names(self.bob)
        await self.remove()
        self.age()
        await removal.forget(self.db)
        (found,) = await messages.named(self.db, self.ann, self.message)
        self.assertEqual(found.text, "")
