"""Legal holds: what admins keep as it is, private, whatever becomes of it (moderation#holds)."""

from collections.abc import AsyncIterator, Callable
from typing import Final, get_args
from uuid import uuid4

from msgspec import Struct, json

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    ContentNotFound,
    FileNotFound,
    FilesExternal,
    HoldCopying,
    HoldNotFound,
    TooManyEscalations,
    UserNotFound,
    retry_after,
)
from contentsvc.api.moderation.holding import YEAR, Placing
from contentsvc.api.paging import numbered, position
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import InvalidHost, Problem, at_pointer
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.reply import Listed, Pieces
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.paths import (
    digest_of,
    is_digest,
    media_type_of,
    paths_of,
)
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import ADMINISTER
from contentsvc.store.files import held
from contentsvc.store.moderation import audit_log, holds
from contentsvc.wire.moderation import (
    EscalationBody,
    HeldCopy,
    HeldFile,
    Hold,
    HoldBody,
    HoldKind,
    HoldsQuery,
)

MOST: Final = 1827 * 86_400
"""Seconds for which something is held at most: 5 years."""
FILES: Final = 200
"""Files in one piece of a copy."""
_COPYING: Final = 5
"""Seconds after which to ask again for what is being copied."""
_KINDS: Final[dict[str, HoldKind]] = {kind: kind for kind in get_args(HoldKind)}
_MISSING: Final[dict[HoldKind, Callable[[], Problem]]] = {
    "content": ContentNotFound,
    "user": UserNotFound,
    "file": FileNotFound,
}
_SUBJECT = "/moderation/holds/<text:kind>/<text:id>"
_encode = json.Encoder().encode


class Holds(Struct):
    """What is held. `bucket` is where the bytes of files lie, None if that is the studio's own
    matter; `clock` is the one by which holds end."""

    db: Database
    queue: TaskQueue
    bucket: Bucket | None
    clock: Clock
    public_url: str | None

    @route(
        "PUT",
        _SUBJECT,
        allow=ADMINISTER,
        heeds=_SUBJECT,
        raises=(HoldNotFound, ContentNotFound, UserNotFound, FileNotFound, FilesExternal),
    )
    async def put_hold(self, call: Call, kind: str, id: str, body: HoldBody) -> None:
        """Hold a content item, a user or a file: keep it as it is now, whatever happens to it
        (moderation#holds). Only admins see the copy. The copy of a user has what the export has;
        that of content has its detail, revisions and comments; both have the bytes of all files. A
        repeat replaces the reason and the end, and leaves the copy as it is. The id of a file is
        its sha256."""
        named = _kind(kind)
        now = int(self.clock.seconds())
        until = now + YEAR if body.until is None else body.until
        if not now < until <= now + MOST:
            raise at_pointer("/until", "This must be a moment of the next 5 years.")
        if named == "file" and self.bucket is None:
            raise FilesExternal()
        subject = id.lower()
        given, files = body.until is not None, self.bucket is not None
        placing = Placing(named, subject, body.reason, until, now, given=given, files=files)
        async with self.db.transaction() as tx:
            is_there = await self._lock(tx, named, subject)
            is_held = await holds.lock(tx, named, subject) is not None
            # One that is held can be held longer, when it is gone too.
            if not is_there and not is_held:
                raise _MISSING[named]()
            await call.unchanged(tx)
            await placing.place(tx, self.queue, call.actor)

    async def _lock(self, tx: Db, kind: HoldKind, subject: str) -> bool:
        if kind == "file":
            return is_digest(subject) and await held.are_there(tx, paths_of(subject))
        if not is_guid(subject):
            return False
        lock = holds.lock_user if kind == "user" else holds.lock_content
        return await lock(tx, subject)

    @route("DELETE", _SUBJECT, allow=ADMINISTER, raises=(HoldNotFound,))
    async def delete_hold(self, call: Call, kind: str, id: str) -> None:
        """End a hold, and erase the copy: the record at once, the bytes soon after. Repeatable."""
        about = _kind(kind), id.lower()
        async with self.db.transaction() as tx:
            if await holds.erase(tx, *about):
                tx.after_commit(self.queue.wake)
                await audit_log.record(tx, *call.actor, "hold_erased", *about, "")

    @route("GET", "/moderation/holds", allow=ADMINISTER)
    async def list_holds(self, call: Call, query: HoldsQuery) -> Listed[Hold]:
        """List the holds, newest first."""
        rows = await holds.all(self.db, query.kind, position(query), query.limit)
        return numbered(rows, query)

    @route("GET", _SUBJECT, allow=ADMINISTER, raises=(HoldNotFound,))
    async def get_hold(self, call: Call, kind: str, id: str) -> Hold:
        """Get a hold: its reason, its end and its admin, how much is copied, and to whom the copy
        was given."""
        return required(await holds.of_subject(self.db, _kind(kind), id.lower()), HoldNotFound)

    @route(
        "GET",
        f"{_SUBJECT}/copy",
        allow=ADMINISTER,
        raises=(InvalidHost, HoldNotFound, HoldCopying),
    )
    async def get_hold_copy(self, call: Call, kind: str, id: str) -> Pieces[HeldCopy]:
        """Get the copy of what is held, as one JSON object, with URLs of the bytes that are good
        for one to two hours. Each reading is recorded as an action. If the hold ends meanwhile, the
        answer breaks off."""
        about = _kind(kind), id.lower()
        base = self.public_url or call.base_url
        found = required(await holds.copy_of(self.db, *about), HoldNotFound)
        if not found.copied:
            raise HoldCopying(headers=retry_after(_COPYING))
        members = self._members(base, found)

        async def begin() -> None:
            async with self.db.transaction() as tx:
                await audit_log.record(tx, *call.actor, "hold_read", *about, "")

        async def more() -> bytes:
            piece = await anext(members, "")
            # It would look whole, and lack what was erased before it was read.
            if not piece and not await holds.exists(self.db, found.id):
                raise HoldNotFound()
            return piece.encode()

        async def state() -> str:
            return str(uuid4())  # to compare two of them would cost as much as the copy

        return Pieces(more, state, b"{}", f"{about[0]}-{about[1]}.json", begin)

    async def _members(self, base: str, found: holds.Copy) -> AsyncIterator[str]:
        """The members of a copy in pieces, which commas must separate."""
        hold = found.hold
        shown = {
            name: getattr(hold, name)
            for name in ("kind", "id", "reason", "until", "by", "created", "state")
        }
        yield _encode(shown).decode()[1:-1]
        text, begun = '"record":{', False
        async for piece in holds.record(self.db, found.id):
            if begun:
                yield text
                text = ""
            text, begun = text + piece, True
        yield text + "}"
        text, after, begun = '"files":[', "", False
        while rows := await held.of_hold(self.db, found.id, after, FILES):
            if begun:
                yield text
                text = ""
            text += _encode([self._file(base, row) for row in rows]).decode()[1:-1]
            after, begun = rows[-1].path, True
        yield text + "]"

    def _file(self, base: str, row: held.Kept) -> HeldFile:
        signed = None
        if row.held is not None and self.bucket is not None:
            signed = self.bucket.sign_download(base, row.held, row.path[3:])
        return HeldFile(
            path=row.path,
            sha256=digest_of(row.path),
            size=row.size,
            media_type=media_type_of(row.path),
            url=None if signed is None else signed.url,
            expires=None if signed is None else signed.expires,
        )

    @route(
        "PUT",
        f"{_SUBJECT}/escalations/<guid:escalation>",
        allow=ADMINISTER,
        raises=(HoldNotFound, TooManyEscalations),
    )
    async def put_escalation(
        self, call: Call, kind: str, id: str, escalation: str, body: EscalationBody
    ) -> None:
        """Record to whom the copy was given, such as an authority. A repeat with the same id
        replaces the record. It is deleted with the hold."""
        about = _kind(kind), id.lower()
        async with self.db.transaction() as tx:
            hold = required(await holds.lock(tx, *about), HoldNotFound).id
            if not await holds.has_room(tx, hold, escalation):
                raise TooManyEscalations(limit=holds.MOST_ESCALATIONS)
            given = body.to, body.reference, body.at, body.note, call.user
            if await holds.escalate(tx, hold, escalation, *given):
                await audit_log.record(tx, *call.actor, "hold_escalated", *about, body.to)


def _kind(kind: str) -> HoldKind:
    """Raises HoldNotFound if nothing of this kind can be held."""
    return required(_KINDS.get(kind), HoldNotFound)
