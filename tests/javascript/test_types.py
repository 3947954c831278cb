"""The types of the JavaScript client."""

from __future__ import annotations

from tests.javascript.harness import NpmCase


class TypesTests(NpmCase):
    async def test_program(self) -> None:
        """A program that uses all of it passes `tsc --strict` with `exactOptionalPropertyTypes`."""
        said, status = await self.run_program(self.npm, "run", "--silent", "check")
        self.assertEqual(0, status, said)
