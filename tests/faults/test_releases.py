"""The next release upgrades the database while this one serves."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.wire.accounts import Profile, UserSearch, UserUpdate
from contentsvc.wire.searches import ContentSearch
from tests.faults.case import FaultCase, hold
from tests.faults.load import BEGUN, LATEST, Load
from tests.faults.publishing import publish
from tests.faults.servers import run_sql
from tests.support.daemon import ROOT

UPGRADE = "9999.next"
COLUMNS = "\n".join(
    f"alter table {table} add column next text not null default '';"
    for table in ("users", "contents", "content_ranks", "notifications", "notification_counters")
)
"""What the next release adds, to tables that each request uses."""
READERS, SENDERS = 4, 2
BESIDE = 3.0
"""Seconds that both serve."""


def next_release(folder: Path) -> None:
    """Put a copy of the package there, whose release is later, with an upgrade and a function that
    has changed."""
    shutil.copytree(ROOT / "contentsvc", folder / "contentsvc")
    info = folder / "contentsvc-99.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: contentsvc\nVersion: 99.0.0\n")
    schema = folder / "contentsvc" / "store" / "schema"
    (schema / "upgrades" / f"{UPGRADE}.sql").write_text(f"-- Columns.\n{COLUMNS}\n")
    with (schema / "tables" / "moderation.sql").open("a") as tables:
        tables.write(COLUMNS)
    visible = schema / "functions" / "visible.sql"
    visible.write_text(visible.read_text().replace("or moderate", "or moderate or status = 'next'"))


class ReleaseTests(FaultCase):
    def setUp(self) -> None:
        super().setUp()
        self.load = Load(1)
        self.addCleanup(self.load.stop)
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        next_release(self.folder)

    async def begin(self) -> None:
        """Readers, senders, an author whom the readers follow, and one who reads and writes."""
        for n in range(READERS):
            name = f"reader{n}"
            self.load.read(await self.client(self.service, name, patience=0), name)
        await hold(
            lambda: all(each.subscription.live for each in self.load.readers), "sockets are open"
        )
        for n in range(SENDERS):
            name = f"sender{n}"
            self.load.send(await self.client(self.service, name, patience=0), name)
        author = await self.client(self.service, "author", patience=0)
        await self.load.publish(author, 10, 1.0)
        ann = await self.client(self.service, "ann", patience=0)
        content = str(uuid4())
        await publish(ann, content)
        self.load.begin(lambda: self.use(ann, content))

    async def use(self, client: Client, content: str) -> None:
        """Read and write what the upgrade changes, and ask whether the service is ready."""
        while not self.load.stopping:
            for act in (
                lambda: client.users.update(UserUpdate(None, None, Profile(), Profile())),
                lambda: client.users.search(UserSearch(q="reader")),
                lambda: client.search.list(ContentSearch(q="castle")),
                lambda: client.content.get(content),
                client.notifications.list,
                client.health.check_readiness,
            ):
                try:
                    await act()
                except (ApiError, Unreachable) as error:
                    self.load.failed(error)
                else:
                    self.load.answers["used"] += 1
                await deferLater(reactor, 0.01)

    def upgraded(self) -> tuple[bool, bool]:
        """Whether the database has the upgrade, and the function of the next release."""
        ((upgrade, function),) = run_sql(
            self.database,
            f"select exists (select from schema_upgrades where name = '{UPGRADE}'),"
            " exists (select from pg_proc where proname = 'visible' and prosrc like '%''next''%')",
        )
        return upgrade, function

    async def test_beside(self) -> None:
        """While the next release upgrades the database and starts, the one before answers each
        request with success, and nothing that it notifies is lost; it can be started again."""
        self.service = await self.daemon("--messages-per-minute", "0")
        await self.begin()
        self.assertEqual(self.upgraded(), (False, False))
        later = await self.daemon(variables={"PYTHONPATH": str(self.folder)})
        self.assertEqual(self.upgraded(), (True, True))
        await deferLater(reactor, BESIDE)
        await publish(await self.client(later, "bob"), str(uuid4()))
        await self.load.stop()
        await hold(self.load.complete, "everything has arrived", BEGUN + LATEST)
        self.assertEqual(await self.load.problems(), [])
        self.assertEqual(self.load.answers.keys(), {"204", "published", "used"})
        await self.service.stop()
        await self.service.start()
        await publish(await self.client(self.service, "bob"), str(uuid4()))
        self.assertEqual(self.upgraded(), (True, True))
        self.no_failures()
