"""What is at `/`."""

import json

from contentsvc.app.assets import Index
from contentsvc.app.root import Root
from contentsvc.framework.http.headers import prefers_html
from tests.framework.http.support import Answer, Client, Service, WebCase, site_of

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"


class IndexTests(WebCase):
    def ask(self, method: str, *, public_url: str | None = None, **headers: str) -> Answer:
        """The answer to one request for `/`."""
        service = Service([])
        root = Root(service.api, None, {b"/": Index(public_url)})
        site = site_of(root, service.clock, judge=root.judge, refuse=service.api.refuse)
        client = Client(site)
        client.ask(method, "/", **headers)
        return client.answer()

    def test_browser(self) -> None:
        """A browser is led to the documentation."""
        for method in ("GET", "HEAD"):
            answer = self.ask(method, Accept=BROWSER)
            self.assertEqual((answer.status, answer.headers["Location"]), (303, "/docs"))
            self.assertIn("Accept", answer.headers.get_all("Vary", []))

    def test_program(self) -> None:
        """A program is told where the documentation, the document and the API are."""
        for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
            answer = self.ask("GET", **headers)
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            self.assertIn("Accept", answer.headers.get_all("Vary", []))
            links = json.loads(answer.body)
            self.assertEqual(
                (links["documentation"], links["openapi"], links["api"]),
                ("/docs", "/openapi.json", "/api/v1"),
            )

    def test_known(self) -> None:
        """A program that has the answer gets 304."""
        tag = self.ask("GET").headers["ETag"]
        answer = self.ask("GET", If_None_Match=tag)
        self.assertEqual((answer.status, answer.body), (304, b""))
        self.assertEqual(answer.headers["ETag"], tag)

    def test_below_a_path(self) -> None:
        """Where clients reach the service below a path, the links begin with it."""
        url = "https://host.example/games/first"
        links = json.loads(self.ask("GET", public_url=url).body)
        self.assertEqual(links["api"], "/games/first/api/v1")
        answer = self.ask("GET", public_url=url, Accept=BROWSER)
        self.assertEqual(answer.headers["Location"], "/games/first/docs")

    def test_methods(self) -> None:
        """Other methods are 405, and OPTIONS says which there are."""
        answer = self.ask("POST")
        self.problem(answer, 405, "method_not_allowed")
        allowed = "GET, HEAD, OPTIONS"
        self.assertEqual(answer.headers["Allow"], allowed)
        answer = self.ask("OPTIONS")
        self.assertEqual((answer.status, answer.headers["Allow"]), (204, allowed))


class PreferenceTests(WebCase):
    def test_html(self) -> None:
        """HTML is preferred by whoever weighs it more than JSON."""
        for accept in (
            BROWSER,
            "text/html",
            "TEXT/HTML;level=1;q=0.5, application/json;q=0.4",
            "text/*, */*;q=0.1",
            "application/json;q=0, */*",
        ):
            self.assertTrue(prefers_html([accept.encode()]), accept)
        self.assertTrue(prefers_html([b"*/*;q=0.1", b"text/html"]))

    def test_json(self) -> None:
        """It is not preferred by others, whatever they send."""
        for accept in (
            *("", "*/*", "application/json, text/html", "text/html;q=0", "text/html;q=0.0, */*"),
            *("application/*, text/html;q=0.9", "image/png", ",;,q=1;;", "text/html;q=x"),
            *("text/html;q=nan", "text/html;q=1.5", "text/html;q=-1", "\xff"),
        ):
            self.assertFalse(prefers_html([accept.encode("latin-1")]), accept)
