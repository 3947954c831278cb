"""Progress data: progress#list, and writing it."""

from collections.abc import Awaitable
from typing import NoReturn

from msgspec import Raw

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user, required
from contentsvc.api.errors import ProgressConflict, ProgressNotFound, QuotaExceeded, UserNotFound
from contentsvc.api.paging import PIECE, Piece
from contentsvc.framework.db.database import Database, Transaction
from contentsvc.framework.db.errors import Refused, Unavailable
from contentsvc.framework.http.decode import object_text
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Encoded, Pieces
from contentsvc.framework.http.route import route
from contentsvc.roles import PROGRESS
from contentsvc.store.progress import progress
from contentsvc.wire.progress import (
    ProgressData,
    ProgressDelete,
    ProgressKey,
    ProgressKeyDelete,
    ProgressQuery,
    ProgressText,
)

_TRIES = 4
"""Tries of a first write to a key. It fails only if another write and a deletion come between each
time."""


class Progress:
    """Data that a game stores for a user.

    That is at most `keys` keys and `bytes` bytes of values, 0 for no limit.
    """

    def __init__(self, db: Database, *, keys: int, bytes: int, piece: Piece = PIECE) -> None:
        self.db = db
        self._piece = piece
        self._quotas = {
            progress.KEYS: keys or progress.NO_LIMIT,
            progress.BYTES: bytes or progress.NO_LIMIT,
        }

    @route("GET", "/user/<guid:user>/progress", allow=SELF | PROGRESS, raises=(UserNotFound,))
    async def list_progress(
        self, call: Call, user: str, query: ProgressQuery
    ) -> Encoded[list[ProgressData]] | Pieces[list[ProgressData]]:
        """List the user's progress data (progress#list), in the order of the keys: all, or only
        those that the query names."""
        await self._check(call, user)
        start, end = _asked(query)
        db = self.db.whole()

        def page(first: str) -> Awaitable[list[progress.Datum]]:
            return progress.page(db, user, first, end, *self._piece)

        def state() -> Awaitable[str]:
            return progress.state(db, user, start, end)

        rows = await page(start)
        return self._piece.whole(rows, _next, _data, start=start, page=page, state=state)

    @route(
        "GET",
        "/user/<guid:user>/progress/<text:key>",
        allow=SELF | PROGRESS,
        raises=(UserNotFound, ProgressNotFound),
    )
    async def get_progress(self, call: Call, user: str, key: str) -> ProgressData:
        """Get the data at one key."""
        await self._check(call, user)
        row = required(await progress.get(self.db, user, key), ProgressNotFound)
        return _data(row)

    @route(
        "PUT",
        "/user/<guid:user>/progress/<text:key>",
        allow=SELF | PROGRESS,
        heeds="/user/<guid:user>/progress/<text:key>",
        raises=(UserNotFound, QuotaExceeded, ProgressConflict),
    )
    async def put_progress(self, call: Call, user: str, key: str, body: ProgressText) -> None:
        """Store an object at a key. It replaces the present value."""
        await self._put(call, user, key, body)

    @route(
        "PUT",
        "/user/<guid:user>/progress",
        allow=SELF | PROGRESS,
        heeds="/user/<guid:user>/progress/<text:key>",
        raises=(UserNotFound, QuotaExceeded, ProgressConflict),
    )
    async def put_progress_by_key(
        self, call: Call, user: str, query: ProgressKey, body: ProgressText
    ) -> None:
        """Store an object at a key of the query. It replaces the present value. Some proxies change
        a slash in a path; none changes a query."""
        await self._put(call, user, query.key, body)

    async def _put(self, call: Call, user: str, key: str, body: ProgressText) -> None:
        value = object_text("value", body.value)
        await self._check(call, user)
        try:
            if body.version is None and body.write_id is None and not call.conditional:
                await progress.put(self.db, user, key, value, None, *self._quotas.values())
                return
            for _ in range(_TRIES):
                if await self._put_checked(call, user, key, value, body):
                    return
        except Refused as error:
            if error.constraint not in self._quotas:
                raise
            usage = await progress.usage(self.db, user) or progress.Usage(0, 0, 0)
            limit = self._quotas[error.constraint]
            used, unit = (
                (usage.keys, "keys")
                if error.constraint == progress.KEYS
                else (usage.bytes, "bytes of values")
            )
            detail = f"This write would exceed your quota of {limit} {unit}."
            raise QuotaExceeded(detail, limit=limit, used=used) from None
        raise Unavailable("others write to this key all the time", "lock")

    async def _put_checked(
        self, call: Call, user: str, key: str, value: str, body: ProgressText
    ) -> bool:
        """True if the value is stored, now or before. False if another write came between."""
        write_id = body.write_id
        try:
            async with self.db.transaction() as tx:
                current = await progress.lock(tx, user, key)
                if current is not None and write_id is not None and current.write_id == write_id:
                    return True
                await call.unchanged(tx)
                version, follows = await _before(tx, user, key, current)
                if body.version is not None and body.version != version:
                    await _refuse(tx, user, key)
                await progress.put(tx, user, key, value, write_id, *self._quotas.values())
                if current is None:
                    # There was no row to lock.
                    begun = await progress.lock(tx, user, key)
                    if begun is None or begun.version != follows + 1:
                        raise _Overtaken()
        except _Overtaken:
            return False
        return True

    @route(
        "DELETE",
        "/user/<guid:user>/progress/<text:key>",
        allow=SELF | PROGRESS,
        raises=(UserNotFound, ProgressConflict),
    )
    async def delete_progress(self, call: Call, user: str, key: str, query: ProgressDelete) -> None:
        """Delete the data at a key. If there is none, this is not an error."""
        await self._delete(call, user, key, query.version)

    @route(
        "DELETE",
        "/user/<guid:user>/progress",
        allow=SELF | PROGRESS,
        raises=(UserNotFound, ProgressConflict),
    )
    async def delete_progress_by_key(self, call: Call, user: str, query: ProgressKeyDelete) -> None:
        """Delete the data at a key of the query. If there is none, this is not an error."""
        await self._delete(call, user, query.key, query.version)

    async def _delete(self, call: Call, user: str, key: str, version: int | None) -> None:
        await self._check(call, user)
        if version is None:
            await progress.delete(self.db, user, key)
            return
        async with self.db.transaction() as tx:
            current = await progress.lock(tx, user, key)
            if current is None:
                return
            if current.version != version:
                await _refuse(tx, user, key)
            await progress.delete(tx, user, key)

    async def _check(self, call: Call, user: str) -> None:
        """Raises UserNotFound, where a service asks: a user who asks exists."""
        if call.service:
            await check_user(self.db, user)


class _Overtaken(Exception):
    """A key has changed since it was read."""


async def _before(
    tx: Transaction, user: str, key: str, current: progress.ProgressState | None
) -> tuple[int, int]:
    """A key's version, and the version that its next write follows."""
    if current is not None:
        return current.version, current.version
    deleted = await progress.deleted(tx, user, key)
    if deleted is not None:
        return deleted.version, deleted.version
    usage = await progress.usage(tx, user)
    return 0, 0 if usage is None else usage.dropped


async def _refuse(tx: Transaction, user: str, key: str) -> NoReturn:
    """Raise ProgressConflict with the present data."""
    row = await progress.get(tx, user, key)
    if row is not None:
        raise ProgressConflict(
            value=Raw(row.value.encode()), version=row.version, timestamp=row.timestamp
        )
    deleted = await progress.deleted(tx, user, key) or progress.Deleted(0, None)
    raise ProgressConflict(value=None, version=deleted.version, timestamp=deleted.timestamp)


def _asked(query: ProgressQuery) -> tuple[str, str | None]:
    """The first key to list, and the first after it that is not."""
    if query.key is None:
        return query.prefix, _end(query.prefix)
    # Without the prefix, nothing is between them.
    return query.key, _after(query.key) if query.key.startswith(query.prefix) else query.key


def _end(prefix: str) -> str | None:
    """The first text, by code points, after all texts that begin with `prefix`."""
    while prefix:
        prefix, last = prefix[:-1], ord(prefix[-1])
        if last < 0x10FFFF:
            # Surrogates are not characters.
            return prefix + chr(0xE000 if last == 0xD7FF else last + 1)
    return None


def _next(row: progress.Datum) -> str:
    """The first key that may come after this row's."""
    return _after(row.key)


def _after(key: str) -> str:
    """The first key that may come after this one: no key contains NUL."""
    return key + "\x01"


def _data(row: progress.Datum) -> ProgressData:
    return ProgressData(row.key, Raw(row.value.encode()), row.timestamp, row.version)
