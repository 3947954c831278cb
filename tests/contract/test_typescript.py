"""TypeScript that is made of docs/openapi.json; tests/app/test_contract.py has the document."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SkipTest, TestCase

from tests.support.daemon import ROOT

DOCUMENT = ROOT / "docs/openapi.json"
TYPESCRIPT = Path(__file__).with_name("typescript")


class TypeScriptTests(TestCase):
    timeout = 300.0

    async def run_npm(self, *arguments: str) -> None:
        """Run npm in `self.folder`. Raises AssertionError where it fails."""
        out, err, status = await getProcessOutputAndValue(
            self.npm, arguments, env=os.environ, path=str(self.folder)
        )
        self.assertEqual(0, status, (out + err).decode())

    async def setUp(self) -> None:
        required = os.environ.get("CONTENTSVC_REQUIRE_NPM") == "1"
        npm = shutil.which("npm")
        if npm is None:
            if required:
                self.fail("npm is not installed")
            raise SkipTest("npm is not installed")
        self.npm = npm
        self.folder = Path(self.mktemp())
        shutil.copytree(TYPESCRIPT, self.folder)
        shutil.copy(DOCUMENT, self.folder)
        try:
            await self.run_npm("ci", "--ignore-scripts", "--no-audit", "--no-fund")
        except AssertionError as error:
            if required:
                raise
            raise SkipTest(f"npm ci: {error}") from None

    async def test_client(self) -> None:
        """openapi-typescript makes types of it, with which client.ts passes `tsc --strict`."""
        await self.run_npm("run", "--silent", "check")
