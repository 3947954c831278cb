"""What followers are told of publications: notifications#followers."""

from typing import Any

from tests.spec.content.test_lifecycle import TwoDaemonsCase
from tests.spec.data import Content, User, guid, reference
from tests.spec.notifications.support import TellingCase, bare
from tests.support.deferreds import together


class FollowersCase(TellingCase):
    """Followers and what they hear."""

    async def followed(self) -> tuple[User, User]:
        """An author and a follower of theirs."""
        author, follower = await self.user(), await self.user()
        await self.follow(follower, author)
        return author, follower

    def published(self, made: Content) -> dict[str, Any]:
        """The notification of a create, without what all have."""
        return {"kind": "ContentPublished", "author": made.author.id, "content": made.id}

    def revised(self, made: Content, sent: dict[str, Any]) -> dict[str, Any]:
        """That of a revision."""
        return {
            "kind": "RevisionPublished",
            "author": made.author.id,
            "content": made.id,
            "revision": sent["revisionId"],
        }

    async def hears(self, user: User, *expected: dict[str, Any]) -> None:
        """Assert that the user is told this, in this order, and nothing more."""
        self.assertEqual(list(expected), await self.told(user, len(expected)))

    async def arrives(self, user: User, count: int = 1) -> None:
        """Wait until the user has been told so much."""
        socket = await self.socket(user, resume=0)
        for _ in range(count):
            await self.pushed(socket)
        await socket.close()


class FollowersTests(FollowersCase):
    """ContentPublished and RevisionPublished."""

    async def test_published(self):
        """notifications#followers: followers are told ContentPublished {author, content}, by push
        too."""
        author, follower = await self.followed()
        socket = await self.socket(follower)
        made = await self.content(author)
        message = await self.pushed(socket)
        self.assertEqual([message["notification"]], await self.notifications(follower))
        await self.hears(follower, self.published(made))

    async def test_revised(self):
        """notifications#followers: of a revision RevisionPublished {author, content, revision}."""
        author = await self.user()
        made, follower = await self.content(author), await self.user()
        await self.follow(follower, author)
        sent = await self.publish(made)
        await self.hears(follower, self.revised(made, sent))

    async def test_by_an_admin(self):
        """notifications#followers: of a revision that an admin publishes, with the content's
        author."""
        author = await self.user()
        made, follower = await self.content(author), await self.user()
        await self.follow(follower, author)
        sent = await self.publish(made, by=await self.admin())
        await self.hears(follower, self.revised(made, sent))

    async def test_each_follower(self):
        """notifications#followers: each follower is told, once, and nobody else is; the author has
        only been told of the followers."""
        author, stranger = await self.user(), await self.user()
        followers = [await self.user() for _ in range(3)]
        for follower in followers:
            await self.follow(follower, author)
        made = await self.content(author)
        for follower in followers:
            await self.hears(follower, self.published(made))
        new = [{"kind": "NewFollower", "sender": follower.id} for follower in followers]
        await self.hears(author, *new)
        await self.hears(stranger)

    async def test_no_repeats(self):
        """notifications#followers: repeats of a create and of a revision tell nobody again."""
        author, follower = await self.followed()
        made = await self.content(author)
        await self.arrives(follower)
        sent = await self.publish(made)
        await self.put(made.path, made.sent, by=author, expect=204)
        await self.post(f"{made.path}/revisions", sent, by=author, expect=201)
        await self.hears(follower, self.published(made), self.revised(made, sent))

    async def test_refused(self):
        """notifications#followers: what was refused tells nobody."""
        author, follower = await self.followed()
        body = bare(using=[reference({"entityId": guid(), "revisionId": guid()})])
        await self.put(f"content/{guid()}", body, by=author, expect=422)
        await self.hears(follower)

    async def test_other_writes(self):
        """notifications#followers: an update, PUT current, a deletion and a restore tell no
        followers."""
        author = await self.user()
        made, follower = await self.content(author), await self.user()
        await self.publish(made)
        await self.follow(follower, author)
        body = {"description": "x", "screenshotUris": ["x.png"]}
        await self.put(made.path, body, by=author, expect=204)
        await self.roll(made, made.sent["revisionId"])
        await self.withdraw(made)
        await self.restore(made)
        await self.hears(follower)

    async def test_unfollowed(self):
        """notifications#followers: who does not follow any more is not told."""
        author, follower = await self.followed()
        await self.delete(f"user/{follower.id}/following/{author.id}", by=follower, expect=204)
        await self.content(author)
        await self.hears(follower)

    async def test_later_followers(self):
        """notifications#followers: who begins to follow after the publication is not told of it."""
        author, later = await self.user(), await self.user()
        await self.content(author)
        await self.follow(later, author)
        second = await self.content(author)
        await self.hears(later, self.published(second))

    async def test_of_suspended_content(self):
        """notifications#followers: publishing on suspended content is 201, it stays suspended, and
        nobody is told."""
        author = await self.user()
        made, follower = await self.content(author), await self.user()
        await self.moderate(made, "suspended")
        await self.follow(follower, author)
        sent = await self.publish(made)
        got = await self.get(made.path, by=author, expect=200)
        self.assertEqual("suspended", got.json()["status"])
        self.assertEqual(sent["revisionId"], got.json()["revisionId"])
        await self.hears(follower)
        self.problem(await self.get(made.path, by=follower), 404, "content_not_found")

    async def test_ten_in_a_day(self):
        """notifications#followers: beyond 10 publications of an author in 24 hours nobody is told:
        creates and revisions, without repeats, whether anybody followed or not."""
        author, follower = await self.user(), await self.user()
        made = [await self.content(author, **bare()) for _ in range(3)]
        await self.put(made[0].path, made[0].sent, by=author, expect=204)
        await self.follow(follower, author)
        expected = []
        for _ in range(4):
            expected.append(self.revised(made[0], await self.publish(made[0])))
            await self.arrives(follower, len(expected))
        for _ in range(3):
            expected.append(self.published(await self.content(author, **bare())))
            await self.arrives(follower, len(expected))
        await self.publish(made[1])
        await self.content(author, **bare())
        await self.hears(follower, *expected)

    async def test_ten_of_each(self):
        """notifications#followers: the ten are those of one author: another's are told."""
        author, follower = await self.followed()
        for _ in range(11):
            await self.content(author, **bare())
        other = await self.user()
        await self.follow(follower, other)
        made = await self.content(other)
        await self.arrives(follower, 11)
        told = await self.told(follower, 11)
        self.assertEqual(10, sum(one["author"] == author.id for one in told))
        self.assertIn(self.published(made), told)

    async def test_several_at_once(self):
        """notifications#followers: publications at the same time are each told once, to each
        follower."""
        author, first = await self.followed()
        second = await self.user()
        await self.follow(second, author)
        made = [Content(guid(), author, bare()) for _ in range(5)]
        sends = [self.put(one.path, one.sent, by=author, expect=204) for one in made]
        await together(*sends)
        expected = [self.published(one) for one in made]
        for follower in (first, second):
            self.assertCountEqual(expected, await self.told(follower, 5))


class TwoDaemonsFollowersTests(FollowersCase, TwoDaemonsCase):
    """With two daemons on one database."""

    async def test_each_once(self):
        """Extensions: whichever process works it off, each follower is told once, by push at
        the daemon where they are."""
        author, here, there = await self.user(), await self.user(), await self.user()
        for follower in (here, there):
            await self.follow(follower, author)
        sockets = [await self.socket(here)]
        self.use(self.second)
        sockets.append(await self.socket(there))
        made = []
        for n in range(6):
            self.use((self.first, self.second)[n % 2])
            made.append(await self.content(author, **bare()))
        expected = sorted(one.id for one in made)
        for socket in sockets:
            told = [(await self.pushed(socket))["notification"] for _ in made]
            self.assertEqual(expected, sorted(one["content"] for one in told))
        for follower in (here, there):
            self.assertEqual(6, len(await self.told(follower, 6)))
