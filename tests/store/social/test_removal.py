"""Messages that are taken away (social#unsending): for both sides, in the notification, and in the
reports that name them."""

from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred

from contentsvc.store.accounts import deletion
from contentsvc.store.moderation import evidence, reports
from contentsvc.store.notifications import notifications
from contentsvc.store.social import messages, pairs, removal
from contentsvc.store.tasks import Departure
from tests.store.social.test_messages import MessageCase
from tests.support.databases import guid

OLD = f"{removal.KEPT} days {removal.REPORTING + 1} seconds"


class RemovalCase(MessageCase):
    """Ann has written to Bob, whose notifications have a text."""

    async def setUp(self) -> None:
        await super().setUp()
        self.message = await self.wrote("secret")

    async def wrote(self, text: str, *, told: bool = True) -> str:
        """A message of Ann's to Bob; `told` says that it is known which notification is its."""
        id = guid()
        data = {"kind": "FriendMessage", "sender": self.ann, "text": text, "message": id}
        given = self.ann, self.bob, id, text, json.encode(data).decode(), 0
        await messages.send(self.db, *given)
        if not told:
            self.sql("update messages set notified = null where id = %s", id)
        return id

    async def remove(self, id: str | None = None, *, own: bool = True) -> bool:
        """Take it away. Whether that changed anything."""
        async with self.db.transaction() as tx:
            await pairs.lock(tx, self.ann, self.bob)
            found = await removal.find(tx, self.ann, self.bob, id or self.message)
            assert found is not None
            given = found.pair, self.ann, self.bob, id or self.message
            return await removal.remove(tx, *given, own=own)

    async def give_back(self) -> bool:
        """Take a moderator's removal back."""
        async with self.db.transaction() as tx:
            found = await removal.find(tx, self.ann, self.bob, self.message)
            assert found is not None
            return await removal.give_back(tx, found.pair, self.ann, self.bob, self.message)

    async def seen(self, id: str | None = None) -> set[tuple[str, bool]]:
        """Its text and whether it is removed, in each place where both read it."""
        found = set()
        for one, other in ((self.ann, self.bob), (self.bob, self.ann)):
            message = await messages.get(self.db, one, other, id or self.message)
            listed = await messages.between(self.db, one, other, None, 200)
            talks = await messages.conversations(self.db, one, None, 9, 1)
            shown = [message, *(row.item for row in listed), *(row.item.last for row in talks)]
            found |= {(each.text, each.removed) for each in shown if each and each.id == message.id}
        return found

    async def told_of(self, id: str | None = None) -> dict[str, Any]:
        """What Bob's notification says."""
        rows = await notifications.listed(self.db, self.bob, 0, None, 200)
        datas = [json.decode(row.data) for row in rows]
        (data,) = [data for data in datas if data.get("message") == (id or self.message)]
        assert isinstance(data, dict)
        return data

    async def report(self) -> None:
        """Bob reports Ann, and names the message."""
        found = await evidence.of_user(self.db, self.ann, self.bob, [self.message])
        assert found is not None
        given = "user", self.ann, None, self.bob, "abuse", "", found.text, found.messages
        await reports.file(self.db, *given, 0)

    async def proof(self) -> list[str]:
        """The texts that the reports name."""
        rows = await reports.of_subject(self.db, "user", self.ann, None, None, 99, 1 << 20)
        return [one["text"] for row in rows for one in json.decode(row.evidence)["messages"]]

    def kept(self) -> list[str]:
        """The texts of Ann's that are kept."""
        rows = self.sql("select text from removed_messages where sender = %s", self.ann)
        return [text for (text,) in rows]

    def age(self) -> None:
        """Let the time of proof pass."""
        self.sql(
            f"update removed_messages set unsent = unsent - interval '{OLD}' where sender = %s",
            self.ann,
        )

    def changes(self) -> int:
        """How often Bob's sockets had something to say."""
        ((count,),) = self.sql(
            "select changes from notification_counters where user_id = %s", self.bob
        )
        return int(count)


class UnsendTests(RemovalCase):
    async def test_both_sides(self) -> None:
        """Both see that it was removed, without the text, in every list; before it says false."""
        self.assertEqual(await self.seen(), {("secret", False)})
        self.assertTrue(await self.remove())
        self.assertEqual(await self.seen(), {("", True)})

    async def test_notification(self) -> None:
        """The notification keeps its place, and the text goes; sockets are to say so."""
        before = self.changes()
        await self.remove()
        expected = {
            "kind": "FriendMessage",
            "sender": self.ann,
            "text": "",
            "message": self.message,
        }
        self.assertEqual(await self.told_of(), expected | {"removed": True})
        self.assertEqual(self.changes(), before + 1)

    async def test_unknown_notification(self) -> None:
        """That of a message which a release before has stored is looked up; others stay."""
        other = await self.wrote("stays")
        id = await self.wrote("old", told=False)
        await self.remove(id)
        self.assertEqual((await self.told_of(id))["text"], "")
        texts = [(await self.told_of(one))["text"] for one in (self.message, other)]
        self.assertEqual(texts, ["secret", "stays"])

    async def test_muted(self) -> None:
        """Where nothing was told, no other notification changes."""
        self.sql(
            "update notification_counters set muted = '{FriendMessage}' where user_id = %s",
            self.bob,
        )
        id = await self.wrote("unheard")
        self.assertTrue(await self.remove(id))
        self.assertEqual((await self.told_of())["text"], "secret")

    async def test_deleted_notification(self) -> None:
        """A notification that its user has deleted stays so."""
        gone = '{"kind":"Deleted"}'
        self.sql(
            "update notifications set kind = 'Deleted', data = %s where user_id = %s",
            *(gone, self.bob),
        )
        await self.remove()
        rows = self.sql("select data from notifications where user_id = %s", self.bob)
        self.assertEqual(rows, [(gone,)])

    async def test_again(self) -> None:
        """A second time changes nothing."""
        await self.remove()
        before = self.changes()
        self.assertFalse(await self.remove())
        self.assertEqual(self.changes(), before)

    async def test_state_of_list(self) -> None:
        """The validator of the notifications changes, whatever the length of the text."""
        for length in (*range(1, 20), 200):
            id = await self.wrote("x" * length)
            before = await notifications.listed_state(self.db, self.bob, 0, None)
            await self.remove(id)
            after = await notifications.listed_state(self.db, self.bob, 0, None)
            self.assertNotEqual(before, after, length)
            self.assertEqual((await self.told_of(id))["text"], "")

    async def test_account_goes(self) -> None:
        """With an account goes the text at once, but reports still lose theirs in time."""
        await self.report()
        await self.remove()
        self.sql("delete from users where id = %s", self.ann)
        place: str | None = "messages"
        while place is not None:
            async with self.db.transaction() as tx:
                place = await deletion.step(tx, Departure(user=self.ann), place)
        self.assertEqual(self.kept(), [""])
        self.assertEqual(await self.proof(), ["secret"])
        self.age()
        await removal.forget(self.db)
        self.assertEqual(await self.proof(), [""])


class ProofTests(RemovalCase):
    async def test_before_and_after(self) -> None:
        """A report has the text, whether it comes before or after."""
        for act in (self.report, self.remove, self.report):
            await act()
            if act == self.report:
                self.assertEqual(await self.proof(), ["secret"])
        self.assertEqual(await self.proof(), ["secret"])

    async def test_repeat(self) -> None:
        """The same report after the removal is the same."""
        await self.report()
        await self.remove()
        await self.report()
        ((repeats,),) = self.sql(
            "select repeats from reports where reporter = %s and not replaced", self.bob
        )
        self.assertTrue(repeats)

    async def test_gone(self) -> None:
        """After 30 days the text is gone: from all reports that name the message, and for new
        ones. What else they name stays."""
        other = await self.wrote("stays")
        await self.report()
        found = await evidence.of_user(self.db, self.ann, self.bob, [self.message, other])
        assert found is not None
        given = "user", self.ann, None, self.bob, "spam", "", found.text, found.messages
        await reports.file(self.db, *given, 0)
        await self.remove()
        self.assertEqual(await removal.forget(self.db), 0)
        self.age()
        late = await evidence.of_user(self.db, self.ann, self.bob, [self.message])
        assert late is not None and late.messages is not None
        self.assertEqual([one["text"] for one in json.decode(late.messages)], [""])
        self.assertEqual(await removal.forget(self.db), 1)
        self.assertEqual(await self.proof(), ["", "stays"])
        left = self.sql("select messages from reports where reporter = %s", self.bob)
        self.assertFalse([text for (text,) in left if "secret" in text], left)
        self.assertEqual(self.kept(), [])
        self.assertEqual(await self.seen(), {("", True)})
        self.assertFalse(await self.remove())

    async def test_opened_again(self) -> None:
        """Reports that get other numbers meanwhile, since they are opened again, lose it too."""
        await self.report()
        await self.remove()
        self.age()
        with self.held() as (run, connection):
            run(f"update reports set number = default where reporter = '{self.bob}'")
            forgetting = Deferred.fromCoroutine(removal.forget(self.db))
            await self.waits(forgetting)
            connection.commit()
        await forgetting
        self.assertEqual(await self.proof(), [""])

    async def test_same_id(self) -> None:
        """A message with the same id to somebody else keeps its text, in reports too."""
        cat = await self.user()
        self.befriend(self.ann, cat)
        data = json.encode({"kind": "FriendMessage", "message": self.message}).decode()
        await messages.send(self.db, self.ann, cat, self.message, "to cat", data, 0)
        found = await evidence.of_user(self.db, self.ann, cat, [self.message])
        assert found is not None
        given = "user", self.ann, None, cat, "abuse", "", found.text, found.messages
        await reports.file(self.db, *given, 0)
        await self.report()
        await self.remove()
        self.age()
        await removal.forget(self.db)
        self.assertEqual(sorted(await self.proof()), ["", "to cat"])
        kept = await messages.get(self.db, self.ann, cat, self.message)
        self.assertEqual(kept and (kept.text, kept.removed), ("to cat", False))


class ModeratorTests(RemovalCase):
    async def test_given_back(self) -> None:
        """What a moderator has removed comes back as it was, in the notification too."""
        self.assertTrue(await self.remove(own=False))
        self.assertEqual(await self.seen(), {("", True)})
        self.assertEqual((await self.told_of())["removed"], True)
        self.assertTrue(await self.give_back())
        self.assertEqual(await self.seen(), {("secret", False)})
        told = await self.told_of()
        self.assertEqual((told["text"], told["removed"]), ("secret", False))
        self.assertEqual(self.kept(), [])
        self.assertFalse(await self.give_back())

    async def test_both(self) -> None:
        """What its sender has taken away stays so, whoever was first."""
        for first in (True, False):
            self.message = await self.wrote("secret")
            self.assertTrue(await self.remove(own=first))
            self.assertTrue(await self.remove(own=not first))
            self.assertTrue(await self.give_back())
            self.assertEqual(await self.seen(), {("", True)})
            self.assertEqual((await self.told_of())["removed"], True)
            self.assertFalse(await self.remove())

    async def test_proof(self) -> None:
        """A report names what a moderator has removed, with its text, for as long as that is so."""
        await self.remove(own=False)
        await self.report()
        self.age()
        self.assertEqual(await removal.forget(self.db), 0)
        self.assertEqual(await self.proof(), ["secret"])

    async def test_gone(self) -> None:
        """What both have taken away is gone in time, and nothing is left to be given back."""
        await self.remove(own=False)
        await self.remove()
        self.age()
        self.assertEqual(await removal.forget(self.db), 1)
        self.assertTrue(await self.give_back())
        self.assertEqual(await self.seen(), {("", True)})
