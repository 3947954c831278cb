"""The package of the JavaScript client, and /client.js."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from twisted.trial.unittest import TestCase

import contentsvc
from tests.javascript.harness import PACKAGE, NpmCase
from tests.spec.harness import SpecCase
from tests.support.daemon import ROOT

BUILT = ROOT / "contentsvc/app/javascript/client.js"
COMMITTED = {
    "client.js": BUILT,
    **{
        f"portal/{name}.js": ROOT / f"contentsvc/portal/{name}.js"
        for name in ("client", "client-files", "client-shared", "pictures")
    },
}
"""What the daemon serves, by the paths in `dist` of what is built."""
MOST_ALL, MOST_CORE = 19_300, 7_600
"""Bytes of a build, minified and gzipped. Of all, 14,000 are for what it does without the library,
850 for the library, 1,900 for what leaves metadata out of pictures, 300 for whole numbers, 100 for
`seen`, 180 for names of files, 300 for guests and portal codes, and the rest for what later
operations have added to the table."""


def gzipped(path: Path) -> int:
    """The bytes of a file's gzip."""
    return len(gzip.compress(path.read_bytes(), mtime=0))


class BuildTests(NpmCase):
    async def setUp(self) -> None:
        await super().setUp()
        said, status = await self.run_program(self.npm, "run", "--silent", "build")
        self.assertEqual(0, status, said)

    def test_committed(self) -> None:
        """The builds that the daemon serves are those of the sources."""
        for made, served in COMMITTED.items():
            if served.read_bytes() != (PACKAGE / "dist" / made).read_bytes():
                self.fail(f"run scripts/javascript-package: it makes {served.relative_to(ROOT)}")

    def test_sizes(self) -> None:
        """What a page loads is small: all of it, and the core."""
        for name, most in (("client", MOST_ALL), ("core", MOST_CORE)):
            size = gzipped(PACKAGE / f"dist/{name}.js")
            if size > most:
                self.fail(
                    f"{name}.js has {size} bytes, and may have {most}. A new operation adds some "
                    "20: for that, raise MOST_ALL in tests/javascript/test_package.py"
                )


class ManifestTests(TestCase):
    def test_version(self) -> None:
        """The package has the version of the service."""
        for name in ("package.json", "package-lock.json"):
            found = json.loads((PACKAGE / name).read_text("utf-8"))
            self.assertEqual(contentsvc.__version__, found["version"], name)

    def test_lock(self) -> None:
        """package-lock.json names no registry."""
        self.assertNotIn('"resolved"', (PACKAGE / "package-lock.json").read_text("utf-8"))

    def test_dependencies(self) -> None:
        """The package needs no other at run time."""
        found = json.loads((PACKAGE / "package.json").read_text("utf-8"))
        self.assertEqual(set(), {"dependencies", "peerDependencies"} & set(found))

    def test_licence(self) -> None:
        """It comes with the service's licence."""
        self.assertEqual((ROOT / "LICENSE").read_text(), (PACKAGE / "LICENSE").read_text())


class ServedTests(SpecCase):
    async def test_client(self) -> None:
        """GET /client.js gives the build to pages of any origin, and 304 to who has it."""
        answer = await self.get("/client.js", expect=200)
        self.assertEqual(answer.body, BUILT.read_bytes())
        self.assertEqual(answer.header("Content-Type"), "text/javascript; charset=utf-8")
        self.assertEqual(answer.header("Access-Control-Allow-Origin"), "*")
        self.assertEqual(answer.header("Cache-Control"), "no-cache")
        known = {"If-None-Match": answer.header("ETag") or ""}
        await self.get("/client.js", headers=known, expect=304)
