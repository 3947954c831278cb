"""The files of the portal. A digest of them all is in their path, so that they may be kept for
ever."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from gzip import compress
from pathlib import Path
from posixpath import dirname, join, normpath
from types import MappingProxyType
from typing import Final

from blake3 import blake3
from msgspec import msgpack

from contentsvc.config.brand import Brand
from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.guids import GUID
from contentsvc.portal import face

FOLDER = Path(__file__).parent
_MEDIA = {
    ".js": "text/javascript",  # a module is UTF-8
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_PLACE = re.compile(r"""^\["([^"]+)", \(\) => import\("\./([^"]+)"\)\],$""", re.MULTILINE)
_IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*?from\s*["'](\.[^"']+)["']""", re.MULTILINE)


_COMMENT = re.compile(rb"^[ \t]*(?:/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*|//[^\n]*)$", re.MULTILINE)
"""A comment that has lines of its own."""
_INDENT = re.compile(rb"^[ \t]+", re.MULTILINE)
_STYLE_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_STYLE_BLANKS = re.compile(rb"\s*([{};])\s*|([:,]) ")
"""Blanks of a style sheet that mean nothing: those of a selector do. No string of ours has such."""


_TEXT = re.compile(r'^(?="[\w.-]+":)', re.MULTILINE)
_SAID = re.compile(r'"([a-z][\w-]*\.[\w.-]+)"|\bt\(`([\w.-]+)\$')
"""A key of a text, or what the keys of several begin with."""
FIRST: Final = "places/discover.js"
"""The first page."""


class Assets:
    """The files by their names, such as `places/browse.js`, and what each needs.

    Of the texts of a language, those that the first page does not say are a file of their own:
    `texts/en.more.js` beside `texts/en.js`.

    The `modules` replace `service.js` and `tag-groups.js`: what the service says of itself.

    `scripts/javascript-package` builds `client.js`, those beside it, and `pictures.js`: what
    they use of the JavaScript client.

    A `brand` has pictures among them, and adds to the style sheet.
    """

    def __init__(
        self, brand: Brand | None = None, modules: Mapping[str, bytes] = MappingProxyType({})
    ) -> None:
        self._stored = {name: _sent(name, path.read_bytes()) for name, path in _files()}
        self._stored["style.css"] += face.style(brand)
        self._stored |= modules
        total = blake3(msgpack.encode(brand))
        for name, data in sorted(self._stored.items()):
            total.update(b"%s %d " % (name.encode(), len(data)) + data)
        self.digest = total.hexdigest(length=9)
        """What their path has."""
        self._divide_texts()
        self.files = {name: self._asset(name) for name in self._stored} | face.pictures(brand)
        self._places = [
            (re.compile(re.sub(r":\w+", "[^/]+", path.replace(":id", GUID))), module)
            for path, module in _PLACE.findall(self._stored["routes.js"].decode())
        ]

    def text(self, name: str) -> str:
        """The text of a file, as it is sent."""
        return self._stored[name].decode()

    def place(self, path: str) -> str | None:
        """The module of the place that this path names, such as `places/browse.js`; None if there
        is none. The table is that of `routes.js`."""
        return next((module for form, module in self._places if form.fullmatch(path)), None)

    @cache  # noqa: B019 - there is one object in a process
    def needed(self, name: str) -> list[str]:
        """The modules that this one imports, directly or not, itself first."""
        found = [name]
        for module in found:
            found += [other for other in self._imports(module) if other not in found]
        return list(dict.fromkeys(found))

    def _divide_texts(self) -> None:
        """Let the first page have its own texts without the others."""
        modules = "".join(
            self.text(name) for start in ("main.js", FIRST) for name in self.needed(start)
        )
        keys, starts = (set(found) - {""} for found in zip(*_SAID.findall(modules), strict=True))
        for name in [name for name in self._stored if re.fullmatch(r"texts/\w+\.js", name)]:
            head, *texts = _TEXT.split(self.text(name))
            texts[-1], brace, end = texts[-1].rpartition("};")
            first: list[str] = []
            more: list[str] = []
            for text in texts:
                key = text.split('"', 2)[1]
                (first if key in keys or key.startswith(tuple(starts)) else more).append(text)
            for stored, some in ((name, first), (name.replace(".js", ".more.js"), more)):
                self._stored[stored] = "".join((head, *some, brace, end)).encode()

    def _imports(self, module: str) -> list[str]:
        text = self.text(module)
        return [normpath(join(dirname(module), path)) for path in _IMPORT.findall(text)]

    def _asset(self, name: str) -> Asset:
        data = self._stored[name]
        return Asset(compress(data, mtime=0), _MEDIA[Path(name).suffix], gzipped=True)


def _sent(name: str, data: bytes) -> bytes:
    """What is sent of a file: of our modules without comments, which are a fifth of their weight,
    and without what lines begin with. The lines stay, so that a browser names those of the
    source."""
    if name.endswith(".css"):
        return _STYLE_BLANKS.sub(rb"\1\2", _STYLE_COMMENT.sub(b"", data)).replace(b";}", b"}")
    if not name.endswith(".js") or name.startswith("vendor/"):
        return data
    return _INDENT.sub(b"", _COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), data))


def _files() -> Iterator[tuple[str, Path]]:
    for path in FOLDER.rglob("*"):
        if path.suffix in _MEDIA:
            yield path.relative_to(FOLDER).as_posix(), path
