"""Revisions that fit: content#fitting-revisions."""

from typing import Any

from tests.spec.client import Response
from tests.spec.content.test_subscriptions import SubscriptionCase
from tests.spec.data import Content, draft
from tests.spec.shapes import CONTENT, CONTENT_INFO, REVISION
from tests.spec.shapes import GUID as ID

FITTING = {"fitting": (ID, None)}


class FittingCase(SubscriptionCase):
    async def made(self, *requires: Any) -> tuple[Content, list[str]]:
        """A content with a revision for each of these, and the ids of the revisions."""
        first, *rest = requires
        content = await self.content(await self.user(), requires=first)
        revisions = [content.sent["revisionId"]]
        for each in rest:
            body = draft(requires=each)
            path = f"{content.path}/revisions"
            await self.post(path, body, by=content.author, expect=201)
            revisions.append(body["revisionId"])
        return content, revisions

    async def require(
        self, content: Content, revision: str, requires: Any, **more: Any
    ) -> Response:
        """PUT requires."""
        path = f"{content.path}/revisions/{revision}/requires"
        given = {"by": content.author} | more
        return await self.put(path, {"requires": requires}, **given)

    async def fitting(self, content: Content, **query: str) -> str | None:
        """What fits: the same by all reads."""
        detail = await self.read(content.path, CONTENT | FITTING, query=query)
        fitting = detail["fitting"]
        listed: list[Any] = []
        for path, more in (
            (f"user/{content.author.id}/content", {}),
            (f"user/{content.author.id}/content", {"limit": "5"}),
            ("content", {"ids": content.id}),
            ("content", {"author": content.author.id}),
            ("content", {"author": content.author.id, "sort": "updated"}),
            ("content", {"q": content.sent["name"], "sort": "updated"}),
            ("content", {"q": content.sent["name"]}),
        ):
            found = await self.read(path, [CONTENT_INFO | FITTING], query=query | more)
            listed.append([one["fitting"] for one in found if one["id"] == content.id])
        self.assertEqual([[] if fitting is None else [fitting]] * len(listed), listed)
        await self.keep(content)
        for path in (f"{self.path(content)}", f"user/{self.keeper.id}/subscriptions/state"):
            answer = (await self.get(path, by=self.keeper, query=query, expect=200)).json()
            found = answer.get(content.id, answer)
            self.assertEqual(("active", fitting), (found["state"], found["revision"]))
        return None if fitting is None else str(fitting)


class RequiresTests(FittingCase):
    """`requires`: what it may be, and who changes it."""

    async def test_shown(self) -> None:
        """A revision and the detail show what was sent, or null."""
        every = {
            "game": {"min": "1.4", "max": "2"},
            "platforms": ["win64"],
            "features": ["vr", "mods"],
        }
        for sent in (None, {}, {"game": {}}, {"features": ["vr"]}, every):
            content, (revision,) = await self.made(sent)
            detail = await self.read(content.path, CONTENT)
            one = await self.read(f"{content.path}/revisions/{revision}", REVISION)
            self.assertEqual((sent, sent), (detail["requires"], one["requires"]))

    async def test_order(self) -> None:
        """`min` above `max`, on as many numbers as `max` has, is 400."""
        content, (revision,) = await self.made(None)
        for low, high, status in (
            ("1.4.9", "1.4", 204),
            ("1.5", "1.4.9", 400),
            ("1.10", "1.9", 400),
            ("1", "1.0.0.0", 204),
            ("2", "1.9", 400),
            ("0", "0", 204),
        ):
            requires = {"game": {"min": low, "max": high}}
            answer = await self.require(content, revision, requires, expect=status)
            if status == 400:
                self.invalid(answer, "/requires/game/min")
        body = draft(requires={"game": {"min": "2", "max": "1"}})
        answer = await self.post(f"{content.path}/revisions", body, by=content.author)
        self.invalid(answer, "/requires/game/min")

    async def test_later(self) -> None:
        """Its author and admins change it, and null takes it away; it is no new listing."""
        content, (revision,) = await self.made(None)
        before = (await self.read(content.path, CONTENT))["listingId"]
        for by in (content.author, await self.admin()):
            await self.require(content, revision, {"features": ["vr"]}, by=by, expect=204)
            self.assertEqual(
                {"features": ["vr"]}, (await self.read(content.path, CONTENT))["requires"]
            )
            await self.require(content, revision, None, by=by, expect=204)
        detail = await self.read(content.path, CONTENT)
        self.assertEqual((None, before), (detail["requires"], detail["listingId"]))
        other, (foreign,) = await self.made(None)
        self.problem(await self.require(other, foreign, None, by=content.author), 403)
        answer = await self.require(content, foreign, None)
        self.problem(answer, 404, "revision_not_found")

    async def test_told(self) -> None:
        """Who keeps the content hears of it."""
        content, (revision,) = await self.made(None)
        await self.keep(content)
        socket = await self.socket(self.keeper)
        await self.require(content, revision, {"features": ["vr"]}, expect=204)
        await socket.kept()


class FittingTests(FittingCase):
    """`game`, `platform`, `features`, on all reads."""

    async def test_versions(self) -> None:
        """Versions are compared as numbers, and `max` on as many as it has."""
        range_of = {"game": {"min": "1.9", "max": "1.10"}}
        content, (revision,) = await self.made(range_of)
        for game, fits in (
            ("1.9", True),
            ("1.9.0.0", True),
            ("1.8.9", False),
            ("1.10.5", True),
            ("1.11", False),
            ("2", False),
            ("01.9", True),
        ):
            self.assertEqual(revision if fits else None, await self.fitting(content, game=game))

    async def test_parts(self) -> None:
        """Platform and features are tested as asked, and what is not asked is not."""
        content, (revision,) = await self.made({"platforms": ["win64"], "features": ["a", "b"]})
        for query, fits in (
            ({"platform": "win64"}, True),
            ({"platform": "osx64"}, False),
            ({"features": "b,c,a"}, True),
            ({"features": "a"}, False),
            ({"features": ""}, False),
            ({"game": "1", "platform": "win64", "features": "a,b"}, True),
            ({"game": "1"}, True),
            ({"platform": "win64", "features": "c"}, False),
        ):
            self.assertEqual(revision if fits else None, await self.fitting(content, **query))

    async def test_older(self) -> None:
        """If the current one does not fit, it is the newest before it that does and is not gone."""
        content, (one, two, three, four) = await self.made(
            None, {"game": {"max": "1"}}, {"game": {"max": "1"}}, {"game": {"min": "2"}}
        )
        self.assertEqual(four, await self.fitting(content, game="2"))
        self.assertEqual(three, await self.fitting(content, game="1.5"))
        await self.delete(f"{content.path}/revisions/{three}", by=content.author, expect=204)
        self.assertEqual(two, await self.fitting(content, game="1.5"))
        current = {"revisionId": one}
        await self.put(f"{content.path}/revisions/current", current, by=content.author, expect=204)
        self.assertEqual(one, await self.fitting(content, game="2"))
        await self.require(content, one, {"features": ["vr"]}, expect=204)
        self.assertIsNone(await self.fitting(content, features="mods"))

    async def test_pinned(self) -> None:
        """A pin is not tested, but one that is gone."""
        content, (one, two) = await self.made({"features": ["vr"]}, None)
        await self.keep(content, pin=one)
        path, query = self.path(content), {"features": "mods"}
        found = (await self.get(path, by=self.keeper, query=query, expect=200)).json()
        self.assertEqual(one, found["revision"])
        await self.delete(f"{content.path}/revisions/{one}", by=content.author, expect=204)
        found = (await self.get(path, by=self.keeper, query=query, expect=200)).json()
        self.assertEqual(two, found["revision"])

    async def test_unasked(self) -> None:
        """Without a query there is no `fitting`."""
        content, _ = await self.made({"features": ["vr"]})
        self.assertNotIn("fitting", await self.read(content.path, CONTENT))
        await self.read(f"user/{content.author.id}/content", [CONTENT_INFO])

    async def test_links(self) -> None:
        """The parts of an author's list, one by one, have what fits and nothing else."""
        author = await self.user()
        fits = []
        for n in range(5):
            requires = {"features": ["vr"]} if n % 2 else None
            made = await self.content(author, requires=requires)
            fits += [] if requires else [made.id]
        for path in (f"user/{author.id}/content?", f"content?author={author.id}&"):
            pages = await self.pages(f"{path}limit=2&features=mods", [CONTENT_INFO | FITTING])
            self.assertEqual(fits[::-1], [one["id"] for page in pages for one in page])
