"""The socket as a client sees it (docs/interface/socket.md), over real connections."""

from socket import SHUT_WR

from msgspec import json
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import CertificateOptions
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.trial.unittest import TestCase

from contentsvc.push.stream import Close, encode
from contentsvc.wire.socket import PongMessage
from tests.push.loopback import Client, Server


class SocketTestCase(TestCase):
    origins: tuple[str, ...] = ("*",)

    def setUp(self) -> None:
        self.server = Server(*self.origins)
        self.addCleanup(self.server.stop)

    async def refused(self, client: Client, error: str, code: int) -> None:
        """Expect an error and the close."""
        message = await client.message()
        self.assertEqual((message["type"], message["code"]), ("error", error))
        self.assertEqual(await client.close_code(), code)

    async def bidden(self, client: Client, reason: str, code: int) -> None:
        """Expect a goodbye and the close."""
        message = await client.message()
        self.assertEqual((message["type"], message["reason"]), ("goodbye", reason))
        self.assertIsInstance(message["retryAfter"], int)
        self.assertEqual(await client.close_code(), code)

    async def still_open(self, client: Client) -> None:
        client.say(type="ping")
        self.assertEqual(await client.message(), {"type": "pong"})


class SignInTests(SocketTestCase):
    async def test_handshake(self) -> None:
        """A token in the handshake is answered with hello."""
        row = self.server.log.commit()
        client = await self.server.connect(self.server.token())
        hello = {"type": "hello", "seq": 1, "id": row.id, "unread": 1, "heartbeat": 15}
        self.assertEqual(await client.message(), hello)

    async def test_auth(self) -> None:
        """A token in the first message is answered with hello."""
        client = await self.server.connect()
        client.say(type="auth", token=self.server.token())
        self.assertEqual((await client.message())["type"], "hello")

    async def test_live(self) -> None:
        """A notification arrives on the open socket in the moment it is delivered."""
        client = await self.server.hello()
        self.server.hub.deliver(self.server.log.commit(text="hi"))
        message = await client.message()
        self.assertEqual((message["type"], message["seq"]), ("notification", 1))
        self.assertEqual(message["notification"]["text"], "hi")

    async def test_one_write(self) -> None:
        """The notifications of a turn of the reactor are written together, in their order, when the
        turn ends."""
        client = await self.server.hello()
        protocol, written = self.server.protocol, []
        write = protocol.transport.writeSomeData
        self.patch(
            protocol.transport, "writeSomeData", lambda data: written.append(data) or write(data)
        )
        for _ in range(3):
            self.server.hub.deliver(self.server.log.commit())
        self.assertEqual(written, [])
        self.assertEqual([message["seq"] for message in await client.take(3)], [1, 2, 3])
        self.assertEqual(len(written), 1)

    async def test_with_tls(self) -> None:
        """Over TLS a frame does not go to the transport below, in the clear."""
        client = await self.server.hello()
        protocol = self.server.protocol
        below = protocol.transport
        factory = TLSMemoryBIOFactory(
            CertificateOptions(), False, Factory.forProtocol(Protocol), self.server.clock
        )
        encrypting = factory.buildProtocol(None)
        encrypting.makeConnection(below)
        protocol.transport = encrypting
        protocol.send(b"\x81\x02{}")
        protocol.transport = below
        await self.still_open(client)

    async def test_lost(self) -> None:
        """If the connection is found to be lost as a frame is written, it ends as usual."""
        client = await self.server.hello()
        protocol = self.server.protocol
        protocol.transport.getHandle().shutdown(SHUT_WR)
        protocol.send(encode(PongMessage()))
        self.assertEqual(protocol.state, protocol.STATE_OPEN)
        await self.server.gone.get()
        await client.closed

    async def test_large_notification(self) -> None:
        """The limit on messages from clients is none on notifications."""
        client = await self.server.hello()
        text = "\N{SNOWMAN}" * 40_000
        self.server.hub.deliver(self.server.log.commit(text=text))
        self.assertEqual((await client.message())["notification"]["text"], text)

    async def test_resume(self) -> None:
        """?resume on the URL gives what came after it."""
        for _ in range(3):
            self.server.log.commit()
        client = await self.server.connect(self.server.token(), "?resume=1")
        messages = await client.take(3)
        self.assertEqual([message["seq"] for message in messages], [1, 2, 3])

    async def test_resume_in_auth(self) -> None:
        """The resume of auth goes before that of the URL."""
        for _ in range(3):
            self.server.log.commit()
        client = await self.server.connect(None, "?resume=1")
        client.say(type="auth", token=self.server.token(), resume=2)
        messages = await client.take(2)
        self.assertEqual([message["seq"] for message in messages], [2, 3])

    async def test_resume_of_url_with_auth(self) -> None:
        """?resume on the URL serves a client that signs in with auth."""
        for _ in range(3):
            self.server.log.commit()
        client = await self.server.connect(None, "?resume=2")
        client.say(type="auth", token=self.server.token())
        messages = await client.take(2)
        self.assertEqual([message["seq"] for message in messages], [2, 3])

    async def test_bad_resume(self) -> None:
        """A resume that is no non-negative integer is an error; the socket starts at newest."""
        self.server.log.commit()
        for resume in "", "x", "-1", "1.0", "%2B1", "%D9%A1", "1_0", "9" * 2000:
            client = await self.server.connect(self.server.token(), f"?resume={resume}")
            hello, error = await client.take(2)
            self.assertEqual((hello["seq"], error["code"]), (1, "invalid_resume"), resume)
            await self.still_open(client)

    async def test_bad_resume_in_auth(self) -> None:
        """The resume of auth is held to the same rule."""
        for resume in "1", -1, 1.5, True, [1]:
            client = await self.server.connect()
            client.say(type="auth", token=self.server.token(), resume=resume)
            hello, error = await client.take(2)
            self.assertEqual((hello["type"], error["code"]), ("hello", "invalid_resume"), resume)

    async def test_huge_resume(self) -> None:
        """A number beyond 64 bits is above the newest, like any other."""
        client = await self.server.connect(self.server.token(), f"?resume={10**30}")
        hello, error = await client.take(2)
        self.assertEqual((hello["seq"], error["code"]), (0, "seq_ahead"))

    async def test_bad_token(self) -> None:
        """A bad token is told after the handshake, which browsers could not look into."""
        api = self.server.tokens.issue("ann", "s1")
        old = self.server.token()
        self.server.clock.pump([1.0] * 61)
        for token in "", "x", "a.b.c", api, old:
            await self.refused(await self.server.connect(token), "invalid_token", 4401)

    async def test_other_scheme(self) -> None:
        """An Authorization that is not Bearer is a bad token."""
        client = await self.server.connect(Authorization="Basic YTpi")
        await self.refused(client, "invalid_token", 4401)

    async def test_bad_token_in_auth(self) -> None:
        """A bad token in auth, or none in it, closes the socket too."""
        for message in {"token": "x"}, {"token": "\u2603\x00"}, {"token": 1}, {"token": None}, {}:
            client = await self.server.connect()
            client.say(type="auth", **message)
            await self.refused(client, "invalid_token", 4401)

    async def test_auth_timeout(self) -> None:
        """A socket that is not signed in within 5 s is closed."""
        client = await self.server.connect()
        await self.still_open(client)
        self.server.clock.advance(5)
        await self.refused(client, "auth_timeout", 4401)

    async def test_signed_in_in_time(self) -> None:
        """The limit of 5 s ends with auth."""
        client = await self.server.connect()
        client.say(type="auth", token=self.server.token())
        await client.message()
        self.server.clock.advance(5)
        await self.still_open(client)

    async def test_auth_again(self) -> None:
        """A second auth is an error, and changes nothing."""
        client = await self.server.hello()
        client.say(type="auth", token=self.server.token("bob"))
        self.assertEqual((await client.message())["code"], "already_authenticated")
        self.server.hub.deliver(self.server.log.commit("ann"))
        self.assertEqual((await client.message())["type"], "notification")

    async def test_revoked_before(self) -> None:
        """A token of a session that was ended is answered with goodbye and 4403."""
        self.server.tokens.revoked.add("s1")
        client = await self.server.connect(self.server.token())
        await self.bidden(client, "revoked", 4403)

    async def test_ended_sessions_not_known(self) -> None:
        """Nobody is let in before it is known which sessions have ended."""
        self.server.tokens.revoked.complete = False
        client = await self.server.connect(self.server.token())
        await self.bidden(client, "overloaded", 1013)

    async def test_revoked_while_open(self) -> None:
        """Ending a session closes its open sockets with goodbye and 4403."""
        client = await self.server.hello()
        self.server.hub.revoke(["s1"])
        await self.bidden(client, "revoked", 4403)


class OriginTests(SocketTestCase):
    origins = ("https://portal.example",)

    async def open_from(self, origin: str | None, client: str) -> Client:
        headers = {} if origin is None else {"Origin": origin}
        return await self.server.connect(self.server.token(client=client), **headers)

    async def test_portal(self) -> None:
        """A portal's socket opens from a configured origin, or without one."""
        for origin in "https://portal.example", None:
            client = await self.open_from(origin, "portal")
            self.assertEqual((await client.message())["type"], "hello")

    async def test_other_origin(self) -> None:
        """A portal's socket from elsewhere is closed with 4409."""
        for origin in "https://evil.example", "http://portal.example", "null", "what?":
            client = await self.open_from(origin, "portal")
            await self.refused(client, "origin_not_allowed", 4409)

    async def test_other_origin_in_auth(self) -> None:
        """The origin counts where the token comes as a message, too."""
        client = await self.server.connect(Origin="https://evil.example")
        client.say(type="auth", token=self.server.token(client="portal"))
        await self.refused(client, "origin_not_allowed", 4409)

    async def test_game(self) -> None:
        """A game may send any Origin, even one that is no URL."""
        for origin in "https://evil.example", "what?", "null":
            client = await self.open_from(origin, "game")
            self.assertEqual((await client.message())["type"], "hello")


class MessageTests(SocketTestCase):
    async def test_ping_before_auth(self) -> None:
        """ping is answered with pong, before auth too."""
        await self.still_open(await self.server.connect())

    async def test_unknown_type(self) -> None:
        """A message of an unknown type is ignored."""
        client = await self.server.hello()
        client.say(type="dance", to="music")
        await self.still_open(client)

    async def test_malformed(self) -> None:
        """A message that is no object with a type gets an error, and the socket stays open."""
        client = await self.server.hello()
        deep = b'{"type":"ping","x":' + b"[" * 2000
        for payloads, expected in (
            ((b"", b"{", b"hello"), "valid JSON"),
            ((b"[]", b"1", b"{}", b'{"type":1}', deep), "a JSON object with a string `type`"),
        ):
            for payload in payloads:
                client.sendMessage(payload)
                error = await client.message()
                self.assertEqual(error["code"], "malformed_message", payload)
                self.assertIn(expected, error["detail"])
        await self.still_open(client)

    async def test_binary(self) -> None:
        """A binary message is malformed."""
        client = await self.server.hello()
        client.sendMessage(json.encode({"type": "ping"}), isBinary=True)
        self.assertEqual((await client.message())["code"], "malformed_message")

    async def test_bad_utf8(self) -> None:
        """Text that is not UTF-8 fails the connection, as RFC 6455 has it."""
        client = await self.server.hello()
        client.sendMessage(b'{"type":"\xff"}')
        self.assertEqual(await client.close_code(), 1007)

    async def test_largest(self) -> None:
        """A message of 4 KiB is taken, in fragments too."""
        client = await self.server.hello()
        message = json.encode({"type": "ping", "x": ""})
        message = message[:-2] + b"x" * (4096 - len(message)) + message[-2:]
        client.sendMessage(message)
        client.sendMessage(message, fragmentSize=1000)
        self.assertEqual(await client.take(2), [{"type": "pong"}] * 2)

    async def test_too_large(self) -> None:
        """A message above 4 KiB closes the socket with 1009, in fragments too."""
        for options in {}, {"fragmentSize": 1000}:
            client = await self.server.hello()
            client.sendMessage(b" " * 4097, **options)
            self.assertEqual(await client.close_code(), 1009)

    async def test_rate(self) -> None:
        """The 61st message within 10 s is answered with an error and 1008."""
        client = await self.server.hello()
        for _ in range(61):
            client.say(type="ping")
        self.assertEqual(await client.take(60), [{"type": "pong"}] * 60)
        await self.refused(client, "rate_limited", 1008)

    async def test_rate_over_time(self) -> None:
        """A client may go on for ever at less than that rate."""
        client = await self.server.hello()
        for _ in range(4):
            for _ in range(60):
                client.say(type="ping")
            await client.take(60)
            self.server.clock.pump([1.0] * 10)
        await self.still_open(client)

    async def test_rate_of_pings(self) -> None:
        """Pings of the protocol and empty fragments count like messages."""
        client = await self.server.hello()
        for _ in range(61):
            client.sendPing()
        await self.refused(client, "rate_limited", 1008)
        client = await self.server.hello()
        client.beginMessage()
        for _ in range(61):
            client.sendMessageFrame(b"")
        await self.refused(client, "rate_limited", 1008)

    async def test_protocol_ping(self) -> None:
        """A ping of the protocol is answered with its payload."""
        client = await self.server.hello()
        pong: list[bytes] = []
        client.onPong = pong.append
        client.sendPing(b"abc")
        await self.still_open(client)
        self.assertEqual(pong, [b"abc"])


class LifeTests(SocketTestCase):
    async def test_heartbeat(self) -> None:
        """The server pings, and a client whose library answers stays connected."""
        self.server.clock.pump([1.0] * 20)
        client = await self.server.hello()
        for _ in range(4):
            self.server.clock.pump([1.0] * 15)
            await client.pings.get()
            await self.still_open(client)

    async def test_silent(self) -> None:
        """A client that has said nothing for 25 s is cut off."""
        client = await self.server.hello()
        client.onPing = lambda payload: None
        self.server.clock.pump([1.0] * 25)
        self.assertEqual(await client.close_code(), 1006)

    async def test_clean_close_by_server(self) -> None:
        """A close by the server ends with both close frames, and no reset."""
        client = await self.server.hello()
        self.server.protocol.end(Close(1001, "draining", 1))
        await self.bidden(client, "draining", 1001)
        self.assertTrue(client.clean)

    async def test_clean_close_by_client(self) -> None:
        """A close by the client is answered, and the socket is forgotten."""
        client = await self.server.hello()
        client.sendClose(1000)
        self.assertEqual(await client.close_code(), 1000)
        self.assertTrue(client.clean)
        await self.server.gone.get()
        self.assertEqual(self.server.hub.users(), [])

    async def test_close_without_answer(self) -> None:
        """A client that does not answer the close within 5 s is cut off."""
        client = await self.server.hello()
        client.sendCloseFrame = lambda *args, **kwargs: None
        protocol = self.server.protocol
        protocol.end(Close(1001, "draining", 1))
        await client.message()
        self.server.clock.advance(5)
        await self.server.gone.get()
        self.assertFalse(protocol.wasClean)

    async def test_vanishes(self) -> None:
        """A client whose connection breaks leaves nothing behind."""
        client = await self.server.hello()
        client.transport.abortConnection()
        await self.server.gone.get()
        self.assertEqual((self.server.hub.users(), self.server.hub.sockets), ([], set()))

    async def test_vanishes_before_auth(self) -> None:
        """A client that leaves before it signs in leaves no timer behind."""
        client = await self.server.connect()
        client.transport.abortConnection()
        await self.server.gone.get()
        self.assertEqual(len(self.server.clock.getDelayedCalls()), 1)  # the heartbeat


class LimitTests(TestCase):
    async def test_replaced(self) -> None:
        """The oldest of too many sockets of a user closes with goodbye and 4410."""
        server = Server(sockets_per_user=1)
        self.addCleanup(server.stop)
        first, second = await server.hello(), await server.hello()
        self.assertEqual((await first.message())["reason"], "replaced")
        self.assertEqual(await first.close_code(), 4410)
        second.say(type="ping")
        self.assertEqual((await second.message())["type"], "pong")

    async def test_overloaded(self) -> None:
        """A socket above the process's limit closes with goodbye and 1013."""
        server = Server(sockets=1)
        self.addCleanup(server.stop)
        await server.hello()
        second = await server.connect(server.token("bob"))
        self.assertEqual((await second.message())["reason"], "overloaded")
        self.assertEqual(await second.close_code(), 1013)
