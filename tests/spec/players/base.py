"""Cases about players among themselves: extensions §4, §5 and §7."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Response, Socket
from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import (
    FRIEND,
    FRIEND_REQUEST,
    MESSAGE,
    NOTIFICATION_STATE,
    QUEUED,
    REPORT,
    STATE,
)


class PlayersCase(SpecCase):
    """What players do to each other, and what they are told."""

    async def together(self, *acts: Coroutine[Any, Any, Any]) -> list[Any]:
        """Their results; all are begun at once."""
        return list(await gatherResults([Deferred.fromCoroutine(act) for act in acts]))

    async def users(self, count: int) -> list[User]:
        """So many fresh users."""
        return await self.together(*(self.user() for _ in range(count)))

    # -- friends

    async def ask(self, user: User, other: User, expect: int | None = 204) -> Response:
        """PUT friend."""
        return await self.put(f"user/{user.id}/friend/{other.id}", by=user, expect=expect)

    async def part(self, user: User, other: User) -> None:
        """DELETE friend."""
        await self.delete(f"user/{user.id}/friend/{other.id}", by=user, expect=204)

    async def befriend(self, user: User, other: User) -> None:
        """Make two users friends; `user` asks."""
        await self.ask(user, other)
        await self.ask(other, user)

    async def friends(self, user: User) -> list[str]:
        """The ids of the user's friends."""
        found = await self.read(f"user/{user.id}/friends", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]

    async def requests(self, user: User, **query: str) -> list[tuple[str, str]]:
        """The direction and the other user of each request."""
        path = f"user/{user.id}/friend-requests"
        found = await self.read(path, [FRIEND_REQUEST], by=user, query=query)
        return [(one["direction"], one["user"]["id"]) for one in found]

    async def follow(self, user: User, other: User, expect: int | None = 204) -> Response:
        """PUT following."""
        return await self.put(f"user/{user.id}/following/{other.id}", by=user, expect=expect)

    async def listed(self, user: User, what: str) -> list[str]:
        """The ids of the users in the list of followers or of those followed."""
        response = await self.get(f"user/{user.id}/{what}", by=user, expect=200)
        return [one["id"] for one in response.json()]

    async def block(self, user: User, other: User) -> None:
        """PUT blocked."""
        await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def unblock(self, user: User, other: User) -> None:
        """DELETE blocked."""
        await self.delete(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    # -- messages

    def letters(self, user: User, other: User) -> str:
        """The path of their messages, as `user` has it."""
        return f"user/{user.id}/friend/{other.id}/messages"

    async def say(self, user: User, other: User, text: str = "hello", **more: Any) -> Response:
        """POST a message, whatever comes of it."""
        return await self.post(self.letters(user, other), {"text": text, **more}, by=user)

    async def wrote(self, user: User, other: User, text: str = "hello", **more: Any) -> str:
        """The id of a new message."""
        response = await self.say(user, other, text, **more)
        self.assertEqual(201, response.status, repr(response))
        return (response.header("Location") or "").rpartition("/")[2]

    async def heard(self, user: User, other: User) -> list[str]:
        """The texts of their messages, newest first, as `user` sees them."""
        found = await self.read(self.letters(user, other), [MESSAGE], by=user)
        return [one["text"] for one in found]

    # -- what is told

    async def told(self, user: User) -> list[dict[str, Any]]:
        """The user's notifications, without id, created and read."""
        common = {"id", "created", "read"}
        found = await self.notifications(user)
        return [{key: one[key] for key in one if key not in common} for one in found]

    async def state(self, user: User) -> tuple[int, int, int]:
        """newest, oldest and unread."""
        path = f"user/{user.id}/notifications/state"
        got = await self.read(path, NOTIFICATION_STATE, by=user)
        return got["newest"], got["oldest"], got["unread"]

    async def stated(self, socket: Socket) -> tuple[int, int]:
        """The next message, which must be a state: seq and unread."""
        message = await socket.next()
        self.shape(message, STATE)
        self.assertIsNone((await self.contract()).wrong_message(message))
        return message["seq"], message["unread"]

    async def mute(self, user: User, *kinds: str) -> None:
        """Mute these kinds, and no others."""
        path = f"user/{user.id}/notifications/settings"
        await self.put(path, {"muted": list(kinds)}, by=user, expect=204)

    # -- comments and reports

    async def remark(self, on: Content, by: User, parent: int | None = None) -> int:
        """The number of a new comment."""
        path = await self.comment(on, by, parentId=parent)
        return int(path.rpartition("/")[2])

    async def report(self, path: str, by: User, reason: str = "spam", **more: Any) -> None:
        """Report what is at this path."""
        await self.post(f"{path}/report", {"reason": reason, **more}, by=by, expect=204)

    async def queued(self, kind: str, id: object, /, **query: str) -> dict[str, Any] | None:
        """The place of a subject in the queue of reports; None if it is not there."""
        path = "moderation/reports?limit=200" + "".join(f"&{k}={v}" for k, v in query.items())
        for page in await self.pages(path, [QUEUED], by=await self.admin()):
            for one in page:
                if (one["subject"]["kind"], str(one["subject"]["id"])) == (kind, str(id)):
                    return dict(one)
        return None

    async def reports(self, kind: str, id: object) -> list[dict[str, Any]]:
        """All reports of a subject."""
        path = f"moderation/reports/{kind}/{id}"
        return list(await self.read(path, [REPORT], by=await self.admin()))

    async def judge(self, kind: str, id: object, outcome: str = "upheld", **more: Any) -> None:
        """Close all reports of a subject that are open."""
        up_to = (await self.reports(kind, id))[0]["id"]
        body = {"outcome": outcome, "upTo": up_to, **more}
        path = f"moderation/reports/{kind}/{id}"
        await self.put(path, body, by=await self.admin(), expect=204)

    async def unknown(self, user: User, *requests: tuple[str, str, Any]) -> None:
        """Assert that each request, of method, path and body, is 404 for another who does not
        exist, whose id replaces `{other}`.
        """
        for method, path, body in requests:
            at = path.format(user=user.id, other=guid())
            response = await self.request(method, at, *([] if body is None else [body]), by=user)
            self.problem(response, 404, "user_not_found")
