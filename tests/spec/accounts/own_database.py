"""Cases about accounts that look into their daemon's database."""

from tests.spec.challenges.support import ChallengeCase
from tests.spec.files.support import FilesCase
from tests.support import postgres
from tests.support.daemon import Daemon


class OwnDatabaseCase(FilesCase, ChallengeCase):
    """Has a daemon with files, whose database is `database`."""

    async def connect(self) -> None:
        """Start them."""
        self.own_daemon()
        self.database = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, self.database)
        service = Daemon("--files", "local", database=self.database)
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)
