"""The session socket: what it says and takes (socket#session-connect and notifications#kinds)."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Socket
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import LOG_CHANGED, MODERATION, PARTY, SOCKET_ERROR


class SocketCase(SpecCase):
    """Helpers for what arrives on a socket."""

    async def notified(self, *texts: str) -> User:
        """A new user with these notifications."""
        user = await self.user()
        for text in texts:
            await self.notify(user, text)
        return user

    async def texts(self, socket: Socket, count: int) -> list[str]:
        """The texts of the next notifications on the socket."""
        return [(await self.pushed(socket))["notification"]["text"] for _ in range(count)]

    async def error(self, socket: Socket, code: str) -> None:
        """Assert that the next message is this error."""
        message = await socket.next()
        self.shape(message, SOCKET_ERROR)
        self.assertEqual(code, message["code"])


class HelloTests(SocketCase):
    """Signing in, and from where the socket starts."""

    async def test_hello(self):
        """socket#messages: the first message is hello with seq, unread and heartbeat."""
        socket = await self.socket(await self.user())
        self.assertEqual((0, 0), (socket.hello["seq"], socket.hello["unread"]))
        self.assertIsNone(socket.hello["id"])
        self.assertGreater(socket.hello["heartbeat"], 0)

    async def test_request_id(self):
        """conventions#errors: each response has its own X-Request-Id, that which opens a socket
        too."""
        user = await self.user()
        ids = [(await self.socket(user)).headers["x-request-id"] for _ in range(2)]
        self.assertNotIn("", ids)
        self.assertNotEqual(*ids)

    async def test_auth_message(self):
        """socket#connecting: a client that cannot set headers sends the token as its first
        message."""
        user = await self.notified("a")
        socket = await self.socket(user, via="auth")
        self.assertEqual((1, 1), (socket.hello["seq"], socket.hello["unread"]))

    async def test_portal(self):
        """socket#session-connect: a portal's socket, from a browser, is as good as a game's."""
        user = await self.user()
        socket = await self.socket(user, via="portal")
        await self.notify(user, "to the portal")
        self.assertEqual(["to the portal"], await self.texts(socket, 1))

    async def test_counts(self):
        """socket#messages: hello's seq and id are the newest's, unread counts what is not read."""
        user = await self.notified("a", "b", "c")
        first, _, last = [each["id"] for each in await self.notifications(user)]
        await self.post(f"user/{user.id}/notifications/read", {"upTo": first}, by=user, expect=204)
        socket = await self.socket(user)
        self.assertEqual(last, socket.hello["id"])
        self.assertEqual((3, 2), (socket.hello["seq"], socket.hello["unread"]))

    async def test_starts_at_the_newest(self):
        """socket#resuming: a client that says no more gets what comes after hello, nothing
        before."""
        user = await self.notified("old")
        socket = await self.socket(user)
        await socket.quiet()
        await self.notify(user, "new")
        self.assertEqual(["new"], await self.texts(socket, 1))

    async def test_resume(self):
        """socket#resuming: ?resume=SEQ gives what came after SEQ, in order, and goes on live."""
        user = await self.notified("a", "b", "c")
        socket = await self.socket(user, resume=1)
        self.assertEqual(1, socket.hello["seq"])
        self.assertEqual(["b", "c"], await self.texts(socket, 2))
        await self.notify(user, "d")
        self.assertEqual(["d"], await self.texts(socket, 1))
        await socket.quiet()

    async def test_resume_with_id(self):
        """socket#resuming: resumeId says which notification has the number, on the URL and in
        auth; hello has both again."""
        user = await self.notified("a", "b", "c")
        first = (await self.notifications(user))[0]["id"]
        for via in ("header", "auth"):
            socket = await self.socket(user, via=via, resume=1, resume_id=first)
            self.assertEqual((1, first), (socket.hello["seq"], socket.hello["id"]))
            self.assertEqual(["b", "c"], await self.texts(socket, 2))
            await socket.quiet()

    async def test_resume_with_another_id(self):
        """socket#database-back-in-time: where another notification has the number
        the error is log_changed; the socket starts at the newest."""
        user = await self.notified("a", "b", "c")
        newest = (await self.notifications(user))[-1]["id"]
        for via in ("header", "auth"):
            socket = await self.socket(user, via=via, resume=1, resume_id=guid())
            seq = socket.hello["seq"]
            message = await socket.next()
            self.shape(message, LOG_CHANGED)
            told = [(each["seq"], each["id"]) for each in (socket.hello, message)]
            self.assertEqual([(seq, newest)] * 2, told)
            await self.notify(user, "live")
            newest = (await self.pushed(socket))["notification"]["id"]

    async def test_bad_resume_id(self):
        """socket#errors: a resumeId that is no GUID, or stands alone, is the error
        invalid_resume."""
        user = await self.notified("a")
        for resume, bad in ((1, "x"), (1, ""), (None, guid())):
            for via in ("header", "auth"):
                socket = await self.socket(user, via=via, resume=resume, resume_id=bad)
                self.assertEqual(1, socket.hello["seq"])
                await self.error(socket, "invalid_resume")
                await socket.quiet()

    async def test_resume_at_the_newest(self):
        """socket#resuming: SEQ equal to the newest gives nothing old, and no error."""
        socket = await self.socket(await self.notified("a", "b"), resume=2)
        self.assertEqual(2, socket.hello["seq"])
        await socket.quiet()

    async def test_resume_in_auth(self):
        """socket#resuming: auth may carry resume."""
        socket = await self.socket(await self.notified("a", "b"), via="auth", resume=1)
        self.assertEqual(1, socket.hello["seq"])
        self.assertEqual(["b"], await self.texts(socket, 1))

    async def test_resume_after_a_loss(self):
        """socket#resuming: a client that was away gets exactly what it missed."""
        user = await self.notified("before")
        socket = await self.socket(user)
        await self.notify(user, "seen")
        seen = (await self.pushed(socket))["seq"]
        await socket.close()
        for text in ("missed", "this too"):
            await self.notify(user, text)
        socket = await self.socket(user, resume=seen)
        self.assertEqual(["missed", "this too"], await self.texts(socket, 2))
        await socket.quiet()

    async def test_resume_many(self):
        """socket#resuming: a long backlog comes whole and in order, from 0 on."""
        user = await self.user()
        for _ in range(12):
            batch = [Deferred.fromCoroutine(self.notify(user)) for _ in range(20)]
            await gatherResults(batch)
        socket = await self.socket(user, resume=0)
        got = [(await self.pushed(socket))["seq"] for _ in range(240)]
        self.assertEqual(list(range(1, 241)), got)

    async def test_resume_in_the_middle(self):
        """socket#resuming: what is written while a socket resumes comes once, in order."""
        user = await self.notified("a", "b", "c")
        sends = [Deferred.fromCoroutine(self.notify(user)) for _ in range(30)]
        opening = Deferred.fromCoroutine(self.socket(user, resume=0))
        await gatherResults(sends)
        socket = await opening
        got = [(await self.pushed(socket))["seq"] for _ in range(33)]
        self.assertEqual(list(range(1, 34)), got)
        await socket.quiet()

    async def test_seq_ahead(self):
        """socket#errors: a SEQ above the newest is the error seq_ahead; it starts at the
        newest."""
        user = await self.notified("a")
        for via in ("header", "auth"):
            socket = await self.socket(user, via=via, resume=1000)
            await self.error(socket, "seq_ahead")
            await self.notify(user, "live")
            self.assertEqual(["live"], await self.texts(socket, 1))

    async def test_bad_resume(self):
        """socket#errors: a resume that is no number is the error invalid_resume."""
        user = await self.notified("a")
        for bad in ("x", "-1", "1.5", ""):
            socket = await self.socket(user, resume=bad)
            self.assertEqual(1, socket.hello["seq"])
            await self.error(socket, "invalid_resume")
            await socket.quiet()


class MessageTests(SocketCase):
    """The messages over an open socket."""

    async def test_notification(self):
        """notifications#debug and notifications#kinds: a notification arrives at once, exactly as
        REST gives it."""
        user = await self.user()
        socket = await self.socket(user)
        await self.notify(user, "für dich 🏰")
        message = await self.pushed(socket)
        self.assertEqual(1, message["seq"])
        self.assertEqual(await self.notifications(user), [message["notification"]])

    async def test_party(self):
        """notifications#kinds: party answers arrive on the inviter's socket."""
        user, friend, party = await self.someone(), await self.user(), guid()
        socket = await self.socket(friend)
        for answer, kind in (("accept", "PartyInviteAccept"), ("decline", "PartyInviteDecline")):
            path = f"user/{user.id}/friend/{friend.id}/party-invite/{answer}"
            await self.post(path, {"party": party}, by=user, expect=204)
            got = (await self.pushed(socket))["notification"]
            self.shape(got, PARTY)
            self.assertEqual((kind, user.id, party), (got["kind"], got["sender"], got["party"]))

    async def test_moderation(self):
        """notifications#kinds: the author's socket tells of a suspension."""
        made = await self.content(await self.user())
        socket = await self.socket(made.author)
        await self.moderate(made, "suspended", "rude")
        got = (await self.pushed(socket))["notification"]
        self.shape(got, MODERATION)
        self.assertEqual(("ContentSuspended", made.id), (got["kind"], got["content"]))

    async def test_only_the_recipient(self):
        """notifications#debug: a notification goes to its recipient, nobody else."""
        user, other = await self.user(), await self.user()
        socket = await self.socket(other)
        await self.notify(user)
        await socket.quiet()

    async def test_refused_request_pushes_nothing(self):
        """What was refused is never pushed."""
        user = await self.user()
        socket = await self.socket(user)
        body = {"recipient": user.id, "text": 7}
        await self.post("debug/notify", body, by=user, expect=400)
        await socket.quiet()

    async def test_two_devices(self):
        """notifications#kinds: a user's sockets of two log-ins both get everything."""
        user = await self.user()
        other = await self.logged_in(user.username, user.email, user.password)
        sockets = [await self.socket(user), await self.socket(other)]
        await self.notify(user, "to all")
        for socket in sockets:
            self.assertEqual(["to all"], await self.texts(socket, 1))

    async def test_game_and_portal(self):
        """A game and a portal may be open at once."""
        user = await self.user()
        sockets = [await self.socket(user), await self.socket(user, via="portal")]
        await self.notify(user, "to both")
        for socket in sockets:
            self.assertEqual(["to both"], await self.texts(socket, 1))

    async def test_order(self):
        """notifications#list: notifications written at once arrive in order, without gap or
        repeat."""
        user = await self.user()
        socket = await self.socket(user)
        sends = [Deferred.fromCoroutine(self.notify(user, name())) for _ in range(50)]
        await gatherResults(sends)
        got = [await self.pushed(socket) for _ in range(50)]
        self.assertEqual(list(range(1, 51)), [one["seq"] for one in got])
        self.assertEqual(await self.notifications(user), [one["notification"] for one in got])
        await socket.quiet()

    async def test_ping(self):
        """socket#messages: ping is answered with pong."""
        await (await self.socket(await self.someone())).quiet()

    async def test_unknown_types(self):
        """socket#messages: messages of unknown types are ignored."""
        socket = await self.socket(await self.someone())
        socket.say(type="dance", with_="me")
        await socket.quiet()

    async def test_malformed(self):
        """socket#errors: what cannot be understood is the error malformed_message; it stays
        open."""
        socket = await self.socket(await self.someone())
        for text in ("hello", "", "[]", "7", "null", '{"type":7}', "[" * 2000, '{"type":"ping"'):
            socket.shout(text)
            await self.error(socket, "malformed_message")
        await socket.quiet()
