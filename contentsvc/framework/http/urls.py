"""From a method and a path to an endpoint and its variables, in three layers.

The first layer remembers earlier answers: paths that differ only in their GUIDs have the same
answer. The second knows the methods of paths that have words where others have variables. The third
is Klein's own map, werkzeug's.
"""

import re
from contextlib import suppress
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.exceptions import MethodNotAllowed as WrongMethod
from werkzeug.routing import BaseConverter, Map

from contentsvc.framework.http.errors import InvalidPath, MethodNotAllowed, NotFound
from contentsvc.framework.http.guids import is_guid

_OWN_PORTS: Final = {"http": ":80", "https": ":443"}

_GUIDS = re.compile(r"(?<=/)([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?=/|\Z)")
_VARIABLE = re.compile(r"<[^>]+>")
KINDS: dict[str, type] = {"guid": str, "int": int, "sha256": str, "text": str}
"""The kinds of variables, and the type of a handler's parameter."""
SHA256 = "[0-9a-f]{64}"
"""The form of a digest."""
LONGEST = 256
"""Characters of a variable that is text."""
TEXT = r"^(?!([^\u0000]*[/\\])?\.\.(?![^/\\]))[^\u0000]*$"
"""The form of one: without NUL, and without a segment `..`. Many a proxy decodes a path and takes
such a segment for the folder above, so that the request would be one for something else."""


class _Segment(BaseConverter):
    """One segment of the path, still percent-encoded: a %2F in it does not separate."""

    regex = "[^/]+"


class Urls:
    """Looks up paths in a map. The rules' variables are of KINDS.

    The owner must call `add` for each rule of the map.
    """

    def __init__(self, rules: Map) -> None:
        rules.merge_slashes = False
        for kind in KINDS:
            rules.converters[kind] = _Segment
        self._rules = rules.bind("")
        self._methods = {"HEAD"}
        self._paths: dict[str, set[str]] = {}
        """The methods of each path as it was added."""
        self._alike: dict[int, dict[str, list[str]]] = {}
        """The parts of each path, by their number."""
        self._static: dict[str, set[str]] = {}
        """Those of the paths without variables."""
        self._narrow: dict[str, tuple[re.Pattern[str], set[str]]] = {}
        """Those with variables that have a word where another path has a variable."""
        self._known: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
        """Endpoints and the names of their variables, by the parts of a path around its GUIDs."""

    def add(self, method: str, path: str) -> None:
        """Take note of a rule's method and path."""
        self._methods.add(method)
        if path not in self._paths:
            methods = self._paths[path] = set()
            if "<" not in path:
                self._static[path] = methods
            parts = path.split("/")
            alike = self._alike.setdefault(len(parts), {})
            alike[path] = parts
            for other, others in alike.items():
                for one, own, wide in ((path, parts, others), (other, others, parts)):
                    if "<" in one and _is_narrower(own, wide):
                        pattern = re.compile("[^/]+".join(map(re.escape, _VARIABLE.split(one))))
                        self._narrow[one] = pattern, self._paths[one]
        self._paths[path].update({method}, {"HEAD"} if method == "GET" else ())

    def match(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        """The endpoint and its variables, as they are written. Raises NotFound,
        MethodNotAllowed."""
        # werkzeug's answer is the same for all paths that differ in their GUIDs only.
        parts = _GUIDS.split(path)
        shape, guids = (method, *parts[::2]), parts[1::2]
        known = self._known.get(shape)
        if known is not None:
            endpoint, names = known
            return endpoint, dict(zip(names, guids, strict=True))
        endpoint, args = self._looked_up(method, path)
        if list(args.values()) == guids:
            self._known[shape] = endpoint, tuple(args)
        return endpoint, args

    def _looked_up(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        named = self._named(path)
        try:
            # werkzeug ignores the case of a method. And if a path has a word, the variable of
            # another operation matches that word too.
            if method != method.upper() or (named is not None and method not in named):
                raise WrongMethod()
            endpoint, args = self._rules.match(path, method)
        except WrongMethod:
            allowed = ", ".join(self.allowed(path))
            raise MethodNotAllowed(
                f"This path allows only {allowed}.", headers={"Allow": allowed}
            ) from None
        except HTTPException:
            raise NotFound() from None
        return endpoint, dict(args)

    def allowed(self, path: str) -> list[str]:
        """The methods that a path has. Raises NotFound."""
        if path == "*":
            # The service as a whole (RFC 9110 §9.3.7).
            methods = self._methods
        else:
            methods = self._named(path) or set(self._rules.allowed_methods(path))
        if not methods:
            raise NotFound()
        return sorted({*methods, "OPTIONS"})

    def _named(self, path: str) -> set[str] | None:
        """The methods of a path that has a word in the place of another path's variable."""
        static = self._static.get(path)
        if static is not None:
            return static
        for pattern, methods in self._narrow.values():
            if pattern.fullmatch(path):
                return methods
        return None


def _is_narrower(path: list[str], wide: list[str]) -> bool:
    """Whether the rule `wide` matches every path that the rule `path` matches. These are their
    parts, of the same number."""
    narrower = False
    for one, other in zip(path, wide, strict=True):
        if other[:1] == "<":
            narrower = narrower or one[:1] != "<"
        elif one != other:
            return False
    return narrower


def decoded(path: bytes) -> str:
    """The path of a request, as text to look up. Raises InvalidPath, NotFound."""
    if b"//" in path:
        # werkzeug treats several slashes at the start as one.
        raise NotFound()
    try:
        return path.decode("ascii")
    except UnicodeDecodeError:
        raise InvalidPath("The path must be percent-encoded.") from None


def variable(kind: str, name: str, text: str) -> str | int:
    """The value of a variable; a GUID in lower case. Raises InvalidPath."""
    if kind == "guid":
        if is_guid(value := unquote(text)):
            return value.lower()
        must = "be a GUID with dashes"
    elif kind == "int":
        if text.isascii() and text.isdigit() and len(text) <= 19 and 0 < int(text) < 2**63:
            return int(text)
        must = f"be an integer from 1 to {2**63 - 1}"
    elif kind == "sha256":
        if re.fullmatch(SHA256, value := unquote(text)):
            return value
        must = "be 64 lower-case hexadecimal digits"
    else:
        with suppress(UnicodeDecodeError):
            value = unquote(text, errors="strict")
            if len(value) <= LONGEST and re.fullmatch(TEXT, value):
                return value
        must = f"have at most {LONGEST} characters, be UTF-8, and have no NUL and no segment `..`"
    raise InvalidPath(f"{name} must {must}.", parameter=name)


def base_path(public_url: str | None) -> str:
    """The path of the `public_url`, below which clients reach the service, percent-encoded and
    without a slash at its end: "" where there is none. A proxy takes it away, so that no request
    has it here, and each address that an answer gives must have it."""
    return quote(urlsplit(public_url or "").path.rstrip("/"), safe="/%")


def origin_of(url: str) -> str:
    """The origin of an http or https URL as browsers write it (RFC 6454 §6.1): in lower case,
    without the scheme's own port."""
    parts = urlsplit(url.lower())
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host.removesuffix(_OWN_PORTS[parts.scheme])}"
