"""Messages: what is answered, and who is told."""

from twisted.internet.defer import Deferred

from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.wire.base import Part
from contentsvc.wire.social import MessageCreate
from tests.api.support import ApiCase, Caller, Notifier
from tests.support.databases import guid
from tests.support.deferreds import together


class MessageTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.family = Messages(self.db, self.notifier, per_minute=3)
        self.ann, self.bob = await self.user(), await self.user()
        self.pair("nextval('pair_numbers'), null")

    def pair(self, values: str) -> None:
        """Set whether the two are friends, and whether the lesser blocks the other."""
        self.sql(
            f"""insert into pairs (lesser, greater, friends, lesser_blocks)
                values (least(%s::uuid, %s), greatest(%s::uuid, %s), {values})
                on conflict (lesser, greater) do update
                set friends = excluded.friends, lesser_blocks = excluded.lesser_blocks""",
            *(self.ann, self.bob, self.ann, self.bob),
        )

    async def send(self, other: str | None = None, id: str | None = None) -> str:
        """Ann sends a message. Gives its path."""
        body = MessageCreate(text="hi", id=id)
        made = await self.family.send_message(Caller(self.ann), self.ann, other or self.bob, body)
        return made.path

    async def test_repeats(self) -> None:
        """Ten at once with one id have the same answer, and tell once."""
        id = guid()
        paths = await together(*(self.send(id=id) for _ in range(10)))
        self.assertEqual(set(paths), {await self.send(id=id)})
        self.assertEqual(self.notifier.sent, [(self.bob, "FriendMessage")])

    async def test_block_at_once(self) -> None:
        """After the answer to a block nothing is stored, whatever was under way; what was refused
        was not stored."""
        family = Messages(self.db, self.notifier, per_minute=0)
        friends = Friends(self.db, self.notifier, requests_per_day=0)
        body = MessageCreate(text="hi")

        def send(count: int) -> Deferred[list[str]]:
            caller = Caller(self.ann)
            acts = [family.send_message(caller, self.ann, self.bob, body) for _ in range(count)]
            return Deferred.fromCoroutine(self.statuses(*acts))

        def stored() -> int:
            ((count,),) = self.sql("select count(*) from messages where sender = %s", self.ann)
            return int(count)

        before = send(5)
        block = Deferred.fromCoroutine(friends.block_user(Caller(self.bob), self.bob, self.ann))
        after = send(20)
        await block
        there = stored()
        outcomes = [*await before, *await after]
        self.assertEqual((outcomes.count("done"), stored()), (there, there))
        self.assertEqual(outcomes.count("blocked"), 25 - there)
        self.assertEqual(len(self.notifier.sent), there)

    async def test_limit(self) -> None:
        """Beyond the limit it is 429; a repeat and the other refusals are as before."""
        id = guid()
        for each in (id, None, None):
            await self.send(id=each)
        problem = await self.refused(self.send())
        self.assertEqual(problem.code, "too_many_requests")
        self.assertTrue(0 < int(problem.headers["Retry-After"]) <= 60)
        self.assertTrue((await self.send(id=id)).endswith(id))
        self.assertEqual((await self.refused(self.send(guid()))).code, "user_not_found")
        self.assertEqual((await self.refused(self.send(self.ann))).code, "not_friends")
        self.pair("null, 1")
        self.assertEqual((await self.refused(self.send())).code, "blocked")
        self.assertTrue((await self.send(id=id)).endswith(id))

    async def unsend(self, user: str, other: str, id: str) -> str:
        """The outcome of taking a message away."""
        act = self.family.unsend_message(Caller(user), user, other, id)
        (outcome,) = await self.statuses(act)
        return outcome

    async def test_too_late(self) -> None:
        """After the time it is 409, but not if it was taken away before; 0 is no limit."""
        ids = [guid() for _ in range(3)]
        for id in ids:
            await self.send(id=id)
        self.assertEqual(await self.unsend(self.ann, self.bob, ids[0]), "done")
        self.sql(
            "update messages set created = created - interval '61 minutes' where sender = %s",
            self.ann,
        )
        outcomes = [await self.unsend(self.ann, self.bob, id) for id in ids]
        self.assertEqual(outcomes, ["done", "too_late", "too_late"])
        self.family.unsend_minutes = 0
        self.assertEqual(await self.unsend(self.ann, self.bob, ids[1]), "done")
        self.family.unsend_minutes = 62
        self.assertEqual(await self.unsend(self.ann, self.bob, ids[2]), "done")

    async def test_unsend_at_once(self) -> None:
        """Ten at once have the same answer, and the other's sockets hear of it."""
        id = guid()
        await self.send(id=id)
        acts = [self.unsend(self.ann, self.bob, id) for _ in range(10)]
        self.assertEqual(await together(*acts), ["done"] * 10)
        self.assertEqual(self.notifier.states, [self.bob])

    async def test_reading(self) -> None:
        """A user who does not exist has no messages to read, and one without any an empty list."""
        caller, cat, nobody = Caller(self.ann), await self.user(), guid()
        self.assertEqual((await self.family.list_messages(caller, self.ann, cat, Part())).items, [])
        for act, code in (
            (self.family.list_messages(caller, self.ann, nobody, Part()), "user_not_found"),
            (self.family.get_message(caller, self.ann, nobody, guid()), "user_not_found"),
            (self.family.get_message(caller, self.ann, cat, guid()), "message_not_found"),
        ):
            self.assertEqual((await self.refused(act)).code, code)

    async def test_cut(self) -> None:
        """A part that ends for the bytes of profiles has a cursor, and the next goes on there."""
        family = Messages(self.db, self.notifier, per_minute=0, part=10)
        for _ in range(2):
            other = await self.user()
            self.sql("update users set public_profile = %s where id = %s", "é" * 5, other)
            self.sql("update pairs set friends = null")
            self.sql(
                """insert into pairs (lesser, greater, friends)
                   values (least(%s::uuid, %s), greatest(%s::uuid, %s), 1)""",
                *(self.ann, other, self.ann, other),
            )
            body = MessageCreate(text=other)
            await family.send_message(Caller(self.ann), self.ann, other, body)
        found, query = [], Part()
        while query is not None:
            part = await family.list_conversations(Caller(self.ann), self.ann, query)
            found.append([each.last.text == each.user.id for each in part.items])
            query = part.after and Part(after=part.after)
        self.assertEqual(found, [[True], [True], []])
