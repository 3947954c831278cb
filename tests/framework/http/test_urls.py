"""The look-up of a path, by itself; tests/framework/http/test_app.py has it with handlers."""

from urllib.parse import unquote

from twisted.trial.unittest import SynchronousTestCase
from werkzeug.routing import Map, Rule

from contentsvc.framework.http.errors import InvalidPath, MethodNotAllowed
from contentsvc.framework.http.urls import Urls, base_path, origin_of, variable
from tests.framework.http.support import ANN, BOB

RULES = (
    ("GET", "/toy"),
    ("GET", "/toy/new"),
    ("PUT", "/toy/<guid:toy>"),
    ("GET", "/toy/<guid:toy>"),
    ("GET", "/toy/<guid:toy>/part/<guid:part>"),
    ("POST", "/toy/<guid:toy>/part/all"),
    ("GET", "/box/<text:name>"),
)
DIGEST = 16 * "09af"


class UrlsTests(SynchronousTestCase):
    def setUp(self) -> None:
        rules = Map()
        self.urls = Urls(rules)
        for method, path in RULES:
            rules.add(Rule(path, methods=[method], endpoint=f"{method} {path}"))
            self.urls.add(method, path)

    def test_text(self) -> None:
        """A text that is a GUID is found as other texts are, whichever was asked for first."""
        for name in (ANN, "x", BOB):
            self.assertEqual(self.urls.match("GET", f"/box/{name}")[1], {"name": name})

    def test_fixed_segment(self) -> None:
        """A fixed segment outweighs a variable: the path's methods are those of its own rules."""
        path = f"/toy/{ANN}/part/all"
        self.assertEqual(self.urls.match("POST", path)[0], "POST /toy/<guid:toy>/part/all")
        error = self.assertRaises(MethodNotAllowed, self.urls.match, "GET", path)
        self.assertEqual(error.headers["Allow"], "OPTIONS, POST")
        self.assertEqual(self.urls.allowed(path), ["OPTIONS", "POST"])
        self.assertEqual(self.urls.allowed(f"/toy/{ANN}/part/{BOB}"), ["GET", "HEAD", "OPTIONS"])

    def test_allowed(self) -> None:
        """A path has the methods of its rules, HEAD with GET, and OPTIONS; `*` has all."""
        self.assertEqual(self.urls.allowed("/toy"), ["GET", "HEAD", "OPTIONS"])
        self.assertEqual(self.urls.allowed(f"/toy/{ANN}"), ["GET", "HEAD", "OPTIONS", "PUT"])
        self.assertEqual(self.urls.allowed("*"), ["GET", "HEAD", "OPTIONS", "POST", "PUT"])

    def test_digest(self) -> None:
        """A digest is 64 hexadecimal digits in lower case, and nothing else."""
        self.assertEqual(variable("sha256", "digest", DIGEST), DIGEST)
        wrong = (DIGEST[1:], f"{DIGEST}0", DIGEST.upper(), f"{DIGEST}%0A", f"g{DIGEST[1:]}", "%30")
        for text in wrong:
            error = self.assertRaises(InvalidPath, variable, "sha256", "digest", text)
            self.assertEqual(error.members, {"parameter": "digest"})

    def test_parent(self) -> None:
        """A text has no segment `..`, between slashes or backslashes, once or twice encoded."""
        for text in ("..", "..%2Fa", "a%2F..", "a%2f%2e%2e%2Fb", "..%5Ca", "a%5c..%5c..", "%2E."):
            error = self.assertRaises(InvalidPath, variable, "text", "key", text)
            self.assertEqual(error.members, {"parameter": "key"})
        for text in ("...", "..a", "a..", "a%2F..%20", "a%2F...%2Fb", "%252e%252e"):
            self.assertEqual(variable("text", "key", text), unquote(text))
        self.assertRaises(InvalidPath, variable, "text", "key", "a%00b")
        self.assertEqual(variable("text", "key", "a%0Ab%0A"), "a\nb\n")

    def test_base_path(self) -> None:
        """The path of a public URL begins with a slash and does not end with one, encoded."""
        for url, path in (
            (None, ""),
            ("https://game.example", ""),
            ("https://game.example/", ""),
            ("https://game.example/a/b/", "/a/b"),
            ("https://game.example/a%20b<c>", "/a%20b%3Cc%3E"),
        ):
            self.assertEqual(base_path(url), path)

    def test_origin(self) -> None:
        """An origin is as browsers write it: in lower case, without the scheme's own port."""
        for url, origin in (
            ("https://Game.example:443/shop", "https://game.example"),
            ("http://game.example:80", "http://game.example"),
            ("https://game.example:80", "https://game.example:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("https://user:word@game.example", "https://game.example"),
        ):
            self.assertEqual(origin_of(url), origin)
