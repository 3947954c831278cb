"""Cases about reports and what admins decide about them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from tests.spec.data import Content, User
from tests.spec.harness import SpecCase
from tests.spec.shapes import QUEUED, REPORT


class ReportingCase(SpecCase):
    """Things to report, and an admin."""

    async def report(
        self, what: str, by: User, reason: str = "spam", *, expect: int = 204, **more: Any
    ) -> Any:
        """A report of what has this path."""
        body = {"reason": reason, **more}
        return await self.post(f"{what}/report", body, by=by, expect=expect)

    async def reports(self, kind: str, id: str, **query: Any) -> list[dict[str, Any]]:
        """The reports of a subject."""
        path = f"moderation/reports/{kind}/{id}?{urlencode(query)}"
        return list(await self.read(path, [REPORT], by=await self.admin()))

    async def one(self, kind: str, id: str) -> dict[str, Any]:
        """The only report of a subject."""
        (found,) = await self.reports(kind, id)
        return found

    async def queued(self, id: str, **query: Any) -> dict[str, Any] | None:
        """What the queue says of a subject."""
        path = f"moderation/reports?{urlencode({'limit': 200, **query})}"
        parts = await self.pages(path, [QUEUED], by=await self.admin())
        found = [each for part in parts for each in part if each["subject"]["id"] == id]
        self.assertLess(len(found), 2)
        return found[0] if found else None

    async def decide(
        self, kind: str, id: str, upto: str, outcome: str = "upheld", *, expect: int = 204, **more
    ) -> Any:
        """A decision of an admin."""
        body = {"outcome": outcome, "upTo": upto, **more}
        path = f"moderation/reports/{kind}/{id}"
        return await self.put(path, body, by=await self.admin(), expect=expect)

    async def castle(self) -> Content:
        """Some content, of somebody new."""
        return await self.content(await self.user())
