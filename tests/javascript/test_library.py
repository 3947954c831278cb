"""The library of the JavaScript client."""

from __future__ import annotations

from tests.javascript.harness import NpmCase, OwnServiceCase


class RuleTests(NpmCase):
    async def test_rules(self) -> None:
        """What is given, what counts as handled, and what is remembered."""
        await self.run_tests("library")


class ServiceTests(OwnServiceCase):
    async def test_service(self) -> None:
        """A device has the user's library, however long it was away, through kills of the
        service."""
        await self.run_tests("library-service")
