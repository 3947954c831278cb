"""The writer of a notification dies, or loses its database, before it could tell anyone."""

import os
import signal
from contextlib import closing
from typing import Any

import psycopg2
from msgspec import json
from twisted.internet.defer import Deferred

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.store.notifications import notifications
from contentsvc.wire.notifications import Debug
from contentsvc.wire.social import PartyBody
from tests.faults.case import ReaderCase, hold
from tests.faults.servers import backends, run_sql, server, terminate


class WriterTests(ReaderCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.other = await self.daemon()
        self.bob = await self.client(self.other, "bob", patience=0)

    def blocked(self) -> Any:
        """A transaction that ann's next notification has to wait for."""
        connection = psycopg2.connect(self.database)
        connection.cursor().execute(
            f"select 1 from notification_counters where user_id = '{self.ann.user}' for update"
        )
        return closing(connection)

    def stored(self) -> int:
        """How many notifications ann has."""
        return len(run_sql(self.database, "select 1 from notifications"))

    async def frozen_between(self, call: Any) -> "Deferred[None]":
        """The other daemon is stopped while its statement runs: it has sent what it had to send,
        and has not read the answer. Gives the call, which is still under way."""
        with self.blocked():
            calling: Deferred[None] = Deferred.fromCoroutine(call)
            await self.waits("Lock")
            os.kill(self.other.pid, signal.SIGSTOP)
            self.addCleanup(self.thaw)
        working = "state = 'active' and query ~ 'PREPARE|EXECUTE'"
        await hold(lambda: not backends(self.database, working), "the statement is done")
        return calling

    def thaw(self) -> None:
        """The other daemon goes on, if it has not ended."""
        if self.other in self.daemons:
            os.kill(self.other.pid, signal.SIGCONT)

    async def killed_between(self, call: Any) -> None:
        """The same, and it is killed then."""
        calling = await self.frozen_between(call)
        self.daemons.remove(self.other)
        await self.other.kill()
        error = await self.assertFailure(calling, Unreachable)
        self.assertTrue(error.maybe_done)

    async def test_dead_writer(self) -> None:
        """A row that somebody committed by hand, who told nobody, arrives."""
        data = json.encode(Debug(text="left behind")).decode()
        in_transaction(
            self.database, lambda db: notifications.insert(db, self.ann.user, "Debug", data)
        )
        await self.arrive("left behind")

    async def test_killed_after_commit(self) -> None:
        """A daemon killed between COMMIT and announcement: the notification arrives, once, and
        those after it too."""
        await self.notify("first")
        await self.killed_between(self.notify("second", by=self.bob))
        self.assertEqual(self.stored(), 2)
        await self.notify("third")
        await self.arrive("first", "second", "third")
        await self.sound()

    async def test_killed_after_commit_and_silence(self) -> None:
        """The same where nothing comes after it: then it is the sweep that finds it."""
        await self.notify("first")
        await self.killed_between(self.notify("second", by=self.bob))
        await self.arrive("first", "second")

    async def test_frozen_after_commit(self) -> None:
        """The same where it stands still, with a beat of just before: the notification arrives, and
        does not again when it goes on."""
        await self.notify("first")
        calling = await self.frozen_between(self.notify("second", by=self.bob))
        await self.arrive("first", "second")
        self.thaw()
        await calling
        await self.notify("third", by=self.bob)
        await self.arrive("first", "second", "third")
        await self.sound()

    async def test_killed_before_commit(self) -> None:
        """A daemon killed between the statement and COMMIT: nothing was stored, nothing arrives,
        and the numbers have no hole."""
        await self.notify("first")
        party = PartyBody(party=self.bob.user)
        await self.killed_between(self.bob.social.send_invite(self.ann.user, party))
        self.assertEqual(self.stored(), 1)
        await self.notify("second")
        await self.arrive("first", "second")

    async def test_unknown_commit(self) -> None:
        """The writer lives, but loses its connection after the commit: its caller is told to try
        again, and the notification arrives."""
        run_sql(server().url, "alter system set synchronous_standby_names to 'nobody'")
        self.addCleanup(run_sql, server().url, "select pg_reload_conf()")
        self.addCleanup(run_sql, server().url, "alter system reset synchronous_standby_names")
        run_sql(server().url, "select pg_reload_conf()")
        calling = Deferred.fromCoroutine(self.notify("kept"))
        # The commit is done, and waits for a standby that there is not.
        await self.waits("SyncRep")
        terminate(self.database, "wait_event = 'SyncRep'")
        error = await self.assertFailure(calling, ApiError)
        self.assertEqual(error.code, "unavailable")
        await self.arrive("kept")


class ClientTests(ReaderCase):
    async def test_vanished_client(self) -> None:
        """A client that goes away decides nothing: what it asked for is done, and told."""
        bob: Client = await self.client(self.service, "bob")
        with closing(psycopg2.connect(self.database)) as connection:
            connection.cursor().execute("lock table notifications in exclusive mode")
            calling = Deferred.fromCoroutine(self.notify("kept", by=bob))
            calling.addErrback(lambda _: None)
            await self.waits("Lock")
            calling.cancel()
            await bob.close()
        await self.arrive("kept")
