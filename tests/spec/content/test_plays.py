"""Plays, counts and the statistics of content: content#plays."""

from datetime import UTC, datetime, timedelta
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.client import Response
from tests.spec.data import Content, User, draft, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, CONTENT_INFO

COUNTS = ("plays", "players", "completions", "downloads", "subscribers", "favourites")
DAY = dict.fromkeys(("plays", "players", "completions", "seconds", "downloads"), int)
DAY |= {"day": str, "subscribers": int}


class PlayCase(SpecCase):
    """Players, and what their plays add up to."""

    async def play(
        self, user: User, content: Content, expect: int | None = 204, **more: Any
    ) -> Response:
        """Report a play."""
        body = {"id": guid(), "content": content.id} | more
        return await self.post(f"user/{user.id}/plays", body, by=user, expect=expect)

    async def counts(self, content: Content, **expected: int) -> None:
        """Wait until the counts are these; what is not named is 0."""
        wanted = dict.fromkeys(COUNTS, 0) | expected
        for _ in range(600):
            found = (await self.read(content.path, CONTENT, by=content.author))["counts"]
            if found == wanted:
                return
            await deferLater(reactor, 0.1)
        self.assertEqual(wanted, found)

    async def days(self, content: Content) -> list[dict[str, Any]]:
        """The last three days: somebody may run this at midnight."""
        today = datetime.now(UTC).date()
        query = f"from={today - timedelta(1)}&to={today + timedelta(1)}"
        path = f"{content.path}/statistics?{query}"
        found: list[dict[str, Any]] = await self.read(path, [DAY], by=content.author)
        return found


class PlayTests(PlayCase):
    """POST /api/v1/user/{user}/plays."""

    async def test_counted(self):
        """content#plays: plays and completions are counted, and each player once; the days sum up
        to the counts."""
        made, users = await self.content(await self.user()), [await self.user() for _ in range(2)]
        await self.play(users[0], made, seconds=60, completed=True)
        await self.play(users[0], made, seconds=40)
        await self.play(users[1], made, revision=made.sent["revisionId"])
        await self.counts(made, plays=3, players=2, completions=1)
        days = await self.days(made)
        sums = {name: sum(day[name] for day in days) for name in DAY if name != "day"}
        expected = {"plays": 3, "players": 2, "completions": 1, "seconds": 100}
        self.assertEqual(expected | {"downloads": 0, "subscribers": 0}, sums)
        (info,) = await self.read(f"content?ids={made.id}", [CONTENT_INFO])
        self.assertEqual(3, info["counts"]["plays"])

    async def test_repeat(self):
        """content#plays: the same id of the same user is a repeat, that of another is not."""
        made, users = await self.content(await self.user()), [await self.user() for _ in range(2)]
        id = guid()
        for user in (*users, *users):
            await self.play(user, made, id=id)
        await self.play(users[0], made, id=id.upper(), seconds=5)
        await self.counts(made, plays=2, players=2)

    async def test_authors_own(self):
        """content#plays: an author's own plays count nowhere."""
        made, user = await self.content(await self.user()), await self.user()
        await self.play(made.author, made, completed=True)
        await self.play(user, made)
        await self.counts(made, plays=1, players=1)

    async def test_refused(self):
        """content#plays: 404 where the user sees no such content, or it has no such revision."""
        made, user = await self.content(await self.user()), await self.user()
        other = await self.content(user)
        response = await self.play(user, made, None, revision=other.sent["revisionId"])
        self.problem(response, 404, "revision_not_found")
        nothing = Content(guid(), user, {})
        self.problem(await self.play(user, nothing, None), 404, "content_not_found")
        await self.moderate(made, "suspended")
        self.problem(await self.play(user, made, None), 404, "content_not_found")
        for bad in ({"seconds": -1}, {"seconds": 86_401}, {"completed": None}, {"id": "x"}):
            self.problem(await self.play(user, made, None, **bad), 400, "invalid_body")

    async def test_service(self):
        """content#plays: a service with the scope `plays` reports for every user, and 404
        `user_not_found` where there is none."""
        made, user = await self.content(await self.user()), await self.user()
        _, token = await self.service("plays")
        body = {"id": guid(), "content": made.id}
        await self.post(f"user/{user.id}/plays", body, by=token, expect=204)
        response = await self.post(f"user/{guid()}/plays", body, by=token)
        self.problem(response, 404, "user_not_found")
        _, other = await self.service("progress")
        response = await self.post(f"user/{user.id}/plays", body, by=other)
        self.problem(response, 403, "insufficient_scope")
        await self.counts(made, plays=1, players=1)

    async def test_account_deleted(self):
        """content#plays: who deletes the account leaves plays and stays a player, but no
        favourite."""
        made, user = await self.content(await self.user()), await self.user()
        await self.play(user, made)
        path = f"user/{user.id}/collections/{user.id}/items/{made.id}"
        await self.put(path, {}, by=user, expect=204)
        await self.counts(made, plays=1, players=1, favourites=1)
        body = {"password": user.password}
        await self.request("DELETE", f"user/{user.id}", body, by=user, expect=204)
        await self.counts(made, plays=1, players=1)


class FavouriteTests(PlayCase):
    """How many have a content among their favourites."""

    async def test_counted(self):
        """content#plays: favourites are counted, other collections are not; what goes is not any
        more."""
        made, users = await self.content(await self.user()), [await self.user() for _ in range(2)]
        for user in users:
            await self.put(
                f"user/{user.id}/collections/{user.id}/items/{made.id}", {}, by=user, expect=204
            )
        path = f"user/{users[0].id}/collections/{guid()}"
        await self.put(path, {"name": "x", "public": True}, by=users[0], expect=204)
        await self.put(f"{path}/items/{made.id}", {}, by=users[0], expect=204)
        await self.counts(made, favourites=2)
        path = f"user/{users[0].id}/collections/{users[0].id}/items/{made.id}"
        await self.delete(path, by=users[0], expect=204)
        await self.counts(made, favourites=1)


class SubscriberTests(PlayCase):
    """How many are subscribed to a content."""

    async def test_counted(self):
        """content#plays: each subscriber is counted once; who unsubscribes, or deletes the account,
        is not any more. The days sum up to the counts, and `sort=subscribed` goes by them."""
        author, users, tag = await self.user(), [await self.user() for _ in range(3)], guid()
        made = [await self.content(author, tags=[tag]) for _ in range(2)]
        for user in (*users, users[0]):
            path = f"user/{user.id}/subscription/{made[0].id}"
            await self.put(path, {}, by=user, expect=204)
        await self.counts(made[0], subscribers=3)
        found = await self.read(f"content?sort=subscribed&tags={tag}", [CONTENT_INFO])
        self.assertEqual([made[0].id, made[1].id], [item["id"] for item in found])
        path = f"user/{users[0].id}/subscription/{made[0].id}"
        await self.delete(path, by=users[0], expect=204)
        body = {"password": users[1].password}
        await self.request("DELETE", f"user/{users[1].id}", body, by=users[1], expect=204)
        await self.counts(made[0], subscribers=1)
        self.assertEqual(1, sum(day["subscribers"] for day in await self.days(made[0])))


class DownloadTests(PlayCase):
    """GET …/files counts a download."""

    async def test_once_a_day(self):
        """content#plays: a download is a user, a content and a day, of whichever revision;
        nobody's, the author's, a HEAD and a 304 are none."""
        made, users = await self.content(await self.user()), [await self.user() for _ in range(2)]
        await self.post(f"{made.path}/revisions", draft(), by=made.author, expect=201)
        path = f"{made.path}/files"
        revision = f"{made.path}/revisions/{made.sent['revisionId']}/files"
        first = await self.get(path, expect=200)
        await self.get(path, by=made.author, expect=200)
        await self.request("HEAD", path, by=users[1], expect=200)
        tag = {"If-None-Match": first.header("ETag") or ""}
        await self.get(path, by=users[1], headers=tag, expect=304)
        for _ in range(2):
            await self.get(path, by=users[0], expect=200)
            await self.get(revision, by=users[0], expect=200)
        await self.counts(made, downloads=1)
        await self.get(revision, by=users[1], expect=200)
        await self.counts(made, downloads=2)
        self.assertEqual(2, sum(day["downloads"] for day in await self.days(made)))


class StatisticsTests(PlayCase):
    """GET /api/v1/content/{content}/statistics."""

    async def test_days(self):
        """content#plays: every day is there, the oldest first, days of nothing too, at most 366."""
        made = await self.content(await self.user())
        path = f"{made.path}/statistics"
        found = await self.read(f"{path}?from=2026-02-27&to=2026-03-01", [DAY], by=made.author)
        days = [day.pop("day") for day in found]
        self.assertEqual(["2026-02-27", "2026-02-28", "2026-03-01"], days)
        self.assertEqual({0}, {number for day in found for number in day.values()})
        year = f"{path}?from=2024-01-01&to="
        self.assertEqual(366, len(await self.read(f"{year}2024-12-31", [DAY], by=made.author)))
        for bad in (f"{year}2025-01-01", f"{path}?to=2026-01-01", f"{path}?from=2026-01-01"):
            self.problem(await self.get(bad, by=made.author), 400, "invalid_query")

    async def test_who(self):
        """content#plays: they are for the author and admins."""
        made = await self.content(await self.user())
        path = f"{made.path}/statistics?from=2026-01-01&to=2026-01-01"
        await self.get(path, by=await self.admin(), expect=200)
        self.problem(await self.get(path, by=await self.user()), 403, "forbidden")
        self.problem(await self.get(path), 401, "unauthorized")
        missing = f"content/{guid()}/statistics?from=2026-01-01&to=2026-01-01"
        self.problem(await self.get(missing, by=made.author), 404, "content_not_found")


class SortTests(PlayCase):
    """`sort=played` of GET /api/v1/content."""

    async def test_played(self):
        """content#plays: content with more players comes first, then the newer."""
        author, users, tag = await self.user(), [await self.user() for _ in range(2)], guid()
        made = [await self.content(author, tags=[tag]) for _ in range(3)]
        await self.play(users[0], made[0])
        await self.play(users[0], made[1])
        await self.play(users[1], made[0])
        await self.play(users[0], made[1])
        await self.counts(made[0], plays=2, players=2)
        await self.counts(made[1], plays=2, players=1)
        expected = [made[0].id, made[1].id, made[2].id]
        for part in ("", "&limit=1"):
            pages = await self.pages(f"content?tags={tag}&sort=played{part}", [CONTENT_INFO])
            self.assertEqual(expected, [item["id"] for page in pages for item in page])
        found = await self.read(f"content?sort=subscribed&tags={tag}", [CONTENT_INFO])
        self.assertEqual(expected[::-1], [item["id"] for item in found])
