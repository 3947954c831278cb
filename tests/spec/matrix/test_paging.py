"""The parts of each list (conventions#requests)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tests.spec.client import Response
from tests.spec.matrix.base import MatrixCase
from tests.spec.matrix.inputs import QUERIES
from tests.spec.matrix.operations import OPERATIONS, Operation, each

NUMBERS = {"listEvents"}
"""Go on after a number that they give themselves, and not by links."""
PAGED = [one for one in OPERATIONS if "limit" in QUERIES.get(one.id, ()) and one.id not in NUMBERS]
NUMBERED = [one for one in OPERATIONS if "page" in QUERIES.get(one.id, ())]
EMPTY = {"listIdentities"}
"""Lists that have nothing where the service knows no other one."""
AT_ONCE = {"listUserContent", "listFollowers", "listFollowing", "listNotifications"}
"""Lists that are whole without a limit."""


@each(*PAGED)
class PartTests(MatrixCase):
    async def part(self, operation: Operation, **query: str) -> Response:
        """A part of the list."""
        request = await self.prepared(operation)
        asked = replace(request, query=request.query | query)
        return await self.sent(operation, asked, self.rightful(operation), expect=200)

    async def check(self, operation: Operation) -> None:
        """Parts of one item, one after the other by their links, are the list; the cursor behind
        its end gives nothing, and no link leads on from there."""
        whole = (await self.part(operation, limit="200")).json()
        if operation.id not in EMPTY:
            place = f"tests/spec/matrix/world.py must make two items for {operation.id}"
            self.assertGreaterEqual(len(whole), 2, place)
        default = await self.part(operation)
        self.assertEqual(whole[: None if operation.id in AT_ONCE else 50], default.json())
        found: list[Any] = []
        response = await self.part(operation, limit="1")
        while items := response.json():
            self.assertEqual(1, len(items))
            found += items
            link = re.fullmatch(r'<([^>]+)>; rel="next"', response.header("Link") or "")
            assert link is not None, response
            self.assertTrue(link[1].startswith("/api/v1/"))
            by = await self.caller(self.rightful(operation), await self.prepared(operation))
            response = await self.get(link[1], by=by, expect=200)
        self.assertIsNone(response.header("Link"))
        self.assertEqual(whole, found)

    async def test_documented(self) -> None:
        """The document says which lists have parts, and that a part has 50 items by default."""
        for operation in OPERATIONS:
            if operation.id in NUMBERS:
                continue
            _, _, documented = await self.documented(operation)
            schemas = {one["name"]: one["schema"] for one in documented.get("parameters", ())}
            place = f"tests/spec/matrix/inputs.py, QUERIES: {operation.id} is PAGED, or is not"
            self.assertEqual(operation in PAGED, "limit" in schemas, place)
            default = 50 if operation in PAGED and operation.id not in AT_ONCE else None
            place = f"tests/spec/matrix/test_paging.py, AT_ONCE: {operation.id}"
            self.assertEqual(default, schemas.get("limit", {}).get("default"), place)
            linked = "Link" in documented["responses"].get("200", {}).get("headers", {})
            self.assertEqual(operation in PAGED, linked, operation.id)


@each(*NUMBERED)
class PageTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """A page has as many items as it may, or those that are left; and a page beyond the end
        has none."""
        request, by = await self.prepared(operation), self.rightful(operation)
        size = next(name for name in ("size", "pageSize") if name in QUERIES[operation.id])
        for page, more in (("0", True), (str(2**31 - 1), False)):
            query = request.query | {size: "10", "page": page}
            asked = replace(request, query=query)
            found = (await self.sent(operation, asked, by, expect=200)).json()
            self.assertEqual((int(page), 10), (found["page"], found["pageSize"]))
            self.assertEqual(more, found["items"] != [])
            self.assertLessEqual(len(found["items"]), min(10, found["total"]))
