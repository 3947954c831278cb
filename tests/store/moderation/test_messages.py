"""Messages that a moderator takes away: those that reports and notices name, and no others."""

from msgspec import json

from contentsvc.store.moderation import appeals, evidence, messages, notices, reports
from contentsvc.store.social import removal
from contentsvc.store.social.messages import get
from tests.store.social.test_removal import RemovalCase
from tests.support.databases import guid


class NamedCase(RemovalCase):
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

    async def notice(self) -> None:
        """A notice of what Ann has sent with this id."""
        found = await messages.evidence(self.db, self.ann, self.message)
        assert found is not None
        sent = "illegal", "x", None, None, None, None
        about = ["message"], [self.message], [None], [self.ann], [None]
        async with self.db.transaction() as tx:
            await notices.file(tx, *sent, *about, [found.text], [found.messages])

    async def noticed(self, sender: str | None = None) -> list[str]:
        """The texts that notices have as evidence."""
        about = "message", self.message, sender or self.ann
        rows = await reports.of_subject(self.db, *about, None, 99, 1 << 20)
        return [one["text"] for row in rows for one in json.decode(row.evidence)["messages"]]

    async def act(self, *, back: bool = False) -> list[str]:
        """Take it away, or give it back."""
        async with self.db.transaction() as tx:
            if back:
                return await messages.give_back(tx, self.ann, self.message)
            found = await messages.lock(tx, self.ann, self.message)
            return await messages.remove(tx, self.ann, self.message, found)

    async def texts(self) -> list[str]:
        """What Bob and Cat read."""
        found = [await get(self.db, each, self.ann, self.message) for each in (self.bob, self.cat)]
        return [each.text for each in found if each is not None]


class ReportTests(NamedCase):
    async def test_unnamed(self) -> None:
        """What nothing names, nobody sees or takes away."""
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

    async def test_unsent(self) -> None:
        """What its sender has taken away before, a moderator does not."""
        await self.names(self.bob)
        await self.remove()
        self.assertEqual(await self.act(), [])

    async def test_proof_gone(self) -> None:
        """Once its text is gone, a moderator sees none."""
        await self.names(self.bob)
        await self.remove()
        self.age()
        await removal.forget(self.db)
        (found,) = await messages.named(self.db, self.ann, self.message)
        self.assertEqual(found.text, "")


class NoticeTests(NamedCase):
    async def test_evidence(self) -> None:
        """A notice names what the sender has sent with the id, to whomever, and keeps each with its
        text."""
        await self.notice()
        rows = await reports.of_subject(self.db, "message", self.message, self.ann, None, 9, 9**9)
        (kept,) = [json.decode(row.evidence) for row in rows]
        self.assertEqual(kept["authorId"], self.ann)
        found = {(one["id"], one["recipientId"], one["text"]) for one in kept["messages"]}
        expected = {(self.message, self.bob, "secret"), (self.message, self.cat, "to cat")}
        self.assertEqual(found, expected)
        named = await messages.named(self.db, self.ann, self.message)
        self.assertEqual({one.recipient for one in named}, {self.bob, self.cat})

    async def test_later(self) -> None:
        """One that went to somebody later is not named."""
        await self.notice()
        dan = await self.user()
        self.befriend(self.ann, dan)
        await self.send(self.ann, dan, self.message, text="to dan")
        self.assertCountEqual(await self.act(), [self.bob, self.cat])

    async def test_senders(self) -> None:
        """The same id of another sender is another subject, with reports of its own."""
        await self.send(self.bob, self.ann, self.message, text="answer")
        await self.notice()
        self.ann, ann = self.bob, self.ann
        self.assertEqual(await messages.named(self.db, self.bob, self.message), [])
        await self.notice()
        self.assertEqual(await self.noticed(), ["answer"])
        self.assertCountEqual(await self.noticed(ann), ["secret", "to cat"])

    async def test_appeals(self) -> None:
        """Of two messages with one id, each shows its own appeal."""
        await self.send(self.bob, self.ann, self.message, text="answer")
        senders = [self.ann, self.bob]
        found = [await messages.evidence(self.db, each, self.message) for each in senders]
        kept = [one for one in found if one is not None]
        sent = "illegal", "x", None, None, None, None
        about = ["message"] * 2, [self.message] * 2, [None] * 2, senders, [None] * 2
        proof = [one.text for one in kept], [one.messages for one in kept]
        async with self.db.transaction() as tx:
            notice = await notices.file(tx, *sent, *about, *proof)  # type: ignore[arg-type]
            first, _ = await appeals.lock_notice(tx, notice)
            assert first.number is not None
            of_first = first.kind, first.subject, None, first.user
            given = first.number, 1, *of_first, None, notice, "No"
            await appeals.open_against(tx, "notifier", *given)
        shown = await notices.subjects(self.db, notice)
        self.assertEqual([one.appeal is not None for one in shown], [True, False])

    async def test_none(self) -> None:
        """What nobody has sent is not there."""
        self.assertIsNone(await messages.evidence(self.db, self.ann, guid()))
        self.assertIsNone(await messages.evidence(self.db, self.cat, self.message))

    async def test_gone(self) -> None:
        """When its sender has taken one away, its text goes from the notice after 30 days; that of
        another stays."""
        await self.notice()
        await self.remove()
        await removal.forget(self.db)
        self.assertCountEqual(await self.noticed(), ["secret", "to cat"])
        self.age()
        self.assertEqual(await removal.forget(self.db), 1)
        self.assertCountEqual(await self.noticed(), ["", "to cat"])
