"""How much of each a user may do: extensions, Floods."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.players.base import PlayersCase
from tests.support.daemon import Daemon, shared

LIMITS = {"MESSAGES_PER_MINUTE": "3", "FRIEND_REQUESTS_PER_DAY": "3", "REPORTS_PER_DAY": "3"}
NONE = dict.fromkeys(LIMITS, "0")
MINUTE, DAY = 60, 86_400


class FloodCase(PlayersCase):
    """Once too often."""

    def limited(self, response: Response, most: int) -> None:
        """Assert that it was once too often, and by the wait that the span is about `most` s."""
        self.problem(response, 429, "too_many_requests")
        self.assertTrue(most - 60 < int(response.header("Retry-After") or 0) <= most)

    async def strangers(self, count: int) -> list[str]:
        """The ids of so many new users, of whom nobody logs in."""

        async def one() -> str:
            username = name()
            body = {"username": username, "email": f"{username}@example.com", "password": guid()}
            response = await self.post("user", body, expect=201)
            return (response.header("Location") or "").rpartition("/")[2]

        return await self.together(*(one() for _ in range(count)))

    async def asking(self, user: User, other: str) -> Response:
        """PUT friend, of somebody's id."""
        return await self.put(f"user/{user.id}/friend/{other}", by=user)

    async def reporting(self, user: User, other: str, **more: Any) -> Response:
        """POST a report of somebody's id."""
        return await self.post(f"user/{other}/report", {"reason": "spam", **more}, by=user)


class DefaultTests(FloodCase):
    """As it is without further ado."""

    async def test_messages(self):
        """extensions: 60 messages a minute, to all friends together; the 61st is 429."""
        user, one, two = await self.users(3)
        for other in (one, two):
            await self.befriend(user, other)
        for n in range(6):
            got = await self.together(*(self.say(user, (one, two)[n % 2]) for _ in range(10)))
            self.assertEqual([201] * 10, [response.status for response in got])
        for other in (one, two):
            self.limited(await self.say(user, other), MINUTE)
        self.assertEqual(30, len(await self.heard(one, user)))
        await self.wrote(one, user)

    async def test_friend_requests(self):
        """extensions: 100 friend requests a day; the 101st is 429, also if all were taken back."""
        user, others = await self.user(), await self.strangers(101)
        for other in others[:100]:
            self.assertEqual(204, (await self.asking(user, other)).status)
        self.limited(await self.asking(user, others[100]), DAY)
        for other in others[:5]:
            await self.delete(f"user/{user.id}/friend/{other}", by=user, expect=204)
        self.limited(await self.asking(user, others[100]), DAY)
        self.assertEqual(204, (await self.asking(user, others[50])).status)

    async def test_reports(self):
        """extensions: 50 reports a day, of whatever; the 51st is 429."""
        user, others = await self.user(), await self.strangers(50)
        made = await self.content(await self.user())
        for other in others[:49]:
            self.assertEqual(204, (await self.reporting(user, other)).status)
        await self.report(made.path, user)
        self.limited(await self.reporting(user, others[49]), DAY)
        path = f"{await self.comment(made, made.author)}/report"
        self.limited(await self.post(path, {"reason": "spam"}, by=user), DAY)


class LimitTests(FloodCase):
    """With lower limits."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("social-limits", lambda: Daemon(environ=LIMITS)))

    async def test_messages(self):
        """extensions: only what had an effect counts: no repeats, nothing refused; a repeat goes
        through beyond the limit, and every other refusal comes first."""
        user, friend, stranger = await self.users(3)
        await self.befriend(user, friend)
        id = guid()
        for _ in range(3):
            await self.wrote(user, friend, id=id)
        self.invalid(await self.say(user, friend, ""), "/text")
        self.problem(await self.say(user, stranger), 403, "not_friends")
        for _ in range(2):
            await self.wrote(user, friend)
        self.limited(await self.say(user, friend), MINUTE)
        self.assertEqual(id, await self.wrote(user, friend, id=id))
        self.invalid(await self.say(user, friend, ""), "/text")
        self.problem(await self.say(user, stranger), 403, "not_friends")
        path = f"user/{user.id}/friend/{guid()}/messages"
        self.problem(await self.post(path, {"text": "x"}, by=user), 404, "user_not_found")
        await self.block(stranger, user)
        self.problem(await self.say(user, stranger), 403, "blocked")
        self.assertEqual(3, len(await self.heard(friend, user)))

    async def test_friend_requests(self):
        """extensions: repeats and refusals do not count, and a repeat is 204 beyond the limit."""
        user, *others = await self.users(5)
        await self.block(others[3], user)
        for other in (others[0], others[0], others[1]):
            await self.ask(user, other)
        self.problem(await self.ask(user, others[3], expect=None), 403, "blocked")
        self.problem(await self.ask(user, user, expect=None), 422, "cannot_friend_self")
        self.problem(await self.asking(user, guid()), 404, "user_not_found")
        third, fourth = await self.users(2)
        await self.ask(user, third)
        self.limited(await self.ask(user, fourth, expect=None), DAY)
        await self.ask(user, others[1])
        self.problem(await self.ask(user, others[3], expect=None), 403, "blocked")
        self.problem(await self.ask(user, user, expect=None), 422, "cannot_friend_self")
        self.problem(await self.asking(user, guid()), 404, "user_not_found")
        self.assertEqual([], await self.requests(fourth))

    async def test_reports(self):
        """extensions: refusals do not count, and come first beyond the limit; what is refused
        reports nothing."""
        user, others = await self.user(), await self.strangers(4)
        self.problem(await self.reporting(user, user.id), 422, "cannot_report_self")
        self.problem(await self.reporting(user, guid()), 404, "user_not_found")
        self.invalid(await self.reporting(user, others[0], text=7), "/text")
        response = await self.reporting(user, others[0], messages=[guid()])
        self.problem(response, 422, "unknown_message")
        for other in others[:3]:
            self.assertEqual(204, (await self.reporting(user, other)).status)
        self.limited(await self.reporting(user, others[3]), DAY)
        self.problem(await self.reporting(user, user.id), 422, "cannot_report_self")
        self.problem(await self.reporting(user, guid()), 404, "user_not_found")
        self.assertIsNone(await self.queued("user", others[3]))

    async def test_at_once(self):
        """extensions: however many come at once, the limit holds."""
        user, friend = await self.users(2)
        await self.befriend(user, friend)
        others = await self.strangers(6)
        for acts, status in (
            ([self.say(user, friend) for _ in range(8)], 201),
            ([self.reporting(user, other) for other in others], 204),
        ):
            got = sorted(response.status for response in await self.together(*acts))
            self.assertEqual([status] * 3 + [429] * (len(acts) - 3), got)
        asker = await self.user()
        acts = [self.asking(asker, other) for other in others]
        got = sorted(response.status for response in await self.together(*acts))
        self.assertEqual([204] * 3 + [429] * 3, got)
        self.assertEqual(3, len(await self.requests(asker)))
        self.assertEqual(3, len(await self.heard(friend, user)))


class NoLimitTests(FloodCase):
    """With limits of 0."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("social-no-limits", lambda: Daemon(environ=NONE)))

    async def test_messages(self):
        """extensions: 0 is for none."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        for _ in range(7):
            got = await self.together(*(self.say(user, other) for _ in range(10)))
            self.assertEqual([201] * 10, [response.status for response in got])

    async def test_reports(self):
        """extensions: 0 is for none, of reports too."""
        user, others = await self.user(), await self.strangers(52)
        for other in others:
            self.assertEqual(204, (await self.reporting(user, other)).status)
