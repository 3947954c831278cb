"""The JavaScript client does what clients/conformance.json says."""

from tests.conformance.cases import ConformanceCase, with_cases
from tests.javascript.harness import PACKAGE, NpmCase


@with_cases
class JavaScriptTests(ConformanceCase, NpmCase):
    async def setUp(self) -> None:
        ConformanceCase.setUp(self)
        await self.prepare()
        self.command = [self.node, str(PACKAGE / "tests/conformance.js")]
