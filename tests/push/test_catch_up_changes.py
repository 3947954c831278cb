"""Sockets that join, or come back, where the database has gone back in time
(docs/interface/socket.md)."""

from tests.push.fakes import FakeSocket
from tests.push.test_changes import ChangeCase


class JoiningTests(ChangeCase):
    """The log changes while a socket joins."""

    def test_before_hello(self) -> None:
        """A socket that has had no hello gets no log_changed; its hello is of the new log."""
        FakeSocket(self.hub).join()
        self.commits(5)
        self.log.held = True
        socket = FakeSocket(self.hub).join()
        self.log.reads[0].run()
        self.log.go_back("ann", 3)
        self.check()
        self.log.answer(self.log.reads[-1])
        while self.log.reads:
            self.log.answer()
        self.assertEqual((socket.types, socket.hello["seq"]), (["hello"], 3))
        self.log.held = False
        self.commits(1)
        self.assertEqual(socket.seqs, [4])

    def test_in_its_backlog(self) -> None:
        """One that reads its backlog gets nothing more of the old log after log_changed."""
        self.commits(0)
        for _ in range(5):
            self.log.commit()
        self.log.held = True
        socket = FakeSocket(self.hub).join(resume=1)
        self.log.answer()
        self.log.reads[0].run()
        self.log.go_back("ann", 3)
        self.check()
        self.log.answer(self.log.reads[-1])
        while self.log.reads:
            self.log.answer()
        self.assertEqual(socket.seqs, [])
        self.assertEqual(self.changes_of(socket), [(3, self.log.id("ann", 3))])
        self.log.held = False
        self.commits(2)
        self.assertTrue(socket.position.live)
        self.assertEqual(socket.seqs, [4, 5])

    def test_paused_in_its_backlog(self) -> None:
        """So does one that did not read what it was sent."""
        for _ in range(5):
            self.log.commit()
        socket = FakeSocket(self.hub)
        socket.pause(True)
        socket.join(resume=1)
        self.log.go_back("ann", 3)
        self.check()
        socket.pause(False)
        self.commits(1)
        self.assertEqual(socket.seqs, [2, 4])
        self.assertEqual(len(self.changes_of(socket)), 1)


class ResumeTests(ChangeCase):
    def setUp(self) -> None:
        super().setUp()
        self.ids = {row.seq: row.id for row in (self.log.commit() for _ in range(5))}

    def resume(self, seq: int, id: str | None) -> FakeSocket:
        return FakeSocket(self.hub).join(resume=seq, id=id)

    def test_known(self) -> None:
        """A client that knows number and id gets the notifications after it, and both again in
        hello."""
        socket = self.resume(3, self.ids[3])
        self.assertEqual((socket.hello["seq"], socket.hello["id"]), (3, self.ids[3]))
        self.assertEqual((socket.seqs, self.changes_of(socket)), ([4, 5], []))

    def test_number_alone(self) -> None:
        """The number alone will do, and hello has the id."""
        socket = self.resume(3, None)
        self.assertEqual((socket.hello["id"], socket.seqs), (self.ids[3], [4, 5]))

    def test_other(self) -> None:
        """Where another notification has the number, the socket gets log_changed, and starts at the
        newest."""
        self.log.go_back("ann", 2)
        for _ in range(4):
            self.log.commit()
        socket = self.resume(3, self.ids[3])
        self.assertEqual((socket.hello["seq"], socket.hello["id"]), (6, self.log.id("ann", 6)))
        self.assertEqual(self.changes_of(socket), [(6, self.log.id("ann", 6))])
        self.commits(1)
        self.assertEqual(socket.seqs, [7])

    def test_newest(self) -> None:
        """So is one that comes back with the very newest number, and another id."""
        self.assertEqual(self.changes_of(self.resume(5, self.ids[4])), [(5, self.ids[5])])

    def test_trimmed(self) -> None:
        """A notification that retention has deleted is trimmed: that is no change of the log."""
        self.log.trim("ann", 3)
        socket = self.resume(2, self.ids[2])
        self.assertEqual([socket.hello["seq"], socket.hello["id"]], [2, None])
        self.assertEqual(socket.seen[1].message["code"], "trimmed")
        self.assertEqual((socket.seqs, self.changes_of(socket)), ([4, 5], []))

    def test_trimmed_just_so(self) -> None:
        """Nothing at all is missing after the last that retention has deleted."""
        self.log.trim("ann", 3)
        socket = self.resume(3, self.ids[3])
        self.assertEqual(socket.types, ["hello", "notification", "notification"])

    def test_ahead(self) -> None:
        """A number above the newest is seq_ahead, with an id too."""
        socket = self.resume(9, self.ids[5])
        self.assertEqual(socket.hello["id"], self.ids[5])
        self.assertEqual(socket.seen[1].message["code"], "seq_ahead")
        self.assertEqual(self.changes_of(socket), [])

    def test_nothing_seen(self) -> None:
        """There is no notification 0, so no id is wrong there."""
        socket = self.resume(0, self.ids[5])
        self.assertEqual((socket.hello["id"], socket.seqs), (None, [1, 2, 3, 4, 5]))
