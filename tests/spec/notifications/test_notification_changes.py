"""What users do with their notifications: state, flags, deletions (notifications#deleting)."""

from tests.spec.data import guid
from tests.spec.notifications.support import NotedCase
from tests.spec.shapes import DEBUG, NOTIFICATION


class StateTests(NotedCase):
    """GET notifications/state."""

    async def test_none(self):
        """It is 0, 1 and 0 where there was none yet."""
        self.assertEqual((0, 1, 0), await self.state(await self.user()))

    async def test_read(self):
        """`unread` follows the flags, both ways, and counts a repeat once."""
        user, ids = await self.noted(3)
        self.assertEqual((3, 1, 3), await self.state(user))
        for read, unread in ((True, 2), (True, 2), (False, 3), (False, 3)):
            await self.flag(user, ids[1], read=read)
            self.assertEqual((3, 1, unread), await self.state(user))
        await self.read_to(user, ids[1])
        self.assertEqual((3, 1, 1), await self.state(user))

    async def test_deleted(self):
        """A deletion takes away what was unread, and moves neither `newest` nor `oldest`: that only
        retention does."""
        user, ids = await self.noted(4)
        await self.read_to(user, 1)
        for id, unread in ((ids[0], 3), (ids[3], 2), (ids[3], 2)):
            await self.drop(user, id)
            self.assertEqual((4, 1, unread), await self.state(user))
        await self.drop_to(user, 99)
        self.assertEqual((4, 1, 0), await self.state(user))
        await self.notify(user, "5")
        self.assertEqual((5, 1, 1), await self.state(user))

    async def test_at_once(self):
        """Changes at the same time are all counted, each once."""
        user, ids = await self.noted(10)
        await self.together(
            # what is deleted by then is 404
            *(self.amend(self.path(user, f"/{id}"), {"read": True}, by=user) for id in ids[:5] * 2),
            *(self.drop(user, id) for id in ids[3:8] * 2),
            *(self.notify(user) for _ in range(5)),
        )
        self.assertEqual((15, 1, 7), await self.state(user))
        left = await self.notifications(user)
        self.assertEqual((10, 7), (len(left), sum(not one["read"] for one in left)))

    async def test_validators(self):
        """State and settings have an ETag, which changes with them."""
        user = await self.user()
        tags = set()
        for _ in range(2):
            for what in ("/state", "/settings"):
                path = self.path(user, what)
                tag = (await self.get(path, by=user, expect=200)).header("ETag") or ""
                await self.get(path, by=user, headers={"If-None-Match": tag}, expect=304)
                tags.add((what, tag))
            await self.notify(user)
            await self.mute(user, "NewFollower")
        self.assertEqual(4, len(tags))


class UpToTests(NotedCase):
    """POST read and DELETE with `upTo`."""

    async def test_read(self):
        """notifications#deleting: POST read marks this one and all before it, by an id or a number;
        0 is none, and a number above the newest all that there are."""
        user, ids = await self.noted(4)
        for up_to, read in (
            (ids[0].upper(), 1),
            (2, 2),
            ("3", 3),
            (ids[1], 3),
            (0, 3),
            (10**30, 4),
        ):
            await self.read_to(user, up_to)
            flags = [one["read"] for one in await self.notifications(user)]
            self.assertEqual([True] * read + [False] * (4 - read), flags)
            self.assertEqual((4, 1, 4 - read), await self.state(user))
        await self.notify(user, "5")
        self.assertEqual((5, 1, 1), await self.state(user))

    async def test_delete(self):
        """DELETE takes this one and all before it, by its id or its number, again and again."""
        for by_id in (True, False):
            user, ids = await self.noted(4)
            up_to = ids[1].upper() if by_id else 2
            for _ in range(2):
                await self.drop_to(user, up_to)
                self.assertEqual(["3", "4"], await self.texts(user))
            await self.drop_to(user, ids[0])
            self.assertEqual((4, 1, 2), await self.state(user))

    async def test_delete_number(self):
        """notifications#deleting: a number above the newest means all, and 0 none."""
        for number, left in ((0, ["1", "2"]), (9, []), (2**63 - 1, []), (10**30, [])):
            user, _ = await self.noted(2)
            await self.drop_to(user, number)
            self.assertEqual(left, await self.texts(user))
        nobody = await self.user()
        await self.drop_to(nobody, 3)
        self.assertEqual((0, 1, 0), await self.state(nobody))

    async def test_unknown(self):
        """An unknown id is 404; another user's is."""
        user, _ = await self.noted(1)
        _, theirs = await self.noted(1)
        for id in (guid(), theirs[0]):
            response = await self.delete(self.path(user), by=user, query={"upTo": id})
            self.problem(response, 404, "notification_not_found")
            response = await self.post(self.path(user, "/read"), {"upTo": id}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual((1, 1, 1), await self.state(user))

    async def test_deleted(self):
        """Both accept a deleted one, and go up to its place."""
        for by_id in (True, False):
            user, ids = await self.noted(4)
            await self.drop(user, ids[1])
            up_to = ids[1] if by_id else 2
            await self.read_to(user, up_to)
            flags = [one["read"] for one in await self.notifications(user)]
            self.assertEqual([True, False, False], flags)
            await self.drop_to(user, up_to)
            self.assertEqual(["3", "4"], await self.texts(user))
            await self.read_to(user, up_to)
            self.assertEqual((4, 1, 2), await self.state(user))


class DeletionTests(NotedCase):
    """What REST shows of deleted ones."""

    async def test_one(self):
        """A deleted one is left out in every form of the list; the others are as they were."""
        user, ids = await self.noted(3)
        before = await self.notifications(user)
        await self.drop(user, ids[1].upper())
        left = [before[0], before[2]]
        for query in ({}, {"limit": 2}, {"since": 0}, {"after": 0}):
            self.assertEqual(left, await self.notifications(user, **query))
        pages = await self.pages(f"{self.path(user)}?limit=1", [DEBUG], by=user)
        self.assertEqual(left, [one for page in pages for one in page])

    async def test_any_guid(self):
        """It is 204 for any GUID; another user's stays."""
        user, ids = await self.noted(1)
        other, theirs = await self.noted(1)
        for id in (ids[0], ids[0], guid(), theirs[0], theirs[0].upper()):
            await self.drop(user, id)
        self.assertEqual((1, 1, 0), await self.state(user))
        self.assertEqual((["1"], (1, 1, 1)), (await self.texts(other), await self.state(other)))

    async def test_patch(self):
        """PATCH of a deleted one is 404."""
        user, ids = await self.noted(1)
        await self.drop(user, ids[0])
        for read in (True, False):
            response = await self.amend(self.path(user, f"/{ids[0]}"), {"read": read}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual((1, 1, 0), await self.state(user))

    async def test_etag(self):
        """The list's validator changes with a deletion."""
        user, ids = await self.noted(2)
        before = await self.get(self.path(user), by=user, expect=200)
        await self.drop(user, ids[0])
        headers = {"If-None-Match": before.header("ETag")}
        await self.get(self.path(user), by=user, headers=headers, expect=200)

    async def test_after(self):
        """`after` accepts a deleted one, by its id and by its number."""
        user, ids = await self.noted(4)
        for id in ids[1:3]:
            await self.drop(user, id)
        for after in (1, 2, 3, *ids[:3]):
            self.assertEqual(["4"], await self.texts(user, after=after))
            self.assertEqual(["4"], await self.texts(user, after=after, limit=1))
        self.assertEqual(["1", "4"], await self.texts(user, after=0))

    async def test_pages(self):
        """Pages go on over what is deleted, however much that is."""
        user, ids = await self.noted(9)
        for id in ids[1:7]:
            await self.drop(user, id)
        pages = await self.pages(self.path(user, "?limit=2"), [NOTIFICATION], by=user)
        self.assertEqual(["1", "8", "9"], [one["text"] for page in pages for one in page])
        await self.drop(user, ids[8])
        pages = await self.pages(self.path(user, "?limit=1"), [NOTIFICATION], by=user)
        self.assertEqual(["1", "8"], [one["text"] for page in pages for one in page])

    async def test_page_that_is_deleted(self):
        """A cursor stays good after what it names was deleted."""
        user, _ = await self.noted(4)
        first = await self.get(self.path(user, "?limit=2"), by=user, expect=200)
        link = (first.header("Link") or "").partition(">")[0].removeprefix("<")
        await self.drop_to(user, 2)
        pages = await self.pages(link, [NOTIFICATION], by=user)
        self.assertEqual(["3", "4"], [one["text"] for page in pages for one in page])

    async def test_numbers_go_on(self):
        """After deletions the numbers go on without holes."""
        user, _ = await self.noted(2)
        await self.drop_to(user, 9)
        await self.notify(user, "3")
        self.assertEqual((3, 1, 1), await self.state(user))
        self.assertEqual(["3"], await self.texts(user, after=2))
