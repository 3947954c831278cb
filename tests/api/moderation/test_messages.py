"""Decisions about messages: what several do at once, and what is left of them in the database."""

from msgspec import json
from twisted.internet.defer import Deferred

from contentsvc.api.moderation.decisions import Decisions
from contentsvc.api.social.messages import Messages
from contentsvc.store.moderation import appeals, decisions, messages
from contentsvc.store.social import removal
from contentsvc.wire.decisions import DecisionBody, GroundBody, ReversalBody, SubjectBody
from tests.api.support import ApiCase, Caller, Notifier, Tasks, acts
from tests.store.moderation.test_messages import NamedCase
from tests.support.databases import guid

GROUND = GroundBody(
    basis="terms", reference="§ 1", explanation="It insults", source="report", automated="no"
)


class DecidingCase(NamedCase, ApiCase):
    """Ann has sent the same id to Bob and to Cat, and moderators decide about it."""

    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.family = Decisions(self.db, acts(self.notifier, Tasks()), None, "")
        self.own = Messages(self.db, self.notifier, 0)  # type: ignore[arg-type]
        self.moderator = Caller(await self.user(admin=True), admin=True)

    async def decide(self, sender: str | None = None, id: str | None = None) -> str:
        """A new decision, which removes what the sender has sent with the id. Gives its own."""
        subject = SubjectBody(kind="message", id=self.message, user=sender or self.ann)
        body = DecisionBody(id=id or guid(), action="remove", subject=subject, ground=GROUND)
        await self.family.create_decision(self.moderator, body)  # type: ignore[arg-type]
        return body.id

    async def reverse(self, id: str) -> None:
        """Take a decision back."""
        body = ReversalBody(reason="harmless")
        await self.family.reverse_decision(self.moderator, id, body)  # type: ignore[arg-type]

    async def unsend(self) -> None:
        """Ann takes away what she has sent to Bob."""
        given = self.ann, self.bob, self.message
        await self.own.unsend_message(Caller(self.ann), *given)  # type: ignore[arg-type]

    async def stands(self, sender: str | None = None) -> str | None:
        """The id of the decision that stands."""
        about = "message", self.message, "remove"
        found = await decisions.standing(self.db, *about, sender or self.ann)
        return None if found is None else found.id

    async def facts(self, id: str) -> list[str] | None:
        """The texts that a decision keeps."""
        found = await decisions.get(self.db, id)
        assert found is not None
        if found.facts is None:
            return None
        return [one["text"] for one in json.decode(found.facts)["messages"]]


class DecisionTests(DecidingCase):
    async def test_sockets(self) -> None:
        """Once it is committed, the sockets of those hear of it who have got what is removed, and
        when it comes back."""
        await self.names(self.bob)
        id = await self.decide()
        self.assertEqual(self.notifier.states, [self.bob])
        self.assertEqual(self.notifier.sent, [(self.ann, "DecisionTaken")])
        await self.reverse(id)
        self.assertEqual(self.notifier.states, [self.bob] * 2)

    async def test_one_more(self) -> None:
        """One that is named later is removed by another decision, which replaces the first; its
        reversal gives both back."""
        await self.names(self.bob)
        first = await self.decide()
        await self.names(self.cat)
        second = await self.decide()
        self.assertEqual(await self.texts(), ["", ""])
        self.assertEqual(await self.stands(), second)
        self.assertCountEqual(await self.facts(second) or [], ["secret", "to cat"])
        await self.reverse(first)
        self.assertEqual(await self.texts(), ["", ""])
        await self.reverse(second)
        self.assertEqual(await self.texts(), ["secret", "to cat"])

    async def test_senders(self) -> None:
        """Two decisions stand about messages of two senders that have one id."""
        await self.send(self.bob, self.ann, self.message, text="answer")
        await self.names(self.bob)
        mine = await self.decide()
        self.ann, self.bob, ann = self.bob, self.ann, self.ann
        await self.names(self.bob)
        theirs = await self.decide()
        self.assertEqual((await self.stands(ann), await self.stands()), (mine, theirs))
        await self.reverse(theirs)
        self.assertEqual((await self.stands(ann), await self.stands()), (mine, None))

    async def test_facts_unsent(self) -> None:
        """What its sender takes away goes from the facts too after 30 days."""
        for each in (self.bob, self.cat):
            await self.names(each)
        id = await self.decide()
        await self.unsend()
        await removal.forget(self.db)
        self.assertCountEqual(await self.facts(id) or [], ["secret", "to cat"])
        self.age()
        await removal.forget(self.db)
        self.assertCountEqual(await self.facts(id) or [], ["", "to cat"])
        await self.reverse(id)
        self.assertEqual(await self.texts(), ["", "to cat"])

    async def test_facts_old(self) -> None:
        """When nobody can appeal any more, facts and text are gone; nothing comes back."""
        await self.names(self.bob)
        id = await self.decide()
        self.sql("update decisions set created = created - interval '185 days' where id = %s", id)
        await decisions.forget_facts(self.db)
        self.assertIsNone(await self.facts(id))
        self.assertEqual(self.kept(), [])
        await self.reverse(id)
        self.assertEqual(await self.texts(), ["", "to cat"])

    async def test_text_of_later(self) -> None:
        """The text stays as long as a later decision can be appealed."""
        await self.names(self.bob)
        first, second = await self.decide(), await self.decide()
        self.sql(
            "update decisions set created = created - interval '185 days' where id = %s", first
        )
        await decisions.forget_facts(self.db)
        self.assertEqual(self.kept(), ["secret"])
        await self.reverse(second)
        self.assertEqual(await self.texts(), ["secret", "to cat"])

    async def test_text_of_appealed(self) -> None:
        """The text stays as long as an appeal against a later decision is open."""
        await self.names(self.bob)
        await self.decide()
        second = await self.decide()
        async with self.db.transaction() as tx:
            await appeals.lock_decision(tx, self.ann, second)
            about = "message", self.message, None
            await appeals.open_author(tx, second, *about, self.ann, "No")
        self.sql(
            "update decisions set created = created - interval '185 days' where user_id = %s",
            self.ann,
        )
        await decisions.forget_facts(self.db)
        self.assertEqual(self.kept(), ["secret"])

    async def test_sender_gone(self) -> None:
        """When its sender has left, there is no message to decide about; a reversal is noted."""
        await self.names(self.bob)
        id = await self.decide()
        self.sql("delete from users where id = %s", self.ann)
        problem = await self.refused(self.decide())
        self.assertEqual(problem.code, "message_not_found")
        await self.reverse(id)
        self.assertIsNone(await self.stands())


class AtOnceTests(DecidingCase):
    async def test_order(self) -> None:
        """Who gives a message back locks the pairs before the counters."""
        await self.names(self.bob)
        id = await self.decide()
        with self.held() as (run, connection):
            lesser, greater = sorted([self.ann, self.bob])
            run(
                f"select from pairs where lesser = '{lesser}' and greater = '{greater}'"
                " for no key update"
            )
            reversing = Deferred.fromCoroutine(self.reverse(id))
            await self.waits(reversing)
            run(
                "select from notification_counters"
                f" where user_id in ('{self.ann}', '{self.bob}') for no key update nowait"
            )
            connection.rollback()
        await reversing
        self.assertEqual(await self.texts(), ["secret", "to cat"])

    async def test_decisions(self) -> None:
        """Of several moderators at once all decide; one decision stands, and all others are
        replaced."""
        for each in (self.bob, self.cat):
            await self.names(each)
        ids = [guid() for _ in range(4)]
        done = await self.statuses(*(self.decide(id=id) for id in ids))
        self.assertEqual(done, ["done"] * 4)
        rows = self.sql("select replaced is null from decisions where user_id = %s", self.ann)
        self.assertEqual(sorted(rows), [(False,)] * 3 + [(True,)])
        self.assertEqual(sorted(self.notifier.states), sorted([self.bob, self.cat]))
        await self.reverse(await self.stands() or "")
        self.assertEqual(await self.texts(), ["secret", "to cat"])

    async def test_unsent(self) -> None:
        """While its sender takes it away it is gone for both, whoever is first; it stays so."""
        for _ in range(5):
            self.message = await self.wrote("secret")
            await self.names(self.bob)
            id = guid()
            decided, unsent = await self.statuses(self.decide(id=id), self.unsend())
            self.assertEqual(unsent, "done")
            self.assertEqual(await self.seen(), {("", True)})
            if decided == "done":
                await self.reverse(id)
                self.assertEqual(await self.seen(), {("", True)})
            else:
                self.assertEqual(decided, "nothing_changed")

    async def test_notices(self) -> None:
        """A notice that comes meanwhile is filed, or decided about later."""
        await self.names(self.bob)
        done = await self.statuses(self.decide(), self.notice(), self.notice())
        self.assertEqual(done, ["done"] * 3)
        self.assertEqual(len(await self.noticed()), 4)
        await self.decide()
        self.assertEqual(await self.texts(), ["", ""])

    async def test_reversals(self) -> None:
        """Of reversals and decisions at once, what is left is as the decision that stands says."""
        await self.names(self.bob)
        first = await self.decide()
        await self.statuses(self.reverse(first), self.decide(), self.reverse(first))
        removed = await messages.named(self.db, self.ann, self.message)
        self.assertEqual([one.removed for one in removed], [await self.stands() is not None])
