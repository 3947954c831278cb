"""Whom a user blocks, and what is theirs."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client.social.friends import is_blocked
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.comments import Comment
from contentsvc.wire.library import Collection
from contentsvc.wire.notifications import CommentOnContent, ContentPublished, Debug
from contentsvc.wire.social import Conversation, Message
from tests.client.fakes import ANN, BOB
from tests.client.test_service import Case


def things(by: str) -> list[object]:
    """What a user has made, written and done, as the service answers it."""
    user = UserInfo(by, "rex", None, None)
    message = Message("m", by, "Hello", 0, False)
    return [
        user,
        message,
        Conversation(user, message),
        Comment(1, None, by, "Hello", 0, 0, False),
        Collection("c", user, "Best", "", True, 0, 0, "collection"),
        CommentOnContent(sender=by, content="c", comment=1),
        ContentPublished(author=by, content="c"),
    ]


class BlockedTests(SynchronousTestCase):
    def test_is_blocked(self) -> None:
        """It is whoever made, wrote or sent something, whatever it is."""
        for thing in things(BOB):
            self.assertTrue(is_blocked({BOB}, thing), thing)
        for thing in [*things(ANN), Debug(text="x"), None]:
            self.assertFalse(is_blocked({BOB}, thing), thing)


class ServiceTests(Case):
    async def test_blocked(self) -> None:
        """`blocked` has the ids of all whom the user blocks, and their content is found by them."""
        others = [await self.signed_in() for _ in range(2)]
        self.assertEqual(await self.client.friends.blocked(), set())
        for other in others:
            await self.client.friends.block(other.user)
        blocked = await self.client.friends.blocked()
        self.assertEqual(blocked, {other.user for other in others})
        await self.client.friends.unblock(others[0].user)
        self.assertEqual(await self.client.friends.blocked(), {others[1].user})
