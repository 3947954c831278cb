"""Progress data: spec §4.12, and writing it."""

from msgspec import Raw

from contentsvc.api.errors import ProgressNotFound
from contentsvc.store import progress
from contentsvc.store.query import Db
from contentsvc.web.allow import SELF
from contentsvc.web.call import Call
from contentsvc.web.decode import object_text
from contentsvc.web.route import route
from contentsvc.wire.progress import ProgressData, ProgressText


class Progress:
    """What a game keeps for a user."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @route("GET", "/user/<guid:user>/progress", allow=SELF)
    async def all(self, call: Call, user: str) -> list[ProgressData]:
        """Spec §4.12."""
        return [_data(row) for row in await progress.of_user(self._db, user)]

    @route("GET", "/user/<guid:user>/progress/<text:key>", allow=SELF)
    async def get(self, call: Call, user: str, key: str) -> ProgressData:
        """The data at one key. Raises ProgressNotFound."""
        row = await progress.get(self._db, user, key)
        if row is None:
            raise ProgressNotFound()
        return _data(row)

    @route("PUT", "/user/<guid:user>/progress/<text:key>", allow=SELF)
    async def put(self, call: Call, user: str, key: str, body: ProgressText) -> None:
        """Store an object at a key."""
        await progress.put(self._db, user, key, object_text("value", body.value))

    @route("DELETE", "/user/<guid:user>/progress/<text:key>", allow=SELF)
    async def delete(self, call: Call, user: str, key: str) -> None:
        """Forget a key."""
        await progress.delete(self._db, user, key)


def _data(row: progress.Datum) -> ProgressData:
    return ProgressData(row.key, Raw(row.value.encode()), row.timestamp)
