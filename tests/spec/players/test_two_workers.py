"""Players among themselves, with two workers of one daemon: extensions §4, §5 and §7."""

from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Http, Socket
from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.support.workers import WorkersCase

Act = Callable[[], Awaitable[Any]]


class TwoWorkersTests(WorkersCase, PlayersCase):
    """Sockets on each worker, and requests to both."""

    async def anew(self, act: Act) -> Any:
        """Do this on a connection of its own, which either worker may take."""
        await self._http.close()
        self._http = Http()
        self.addCleanup(self._http.close)
        return await act()

    async def hear(self, sockets: dict[int, Socket], kind: str) -> dict[str, Any]:
        """The next message of both sockets, which must be the same, of this kind."""
        first, second = [await self.pushed(socket) for socket in sockets.values()]
        self.assertEqual(first, second)
        self.assertEqual(kind, first["notification"]["kind"])
        return dict(first["notification"])

    async def test_loop(self):
        """extensions: from a friend request to a report and its outcome, each is told on both
        workers, in the order of its number."""
        user, other = await self.users(2)
        made = await self.content(user)
        mine, theirs = await self.on_each(user), await self.on_each(other)

        async def judged() -> None:
            await self.judge("content", made.id)

        acts: list[tuple[Act, dict[int, Socket], str]] = [
            (lambda: self.ask(other, user), mine, "FriendRequest"),
            (lambda: self.ask(user, other), theirs, "FriendConfirm"),
            (lambda: self.wrote(other, user), mine, "FriendMessage"),
            (lambda: self.wrote(user, other), theirs, "FriendMessage"),
            (lambda: self.follow(other, user), mine, "NewFollower"),
            (lambda: self.comment(made, other), mine, "CommentOnContent"),
            (lambda: self.report(made.path, other), {}, ""),
            (judged, theirs, "ReportResolved"),
        ]
        for act, sockets, kind in acts:
            await self.anew(act)
            if sockets:
                await self.hear(sockets, kind)
        for of, at in ((user, mine), (other, theirs)):
            for socket in at.values():
                await socket.quiet()
            newest, _, unread = await self.state(of)
            self.assertEqual(sum(at is sockets for _, sockets, _ in acts), newest)
            self.assertEqual(newest, unread)

    async def test_state(self):
        """extensions §5: changes of flags and deletions reach the sockets on both workers."""
        user = await self.user()
        for n in range(6):
            await self.notify(user, f"{n}")
        ids = [one["id"] for one in await self.notifications(user)]
        sockets = await self.on_each(user)
        at = f"user/{user.id}/notifications"
        more: dict[str, Any] = {"by": user, "expect": 204}
        acts: list[tuple[Act, int]] = [
            (lambda: self.amend(f"{at}/{ids[5]}", {"read": True}, **more), 5),
            (lambda: self.delete(f"{at}/{ids[4]}", **more), 4),
            (lambda: self.post(f"{at}/read", {"upTo": 2}, **more), 2),
            (lambda: self.delete(f"{at}?upTo={ids[2]}", **more), 1),
            (lambda: self.amend(f"{at}/{ids[5]}", {"read": False}, **more), 2),
            (lambda: self.delete(f"{at}?upTo=6", **more), 0),
        ]
        for act, unread in acts:
            await self.anew(act)
            for socket in sockets.values():
                self.assertEqual((6, unread), await self.stated(socket))
        await self.notify(user, "next")
        self.assertEqual("next", (await self.hear(sockets, "Debug"))["text"])

    async def test_muting(self):
        """extensions §5: what one worker has answered holds on the other at once."""
        user, other = await self.users(2)
        await self.befriend(other, user)
        for n in range(6):
            await self.anew(lambda: self.mute(user, "FriendMessage"))
            await self.anew(lambda: self.wrote(other, user, "muted"))
            await self.anew(lambda: self.mute(user))
            await self.anew(lambda n=n: self.wrote(other, user, f"{n}"))  # type: ignore[misc]
        told = [one["text"] for one in (await self.told(user))[1:]]
        self.assertEqual([f"{n}" for n in range(6)], told)
        self.assertEqual(12, len(await self.heard(user, other)))

    async def test_crossing(self):
        """extensions §4: what two users do at once, each on connections of their own, ends well:
        either friends, or, after the 204 of a block, nothing."""
        for n in range(10):
            user, other = await self.users(2)
            blocks = n % 2 == 1
            paths = [
                (user, f"user/{user.id}/friend/{other.id}"),
                (other, f"user/{other.id}/friend/{user.id}"),
                (user, f"user/{user.id}/following/{other.id}"),
                (other, f"user/{other.id}/following/{user.id}"),
            ]
            if blocks:
                paths.insert(2, (user, f"user/{user.id}/blocked/{other.id}"))
            got = await gatherResults(
                [Deferred.fromCoroutine(self.alone("PUT", path, by)) for by, path in paths]
            )
            self.assertLessEqual(set(got), {204, 403} if blocks else {204})
            for one, another in ((user, other), (other, user)):
                friends = [] if blocks else [another.id]
                self.assertEqual(friends, await self.friends(one))
                self.assertEqual(friends, await self.listed(one, "following"))
                self.assertEqual([], await self.requests(one))

    async def alone(self, method: str, path: str, by: User) -> int:
        """The status of a request on a connection of its own."""
        http = Http()
        headers = {"Authorization": f"Bearer {by.token}"}
        try:
            return (await http.request(method, self.address(path), headers=headers)).status
        finally:
            await http.close()

    async def test_floods(self):
        """extensions: the limits are counted over all processes."""
        user, *others = await self.users(3)
        for other in others:
            await self.befriend(user, other)

        async def send(n: int) -> int:
            http, path = Http(), self.letters(user, others[n % 2])
            headers = {"Authorization": f"Bearer {user.token}"}
            try:
                body = {"text": f"{n}", "id": guid()}
                url = self.address(path)
                return (await http.request("POST", url, body=body, headers=headers)).status
            finally:
                await http.close()

        got: list[int] = []
        for n in range(7):
            got += await self.together(*(send(m) for m in range(10 * n, 10 * n + 10)))
        self.assertEqual([201] * 60 + [429] * 10, sorted(got))
