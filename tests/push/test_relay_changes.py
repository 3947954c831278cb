"""A real database that goes back in time under two processes with open sockets."""

from contentsvc.wire.notifications import Debug
from tests.push.processes import NEVER, Process, RelayTestCase, Socket


class BackInTimeCase(RelayTestCase):
    async def setUp(self) -> None:
        super().setUp()
        self.one, self.two = await self.process(), await self.process()
        self.ann = self.user()
        self.sockets = [await each.socket(self.ann) for each in (self.one, self.two)]
        for _ in range(5):
            await self.notify(self.one)
        for socket in self.sockets:
            await socket.until(5)

    async def notify(self, by: Process) -> None:
        await by.notifier.send(by.db, self.ann, Debug(text="hi"))

    def go_back(self, to: int) -> None:
        """Have the rows and the counter be as they were when `to` was the newest."""
        self.execute("delete from notifications where user_id = %s and seq > %s", self.ann, to)
        of = "(select id from notifications n where n.user_id = c.user_id and n.seq = %s)"
        self.execute(
            "update notification_counters c set seq = %s, unread = %s, "
            f"newest = {of}, previous = {of} where user_id = %s",
            *(to, to, to, to - 1, self.ann),
        )

    def id_of(self, seq: int) -> str:
        """The id that the number has now."""
        ((id,),) = self.execute(
            "select id from notifications where user_id = %s and seq = %s", self.ann, seq
        )
        return str(id)

    async def changes_of(self, socket: Socket) -> tuple[int, str | None]:
        """The place that its log_changed message names, when it has come."""
        while not (found := [s.message for s in socket.seen if s.message["type"] == "error"]):
            await socket.frames.get()
        (message,) = found
        self.assertEqual(message["code"], "log_changed")
        return message["seq"], message["id"]

    async def goes_on(self, after: int) -> None:
        """Both sockets get the later notifications of either process, once and in order."""
        for by in self.one, self.two:
            await self.notify(by)
        for socket in self.sockets:
            while socket.seqs[-1] < after + 2 or len(socket.seqs) < 7:
                await socket.frames.get()
            self.assertEqual(socket.seqs[-2:], [after + 1, after + 2])


class ReconcilerTests(BackInTimeCase):
    every = 0.05

    async def test_shorter(self) -> None:
        """Rows that are gone are noticed by the reconciler, in each process."""
        self.go_back(3)
        for socket in self.sockets:
            self.assertEqual(await self.changes_of(socket), (3, self.id_of(3)))
        await self.goes_on(3)

    async def test_empty(self) -> None:
        """So is a log that is gone whole."""
        for table in "notification_counters", "notifications":
            self.execute(f"delete from {table} where user_id = %s", self.ann)
        for socket in self.sockets:
            self.assertEqual(await self.changes_of(socket), (0, None))
        await self.goes_on(0)


class OutgrownTests(BackInTimeCase):
    every = NEVER

    async def test_outgrown(self) -> None:
        """A log that has outgrown what was sent is noticed by the first row that does not follow,
        whichever process wrote it, before any reconciler."""
        self.go_back(3)
        for _ in range(3):
            await self.notify(self.one)
        for socket in self.sockets:
            seq, id = await self.changes_of(socket)
            self.assertEqual((seq, id), (6, self.id_of(6)))
        await self.goes_on(6)

    async def test_reconnect(self) -> None:
        """A log that is just as long again is noticed as LISTEN is back in force."""
        self.go_back(3)
        for _ in range(2):
            self.execute(
                "with c as (update notification_counters set seq = seq + 1, newest ="
                " gen_random_uuid(), previous = newest where user_id = %s returning *)"
                " insert into notifications (user_id, seq, id, kind, data, created)"
                """ select user_id, seq, newest, 'Debug', '{"kind":"Debug","text":"x"}', now()"""
                " from c",
                self.ann,
            )
        for process in self.one, self.two:
            self.kill(process)
        for socket in self.sockets:
            self.assertEqual(await self.changes_of(socket), (5, self.id_of(5)))
        await self.goes_on(5)
