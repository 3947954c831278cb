"""Reading events: studio#events."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred

from tests.spec.events.support import EventCase
from tests.spec.shapes import GUID

EVENT = {"number": int, "kind": str, "created": int, "actor": str, "subject": dict, "data": dict}


class ReadingTests(EventCase):
    async def test_players(self):
        """Players read none; without a token, nobody does."""
        self.problem(await self.get("events", by=await self.user()), 403, "forbidden")
        self.problem(await self.get("events"), 401, "unauthorized")

    async def test_beginning(self):
        """Without `after` there are no items, and `next` is where reading begins."""
        await self.caused(await self.newest(), (await self.user()).id)
        page = await self.events(wait=30)
        self.assertEqual(page["items"], [])
        self.assertGreater(page["next"], 0)

    async def test_all(self):
        """From 0 on they are read part by part, in the order of their numbers, each once."""
        await self.caused(await self.newest(), *[(await self.user()).id for _ in range(8)])
        whole = (await self.events(after=0, limit=100))["items"]
        after, numbers = 0, []
        while len(numbers) < len(whole):
            page = await self.events(after=after, limit=7)
            numbers += [each["number"] for each in page["items"]]
            if len(page["items"]) < 7:
                break
            self.assertEqual(page["next"], page["items"][-1]["number"])
            after = page["next"]
        self.assertEqual(numbers[: len(whole)], [each["number"] for each in whole])
        self.assertEqual(numbers, sorted(set(numbers)))

    async def test_kinds(self):
        """With `kinds`, the others are left out, and `next` is the newest of all kinds."""
        after, made = await self.newest(), await self.castle()
        await self.comment(made, made.author)
        await self.caused(after, made.id)
        page = await self.events(after=after, kinds="ContentPublished,ContentChanged")
        self.assertLessEqual({e["kind"] for e in page["items"]}, {"ContentPublished"})
        self.assertGreater(page["next"], page["items"][-1]["number"])
        wrong = await self.get("events", query={"kinds": "Nothing"}, by=await self.admin())
        self.invalid_query(wrong, "kinds")

    async def test_form(self):
        """An event has its number, kind, time, actor, subject and data."""
        after, user = await self.newest(), await self.user()
        page = await self.events(after=after, kinds="UserRegistered", wait=5)
        event = next(each for each in page["items"] if each["actor"] == user.id)
        subject, data = {"kind": str, "id": GUID}, {"guest": bool}
        self.shape(event, EVENT | {"actor": GUID, "subject": subject, "data": data})

    async def test_limits(self):
        """Numbers out of their range are refused."""
        admin = await self.admin()
        for name, values in {"limit": (0, 1001), "wait": (-1, 31), "after": (-1, "x")}.items():
            for value in values:
                self.invalid_query(await self.get("events", query={name: value}, by=admin), name)

    async def test_above(self):
        """A number above the newest is of another database."""
        query = {"after": 2**62}
        self.problem(
            await self.get("events", query=query, by=await self.admin()), 400, "cursor_expired"
        )


class WaitingTests(EventCase):
    async def test_comes(self):
        """A reader who waits hears at once of what comes."""
        after = await self.newest()
        waiting = Deferred.fromCoroutine(self.events(after=after, kinds="FileStored", wait=30))
        asked = Deferred.fromCoroutine(self.events(after=after, kinds="ContentPublished", wait=30))
        began = reactor.seconds()
        made = await self.castle()
        page = await asked
        self.assertLess(reactor.seconds() - began, 5)
        self.assertIn(made.id, [each["subject"]["id"] for each in page["items"]])
        self.assertFalse(waiting.called)
        await self.uploaded(await self.user())
        self.assertEqual({each["kind"] for each in (await waiting)["items"]}, {"FileStored"})

    async def test_nothing(self):
        """When the time is over, the answer has no items, and `next` is not lower."""
        after = await self.newest()
        page = await self.events(after=after, kinds="BanLifted", wait=1)
        self.assertEqual(page["items"], [])
        self.assertGreaterEqual(page["next"], after)
