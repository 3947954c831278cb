"""The session socket: how it refuses and how it ends."""

from tests.spec.client import Socket
from tests.spec.data import User, claims, unsigned
from tests.spec.harness import SpecCase
from tests.spec.shapes import SOCKET_ERROR


class RefusalTests(SpecCase):
    """Sockets without a good token."""

    async def refused(self, token: str) -> None:
        """Assert the error invalid_token and close code 4401, whichever way the token comes."""
        for via in ("header", "auth"):
            socket = await self.socket(token=token, via=via, greeted=False)
            message = await socket.next()
            self.shape(message, SOCKET_ERROR)
            self.assertEqual("invalid_token", message["code"])
            self.assertEqual(4401, await socket.closed())

    async def test_garbage(self):
        """socket#errors: a bad token is the error invalid_token and close code 4401."""
        deep = "W1tb" * 700  # brackets only, too deep for a decoder
        for token in ("garbage", "a.b.c", f"{deep}.a.b"):
            await self.refused(token)

    async def test_api_token(self):
        """socket#session-connect: the API's token is not the socket's."""
        await self.refused((await self.someone()).token)

    async def test_no_algorithm(self):
        """A token with `alg: none` opens no socket."""
        await self.refused(unsigned((await self.session(await self.someone()))["accessToken"]))

    async def test_expired(self):
        """socket#connecting: the socket's token is good for 60 seconds."""
        user = await self.someone()
        made = claims((await self.session(user))["accessToken"])
        made |= {"iat": made["iat"] - 600, "exp": made["exp"] - 600}
        await self.refused(self.forge(user, **made))

    async def test_other_key(self):
        """A socket token signed with another key opens no socket."""
        user = await self.someone()
        made = claims((await self.session(user))["accessToken"])
        await self.refused(self.forge(user, signed=b"x" * 32, **made))

    async def test_silence(self):
        """socket#errors: without any token the socket is closed with 4401 after 5 seconds."""
        socket = await self.socket(via="nothing", greeted=False)
        self.assertEqual(4401, await socket.closed())

    async def test_nothing_before_auth(self):
        """Before a good token nothing is sent to anybody."""
        socket = await self.socket(via="nothing", greeted=False)
        socket.say(type="auth", token="garbage")
        message = await socket.next()
        self.assertEqual(("error", "invalid_token"), (message["type"], message["code"]))

    async def test_plain_get(self):
        """socket#connecting: a GET that asks for no upgrade is 426 upgrade_required."""
        # by hand: the HTTP client keeps the Upgrade header to itself
        wire = await self.wire("GET", "/socket", Connection="close")
        response = await wire.answer()
        self.problem(response, 426, "upgrade_required")
        self.assertEqual({"websocket"}, response.listed("Upgrade"))

    async def test_post(self):
        """socket#connecting: POST to the socket is 405 with Allow."""
        response = await self.post("/socket", {})
        self.problem(response, 405, "method_not_allowed")
        self.assertIn("get", response.listed("Allow"))


class EndTests(SpecCase):
    """Open sockets that end."""

    async def log_out(self, user: User) -> None:
        """Revoke the session."""
        await self.post("/oauth/revoke", data={"token": user.refresh_token}, expect=200)

    async def test_log_out(self):
        """socket#close-codes: log-out closes the session's sockets at once with 4403."""
        user = await self.user()
        sockets = [await self.socket(user), await self.socket(user, via="portal")]
        await self.log_out(user)
        for socket in sockets:
            self.assertEqual(4403, await socket.closed())

    async def test_log_out_of_another_session(self):
        """Log-out leaves the sockets of the user's other sessions open."""
        user = await self.user()
        other = await self.logged_in(user.username, user.email, user.password)
        mine, theirs = await self.socket(user), await self.socket(other)
        await self.log_out(user)
        await mine.closed()
        await theirs.quiet()

    async def test_token_of_ended_session(self):
        """accounts#sessions: after log-out the socket tokens of the session are worth nothing."""
        user = await self.user()
        token = (await self.session(user))["accessToken"]
        await self.log_out(user)
        socket = await self.socket(token=token, greeted=False)
        self.assertIn(await socket.closed(), (4401, 4403))

    async def test_too_big(self):
        """socket#close-codes: a message over 4 KiB closes the socket with 1009."""
        socket = await self.socket(await self.someone())
        socket.say(type="dance", text="x" * 4096)
        self.assertEqual(1009, await socket.closed())

    async def test_big_enough(self):
        """A message of 4 KiB is taken."""
        socket = await self.socket(await self.someone())
        frame = '{"type":"dance","text":"%s"}'
        socket.shout(frame % ("x" * (4096 - len(frame) + 2)))
        await socket.quiet()

    async def test_replaced(self):
        """socket#close-codes: newer sockets of the same session replace the oldest with 4410."""
        user = await self.user()
        first = await self.socket(user)
        newest: Socket = first
        for _ in range(64):
            if first.code is not None:
                break
            newest = await self.socket(user)
            await newest.quiet()
        self.assertEqual(4410, await first.closed())
        await self.notify(user, "still here")
        self.assertEqual("still here", (await self.pushed(newest))["notification"]["text"])

    async def test_normal_close(self):
        """RFC 6455 §7: a client's close is answered."""
        socket = await self.socket(await self.someone())
        socket.sendClose(1000)
        self.assertEqual(1000, await socket.closed())
