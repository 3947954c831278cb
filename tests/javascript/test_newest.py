"""The JavaScript client in the newest Node."""

from __future__ import annotations

from tests.conformance.cases import ConformanceCase, with_cases
from tests.conformance.script import cases
from tests.javascript.harness import PACKAGE, NewestCase


class UnitTests(NewestCase):
    async def test_version(self) -> None:
        """It is newer than the oldest that the client is for."""
        found = await self.run_node("--print", "process.versions.node")
        self.assertGreater(int(found.partition(".")[0]), 20)

    async def test_rules(self) -> None:
        """Requests, log-ins, events, digests, uploads and Live do there what they do elsewhere."""
        for name in ("requests", "session", "tabs", "events", "digest", "uploads", "live"):
            await self.run_tests(name)


class ConformanceTests(ConformanceCase, NewestCase):
    """The cases in which another Node may differ; tests.conformance.test_javascript has all."""

    async def setUp(self) -> None:
        ConformanceCase.setUp(self)
        await self.prepare()
        self.command = [self.node, str(PACKAGE / "tests/conformance.js")]


with_cases(ConformanceTests, [case for case in cases() if case.is_of_the_line])
