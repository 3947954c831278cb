"""Files that are served as they are, and the page /docs."""

import re
from configparser import ConfigParser
from gzip import compress, decompress

from twisted.internet.defer import Deferred

from contentsvc.app.assets import docs
from contentsvc.app.root import Root
from contentsvc.framework.http.assets import Asset, LazyAsset
from tests.framework.http.support import Answer, Client, Service, WebCase, site_of
from tests.support.daemon import ROOT

TEXT = b"some text " * 50
GZIP = compress(TEXT)


def varies(answer: Answer) -> str:
    """The headers that the answer depends on."""
    return ", ".join(answer.headers.get_all("Vary", []))


class AssetCase(WebCase):
    """A tree of assets beside an empty API."""

    def asset(self, asset: Asset, method: str = "GET", **headers: str) -> Answer:
        """The answer to one request for it."""
        return self.ask({b"/file": asset}, method, "/file", **headers)

    def ask(self, assets: dict[bytes, Asset], method: str, path: str, **headers: str) -> Answer:
        """The answer to one request."""
        service = Service([])
        root = Root(service.api, None, assets)
        site = site_of(root, service.clock, judge=root.judge, refuse=service.api.refuse)
        client = Client(site)
        client.ask(method, path, **headers)
        return client.answer()


class LazyTests(WebCase):
    """A file that takes long to make."""

    def setUp(self) -> None:
        super().setUp()
        self.makes: list[Deferred[Asset]] = []
        self.service = Service([])
        asset = LazyAsset(self.make, self.service.api.fail)
        root = Root(self.service.api, None, {b"/file": asset})
        judge, refuse = root.judge, self.service.api.refuse
        self.site = site_of(root, self.service.clock, judge=judge, refuse=refuse)

    def make(self) -> Deferred[Asset]:
        self.makes.append(Deferred())
        return self.makes[-1]

    def asking(self) -> Client:
        """Somebody who asks for it."""
        client = Client(self.site)
        client.ask("GET", "/file")
        return client

    def test_once(self) -> None:
        """It is made once, for the first who asks, and those who come meanwhile wait for it."""
        self.assertEqual(self.makes, [])
        clients = [self.asking(), self.asking()]
        self.makes[0].callback(Asset(TEXT, "text/plain"))
        clients.append(self.asking())
        self.assertEqual([client.answer().body for client in clients], [TEXT] * 3)
        self.assertEqual(len(self.makes), 1)

    def test_fails(self) -> None:
        """If it cannot be made, who asks gets a 500, and the next one has it made again."""
        client = self.asking()
        self.makes[0].errback(ValueError("no"))
        self.assertEqual(client.answer().status, 500)
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        client = self.asking()
        self.makes[1].callback(Asset(TEXT, "text/plain"))
        self.assertEqual(client.answer().body, TEXT)


class PlainTests(AssetCase):
    def test_answer(self) -> None:
        """A file goes out as it is, with its media type, which browsers are not to guess."""
        answer = self.asset(Asset(TEXT, "text/plain"))
        self.assertEqual((answer.status, answer.body), (200, TEXT))
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.headers["Cache-Control"], "no-cache")
        self.assertTrue(answer.headers["X-Request-Id"])

    def test_origins(self) -> None:
        """Pages of the API's own origins may read a file, such as the API's description."""
        for status, condition in ((200, ""), (304, "*")):
            answer = self.asset(Asset(TEXT, "text/plain"), If_None_Match=condition)
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
            self.assertIn("ETag", answer.headers["Access-Control-Expose-Headers"])

    def test_known(self) -> None:
        """A client that has it gets 304 with the same ETag, to HEAD too."""
        asset = Asset(TEXT, "text/plain")
        tag = self.asset(asset).headers["ETag"]
        for method in ("GET", "HEAD"):
            for condition in (tag, f'"other", {tag}', "*"):
                answer = self.asset(asset, method, If_None_Match=condition)
                self.assertEqual((answer.status, answer.body), (304, b""))
                self.assertEqual(answer.headers["ETag"], tag)
        self.assertEqual(self.asset(asset, If_None_Match='"other"').status, 200)

    def test_tag(self) -> None:
        """Another file has another ETag."""
        tags = {self.asset(Asset(text, "text/plain")).headers["ETag"] for text in (TEXT, b"")}
        self.assertEqual(len(tags), 2)

    def test_uncoded(self) -> None:
        """A file that is not stored gzipped is the same for all."""
        answer = self.asset(Asset(TEXT, "text/plain"), Accept_Encoding="gzip")
        self.assertEqual(answer.body, TEXT)
        self.assertNotIn("Content-Encoding", answer.headers)
        self.assertNotIn("Accept-Encoding", varies(answer))

    def test_policy(self) -> None:
        """A page's policy goes with it, also where the client has it."""
        page = Asset(TEXT, "text/html", policy="default-src 'none'")
        for condition in ("", "*"):
            answer = self.asset(page, If_None_Match=condition)
            self.assertEqual(answer.headers["Content-Security-Policy"], "default-src 'none'")


class GzippedTests(AssetCase):
    def setUp(self) -> None:
        self.stored = Asset(GZIP, "text/plain", gzipped=True)

    def test_taken(self) -> None:
        """A client that takes gzip gets the file as it is stored."""
        for header in ("gzip", "br, GZIP;q=0.5", "*", "identity, *;q=0.1", "gzip ; q = 1"):
            answer = self.asset(self.stored, Accept_Encoding=header)
            self.assertEqual(answer.body, GZIP, header)
            self.assertEqual(answer.headers["Content-Encoding"], "gzip")
            self.assertEqual(answer.headers["Content-Length"], str(len(GZIP)))
            self.assertIn("Accept-Encoding", varies(answer))

    def test_not_taken(self) -> None:
        """Any other gets it plain."""
        for header in ("", "br", "gzip;q=0", "gzip; q=0.000, *", "xgzip", "\xff"):
            answer = self.asset(self.stored, Accept_Encoding=header)
            self.assertEqual(answer.body, TEXT, header)
            self.assertNotIn("Content-Encoding", answer.headers)
            self.assertIn("Accept-Encoding", varies(answer))
        self.assertEqual(self.asset(self.stored).body, TEXT)

    def test_same_tag(self) -> None:
        """The ETag is weak, and the same for both."""
        tags = {
            self.asset(self.stored, Accept_Encoding=header).headers["ETag"]
            for header in ("gzip", "br")
        }
        self.assertEqual(len(tags), 1)
        self.assertTrue(tags.pop().startswith('W/"'))


class DocsTests(AssetCase):
    def test_policy(self) -> None:
        """The page may load what is served here, and be framed by nobody."""
        answer = self.ask(docs("contentsvc"), "GET", "/docs")
        self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
        policy = answer.headers["Content-Security-Policy"]
        self.assertNotIn("unsafe", policy)
        self.assertNotIn("http", policy)
        for directive in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
            self.assertIn(directive, policy.split("; "))

    def test_inline(self) -> None:
        """It has neither scripts nor styles of its own, which the policy would stop."""
        page = self.ask(docs("contentsvc"), "GET", "/docs").body.decode()
        self.assertEqual(re.findall(r"<style|\sstyle=|\son\w+=|<script(?! src=)", page), [])

    def test_loads(self) -> None:
        """All that it loads is here, with addresses that are relative to the page's."""
        page = self.ask(docs("contentsvc"), "GET", "/docs").body.decode()
        loaded = set(re.findall(r'(?:src|href)="([^":]+)"', page)) - {"openapi.json"}
        self.assertEqual(
            {f"/{path}".encode() for path in loaded}, set(docs("contentsvc")) - {b"/docs"}
        )

    def test_swagger_ui(self) -> None:
        """Swagger UI is sent gzipped, and comes with its licence."""
        for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
            answer = self.ask(docs("contentsvc"), "GET", f"/docs/{name}", Accept_Encoding="gzip")
            self.assertEqual(answer.headers["Content-Encoding"], "gzip")
            self.assertGreater(len(decompress(answer.body)), 3 * len(answer.body))
        folder = ROOT / "contentsvc/app/docs/swagger-ui"
        self.assertIn("Apache License", (folder / "LICENSE").read_text())
        self.assertIn("SmartBear", (folder / "NOTICE").read_text())

    def test_packaged(self) -> None:
        """The files are part of an installation from a wheel."""
        setup = ConfigParser()
        setup.read(ROOT / "setup.cfg")
        patterns = setup["options.package_data"]["contentsvc.app"].split(", ")
        app = ROOT / "contentsvc/app"
        packaged = {path for pattern in patterns for path in app.glob(pattern) if path.is_file()}
        there = {path for name in ("docs", "javascript") for path in (app / name).rglob("*")}
        self.assertEqual(packaged, {path for path in there if path.is_file()})
