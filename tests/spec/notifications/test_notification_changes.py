"""What users do with their notifications: state, flags, deletions, mutes (extensions §5)."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import DEBUG, DELETED, STATE

UNMUTABLE = ["ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved"]


class ChangeCase(SpecCase):
    def path(self, user: User, rest: str = "") -> str:
        """The path of the user's notifications, or below it."""
        return f"user/{user.id}/notifications{rest}"

    async def notified(self, *texts: str) -> tuple[User, list[str]]:
        """A new user with these notifications, and their ids."""
        user = await self.user()
        for text in texts:
            await self.notify(user, text)
        return user, [one["id"] for one in await self.notifications(user)]

    async def texts(self, user: User, **query: object) -> list[str]:
        """The texts listed."""
        return [one["text"] for one in await self.notifications(user, **query)]

    async def state(self, user: User) -> tuple[int, int, int]:
        """Newest, oldest, unread."""
        shape = {"newest": int, "oldest": int, "unread": int}
        found = await self.read(self.path(user, "/state"), shape, by=user)
        return found["newest"], found["oldest"], found["unread"]

    async def forget(self, user: User, *, up_to: object = None, id: str = "") -> None:
        """Delete one, or all up to one."""
        if id:
            await self.delete(self.path(user, f"/{id}"), by=user, expect=204)
        else:
            await self.delete(self.path(user), by=user, query={"upTo": up_to}, expect=204)


class StateTests(ChangeCase):
    async def test_none(self):
        """Extensions §5: 0, 1 and 0 where there was none yet."""
        self.assertEqual(await self.state(await self.user()), (0, 1, 0))

    async def test_counts(self):
        """Extensions §5: the newest number, the oldest that is kept, and the unread."""
        user, ids = await self.notified("a", "b", "c")
        self.assertEqual(await self.state(user), (3, 1, 3))
        await self.amend(self.path(user, f"/{ids[1]}"), {"read": True}, by=user, expect=204)
        self.assertEqual(await self.state(user), (3, 1, 2))

    async def test_oldest_stays(self):
        """Extensions §5: `oldest` looks only at a mark that retention moves."""
        user, ids = await self.notified("a", "b", "c")
        await self.forget(user, up_to=2)
        self.assertEqual(await self.state(user), (3, 1, 1))
        await self.forget(user, id=ids[2])
        self.assertEqual(await self.state(user), (3, 1, 0))


class DeletionTests(ChangeCase):
    async def test_one(self):
        """Extensions §5: REST leaves a deleted one out, in every form of the list."""
        user, ids = await self.notified("a", "b", "c")
        await self.forget(user, id=ids[1].upper())
        self.assertEqual(await self.texts(user), ["a", "c"])
        self.assertEqual(await self.texts(user, limit=2), ["a", "c"])
        self.assertEqual(await self.texts(user, since=0), ["a", "c"])
        self.assertEqual(await self.texts(user, after=0), ["a", "c"])
        pages = await self.pages(f"{self.path(user)}?limit=1", [DEBUG], by=user)
        self.assertEqual([one["text"] for page in pages for one in page], ["a", "c"])

    async def test_any_guid(self):
        """Extensions §5: 204 for any GUID; another user's stays."""
        user, ids = await self.notified("a")
        other, theirs = await self.notified("theirs")
        for id in (ids[0], ids[0], guid(), theirs[0]):
            await self.forget(user, id=id)
        self.assertEqual(await self.state(user), (1, 1, 0))
        self.assertEqual(await self.texts(other), ["theirs"])

    async def test_patch(self):
        """Extensions §5: PATCH of a deleted one is 404."""
        user, ids = await self.notified("a")
        await self.forget(user, id=ids[0])
        for read in (True, False):
            response = await self.amend(self.path(user, f"/{ids[0]}"), {"read": read}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual(await self.state(user), (1, 1, 0))

    async def test_etag(self):
        """Extensions §5: the list's validator changes with a deletion."""
        user, ids = await self.notified("a", "b")
        before = await self.get(self.path(user), by=user, expect=200)
        await self.forget(user, id=ids[0])
        headers = {"If-None-Match": before.header("ETag")}
        await self.get(self.path(user), by=user, headers=headers, expect=200)

    async def test_up_to(self):
        """Extensions §5: this one and all before it, by its id or its number, again and again."""
        for by_id in (True, False):
            user, ids = await self.notified("a", "b", "c", "d")
            up_to = ids[1] if by_id else 2
            for _ in range(2):
                await self.forget(user, up_to=up_to)
                self.assertEqual(await self.texts(user), ["c", "d"])
            await self.forget(user, up_to=ids[0])
            self.assertEqual(await self.state(user), (4, 1, 2))

    async def test_up_to_number(self):
        """Extensions §5: a number above the newest means all; choices: 0 means none."""
        for number, left in ((0, ["a", "b"]), (9, []), (2**63 - 1, []), (10**30, [])):
            user, _ = await self.notified("a", "b")
            await self.forget(user, up_to=number)
            self.assertEqual(await self.texts(user), left)
        await self.forget(await self.user(), up_to=3)

    async def test_up_to_unknown(self):
        """Extensions §5: an unknown id is 404; another user's is."""
        user, _ = await self.notified("a")
        _, theirs = await self.notified("theirs")
        for id in (guid(), theirs[0]):
            response = await self.delete(self.path(user), by=user, query={"upTo": id})
            self.problem(response, 404, "notification_not_found")
            response = await self.post(self.path(user, "/read"), {"upTo": id}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual(await self.state(user), (1, 1, 1))

    async def test_deleted_places(self):
        """Extensions §5: `after` and `upTo` accept a deleted one."""
        user, ids = await self.notified("a", "b", "c")
        await self.forget(user, up_to=2)
        self.assertEqual(await self.texts(user, after=ids[0]), ["c"])
        self.assertEqual(await self.texts(user, after=ids[1], limit=5), ["c"])
        await self.forget(user, up_to=ids[1])
        await self.post(self.path(user, "/read"), {"upTo": ids[1]}, by=user, expect=204)
        self.assertEqual(await self.state(user), (3, 1, 1))

    async def test_read_up_to(self):
        """Extensions §5: POST …/read takes an id or a number."""
        user, ids = await self.notified("a", "b", "c", "d")
        for up_to, unread in ((ids[0].upper(), 3), (2, 2), ("3", 1), (0, 1), (10**30, 0)):
            await self.post(self.path(user, "/read"), {"upTo": up_to}, by=user, expect=204)
            self.assertEqual(await self.state(user), (4, 1, unread))

    async def test_numbers_go_on(self):
        """Extensions §5: after deletions the numbers go on without holes."""
        user, _ = await self.notified("a", "b")
        await self.forget(user, up_to=9)
        await self.notify(user, "c")
        self.assertEqual(await self.state(user), (3, 1, 1))
        self.assertEqual(await self.texts(user, after=2), ["c"])


class SettingsTests(ChangeCase):
    async def mute(self, user: User, *kinds: object, expect: int | None = 204):
        """Say which kinds are muted."""
        path = self.path(user, "/settings")
        return await self.put(path, {"muted": list(kinds)}, by=user, expect=expect)

    async def muted(self, user: User) -> list[str]:
        """Which are."""
        found = await self.read(self.path(user, "/settings"), {"muted": [str]}, by=user)
        return found["muted"]

    async def test_muted(self):
        """Extensions §5: a muted kind is neither stored nor numbered; others are."""
        user, _ = await self.notified("a")
        self.assertEqual(await self.muted(user), [])
        await self.mute(user, "Debug")
        self.assertEqual(await self.muted(user), ["Debug"])
        await self.notify(user, "b")
        self.assertEqual(await self.state(user), (1, 1, 1))
        await self.mute(user)
        await self.notify(user, "c")
        self.assertEqual(await self.texts(user), ["a", "c"])
        self.assertEqual(await self.state(user), (2, 1, 2))

    async def test_before_the_first(self):
        """Extensions §5: who has had no notification yet can mute."""
        user = await self.user()
        await self.mute(user, "Debug", "NewFollower")
        await self.notify(user, "a")
        self.assertEqual(await self.state(user), (0, 1, 0))
        self.assertEqual(await self.muted(user), ["Debug", "NewFollower"])

    async def test_twice(self):
        """Choices: a kind that is named twice counts once."""
        user = await self.user()
        await self.mute(user, "Debug", "NewFollower", "Debug")
        self.assertEqual(await self.muted(user), ["Debug", "NewFollower"])

    async def test_unknown(self):
        """Extensions §5: unknown kinds are 400; `Deleted` is none."""
        user = await self.user()
        for kind in ("Mail", "debug", "Deleted", "", "Debug\0"):
            self.invalid(await self.mute(user, "Debug", kind, expect=None), "/muted/1")
        for kind in (None, 1, ["Debug"]):
            self.invalid(await self.mute(user, kind, expect=None), "/muted/0")
        path = self.path(user, "/settings")
        for body in ({}, {"muted": None}, {"muted": "Debug"}):
            self.invalid(await self.put(path, body, by=user), "/muted")
        response = await self.mute(user, *["Debug"] * 257, expect=None)
        self.invalid(response, "/muted")
        self.assertEqual(await self.muted(user), [])

    async def test_not_mutable(self):
        """Extensions §5: these are 422 not_mutable, after the 400 of unknown ones."""
        user = await self.user()
        for kind in UNMUTABLE:
            response = await self.mute(user, "Debug", kind, kind, expect=None)
            problem = self.problem(response, 422, "not_mutable")
            self.assertEqual(problem["kinds"], [kind])
        self.invalid(await self.mute(user, UNMUTABLE[0], "Mail", expect=None), "/muted/1")
        self.assertEqual(await self.muted(user), [])


class SocketTests(ChangeCase):
    async def told(self, socket, seq: int, unread: int) -> None:
        """Assert that the next message is this state."""
        message = await socket.next()
        self.shape(message, STATE)
        self.assertEqual((message["seq"], message["unread"]), (seq, unread))

    async def test_changes(self):
        """Extensions §5: `state` comes after a change of flags and a deletion, to all sockets."""
        user, ids = await self.notified("a", "b", "c", "d")
        sockets = [await self.socket(user) for _ in range(2)]
        await self.amend(self.path(user, f"/{ids[0]}"), {"read": True}, by=user, expect=204)
        for socket in sockets:
            await self.told(socket, 4, 3)
        await self.post(self.path(user, "/read"), {"upTo": 2}, by=user, expect=204)
        for socket in sockets:
            await self.told(socket, 4, 2)
        await self.forget(user, id=ids[2])
        for socket in sockets:
            await self.told(socket, 4, 1)
        await self.forget(user, up_to=4)
        for socket in sockets:
            await self.told(socket, 4, 0)

    async def test_read_ones(self):
        """Extensions §5: a deletion is told even if the number of the unread stays."""
        user, ids = await self.notified("a")
        await self.post(self.path(user, "/read"), {"upTo": 1}, by=user, expect=204)
        socket = await self.socket(user)
        await self.forget(user, id=ids[0])
        await self.told(socket, 1, 0)

    async def test_no_change(self):
        """Choices: what changes nothing is not told."""
        user, ids = await self.notified("a", "b")
        await self.forget(user, id=ids[0])
        socket = await self.socket(user)
        await self.amend(self.path(user, f"/{ids[1]}"), {"read": False}, by=user, expect=204)
        await self.post(self.path(user, "/read"), {"upTo": 1}, by=user, expect=204)
        await self.forget(user, up_to=1)
        await self.forget(user, id=ids[0])
        await self.forget(user, id=guid())
        await self.put(self.path(user, "/settings"), {"muted": []}, by=user, expect=204)
        await self.notify(user, "c")
        self.assertEqual((await self.pushed(socket))["notification"]["text"], "c")
        await socket.quiet()

    async def test_replay(self):
        """Extensions §5: the socket replays a deleted one as `Deleted`, with its number."""
        user, ids = await self.notified("a", "b", "c")
        await self.forget(user, id=ids[1])
        socket = await self.socket(user, resume=0)
        got = [await self.pushed(socket) for _ in range(3)]
        self.assertEqual([each["seq"] for each in got], [1, 2, 3])
        self.shape(got[1]["notification"], DELETED)
        self.assertEqual([each["notification"]["read"] for each in got], [False, True, False])
        self.assertEqual([each["notification"]["id"] for each in got], ids)
        self.assertEqual(
            [each["notification"]["kind"] for each in got], ["Debug", "Deleted", "Debug"]
        )

    async def test_muted(self):
        """Extensions §5: a muted kind does not come, and leaves no hole."""
        user = await self.user()
        socket = await self.socket(user)
        for muted in (["Debug"], []):
            path = self.path(user, "/settings")
            await self.put(path, {"muted": muted}, by=user, expect=204)
            await self.notify(user, "muted" if muted else "heard")
        got = await self.pushed(socket)
        self.assertEqual((got["seq"], got["notification"]["text"]), (1, "heard"))
