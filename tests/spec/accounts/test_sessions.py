"""Session connect, and the sessions of a user: socket#session-connect and accounts#sessions."""

from urllib.parse import urlsplit

from tests.spec.accounts.base import AccountsCase, LogInCase
from tests.spec.client import open_socket
from tests.spec.data import User, claims, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONNECTION, GUID, HELLO, instant
from tests.support.daemon import Daemon
from tests.support.issuers import GRANT, ID_TOKEN

MOST = 3
SESSION = {
    **{"id": GUID, "created": instant, "used": instant, "current": bool},
    "device": (str, None),
    "kind": {"client", "portal", "portal-in-game"},
}


def sid(user: User) -> str:
    """The id of the user's session."""
    return str(claims(user.token)["sid"])


class ConnectTests(SpecCase):
    """POST /api/v1/session/connect."""

    async def test_connect(self):
        """socket#session-connect: the answer has socketUrl and accessToken, for
        clients game and portal."""
        for client in ("game", "portal"):
            self.shape(await self.session(await self.someone(), client), CONNECTION)

    async def test_access_token(self):
        """socket#session-connect: accessToken is a JWT for the socket, good for 60
        seconds and one client."""
        user = await self.someone()
        found = claims((await self.session(user, "portal"))["accessToken"])
        known = {claim: found[claim] for claim in ("aud", "client", "sub", "sid")}
        expected = {"aud": "socket", "client": "portal", "sub": user.id, "sid": sid(user)}
        self.assertEqual(expected, known)
        self.assertEqual(60, found["exp"] - found["iat"])

    async def test_socket_url(self):
        """socket#session-connect: socketUrl is built on the request's Host where no
        public URL is set."""
        self.own_daemon()
        found = await self.session(await self.someone())
        self.assertEqual(f"ws://{urlsplit(self.url).netloc}/socket", found["socketUrl"])

    async def test_opens_the_socket(self):
        """socket#session-connect: the token opens the socket at the URL."""
        found = await self.session(await self.someone())
        headers = {"Authorization": f"Bearer {found['accessToken']}"}
        socket = await open_socket(found["socketUrl"], headers, None)
        self.addCleanup(socket.close)
        self.shape(await socket.next(), HELLO)


class ListTests(LogInCase):
    """GET and DELETE of /user/{userId}/sessions."""

    async def test_list(self):
        """accounts#tokens: the sessions that go on are listed, with the asking
        one marked."""
        user, other = await self.twice()
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=user)
        marks = {session["id"]: session["current"] for session in found}
        self.assertEqual({sid(user): True, sid(other): False}, marks)

    async def test_end_one(self):
        """accounts#sessions: an ended session is over, leaves the list, and its socket closes
        with 4403. To end it again is 204 again."""
        user, other = await self.twice()
        socket = await self.socket(other)
        for _ in range(2):
            await self.delete(f"user/{user.id}/sessions/{sid(other)}", by=user, expect=204)
        self.assertEqual(4403, await socket.closed())
        await self.is_over(other)
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=user)
        self.assertEqual([sid(user)], [session["id"] for session in found])

    async def test_end_unknown(self):
        """A session that is not the user's is 404, and goes on."""
        user, other = await self.user(), await self.user()
        for session in (guid(), sid(other)):
            response = await self.delete(f"user/{user.id}/sessions/{session}", by=user)
            self.problem(response, 404, "session_not_found")
        await self.goes_on(other)

    async def test_end_others(self):
        """accounts#tokens: DELETE of the list ends all sessions but the asking
        one."""
        user, other = await self.twice()
        ended, kept = await self.socket(other), await self.socket(user)
        await self.delete(f"user/{user.id}/sessions", by=user, expect=204)
        self.assertEqual(4403, await ended.closed())
        await self.is_over(other)
        await self.goes_on(user)
        await kept.quiet()


FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"


class DeviceTests(AccountsCase):
    """What a session says of the device that has logged in (accounts#sessions)."""

    async def devices(self, user: User) -> list[str | None]:
        """The devices of the user's sessions, the one used last first."""
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=user)
        return [session["device"] for session in found]

    async def test_password(self):
        """A log-in with a password has the device of its request, and keeps it when it is
        renewed with another."""
        user = await self.user()
        await self.delete(f"user/{user.id}/sessions", by=user, expect=204)
        headers = {"User-Agent": FIREFOX}
        answer = await self.try_log_in(user.username, user.password, headers=headers)
        form = {"grant_type": "refresh_token", "refresh_token": answer.json()["refresh_token"]}
        headers = {"User-Agent": "MyGame/1.2 (secret)"}
        await self.post("/oauth/token", data=form, headers=headers, expect=200)
        self.assertEqual(["Firefox, Windows", None], await self.devices(user))

    async def test_subject_token(self):
        """So has one with a token of another service, the first time and later."""
        subject = guid()
        for count in (1, 2):
            headers = {"User-Agent": "MyGame/1.2 (Windows; secret)"}
            token = self.issuer().token(subject)
            form = {"grant_type": GRANT, "subject_token": token, "subject_token_type": ID_TOKEN}
            sent = await self.post("/oauth/token", data=form, headers=headers, expect=200)
            answer = sent.json()
            user = User(answer["userId"], "", "", "", answer["access_token"], "")
            self.assertEqual(["MyGame/1.2"] * count, await self.devices(user))

    async def test_portal(self):
        """So has the portal's log-in."""
        user = await self.user()
        form = {"grant_type": "password", "username": user.username, "password": user.password}
        headers = {"User-Agent": FIREFOX, "Origin": self.url}
        await self.post("/portal/session", data=form, headers=headers, expect=200)
        self.assertEqual("Firefox, Windows", (await self.devices(user))[0])

    async def test_kept(self):
        """The User-Agent itself is in no column of the session's row."""
        user, secret = await self.user(), guid()
        headers = {"User-Agent": f"MyGame/1.2 ({secret}) {secret}/1"}
        await self.try_log_in(user.username, user.password, headers=headers)
        self.assertEqual("MyGame/1.2", (await self.devices(user))[0])
        export = await self.get(f"user/{user.id}/export", by=user, expect=200)
        devices = {session["device"] for session in export.json()["sessions"]}
        self.assertEqual({"MyGame/1.2", None}, devices)
        self.assertNotIn(secret, export.body.decode())

    async def test_others(self):
        """A moderator does not see it."""
        user = await self.user()
        headers = {"User-Agent": FIREFOX}
        await self.try_log_in(user.username, user.password, headers=headers)
        response = await self.get(f"moderation/users/{user.id}", by=await self.admin(), expect=200)
        self.assertNotIn("Firefox", response.body.decode())


class LimitTests(SpecCase):
    """How many sessions a user has, with a daemon of two workers."""

    async def connect(self) -> None:
        self.own_daemon()
        service = Daemon(environ={"SESSIONS_PER_USER": str(MOST), "WORKERS": "2"})
        await service.start()
        self.addCleanup(service.stop)
        self.use(service)

    async def test_oldest(self):
        """accounts#sessions: a log-in beyond the limit ends the oldest session on every
        process, as a log-out does: its tokens are refused and its sockets close. The others go
        on."""
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
        form = {"grant_type": "refresh_token", "refresh_token": first.refresh_token}
        await self.post("/oauth/token", data=form, expect=400)
        listed = await self.get(f"user/{first.id}/sessions", by=last, expect=200)
        self.assertEqual(MOST, len(listed.json()))
        for other in others:
            await self.get(f"user/{first.id}/sessions", by=other, expect=200)
        text = guid()
        await self.post("debug/notify", {"recipient": first.id, "text": text}, by=last, expect=204)
        for socket in spared:
            self.assertEqual(text, (await socket.next())["notification"]["text"])
