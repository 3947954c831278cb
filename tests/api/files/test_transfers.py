"""Uploads to the daemon itself (files#sending)."""

from twisted.internet.defer import Deferred, gatherResults

from contentsvc.framework.http.maintenance import Announced
from contentsvc.framework.storage.paths import BINARY
from tests.api.files.transferring import TransferCase, fresh
from tests.framework.storage.support import named

MIB = 1024 * 1024


class UploadTests(TransferCase):
    async def test_keep_alive(self) -> None:
        """A connection carries uploads and other requests one after the other, and together."""
        wire = await self.connect()
        for _ in range(3):
            data = fresh(100_000)
            target = await self.announce(data)
            wire.head("PUT", target, Content_Type=BINARY, Content_Length=len(data))
            wire.send(data)
            wire.head("GET", "/small")
            self.assertEqual((await wire.answer()).status, 204)
            self.assertEqual((await wire.answer()).status, 200)

    async def test_old_http(self) -> None:
        """HTTP/1.0 will do, too."""
        data = fresh()
        wire = await self.connect()
        line = f"PUT {await self.announce(data)} HTTP/1.0\r\nContent-Length: 36\r\n"
        wire.send(f"{line}Content-Type: {BINARY}\r\n\r\n".encode() + data)
        self.assertEqual((await wire.answer()).status, 204)
        await wire.ended

    async def test_two_at_once(self) -> None:
        """Two uploads of the same file at once, by the same user or two, all succeed."""
        data = fresh(2 * MIB)
        bob = await self.user()
        targets = [await self.announce(data), await self.announce(data)]
        targets.append(await self.announce(data, by=bob))
        answers = await gatherResults(
            [Deferred.fromCoroutine(self.put(target, data)) for target in targets]
        )
        self.assertEqual([answer.status for answer in answers], [204, 204, 204])
        self.assertEqual(self.sql("select sent from user_files where user_id = %s", bob), [(True,)])
        self.assertEqual(self.incoming(), [])

    async def test_line(self) -> None:
        """The log has a line for each, without its path and query."""
        seen: list[str] = []
        self.site.log_request = lambda request, status: seen.append(  # type: ignore[method-assign]
            f"{request.route} {status} {request.caller}"
        )
        await self.stored(fresh())
        self.assertEqual(seen, [f"/files/content 204 {self.ann}"])


class SameTests(TransferCase):
    async def test_replaced(self) -> None:
        """Of many uploads with the same URL the last two go on. So one announced file cannot fill
        the disk, and a client that comes back does not wait for its broken connection."""
        data = fresh(3 * MIB)
        target = await self.announce(data)
        wires = []
        seen: set[str] = set()
        for _ in range(5):
            wire = await self.connect()
            wire.head("PUT", target, Content_Type=BINARY, Content_Length=len(data))
            wire.send(data[:-1])
            wires.append(wire)
            while seen.issuperset(self.incoming()):
                await self.turn()
            seen.update(self.incoming())
        for wire in wires[:3]:
            self.problem(await wire.answer(), 409, "upload_replaced")
        for wire in wires[3:]:
            wire.send(data[-1:])
        for wire in wires[3:]:
            self.assertEqual((await wire.answer()).status, 204)
        await self.drop(wires[0])
        self.assertEqual((await self.put(target, data)).status, 204)
        self.assertEqual(self.incoming(), [])


class HeadTests(TransferCase):
    """What the head alone shows to be wrong is refused without the body."""

    async def refused(self, method: str, target: str, status: int, code: str, **head: str) -> None:
        """Assert a refusal before 100 Continue, and that the upload itself goes on being good."""
        given = {"Content_Type": BINARY, "Content_Length": "36", "Expect": "100-continue"} | head
        wire = await self.connect()
        wire.head(method, target, **{name: value for name, value in given.items() if value})
        self.problem(await wire.answer(), status, code)
        await self.drop(wire)

    async def test_expired(self) -> None:
        """After an hour a URL is over, and the code says so."""
        target = await self.announce(fresh())
        self.wall.advance(3600)
        await self.refused("PUT", target, 403, "url_expired")

    async def test_paths(self) -> None:
        """There is nothing at other paths, and each file is in its own bucket."""
        target = await self.announce(fresh())
        for other in (
            target.replace("/content/", "/media/"),
            target.replace("/content/", "/incoming/"),
            target.replace("/content/", "/content//"),
            "/files/",
            "/files/content/../secret.keys",
            "/files/content/%2e%2e/secret.keys",
        ):
            await self.refused("PUT", other, 404, "not_found")

    async def test_methods(self) -> None:
        """Another method is 405, with Allow."""
        target = await self.announce(fresh())
        for method in ("POST", "DELETE", "PATCH", "put"):
            await self.refused(method, target, 405, "method_not_allowed")
        answer = await self.ask("POST", target)
        self.assertEqual(answer.headers["Allow"], "GET, HEAD, OPTIONS, PUT")

    async def test_blocked(self) -> None:
        """A blocked file is refused at the head."""
        data = fresh()
        target = await self.announce(data)
        self.block(data)
        await self.refused("PUT", target, 403, "file_blocked")
        await self.nothing_left(data)

    async def test_maintenance(self) -> None:
        """During maintenance a URL that was given before is refused at the head, and reads go
        on."""
        target = await self.announce(fresh())
        self.maintenance.set(Announced("Soon", None, reads=True, left=None))
        await self.refused("PUT", target, 503, "maintenance")
        self.maintenance.set(None)
        await self.refused("POST", target, 405, "method_not_allowed")

    async def test_lapsed(self) -> None:
        """So is one whose announcement is no more."""
        target = await self.announce(fresh())
        self.sql("delete from user_files where user_id = %s", self.ann)
        await self.refused("PUT", target, 403, "url_expired")

    async def test_database_away(self) -> None:
        """Without the database it is 503, and nothing is read."""
        await self.serve_apart()
        target = await self.announce(fresh())
        self.db.stop()
        await self.refused("PUT", target, 503, "unavailable")

    def block(self, data: bytes) -> None:
        """Block a file."""
        self.sql("insert into blocked_files values (%s, 'bad')", named(data)[3:67])


class BodyTests(TransferCase):
    """What shows only when the body comes."""

    async def test_cut_off(self) -> None:
        """A connection that ends amid the body leaves nothing, however it ends."""
        data = fresh(3 * MIB)
        target = await self.announce(data)
        for abort in (True, False):
            wire = await self.connect()
            wire.head("PUT", target, Content_Type=BINARY, Content_Length=len(data))
            wire.send(data[:-1])
            while not self.incoming():
                await self.turn()
            if abort:
                await self.drop(wire)
            else:
                wire.transport.loseWriteConnection()  # type: ignore[union-attr]
                await wire.ended
            while self.site.traffic.active:
                await self.turn()
            await self.nothing_left(data)

    async def test_blocked_meanwhile(self) -> None:
        """A file that is blocked while it arrives is refused at its end, and nothing is left."""
        data = fresh(2 * MIB)
        wire = await self.arriving(data)
        self.sql(
            "insert into blocked_files select substr(path, 4, 64), 'bad' from user_files"
            " where user_id = %s",
            self.ann,
        )
        wire.send(data[-1:])
        self.problem(await wire.answer(), 403, "file_blocked")
        await self.nothing_left(data)

    async def test_lapsed_meanwhile(self) -> None:
        """An announcement that lapses while its file arrives does not count, and nothing is
        left."""
        data = fresh(2 * MIB)
        wire = await self.arriving(data)
        self.sql("update user_files set token = gen_random_uuid() where user_id = %s", self.ann)
        wire.send(data[-1:])
        self.problem(await wire.answer(), 403, "url_expired")
        await self.nothing_left(data)

    async def test_database_goes(self) -> None:
        """If the database goes away while a file arrives, it is 503, and can be sent again."""
        await self.serve_apart()
        data = fresh(2 * MIB)
        wire = await self.arriving(data)
        self.db.stop()
        wire.send(data[-1:])
        self.problem(await wire.answer(), 503, "unavailable")
        while self.incoming():
            await self.turn()

    async def test_expires_meanwhile(self) -> None:
        """A URL that expires while the body arrives does no harm."""
        data = fresh()
        wire = await self.connect()
        wire.head("PUT", await self.announce(data), Content_Type=BINARY, Content_Length=36)
        while not self.site.traffic.active:
            await self.turn()
        self.wall.advance(7200)
        wire.send(data)
        self.assertEqual((await wire.answer()).status, 204)

    async def test_a_hundred_slow_ones(self) -> None:
        """A hundred slow uploads at once need little memory, no open files, and delay nobody."""
        # They are much for a busy machine.
        given = []
        for _ in range(100):
            data = fresh(300_000)
            target = await self.announce(data)
            wire = await self.connect()
            wire.head("PUT", target, Content_Type=BINARY, Content_Length=len(data))
            wire.send(data[:100_000])
            given.append((wire, data))
        while len(self.site.traffic.active) < 100 or self.site.held.size < 100 * 100_000:
            await self.turn()
        self.assertEqual((await self.ask("GET", "/small")).status, 200)
        for wire, data in given:
            wire.send(data[100_000:])
        for wire, data in given:
            self.assertEqual((await wire.answer()).status, 204)
            self.assertEqual(self.row(data), (True, True))
        self.assertEqual(self.site.held.size, 0)

    test_a_hundred_slow_ones.timeout = 240.0  # type: ignore[attr-defined]
