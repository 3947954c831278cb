"""Kinds of notifications that a user does not want: extensions §5."""

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import NOTIFICATION_SETTINGS

FIXED = ("ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved")
MUTABLE = (
    *("FriendRequest", "FriendConfirm", "FriendMessage", "NewFollower", "Debug"),
    *("PartyInvite", "PartyInviteAccept", "PartyInviteDecline"),
    *("ContentPublished", "RevisionPublished", "DependencyStatus"),
    "SubscriptionUpdated",
    *("ChallengeWon", "ChallengeParticipated"),
    *("CommentOnContent", "CommentReply", "ReportResolved"),
)


class MutingTests(PlayersCase):
    """GET and PUT notifications/settings."""

    def at(self, user: User) -> str:
        """The path of the user's settings."""
        return f"user/{user.id}/notifications/settings"

    async def muted(self, user: User) -> set[str]:
        """The kinds that are muted."""
        return set((await self.read(self.at(user), NOTIFICATION_SETTINGS, by=user))["muted"])

    async def texts(self, user: User) -> list[str]:
        """The texts of the user's Debug notifications."""
        return [one["text"] for one in await self.notifications(user) if one["kind"] == "Debug"]

    async def test_none(self):
        """extensions §5: at first nothing is muted."""
        user = await self.user()
        got = await self.read(self.at(user), NOTIFICATION_SETTINGS, by=user)
        self.assertEqual({"muted": []}, got)

    async def test_settings(self):
        """extensions §5: GET has what PUT said last, each kind that can be muted among it."""
        user = await self.user()
        for kinds in (MUTABLE, ("Debug", "NewFollower"), ("Debug",), ()):
            for _ in range(2):
                await self.mute(user, *kinds)
                self.assertEqual(set(kinds), await self.muted(user))

    async def test_twice_in_the_array(self):
        """extensions §5: a kind that is named twice is muted."""
        user = await self.user()
        await self.mute(user, "Debug", "Debug")
        self.assertEqual({"Debug"}, await self.muted(user))

    async def test_unknown_kinds(self):
        """extensions §5: unknown kinds are 400, and nothing changes; before not_mutable."""
        user = await self.user()
        await self.mute(user, "Debug")
        for bad in ("Nothing", "debug", "", "Debug ", "Debug\0", "*"):
            for kinds in ([bad], ["NewFollower", bad], ["AccountWarning", bad]):
                response = await self.put(self.at(user), {"muted": kinds}, by=user)
                self.invalid(response, f"/muted/{len(kinds) - 1}")
        self.assertEqual({"Debug"}, await self.muted(user))

    async def test_not_mutable(self):
        """extensions §5: the four that are about one's own account and content are 422
        not_mutable, and nothing changes."""
        user = await self.user()
        await self.mute(user, "Debug")
        for kind in FIXED:
            for kinds in ([kind], ["NewFollower", kind]):
                response = await self.put(self.at(user), {"muted": kinds}, by=user)
                self.problem(response, 422, "not_mutable")
        self.assertEqual({"Debug"}, await self.muted(user))

    async def test_effect(self):
        """extensions: a muted kind is neither stored nor numbered nor pushed; others are."""
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

    async def test_of_one(self):
        """extensions: what one user mutes another hears, also of the same moment."""
        users = await self.users(6)
        for user in users[::2]:
            await self.mute(user, "Debug")
        await self.together(*(self.notify(user, f"{n}") for n in range(5) for user in users))
        for n, user in enumerate(users):
            self.assertEqual(5 * (n % 2), len(await self.notifications(user)))
            self.assertEqual((5, 1, 5) if n % 2 else (0, 1, 0), await self.state(user))

    async def test_from_its_answer_on(self):
        """extensions §5: what commits after the PUT's 204 is not of a muted kind."""
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
        """extensions §5: messages are still stored."""
        user, other = await self.users(2)
        await self.befriend(other, user)
        await self.mute(user, "FriendMessage")
        id = await self.wrote(other, user, "x", id=guid())
        self.assertEqual(id, await self.wrote(other, user, "x", id=id))
        self.assertEqual(["x"], await self.heard(user, other))
        self.assertEqual(["FriendRequest"], [one["kind"] for one in await self.told(user)])
        await self.mute(user)
        await self.wrote(other, user, "y")
        self.assertEqual(["y"], [one["text"] for one in (await self.told(user))[1:]])

    async def test_requests(self):
        """extensions: what a muted notification would tell happens all the same."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.mute(user, "FriendRequest", "NewFollower", "CommentOnContent", "PartyInvite")
        invite = f"user/{other.id}/friend/{user.id}/party-invite"
        await self.post(invite, {"party": guid()}, by=other, expect=204)
        await self.ask(other, user)
        await self.follow(other, user)
        await self.remark(made, other)
        self.assertEqual([], await self.told(user))
        self.assertEqual([("incoming", other.id)], await self.requests(user))
        self.assertEqual([other.id], await self.listed(user, "followers"))
        invites = await self.get(f"user/{user.id}/party-invites", by=user, expect=200)
        self.assertEqual(1, len(invites.json()))
        self.assertEqual(1, (await self.get(f"{made.path}/comments")).json()["total"])
        await self.ask(user, other)
        self.assertEqual(["FriendConfirm"], [one["kind"] for one in await self.told(other)])

    async def test_reply_that_is_muted(self):
        """extensions: of two who are told of one comment, one may have muted it."""
        made, one, two = await self.content(await self.user()), *await self.users(2)
        parent = await self.remark(made, one)
        for user, kind, left in (
            (made.author, "CommentOnContent", one),
            (one, "CommentReply", made.author),
        ):
            await self.mute(user, kind)
            before = await self.told(left)
            count = len(await self.told(user))
            await self.remark(made, two, parent)
            self.assertEqual(len(before) + 1, len(await self.told(left)))
            self.assertEqual(count, len(await self.told(user)))
            await self.mute(user)

    async def test_followers(self):
        """extensions: a fan-out does not tell it either, and tells the others."""
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
