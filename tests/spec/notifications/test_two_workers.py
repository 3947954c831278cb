"""What users are told, with two workers of one daemon: social#friends, notifications#notifications
and moderation#moderation."""

from typing import Any

from tests.spec.client import Http, Socket
from tests.spec.moderation.support import ReportingCase
from tests.spec.notifications.support import Act, NotedCase
from tests.support.daemon import Daemon, shared
from tests.support.workers import WorkersCase


class TwoWorkersTests(WorkersCase, NotedCase, ReportingCase):
    """Sockets on each worker, and requests to both."""

    async def connect(self) -> None:
        self.own_daemon()
        self.service = await shared("two-workers", lambda: Daemon("--workers", "2"))
        await self.both()

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
        """From a friend request to a report and its outcome, each is told on both workers, in the
        order of its number."""
        user, other = await self.users(2)
        made = await self.content(user)
        mine, theirs = await self.on_each(user), await self.on_each(other)
        acts: list[tuple[Act, dict[int, Socket], str]] = [
            (lambda: self.ask(other, user), mine, "FriendRequest"),
            (lambda: self.ask(user, other), theirs, "FriendConfirm"),
            (lambda: self.wrote(other, user), mine, "FriendMessage"),
            (lambda: self.wrote(user, other), theirs, "FriendMessage"),
            (lambda: self.follow(other, user), mine, "NewFollower"),
            (lambda: self.comment(made, other), mine, "CommentOnContent"),
            (lambda: self.report(made.path, other), {}, ""),
            (lambda: self.judge("content", made.id), theirs, "ReportResolved"),
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
        """Changes of flags and deletions reach the sockets on both workers."""
        user, ids = await self.noted(4)
        sockets = await self.on_each(user)
        for unread, change in self.changes(user, ids):
            await self.anew(change)
            for socket in sockets.values():
                self.assertEqual((4, unread), await self.stated(socket))
        await self.notify(user, "next")
        self.assertEqual("next", (await self.hear(sockets, "Debug"))["text"])

    async def test_many_at_once(self):
        """Of many changes on both at once the last state on each is what holds."""
        user, ids = await self.noted(12)
        sockets = await self.on_each(user)
        paths = [self.path(user, f"/{id}") for id in ids[:11]]
        got = await self.together(*(self.apart("DELETE", path, user) for path in paths))
        self.assertEqual({204}, {response.status for response in got})
        for socket in sockets.values():
            while await self.stated(socket) != (12, 1):
                pass
            await socket.quiet()

    async def test_muting(self):
        """What one worker has answered holds on the other at once."""
        user, other = await self.users(2)
        await self.befriend(other, user)
        for n in range(6):
            await self.anew(lambda: self.mute(user, "FriendMessage"))
            await self.anew(lambda: self.wrote(other, user, "muted"))
            await self.anew(lambda: self.mute(user))
            await self.anew(lambda n=n: self.wrote(other, user, f"{n}"))
        told = [one["text"] for one in (await self.notifications(user))[1:]]
        self.assertEqual([f"{n}" for n in range(6)], told)
        self.assertEqual(12, len(await self.heard(user, other)))
