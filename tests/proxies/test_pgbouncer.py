"""The daemon with pgbouncer before its database."""

from twisted.trial.unittest import TestCase

from contentsvc.wire.notifications import DebugNotify
from tests.faults.case import new_client
from tests.faults.load import LATEST, Reader
from tests.support import pgbouncer, postgres
from tests.support.daemon import Daemon, until


class PgbouncerTests(TestCase):
    timeout = 180

    def daemon(self, mode: str) -> Daemon:
        """One that has not been started, on a database of its own."""
        database = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, database)
        return Daemon(database=pgbouncer.through(self, database, mode))

    async def test_session(self) -> None:
        """In session mode everything works, sockets too."""
        service = self.daemon("session")
        self.addCleanup(service.stop)
        await service.start()
        ann = await new_client(self, service, "ann")
        reader = Reader(ann, "ann")
        await until(lambda: reader.subscription.live, 20, "the socket is open")
        await ann.debug.send_notification(DebugNotify(recipient=ann.user, text="hello"))
        await until(lambda: reader.texts == ["hello"], LATEST, "it arrives")

    async def test_transaction(self) -> None:
        """In transaction mode the start ends with one line, which says so."""
        service = self.daemon("transaction")
        service.spawn()
        self.assertEqual(await service.ended(), 1)
        said = [line for line in service.output().splitlines() if "cannot start" in line]
        self.assertEqual(len(said), 1)
        self.assertIn("pool_mode = session", said[0])
        self.assertNotIn("Traceback", service.output())
