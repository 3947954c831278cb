"""What players keep: content#subscriptions."""

from typing import Any

from tests.spec.data import Content, User, draft, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT_INFO, LIBRARY, SUBSCRIPTION
from tests.support.daemon import Daemon, shared


class SubscriptionCase(SpecCase):
    """A user who keeps things."""

    async def setUp(self) -> None:
        await super().setUp()
        self.keeper, self.author = await self.user(), await self.someone()

    def path(self, content: Content, user: User | None = None) -> str:
        """The path of one subscription."""
        return f"user/{(user or self.keeper).id}/subscription/{content.id}"

    async def keep(self, content: Content, *, by: User | None = None, **more: Any) -> Any:
        """PUT a subscription; `pin` is of the body."""
        user = by or self.keeper
        body = {"pin": more.pop("pin")} if "pin" in more else {}
        return await self.put(self.path(content, user), body, by=user, **{"expect": 204} | more)

    async def kept(self, content: Content, *, by: User | None = None) -> dict[str, Any]:
        """One of them, which is also in the list and the map."""
        user = by or self.keeper
        before = await self.read(self.path(content, user), SUBSCRIPTION, by=user)
        listed = await self.read(f"user/{user.id}/subscriptions", [SUBSCRIPTION], by=user)
        found = await self.read(self.path(content, user), SUBSCRIPTION, by=user)
        # Who keeps it may be added up to its counts between two of these.
        self.assertTrue(before in listed or found in listed)
        entry = (await self.library(user))[content.id]
        self.assertEqual({member: found[member] for member in ("revision", "state")}, entry)
        return dict(found)

    async def library(self, user: User | None = None) -> dict[str, Any]:
        """The map of all."""
        user = user or self.keeper
        found = await self.read(f"user/{user.id}/subscriptions/state", dict, by=user)
        for entry in found.values():
            self.shape(entry, LIBRARY)
        return dict(found)

    async def revise(self, content: Content) -> str:
        """Publish one more revision."""
        body = draft()
        await self.post(f"{content.path}/revisions", body, by=content.author, expect=201)
        return str(body["revisionId"])


class KeepTests(SubscriptionCase):
    """PUT, GET and DELETE of one, and the list."""

    async def test_keep(self) -> None:
        """What is kept is in the list, the newest first, with the content and its current
        revision."""
        made = [await self.content(self.author) for _ in range(3)]
        for content in made:
            await self.keep(content)
        path = f"user/{self.keeper.id}/subscriptions"
        found = await self.read(path, [SUBSCRIPTION], by=self.keeper)
        self.assertEqual([content.id for content in reversed(made)], [one["id"] for one in found])
        for one, content in zip(reversed(found), made, strict=True):
            self.shape(one["content"], CONTENT_INFO)
            shown = ("active", content.id, None, content.sent["revisionId"])
            self.assertEqual(
                shown, (one["state"], one["content"]["id"], one["pin"], one["revision"])
            )

    async def test_delete(self) -> None:
        """DELETE is 204 also where nothing is kept; then GET is 404 `not_subscribed`."""
        content = await self.content(self.author)
        await self.keep(content)
        for _ in range(2):
            await self.delete(self.path(content), by=self.keeper, expect=204)
        response = await self.get(self.path(content), by=self.keeper)
        self.problem(response, 404, "not_subscribed")
        self.assertEqual({}, await self.library())
        await self.delete(
            f"user/{self.keeper.id}/subscription/{guid()}", by=self.keeper, expect=204
        )

    async def test_again(self) -> None:
        """PUT again replaces the pin alone; without `pin` there is none."""
        content = await self.content(self.author)
        first, second = content.sent["revisionId"], await self.revise(content)
        await self.keep(content)
        since = (await self.kept(content))["since"]
        for pin, revision in ((first, first), (None, second), (first, first)):
            await self.keep(content, pin=pin)
            found = await self.kept(content)
            self.assertEqual(
                (pin, revision, since), (found["pin"], found["revision"], found["since"])
            )
        await self.keep(content)
        self.assertEqual(second, (await self.kept(content))["revision"])

    async def test_unknown(self) -> None:
        """404 for content that is not there or hidden, and for a revision of another."""
        content, other = await self.content(self.author), await self.content(self.author)
        await self.moderate(other, "suspended")
        unknown = f"user/{self.keeper.id}/subscription/{guid()}"
        for path in (unknown, self.path(other)):
            response = await self.put(path, {"pin": guid()}, by=self.keeper)
            self.problem(response, 404, "content_not_found")
        for pin in (guid(), other.sent["revisionId"]):
            response = await self.keep(content, pin=pin, expect=404)
            self.problem(response, 404, "revision_not_found")
        self.assertEqual({}, await self.library())

    async def test_hidden(self) -> None:
        """What is kept and not seen now stays as it is: 204, and nothing changes."""
        content = await self.content(self.author)
        await self.keep(content, pin=content.sent["revisionId"])
        await self.moderate(content, "suspended")
        await self.keep(content)
        await self.keep(content, pin=guid())
        found = await self.kept(content)
        self.assertEqual(
            (content.sent["revisionId"], "unavailable"), (found["pin"], found["state"])
        )

    async def test_others(self) -> None:
        """What somebody keeps is for them alone."""
        content = await self.content(self.author)
        await self.keep(content)
        stranger = await self.user()
        for path in (self.path(content), f"user/{self.keeper.id}/subscriptions/state"):
            await self.get(path, by=stranger, expect=403)
            await self.get(path, expect=401)


class StateTests(SubscriptionCase):
    """`active`, `unavailable`, `gone`, and the revision."""

    async def test_unavailable(self) -> None:
        """What is suspended or withdrawn is unavailable, for its author too, without content and
        revision; and active again after that."""
        content = await self.content(await self.user())
        author = content.author
        keepers = self.keeper, author, await self.admin()
        for by in keepers:
            await self.keep(content, by=by)
        for hide, show in (
            (self.moderate(content, "suspended"), self.moderate(content, "active")),
            (
                self.delete(content.path, by=author, expect=204),
                self.post(f"{content.path}/restore", by=author, expect=204),
            ),
        ):
            await hide
            for by in keepers:
                found = await self.kept(content, by=by)
                hidden = found["state"], found["content"], found["revision"]
                self.assertEqual(("unavailable", None, None), hidden)
            await show
            found = await self.kept(content)
            self.assertEqual(("active", content.id), (found["state"], found["content"]["id"]))

    async def test_gone(self) -> None:
        """Content whose author has left is gone."""
        author = await self.user()
        content, withdrawn = await self.content(author), await self.content(author)
        for each in (content, withdrawn):
            await self.keep(each)
        await self.delete(withdrawn.path, by=author, expect=204)
        body = {"password": author.password}
        await self.delete(f"user/{author.id}", body=body, by=author, expect=204)
        for each in (content, withdrawn):
            found = await self.kept(each)
            self.assertEqual(
                ("gone", None, None), (found["state"], found["content"], found["revision"])
            )

    async def test_revisions(self) -> None:
        """The map follows publications and roll-backs; a pin stays, until its author deletes that
        revision."""
        content = await self.content(self.author)
        first = content.sent["revisionId"]
        pinned = await self.user()
        await self.keep(content)
        second = await self.revise(content)
        await self.keep(content, by=pinned, pin=second)
        self.assertEqual(second, (await self.kept(content))["revision"])
        current = f"{content.path}/revisions/current"
        await self.put(current, {"revisionId": first}, by=self.author, expect=204)
        self.assertEqual(first, (await self.kept(content))["revision"])
        self.assertEqual(second, (await self.kept(content, by=pinned))["revision"])
        gone = f"{content.path}/revisions/{second}"
        await self.delete(gone, by=self.author, expect=204)
        found = await self.kept(content, by=pinned)
        self.assertEqual((second, first), (found["pin"], found["revision"]))
        response = await self.keep(content, pin=second, expect=409)
        self.problem(response, 409, "revision_gone")

    async def test_validator(self) -> None:
        """The map has an ETag, which changes with it and comes back with it."""
        content = await self.content(self.author)
        path = f"user/{self.keeper.id}/subscriptions/state"
        await self.keep(content)
        tag = (await self.get(path, by=self.keeper, expect=200)).header("ETag") or ""
        known = {"If-None-Match": tag}
        await self.get(path, by=self.keeper, headers=known, expect=304)
        await self.moderate(content, "suspended")
        await self.get(path, by=self.keeper, headers=known, expect=200)
        await self.moderate(content, "active")
        await self.get(path, by=self.keeper, headers=known, expect=304)

    async def test_export(self) -> None:
        """The export has what the user keeps."""
        content = await self.content(self.author)
        await self.keep(content, pin=content.sent["revisionId"])
        export = (
            await self.get(f"user/{self.keeper.id}/export", by=self.keeper, expect=200)
        ).json()
        (found,) = export["subscriptions"]
        self.assertEqual((content.id, content.sent["revisionId"]), (found["content"], found["pin"]))


class QuotaTests(SubscriptionCase):
    """How much somebody may keep: the option `subscriptions`."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("subscriptions", lambda: Daemon(environ={"SUBSCRIPTIONS": "2"})))

    async def test_quota(self) -> None:
        """Beyond it: 403 with `limit` and `used`. Those in any state count, a repeat does not."""
        made = [await self.content(self.author) for _ in range(3)]
        for content in made[:2]:
            await self.keep(content)
        await self.moderate(made[0], "suspended")
        await self.keep(made[1], pin=made[1].sent["revisionId"])
        response = await self.keep(made[2], expect=403)
        self.problem(response, 403, "quota_exceeded")
        self.assertEqual((2, 2), (response.json()["limit"], response.json()["used"]))
        await self.delete(self.path(made[0]), by=self.keeper, expect=204)
        await self.keep(made[2])


class SocketTests(SubscriptionCase):
    """The message `library`."""

    async def test_own(self) -> None:
        """One's own change is told to all of one's sockets; what changes nothing is not."""
        content = await self.content(self.author)
        sockets = [await self.socket(self.keeper) for _ in range(2)]
        await self.keep(content)
        for socket in sockets:
            self.assertEqual({"type": "library"}, await socket.kept())
        await self.keep(content)
        await sockets[0].quiet()
        self.assertTrue(sockets[0].untold)
        await self.delete(self.path(content), by=self.keeper, expect=204)
        for socket in sockets:
            await socket.kept()
