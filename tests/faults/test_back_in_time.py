"""A back-up of the database is restored while sockets are open on two daemons."""

from twisted.internet import reactor

from contentsvc.client import Received
from tests.faults.case import ReaderCase, hold
from tests.faults.load import LATEST, Reader, text_of
from tests.faults.servers import server


class RestoreTests(ReaderCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.other = await self.daemon()
        again = await self.client(self.other, "ann", patience=0)
        self.readers = [self.reader, Reader(again, "ann")]
        await hold(lambda: self.readers[1].subscription.live, "the other socket is open")

    async def restored(self) -> float:
        """Two notifications, a back-up, three more, and the back-up comes back; when it did."""
        for text in "ab":
            await self.notify(text)
        copy = await server().back_up()
        await self.back(self.ann, self.readers[1].client)
        for text in "cde":
            await self.notify(text)
        for reader in self.readers:
            await hold(lambda r=reader: len(r.texts) == 5, "all five arrive", LATEST)
        await server().restore(copy)
        return reactor.seconds()

    async def told(self, since: float) -> None:
        """Both sockets are told in time, and have been there all along."""
        for reader in self.readers:
            left = since + LATEST - reactor.seconds()
            await hold(lambda r=reader: r.missed == ["log_changed"], "log_changed", left)
            self.assertEqual(reader.subscription.connections, 1)

    async def log_now(self) -> list[str]:
        """The texts of the list that REST gives."""
        page = await self.ann.notifications.list()
        return [text_of(each) for each in page.items]

    async def test_told(self) -> None:
        """Each socket is told within 10 s, gets what comes then, and nothing twice."""
        returned = await self.restored()
        await self.told(returned)
        for text, by in ("f", self.ann), ("g", self.readers[1].client):
            await self.notify(text, by)
        for reader in self.readers:
            await hold(lambda r=reader: r.texts[5:] == ["f", "g"], "both arrive", LATEST)
            self.assertEqual(reader.seqs[5:], [3, 4])
        self.assertEqual(await self.log_now(), list("abfg"))
        self.no_failures()

    async def test_outgrown(self) -> None:
        """So where the log outgrows the sockets' number before anybody can have looked: what they
        have not been sent is in the list when they are told."""
        returned = await self.restored()
        await self.back(self.ann)
        texts = [f"new-{n}" for n in range(6)]
        for text in texts:
            await self.notify(text)
        await self.told(returned)
        await self.notify("last")
        for reader in self.readers:
            await hold(lambda r=reader: r.texts[-1] == "last", "the last arrives", LATEST)
            self.assertEqual(reader.subscription.seq, 9)
        self.assertEqual(await self.log_now(), [*"ab", *texts, "last"])
        self.no_failures()

    async def test_resume(self) -> None:
        """A client that comes back with a number and an id of the lost log is told so. With a
        number below the back-up it gets the notifications after that number."""
        await self.notify("a")
        await hold(lambda: self.reader.texts == ["a"], "a arrives", LATEST)
        first = self.reader.subscription.id
        copy = await server().back_up()
        await self.back(self.ann)
        await self.notify("b")
        await hold(lambda: self.reader.texts == ["a", "b"], "b arrives", LATEST)
        second = self.reader.subscription.id
        await server().restore(copy)
        await self.back(self.ann)
        for text in "xyz":
            await self.notify(text)
        for seq, id, missed, got in (2, second, ["log_changed"], []), (1, first, [], [*"xyz"]):
            told: list[str] = []
            received: list[Received] = []
            subscription = self.ann.notifications.listen(
                received.append,
                resume=seq,
                resume_id=id,
                on_missed=lambda code, _, told=told: told.append(code),
            )
            await hold(lambda s=subscription: s.live and s.seq == 4, "the socket is at the newest")
            self.assertEqual(told, missed)
            self.assertEqual([text_of(each.notification) for each in received], got)
