"""Entering design challenges, and their closing (challenges#entries)."""

from collections.abc import Sequence

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    ChallengeClosed,
    ChallengeNotFound,
    ChallengeNotOpen,
    ContentNotActive,
    ContentNotFound,
    NotPublic,
    TypeNotAllowed,
)
from contentsvc.api.guests import PUBLISH
from contentsvc.api.paging import decoded, encoded, heavy, key_of
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import CURATE
from contentsvc.store.challenges import entries
from contentsvc.store.content.found_parts import Cursor
from contentsvc.store.fragments import LAST, Numbered
from contentsvc.store.moderation import audit_log
from contentsvc.wire.challenges import EntriesQuery
from contentsvc.wire.content import ContentInfo

_START: dict[str, Cursor] = {"newest": (LAST,), "top": (2.0, LAST)}
"""The place before the first entry of each order: no bound is above 1."""
_ENTRY = "/design-challenges/<guid:challenge>/entries/<guid:content>"


class Entries(Struct):
    """The content that has entered a design challenge."""

    db: Database

    @route(
        "PUT",
        _ENTRY,
        allow=SIGNED_IN,
        guests=PUBLISH,
        restricts="publish",
        raises=(
            Forbidden,
            ChallengeNotFound,
            ContentNotFound,
            ChallengeNotOpen,
            TypeNotAllowed,
            ContentNotActive,
            NotPublic,
        ),
    )
    async def enter_challenge(self, call: Call, challenge: str, content: str) -> None:
        """Enter a public content item of your own in a design challenge. The challenge must be open
        and take its type. If it is in already, nothing changes, also if the challenge is
        closed."""
        async with self.db.transaction() as tx:
            candidate, place = await self._lock(tx, call, challenge, content)
            if candidate.author_id != call.user:
                raise Forbidden("Only its author can enter this content.")
            if place.entered:
                return
            await call.unrestricted(tx)
            if place.state != "open":
                raise ChallengeNotOpen()
            if place.types is not None and candidate.type not in place.types:
                raise TypeNotAllowed(types=place.types)
            if candidate.status != "active":
                raise ContentNotActive()
            if candidate.visibility != "public":
                raise NotPublic()
            await entries.enter(tx, challenge, content, candidate.author_id)

    @route(
        "DELETE",
        _ENTRY,
        allow=SIGNED_IN | CURATE,
        raises=(Forbidden, ChallengeNotFound, ContentNotFound, ChallengeNotOpen, ChallengeClosed),
    )
    async def leave_challenge(self, call: Call, challenge: str, content: str) -> None:
        """Take a content item out of a design challenge. Its author may while the challenge is
        open, and admins until it is closed. If it is not in, this is not an error."""
        async with self.db.transaction() as tx:
            candidate, place = await self._lock(tx, call, challenge, content)
            if candidate.author_id != call.user and not call.may(CURATE):
                raise Forbidden("Only its author and admins can take this content out.")
            if place.state == "closed":
                raise ChallengeClosed()
            if place.state != "open" and not call.may(CURATE):
                raise ChallengeNotOpen()
            left = await entries.leave(tx, challenge, content)
            if left and candidate.author_id != call.user:
                await audit_log.record(tx, *call.actor, "entry_removed", "challenge", challenge, "")

    async def _lock(
        self, tx: Db, call: Call, challenge: str, content: str
    ) -> tuple[entries.Candidate, entries.EntryState]:
        """Lock a content, then a challenge. Raises ChallengeNotFound, ContentNotFound."""
        candidate = await entries.lock_content(tx, content, *call.viewer)
        place = required(await entries.lock_challenge(tx, challenge, content), ChallengeNotFound)
        if candidate is None:
            raise ContentNotFound()
        return candidate, place

    @route(
        "GET",
        "/design-challenges/<guid:challenge>/entries",
        allow=ANYONE,
        raises=(ChallengeNotFound,),
    )
    async def list_challenge_entries(
        self, call: Call, challenge: str, query: EntriesQuery
    ) -> Listed[ContentInfo]:
        """List the entries of a design challenge: those that entered last come first, or those with
        the best votes."""
        key, place = key_of("entries", challenge, query.sort), _START[query.sort]
        if query.after is not None:
            place = decoded(key, query.after, len(place))
        rows = await self._page(call, challenge, place, query.limit)
        if not rows:
            raise ChallengeNotFound()
        infos = [row.item for row in rows if row.item is not None]
        full = len(infos) == query.limit or heavy(infos)
        return Listed(infos, encoded(key, rows[-1][:-1]) if full else None)

    async def _page(
        self, call: Call, challenge: str, place: Cursor, limit: int
    ) -> Sequence[Numbered[ContentInfo | None] | entries.Top]:
        """The entries after a place. No row at all if there is no such challenge."""
        if len(place) == 1:
            (before,) = place
            return await entries.newest(self.db, challenge, *call.viewer, before, limit)
        bound, before = place
        return await entries.top(self.db, challenge, *call.viewer, bound, before, limit)
