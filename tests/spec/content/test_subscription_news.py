"""How users hear that what they keep has changed: content#library-map."""

from typing import Any

from tests.spec.content.test_subscriptions import SubscriptionCase
from tests.spec.data import Content, User
from tests.spec.shapes import SUBSCRIPTION_UPDATED


class NewsTests(SubscriptionCase):
    """SubscriptionUpdated, and the message `library`."""

    async def updates(self, user: User) -> list[dict[str, Any]]:
        """The user's notifications of this kind."""
        found = await self.notifications(user)
        return [one for one in found if one["kind"] == "SubscriptionUpdated"]

    async def settled(self, content: Content) -> None:
        """Wait until all who keep a content have been told: one who keeps it now hears of a
        change that is made after the others."""
        last = await self.user()
        await self.keep(content, by=last)
        socket = await self.socket(last)
        await self.revise(content)
        self.shape((await self.pushed(socket))["notification"], SUBSCRIPTION_UPDATED)

    async def test_revision(self) -> None:
        """A new revision is told once in a day for each content, to those without a pin."""
        content, other = [await self.content(await self.user()) for _ in range(2)]
        pinned, author = await self.user(), content.author
        for user in (self.keeper, author):
            await self.keep(content, by=user)
        await self.keep(content, by=pinned, pin=content.sent["revisionId"])
        await self.keep(other)
        socket = await self.socket(self.keeper)
        revision = await self.revise(content)
        told = (await self.pushed(socket))["notification"]
        self.shape(told, SUBSCRIPTION_UPDATED)
        self.assertEqual((content.id, revision), (told["content"], told["revision"]))
        await self.settled(content)
        await self.revise(other)
        self.assertEqual(other.id, (await self.pushed(socket))["notification"]["content"])
        self.assertEqual(2, len(await self.updates(self.keeper)))
        for user in (pinned, author):
            self.assertEqual([], await self.updates(user))

    async def test_again(self) -> None:
        """Who gives it up and keeps it again within the day is not told again, nor is somebody told
        who keeps it since the publication."""
        content = await self.content(await self.user())
        await self.keep(content)
        await self.settled(content)
        await self.delete(self.path(content), by=self.keeper, expect=204)
        await self.keep(content)
        late = await self.user()
        await self.keep(content, by=late)
        await self.settled(content)
        self.assertEqual([1, 1], [len(await self.updates(user)) for user in (self.keeper, late)])

    async def test_library(self) -> None:
        """Whoever keeps it hears of each change of its state or revision, pinned or muted."""
        content = await self.content(self.author)
        first = content.sent["revisionId"]
        await self.keep(content, pin=first)
        muted = {"muted": ["SubscriptionUpdated"]}
        path = f"user/{self.keeper.id}/notifications/settings"
        await self.put(path, muted, by=self.keeper, expect=204)
        socket = await self.socket(self.keeper)
        second = await self.revise(content)
        await socket.kept()
        current, rest = f"{content.path}/revisions/current", f"{content.path}/revisions"
        await self.put(current, {"revisionId": first}, by=self.author, expect=204)
        await socket.kept()
        await self.delete(f"{rest}/{second}", by=self.author, expect=204)
        await socket.kept()
        for status in ("suspended", "active"):
            await self.moderate(content, status)
            await socket.kept()
        await self.delete(content.path, by=self.author, expect=204)
        await socket.kept()
        await self.post(f"{content.path}/restore", by=self.author, expect=204)
        await socket.kept()
        self.assertEqual([], await self.updates(self.keeper))

    async def test_departure(self) -> None:
        """Whoever keeps content of somebody who leaves hears of it."""
        author = await self.user()
        content = await self.content(author)
        await self.keep(content)
        socket = await self.socket(self.keeper)
        body = {"password": author.password}
        await self.delete(f"user/{author.id}", body=body, by=author, expect=204)
        await socket.kept()
        self.assertEqual("gone", (await self.kept(content))["state"])

    async def test_friendship(self) -> None:
        """A friendship and its end are told to those who keep something of the other's."""
        author = await self.user()
        await self.keep(await self.content(author))
        socket = await self.socket(self.keeper)
        path = f"user/{self.keeper.id}/friend/{author.id}"
        await self.put(f"user/{author.id}/friend/{self.keeper.id}", by=author, expect=204)
        await self.put(path, by=self.keeper, expect=204)
        await socket.kept()
        await self.delete(path, by=self.keeper, expect=204)
        await socket.kept()
        await self.put(f"user/{author.id}/blocked/{self.keeper.id}", by=author, expect=204)
        await socket.kept()
