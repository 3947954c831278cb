"""Bad HTTP: bodies over the limit or without end, clients that vanish."""

import itertools
import json
from collections.abc import Callable

from tests.spec.client import Wire
from tests.spec.data import User, draft, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT
from tests.support import daemon

KIB = 1024
CHUNK = b"8000\r\n" + b" " * 0x8000 + b"\r\n"


class LimitTests(SpecCase):
    """Bodies over the limit."""

    async def refused(self, limit: int, *request: str, **more) -> None:
        """Assert 413 naming the limit, and that the connection then ends."""
        wire = await self.wire(*request, **more)
        found = self.problem(await wire.answer(), 413, "payload_too_large")
        self.assertEqual(limit, found["limit"])
        self.assertIn(str(limit), found["detail"])

    async def test_announced(self):
        """conventions#error-order: a Content-Length over 256 KiB is 413 at once."""
        user, over = await self.someone(), 256 * KIB + 1
        await self.refused(256 * KIB, "POST", "session/connect", by=user, Content_Length=over)

    async def test_content(self):
        """For content PUT and pre-check the limit is 1 MiB."""
        user, over = await self.someone(), KIB * KIB + 1
        for request in (("PUT", f"content/{guid()}"), ("POST", "content/upload-precheck")):
            await self.refused(KIB * KIB, *request, by=user, Content_Length=over)

    async def test_without_token(self):
        """conventions#error-order: without a token the limit is 16 KiB where none is
        needed, and where one is, it is 401 before any body."""
        await self.refused(16 * KIB, "POST", "user", Content_Length=16 * KIB + 1)
        for length in (17, 10**12, "9" * 5_000):
            wire = await self.wire("POST", "session/connect", Content_Length=length)
            self.problem(await wire.answer(), 401, "unauthorized")
            await wire.ended()

    async def test_many_digits(self):
        """A Content-Length of any number of digits is 413."""
        await self.refused(16 * KIB, "POST", "user", Content_Length="9" * 5_000)

    async def test_no_route(self):
        """conventions#error-order: a path that does not exist is 404 before any
        body."""
        wire = await self.wire("POST", "nothing", Content_Length=10**12)
        self.problem(await wire.answer(), 404, "not_found")

    async def test_oauth(self):
        """conventions#oauth-errors: the limit holds for forms."""
        wire = await self.wire(
            "POST",
            "/oauth/token",
            Content_Length=10**9,
            Content_Type="application/x-www-form-urlencoded",
        )
        self.problem(await wire.answer(), 413, "payload_too_large")

    async def test_chunked_without_end(self):
        """A chunked body is refused with 413 while it arrives."""
        user = await self.someone()
        for path, limit in (("session/connect", 256 * KIB), ("content/upload-precheck", KIB * KIB)):
            wire = await self.wire("POST", path, by=user, Transfer_Encoding="chunked")
            wire.send_all(itertools.repeat(CHUNK, 1000))
            found = self.problem(await wire.answer(), 413, "payload_too_large")
            self.assertEqual(limit, found["limit"])

    async def test_chunked(self):
        """A chunked body under the limit is as good as any."""
        user = await self.someone()
        body = b'5\r\n{"cli\r\nc\r\nent":"game"}\r\n0\r\n\r\n'
        wire = await self.wire(
            "POST",
            "session/connect",
            body,
            by=user,
            Transfer_Encoding="chunked",
            Connection="close",
        )
        self.assertEqual(200, (await wire.answer()).status)

    async def test_serves_on(self):
        """After all that the service still answers."""
        user = await self.someone()
        await self.refused(256 * KIB, "POST", "session/connect", by=user, Content_Length=10**9)
        await self.get("/health/ready", expect=200)


class StalledTests(SpecCase):
    """Bodies that stop arriving, against a daemon that waits one second for them."""

    async def connect(self) -> None:
        self.own_daemon()
        make: Callable[[], daemon.Daemon] = lambda: daemon.Daemon("--body-timeout", "1")  # noqa: E731
        self.use(await daemon.shared("impatient", make))

    async def stalled(self, body: bytes, **headers: object) -> None:
        """Assert 408 for a request that goes no further."""
        wire = await self.wire("POST", "session/connect", body, by=await self.someone(), **headers)
        self.problem(await wire.answer(), 408, "timeout")

    async def test_chunked(self):
        """A chunked body without end that stalls is 408."""
        await self.stalled(b'5\r\n{"cli\r\n', Transfer_Encoding="chunked")

    async def test_short(self):
        """A body that is shorter than its Content-Length is 408."""
        await self.stalled(b'{"client":', Content_Length=17)

    async def test_nothing(self):
        """A body of which nothing comes is 408."""
        await self.stalled(b"", Content_Length=17)


class MalformedTests(SpecCase):
    """Requests that are no HTTP."""

    async def refused(
        self, request: bytes, status: int = 400, code: str = "malformed_request"
    ) -> None:
        """Assert that the request is refused so, and that the service lives on."""
        wire = await Wire.open(self.url)
        wire.send(request)
        self.problem(await wire.answer(), status, code)
        await self.get("/health/ready", expect=200)

    async def test_too_long(self):
        """conventions#error-order: a path and query over 16 KiB are 414, headers
        431."""
        start, much = b"GET /api/v1/design-challenges", b"x" * 20_000
        await self.refused(start + b"?x=" + much + b" HTTP/1.1\r\n\r\n", 414, "uri_too_long")
        header = b" HTTP/1.1\r\nHost: t\r\nX-Much: " + much + b"\r\n\r\n"
        await self.refused(start + header, 431, "headers_too_large")

    async def test_request_line(self):
        """A request line that is none is 400."""
        await self.refused(b"hello there\r\n\r\n")

    async def test_content_length(self):
        """A Content-Length that is no number is 400."""
        for length in (b"x", b"-1", b"+5", b"1, 2"):
            await self.refused(
                b"POST /api/v1/session/connect HTTP/1.1\r\nHost: t\r\nContent-Length: "
                + length
                + b"\r\n\r\n"
            )

    async def test_two_lengths(self):
        """Content-Length beside Transfer-Encoding is 400: no request can be smuggled."""
        await self.refused(
            b"POST /api/v1/session/connect HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )

    async def test_bad_chunk(self):
        """A chunk without a length is 400."""
        await self.refused(
            b"POST /api/v1/session/connect HTTP/1.1\r\nHost: t\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"
        )

    async def test_host(self):
        """conventions#requests: HTTP/1.1 without Host, and any request with two, is 400."""
        start = b"GET /api/v1/design-challenges HTTP/1.1\r\n"
        await self.refused(start + b"\r\n")
        await self.refused(start + b"Host: t\r\nHost: t\r\n\r\n")

    async def test_two_authorizations(self):
        """conventions#requests: two Authorization headers are 400, wherever they come, even if
        both are good."""
        user = await self.someone()
        token = f"Authorization: Bearer {user.token}\r\n"
        for second in (token, "authorization: Bearer x\r\n", "Authorization:\r\n"):
            for line in (
                f"GET /api/v1/user/{user.id}",
                "GET /api/v1/design-challenges",
                f"DELETE /methods/v1/user/{user.id}/ban",
                "GET /socket",
                "POST /oauth/token",
                "POST /oauth/revoke",
                "GET /health/live",
                "GET /nothing/there",
                "PUT /files/a",
            ):
                head = f"{line} HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n{token}{second}\r\n"
                await self.refused(head.encode())

    async def test_target(self):
        """conventions#requests: a target that is neither a path nor a whole URL is 400."""
        for target in (b"api/v1/design-challenges", b"*", b"t:80"):
            await self.refused(b"GET " + target + b" HTTP/1.1\r\nHost: t\r\n\r\n")

    async def test_old_chunks(self):
        """conventions#requests: a chunked request of HTTP/1.0 is 400."""
        await self.refused(
            b"POST /api/v1/user HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )

    async def test_method_in_other_letters(self):
        """conventions#requests: a method is upper case; in other letters it is 405, and nothing
        is done."""
        user = await self.someone()
        path = f"user/{user.id}/progress/kept"
        await self.put(path, {"value": {}}, by=user, expect=204)
        for method in (b"DeLeTe", b"delete"):
            await self.refused(
                method
                + f" /api/v1/{path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n"
                f"Authorization: Bearer {user.token}\r\n\r\n".encode(),
                405,
                "method_not_allowed",
            )
        await self.get(path, by=user, expect=200)

    async def test_long_line(self):
        """A request line without measure ends the connection, and nothing else."""
        wire = await Wire.open(self.url)
        wire.send(b"GET /api/v1/user/search?q=" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n")
        await wire.ended()
        await self.get("/health/ready", expect=200)

    async def test_strange_hosts(self):
        """A Host that is none is 400 or without effect, for what is built on it too."""
        user = await self.someone()
        body = b'{"client":"game"}'
        for host in ('a b"<>', "evil.example/path?x", "\xff", "", ":99999"):
            head = (
                f"POST /api/v1/session/connect HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
                f"Authorization: Bearer {user.token}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            wire = await Wire.open(self.url)
            wire.send(head.encode("latin-1") + body)
            response = await wire.answer()
            self.assertIn(response.status, (200, 400))
            if response.status == 200:
                self.assertNotIn("path", response.json()["socketUrl"])


class VanishTests(SpecCase):
    """Clients that go away."""

    async def create(self, user: User, path: str, body: dict, *, part: float) -> None:
        """Send this part of a create and vanish."""
        data = json.dumps(body).encode()
        sent = data[: int(len(data) * part)]
        wire = await self.wire("PUT", path, sent, by=user, Content_Length=len(data))
        await wire.vanish()

    async def test_after_the_body(self):
        """design#one-database: a write whose client vanished is done whole or not at all: repeat
        it."""
        user, path, body = await self.someone(), f"content/{guid()}", draft()
        await self.create(user, path, body, part=1)
        await self.put(path, body, by=user, expect=204)
        got = await self.read(path, CONTENT)
        self.assertEqual(body["entity"], got["entity"])
        self.assertEqual(body["originating"], got["originating"])

    async def test_in_the_body(self):
        """Of a request that never arrived whole, nothing is done."""
        user, path = await self.someone(), f"content/{guid()}"
        await self.create(user, path, draft(), part=0.5)
        await self.content(user)
        self.problem(await self.get(path), 404, "content_not_found")

    async def test_many(self):
        """Clients that vanish leave the service as it was."""
        user = await self.someone()
        for _ in range(30):
            await self.create(user, f"content/{guid()}", draft(), part=1)
        await self.get("/health/ready", expect=200)
        await self.content(user, name=name())
