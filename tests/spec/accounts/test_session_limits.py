"""A user has at most so many sessions."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon

MOST = 3


class SessionLimitTests(SpecCase):
    """With a daemon of two workers."""

    async def connect(self) -> None:
        self.own_daemon()
        service = Daemon(environ={"SESSIONS_PER_USER": str(MOST), "WORKERS": "2"})
        await service.start()
        self.addCleanup(service.stop)
        self.use(service)

    async def renew(self, user: User, expect: int = 200) -> None:
        """Renew the tokens of a session."""
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        got = await self.post("/oauth/token", data=form)
        self.assertEqual(expect, got.status)

    async def test_oldest(self):
        """choices: a log-in beyond the limit ends the oldest session on every process, as a log-out
        does: its tokens are refused and its sockets close. The others go on."""
        first = await self.user()
        known = (first.username, first.email, first.password)
        sockets = [await self.socket(first) for _ in range(4)]
        others = [await self.logged_in(*known) for _ in range(MOST - 1)]
        spared = [await self.socket(other) for other in others]
        last = await self.logged_in(*known)
        for socket in sockets:
            self.assertEqual(4403, await socket.closed())
        for _ in range(6):
            answer = await self.get(f"user/{first.id}/sessions", by=first)
            self.problem(answer, 401, "invalid_token")
        await self.renew(first, 400)
        listed = await self.get(f"user/{first.id}/sessions", by=last, expect=200)
        self.assertEqual(MOST, len(listed.json()))
        for other in others:
            await self.get(f"user/{first.id}/sessions", by=other, expect=200)
        text = guid()
        await self.post("debug/notify", {"recipient": first.id, "text": text}, by=last, expect=204)
        for socket in spared:
            self.assertEqual(text, (await socket.next())["notification"]["text"])
