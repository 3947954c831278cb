"""Announcements of the studio, which everybody can read (studio#announcements)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import AnnouncementNotFound
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import CURATE
from contentsvc.store.moderation import audit_log
from contentsvc.store.notifications import announcements
from contentsvc.wire.moderation import Act
from contentsvc.wire.notifications import Announcement, AnnouncementBody, AnnouncementsQuery


class Announcements(Struct):
    """What the studio announces. contentsvc.jobs.notifications notifies the sockets of changes."""

    db: Database

    @route("GET", "/announcements", allow=ANYONE)
    async def list_announcements(
        self, call: Call, query: AnnouncementsQuery
    ) -> Listed[Announcement]:
        """List the current announcements, newest first (studio#announcements). Callers with the
        permission `curate` can list past and future ones too, with `all=true`; for others it is
        ignored."""
        read = announcements.all if query.all and call.may(CURATE) else announcements.current
        return numbered(await read(self.db, position(query), query.limit), query)

    @route(
        "GET",
        "/announcements/<guid:announcement>",
        allow=ANYONE,
        raises=(AnnouncementNotFound,),
    )
    async def get_announcement(self, call: Call, announcement: str) -> Announcement:
        """Get a current announcement. Callers with the permission `curate` get any."""
        found = await announcements.get(self.db, announcement, call.may(CURATE))
        return required(found, AnnouncementNotFound)

    @route(
        "PUT",
        "/announcements/<guid:announcement>",
        allow=CURATE,
        heeds="/announcements/<guid:announcement>",
    )
    async def put_announcement(
        self, call: Call, announcement: str, body: AnnouncementBody
    ) -> Created | None:
        """Make an announcement, or replace it. The caller chooses the id: the first time is 201,
        later ones are 204."""
        begins, until = body.begins, body.until
        if until is not None and begins is not None and until <= begins:
            raise at_pointer("/until", "This must be later than `from`.")
        values = body.title, body.text, body.level, begins, until
        async with self.db.transaction() as tx:
            if call.conditional:
                changed = await announcements.lock(tx, announcement)
                await call.unchanged(tx, changed)
            created = await announcements.put(tx, announcement, *values)
            if created is not None:
                act: Act = "announcement_created" if created else "announcement_changed"
                await audit_log.record(tx, *call.actor, act, "announcement", announcement, "")
        return Created(f"/api/v1/announcements/{announcement}") if created else None

    @route("DELETE", "/announcements/<guid:announcement>", allow=CURATE)
    async def delete_announcement(self, call: Call, announcement: str) -> None:
        """Delete an announcement. This succeeds too if there is none with this id."""
        async with self.db.transaction() as tx:
            if await announcements.delete(tx, announcement):
                await audit_log.record(
                    tx, *call.actor, "announcement_deleted", "announcement", announcement, ""
                )
