"""Live, of the JavaScript client."""

from __future__ import annotations

from tests.javascript.harness import NpmCase, OwnServiceCase


class RuleTests(NpmCase):
    async def test_rules(self) -> None:
        """Live, with sockets, answers and a clock of the tests' own."""
        await self.run_tests("live")


class ServiceTests(OwnServiceCase):
    async def test_service(self) -> None:
        """Notifications come once and in order through kills of the service and restarts."""
        await self.run_tests("live-service")
