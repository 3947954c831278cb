"""Announcements (studio §4)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.notifications import Announcement, AnnouncementBody, AnnouncementsQuery


class Announcements:
    """What the studio announces to everybody. `list` needs no log-in."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, query: AnnouncementsQuery | None = None) -> Page[Announcement]:
        """List the announcements of now, newest first; with `all`, all of them, with the permission
        `curate`."""
        return await self._calls.page("/announcements", Announcement, query)

    async def get(self, announcement: str, *, seen: Seen | None = None) -> Announcement:
        """Get an announcement of now; with the permission `curate`, any. Raises ApiError
        (`announcement_not_found`)."""
        return await self._calls.get(
            f"/announcements/{quoted(announcement)}", Announcement, seen=seen
        )

    async def put(
        self, announcement: str, body: AnnouncementBody, *, seen: Seen | None = None
    ) -> None:
        """Announce something, with the permission `curate`, under an id that you have made up; or
        replace what it announces."""
        await self._calls.send("PUT", f"/announcements/{quoted(announcement)}", body, seen=seen)

    async def delete(self, announcement: str) -> None:
        """Announce this no more."""
        await self._calls.send("DELETE", f"/announcements/{quoted(announcement)}")
