"""What tests of events read and expect."""

from __future__ import annotations

from typing import Any

from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import User
from tests.spec.files.support import FilesCase
from tests.spec.moderation.support import ReportingCase


class EventCase(FilesCase, ChallengeCase, ReportingCase):
    """Reading events. The tests of this folder share a daemon, so each reads what came after its
    own beginning, and looks for its own subjects."""

    async def connect(self) -> None:
        """Elsewhere others would cause events meanwhile."""
        await super().connect()
        await self.be_alone()

    async def events(self, *, by: User | None = None, **query: Any) -> Any:
        """The answer of GET /events."""
        by = by or await self.admin()
        return (await self.get("events", by=by, query=query, expect=200)).json()

    async def newest(self) -> int:
        """Where reading begins now."""
        return int((await self.events())["next"])

    async def caused(self, after: int, *subjects: str) -> list[tuple[str, str | None, Any]]:
        """The kind, actor and data of all events about these subjects: a last one ends them."""
        end = await self.user()
        found: list[tuple[str, str | None, Any]] = []
        while True:
            page = await self.events(after=after, wait=2)
            self.assertTrue(page["items"], "the last event did not come")
            for each in page["items"]:
                if each["subject"]["id"] == end.id:
                    return found
                if each["subject"]["id"] in subjects:
                    found.append((each["kind"], each["actor"], each["data"]))
            after = page["next"]
