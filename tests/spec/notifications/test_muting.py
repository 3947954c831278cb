"""Kinds of notifications that a user does not want: notifications#muting."""

from tests.spec.data import User, guid
from tests.spec.matrix.inputs import KINDS
from tests.spec.moderation.support import ReportingCase
from tests.spec.notifications.support import LogCase
from tests.spec.shapes import NOTIFICATION_SETTINGS

UNMUTABLE = ("ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved")


class MutingCase(LogCase):
    """Users who mute."""

    def at(self, user: User) -> str:
        """The path of the user's settings."""
        return f"user/{user.id}/notifications/settings"

    async def muted(self, user: User) -> list[str]:
        """The kinds that are muted."""
        found = await self.read(self.at(user), NOTIFICATION_SETTINGS, by=user)
        return list(found["muted"])

    async def texts(self, user: User) -> list[str]:
        """The texts of the user's notifications that have one."""
        return [one["text"] for one in await self.notifications(user) if "text" in one]

    async def kinds(self, user: User) -> list[str]:
        """The kinds of the user's notifications."""
        return [one["kind"] for one in await self.notifications(user)]


class SettingsTests(MutingCase):
    """GET and PUT notifications/settings."""

    async def test_settings(self):
        """Nothing is muted at first; then GET has what PUT said last, each kind that can be muted
        among it."""
        user = await self.user()
        self.assertEqual([], await self.muted(user))
        mutable = [kind for kind in KINDS if kind not in UNMUTABLE]
        for kinds in (mutable, ["Debug", "NewFollower"], ["Debug"], []):
            for _ in range(2):
                await self.mute(user, *kinds)
                self.assertCountEqual(kinds, await self.muted(user))

    async def test_twice(self):
        """A kind that is named twice counts once."""
        user = await self.user()
        await self.mute(user, "Debug", "NewFollower", "Debug")
        self.assertEqual(["Debug", "NewFollower"], await self.muted(user))

    async def test_unknown(self):
        """Unknown kinds are 400, and nothing changes; `Deleted` is one."""
        user = await self.user()
        await self.mute(user, "Debug")
        for kind in ("Mail", "debug", "Deleted", "", "Debug ", "Debug\0", "*"):
            response = await self.mute(user, "NewFollower", kind, expect=None)
            self.invalid(response, "/muted/1")
        for kind in (None, 1, ["Debug"]):
            self.invalid(await self.mute(user, kind, expect=None), "/muted/0")
        for body in ({}, {"muted": None}, {"muted": "Debug"}, {"muted": ["Debug"] * 257}):
            self.invalid(await self.put(self.at(user), body, by=user), "/muted")
        self.assertEqual(["Debug"], await self.muted(user))

    async def test_not_mutable(self):
        """Those of one's own account and content are 422 not_mutable, after the 400 of unknown
        ones, and nothing changes."""
        user = await self.user()
        await self.mute(user, "Debug")
        for kind in UNMUTABLE:
            response = await self.mute(user, "NewFollower", kind, kind, expect=None)
            problem = self.problem(response, 422, "not_mutable")
            self.assertEqual(problem["kinds"], [kind])
        self.invalid(await self.mute(user, UNMUTABLE[0], "Mail", expect=None), "/muted/1")
        self.assertEqual(["Debug"], await self.muted(user))


class EffectTests(MutingCase):
    """What is not told, and what is."""

    async def test_effect(self):
        """A muted kind is neither stored nor numbered nor pushed; others are."""
        user, other = await self.users(2)
        socket = await self.socket(user)
        await self.notify(user, "heard")
        await self.mute(user, "Debug")
        await self.notify(user, "muted")
        await self.follow(other, user)
        await self.mute(user)
        await self.notify(user, "heard again")
        self.assertEqual(["heard", "heard again"], await self.texts(user))
        self.assertEqual((3, 1, 3), await self.state(user))
        got = [await self.pushed(socket) for _ in range(3)]
        self.assertEqual([1, 2, 3], [one["seq"] for one in got])
        kinds = [one["notification"]["kind"] for one in got]
        self.assertEqual(["Debug", "NewFollower", "Debug"], kinds)
        await socket.quiet()

    async def test_before_the_first(self):
        """Who has had no notification yet can mute."""
        user = await self.user()
        await self.mute(user, "Debug")
        await self.notify(user, "muted")
        self.assertEqual((0, 1, 0), await self.state(user))

    async def test_of_one(self):
        """What one user mutes another hears, also of the same moment."""
        users = await self.users(6)
        for user in users[::2]:
            await self.mute(user, "Debug")
        await self.together(*(self.notify(user, f"{n}") for n in range(5) for user in users))
        for n, user in enumerate(users):
            self.assertEqual(5 * (n % 2), len(await self.notifications(user)))
            self.assertEqual((5, 1, 5) if n % 2 else (0, 1, 0), await self.state(user))

    async def test_from_its_answer_on(self):
        """What commits after the PUT's 204 is not of a muted kind."""
        for _ in range(4):
            user = await self.user()

            async def muting(user: User = user) -> tuple[int, int, int]:
                await self.mute(user, "Debug")
                return await self.state(user)

            sends = [self.notify(user, f"{n}") for n in range(40)]
            got = await self.together(*sends[:20], muting(), *sends[20:])
            self.assertEqual(got[20], await self.state(user))
            await self.notify(user, "late")
            newest = got[20][0]
            self.assertEqual((newest, 1, newest), await self.state(user))
            self.assertEqual(newest, len(await self.notifications(user)))

    async def test_messages(self):
        """Messages are still stored."""
        user, other = await self.users(2)
        await self.befriend(other, user)
        await self.mute(user, "FriendMessage")
        id = await self.wrote(other, user, "x", id=guid())
        self.assertEqual(id, await self.wrote(other, user, "x", id=id))
        self.assertEqual(["x"], await self.heard(user, other))
        self.assertEqual(["FriendRequest"], await self.kinds(user))
        await self.mute(user)
        await self.wrote(other, user, "y")
        self.assertEqual(["y"], await self.texts(user))

    async def test_requests(self):
        """What a muted notification would tell happens all the same."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.mute(user, "FriendRequest", "NewFollower", "CommentOnContent", "PartyInvite")
        invite = f"user/{other.id}/friend/{user.id}/party-invite"
        await self.post(invite, {"party": guid()}, by=other, expect=204)
        await self.ask(other, user)
        await self.follow(other, user)
        await self.remark(made, other)
        self.assertEqual([], await self.kinds(user))
        self.assertEqual([("incoming", other.id)], await self.requests(user))
        self.assertEqual([other.id], await self.listed(user, "followers"))
        invites = await self.get(f"user/{user.id}/party-invites", by=user, expect=200)
        self.assertEqual(1, len(invites.json()))
        self.assertEqual(1, (await self.get(f"{made.path}/comments")).json()["total"])
        await self.ask(user, other)
        self.assertEqual(["FriendConfirm"], await self.kinds(other))

    async def test_replies(self):
        """Of two who are told of one comment, one may have muted it."""
        made, one, two = await self.content(await self.user()), *await self.users(2)
        parent = await self.remark(made, one)
        for user, kind, left in (
            (made.author, "CommentOnContent", one),
            (one, "CommentReply", made.author),
        ):
            await self.mute(user, kind)
            before = [len(await self.notifications(each)) for each in (user, left)]
            await self.remark(made, two, parent)
            after = [len(await self.notifications(each)) for each in (user, left)]
            self.assertEqual([before[0], before[1] + 1], after)
            await self.mute(user)

    async def test_followers(self):
        """Of many who are told one thing, those who have muted it are not."""
        author, *followers = await self.users(4)
        for follower in followers:
            await self.follow(follower, author)
        await self.mute(followers[1], "ContentPublished")
        sockets = [await self.socket(follower) for follower in followers]
        made = await self.content(author)
        for socket in (sockets[0], sockets[2]):
            got = (await self.pushed(socket))["notification"]
            self.assertEqual(("ContentPublished", made.id), (got["kind"], got["content"]))
        self.assertEqual((0, 1, 0), await self.state(followers[1]))


class DecisionTests(MutingCase, ReportingCase):
    """What an admin decides about reports."""

    async def test_muted(self):
        """ReportResolved can be muted; others are told."""
        made, deaf, other = await self.castle(), *await self.users(2)
        for user in (deaf, other):
            await self.report(made.path, user)
        await self.mute(deaf, "ReportResolved")
        await self.judge("content", made.id)
        self.assertEqual(["upheld"], await self.resolved(other, 1))
        self.assertEqual((0, 1, 0), await self.state(deaf))
