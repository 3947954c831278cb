"""What the portal's modules import."""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal.assets import FOLDER
from tests.test_layers import circle

_IMPORT = re.compile(
    r"""(?:\bfrom\s*|^import\s*|(?<!@typedef {)\bimport\()["'](\.[^"']+)["']""", re.M
)
_COMMENT = re.compile(r"/\*\*.*?\*/|//[^\n]*", re.DOTALL)


def imported(name: str) -> set[str]:
    """The modules of ours that this one imports, at its start or later; in comments are types."""
    text = _COMMENT.sub("", (FOLDER / name).read_text())
    return {normpath(join(dirname(name), path)) for path in _IMPORT.findall(text)}


class ModuleTests(SynchronousTestCase):
    def test_circle(self) -> None:
        """No module imports another that imports it, by however many steps, now or later."""
        names = [path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js")]
        arrows = {name: imported(name) for name in names}
        self.assertIn("places/publish.js", arrows["routes.js"])
        self.assertIn("router.js", arrows["places/publish.js"])
        self.assertEqual([], circle(arrows))
