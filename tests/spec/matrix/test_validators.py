"""ETags of each GET, and HEAD (conventions#answers and conventions#requests)."""

from __future__ import annotations

from tests.spec.client import Response
from tests.spec.matrix.base import MatrixCase
from tests.spec.matrix.operations import ANYONE, NEVER_SAME, OPERATIONS, Operation, each
from tests.spec.matrix.world import Request

READS = [
    one for one in OPERATIONS if one.id.startswith(("get", "list", "search", "export", "check"))
]
WRITES = {"checkUpload"}


@each(*(one for one in READS if one.id not in WRITES))
class ValidatorTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """A 200 has a weak ETag, with which a GET or HEAD is 304 without a body; caches ask again,
        and tell callers apart. HEAD has the same headers."""
        request, by = await self.prepared(operation), self.rightful(operation)
        first = await self.sent(operation, request, by, expect=200)
        for left in (2, 1, 0):
            try:
                await self.revalidated(operation, request, by, first)
                return
            except self.failureException:
                # Counts are added up in the background: what has changed is looked at again.
                again = await self.sent(operation, request, by, expect=200)
                if not left or first.header("ETag") == again.header("ETag"):
                    raise
                first = again

    async def revalidated(
        self, operation: Operation, request: Request, by: str, first: Response
    ) -> None:
        """Ask with HEAD, and with the validator of this answer."""
        tag = first.header("ETag") or ""
        self.assertRegex(tag, '^W/"[^"]+"$')
        kept = {"no-cache"} if operation.who == ANYONE else {"private", "no-store"}
        self.assertEqual(kept, first.listed("Cache-Control"))
        self.assertEqual("nosniff", first.header("X-Content-Type-Options"))
        self.assertLessEqual({"origin", "authorization"}, first.listed("Vary"))
        head = await self.sent(operation, request, by, method="HEAD", expect=200)
        self.assertEqual(
            (b"", first.header("Content-Type")), (head.body, head.header("Content-Type"))
        )
        if operation.id in NEVER_SAME:
            return
        self.assertEqual(tag, head.header("ETag"))
        for method in ("GET", "HEAD"):
            for sent, status in ((tag, 304), (f'"a", {tag}', 304), ("*", 304), ('W/"other"', 200)):
                headers = {"If-None-Match": sent}
                response = await self.sent(
                    operation, request, by, method=method, headers=headers, expect=status
                )
                self.assertEqual(tag, response.header("ETag"))

    async def test_reads(self) -> None:
        """These are the operations whose method is GET."""
        for operation in OPERATIONS:
            method, _, _ = await self.documented(operation)
            reads = operation in READS and operation.id not in WRITES
            place = f"tests/spec/matrix/test_validators.py, READS or WRITES: {operation.id}"
            self.assertEqual(reads, method == "GET", place)
