"""The JavaScript client does what clients/conformance.json says."""

from tests.conformance.cases import ConformanceCase, with_cases
from tests.conformance.script import cases
from tests.javascript.harness import PACKAGE, NpmCase


class JavaScriptTests(ConformanceCase, NpmCase):
    async def setUp(self) -> None:
        ConformanceCase.setUp(self)
        await self.prepare()
        self.command = [self.node, str(PACKAGE / "tests/conformance.js")]


with_cases(JavaScriptTests, cases())
