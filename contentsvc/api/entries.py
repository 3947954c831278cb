"""Entering design challenges, and their closing (extensions §2)."""

import re
import struct

from contentsvc.api.errors import (
    ChallengeClosed,
    ChallengeNotFound,
    ChallengeNotOpen,
    ContentNotActive,
    ContentNotFound,
    TypeNotAllowed,
)
from contentsvc.api.paging import contents, position
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.store import entries
from contentsvc.store.content import Numbered
from contentsvc.web.allow import ANYONE, SIGNED_IN
from contentsvc.web.call import Call
from contentsvc.web.errors import Forbidden, at_parameter
from contentsvc.web.reply import Listed
from contentsvc.web.route import route
from contentsvc.wire.challenges import EntriesQuery
from contentsvc.wire.content import ContentInfo

(_ONE,) = struct.unpack(">Q", struct.pack(">d", 1.0))
"""The bits of 1. No bound is above it."""
_ENTRY = "/design-challenges/<guid:challenge>/entries/<guid:content>"


class Entries:
    """The content that has entered a design challenge."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @route(
        "PUT",
        _ENTRY,
        allow=SIGNED_IN,
        raises=(
            Forbidden,
            ChallengeNotFound,
            ContentNotFound,
            ChallengeNotOpen,
            TypeNotAllowed,
            ContentNotActive,
        ),
    )
    async def enter(self, call: Call, challenge: str, content: str) -> None:
        """Enter a content item of one's own. It stays in when it is entered again, whatever has
        happened meanwhile."""
        async with self._db.transaction() as tx:
            candidate, place = await self._hold(tx, call, challenge, content)
            if candidate.author_id != call.user:
                raise Forbidden("Only its author can enter this content.")
            if place.entered:
                return
            if place.state != "open":
                raise ChallengeNotOpen()
            if place.types is not None and candidate.type not in place.types:
                raise TypeNotAllowed(types=place.types)
            if candidate.status != "active":
                raise ContentNotActive()
            await entries.enter(tx, challenge, content, candidate.author_id)

    @route(
        "DELETE",
        _ENTRY,
        allow=SIGNED_IN,
        raises=(Forbidden, ChallengeNotFound, ContentNotFound, ChallengeNotOpen, ChallengeClosed),
    )
    async def leave(self, call: Call, challenge: str, content: str) -> None:
        """Take a content item out: its author while the challenge is open, admins until it is
        closed."""
        async with self._db.transaction() as tx:
            candidate, place = await self._hold(tx, call, challenge, content)
            if candidate.author_id != call.user and not call.viewer.admin:
                raise Forbidden("Only its author and admins can take this content out.")
            if place.state == "closed":
                raise ChallengeClosed()
            if place.state != "open" and not call.viewer.admin:
                raise ChallengeNotOpen()
            await entries.leave(tx, challenge, content)

    async def _hold(
        self, tx: Db, call: Call, challenge: str, content: str
    ) -> tuple[entries.Candidate, entries.Place]:
        """Lock a content, then a challenge. Raises ChallengeNotFound, ContentNotFound."""
        candidate = await entries.lock_content(tx, content, *call.viewer)
        place = await entries.hold(tx, challenge, content)
        if place is None:
            raise ChallengeNotFound()
        if candidate is None:
            raise ContentNotFound()
        return candidate, place

    @route(
        "GET",
        "/design-challenges/<guid:challenge>/entries",
        allow=ANYONE,
        raises=(ChallengeNotFound,),
    )
    async def all(self, call: Call, challenge: str, query: EntriesQuery) -> Listed[ContentInfo]:
        """List the entries of a design challenge, the last to enter first, or those with the best
        votes."""
        if query.sort == "top":
            return await self._top(call, challenge, query)
        window = position(query), query.limit
        rows = await entries.newest(self._db, challenge, *call.viewer, *window)
        if not rows:
            raise ChallengeNotFound()
        return contents([Numbered(row.number, row.info) for row in rows if row.info], query)

    async def _top(self, call: Call, challenge: str, query: EntriesQuery) -> Listed[ContentInfo]:
        bound, before = _bound(query.after)
        rows = await entries.top(
            self._db, challenge, *call.viewer, bound, before, query.limit
        )
        if not rows:
            raise ChallengeNotFound()
        infos = [row.info for row in rows if row.info is not None]
        full = len(infos) == query.limit
        return Listed(infos, _cursor(rows[-1]) if full else None)


def _cursor(row: entries.Top) -> str:
    """The bound's bits, so that nothing of it is lost, and the number."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", row.bound))
    return f"{bits}-{row.number}"


def _bound(cursor: str | None) -> tuple[float | None, int | None]:
    """What a cursor means. Raises InvalidQuery."""
    if cursor is None:
        return None, None
    parts = re.fullmatch(r"([0-9]{1,19})-([0-9]{1,18})", cursor)
    if parts is None or int(parts[1]) > _ONE:
        raise at_parameter("after", "This is not a cursor of this list.")
    (bound,) = struct.unpack(">d", struct.pack(">Q", int(parts[1])))
    return bound, int(parts[2])
