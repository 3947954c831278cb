"""Cases about accounts that look into their daemon's database."""

from typing import ClassVar

from tests.spec.challenges.support import ChallengeCase
from tests.spec.files.support import FilesCase
from tests.support import postgres
from tests.support.daemon import Daemon, shared
from tests.support.databases import fresh


class _Seen(Daemon):
    """With files, and a database that tests look into."""

    def __init__(self) -> None:
        self.database = fresh(postgres.embedded())
        super().__init__("--files", "local", database=self.database)


class OwnDatabaseCase(FilesCase, ChallengeCase):
    """Has a daemon with files, and its database. Those of a `name` are shared."""

    name: ClassVar[str] = "database"

    async def connect(self) -> None:
        """Find it."""
        self.own_daemon()
        service = await shared(self.name, _Seen)
        assert isinstance(service, _Seen)
        self.database = service.database
        self.use(service)
