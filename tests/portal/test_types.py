"""The types of the portal's modules."""

from __future__ import annotations

from tests.javascript.harness import NpmCase


class TypesTests(NpmCase):
    async def test_check(self) -> None:
        """All modules pass `tsc --strict --checkJs`."""
        said, status = await self.run_program(self.npm, "run", "--silent", "check-portal")
        self.assertEqual(0, status, said)
