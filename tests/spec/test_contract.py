"""The published contract: served, and held against every answer of this suite (harness.request)."""

from __future__ import annotations

import json

from twisted.web.http_headers import Headers

from tests.spec.client import Response
from tests.spec.contract import Contract
from tests.spec.harness import SpecCase

INFO = "/api/v1/user/0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10/info"
USER = {
    "id": "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10",
    "username": "mira",
    "avatar": None,
    "emblem": None,
}
PROBLEM = {
    "type": "urn:contentsvc:problem:user_not_found",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such user.",
    "code": "user_not_found",
    "requestId": "1",
}


def answer(status: int, body: object, media: str = "application/json", **more: str) -> Response:
    """An answer with an ETag."""
    headers = {"Content-Type": media, "ETag": 'W/"1"', **more}
    raw = Headers({name: [value] for name, value in headers.items()})
    return Response("test", status, raw, json.dumps(body).encode())


class ServedTests(SpecCase):
    async def test_conditions(self) -> None:
        """The document has a weak ETag, with which a GET or HEAD is 304, and is not kept
        unasked."""
        found = await self.get("/openapi.json", expect=200)
        self.assertEqual(found.header("Content-Type"), "application/json")
        self.assertEqual(found.header("Cache-Control"), "no-cache")
        tag = found.header("ETag") or ""
        self.assertRegex(tag, '^W/"[0-9a-f]+"$')
        for method in ("GET", "HEAD"):
            headers = {"If-None-Match": tag}
            await self.request(method, "/openapi.json", headers=headers, expect=304)

    async def test_coding(self) -> None:
        """It is sent gzipped to clients that accept it, with the same ETag and content."""
        found = []
        for coding in ("gzip", "identity"):
            headers = {"Accept-Encoding": coding}
            response = await self.request("GET", "/openapi.json", headers=headers, expect=200)
            self.assertIn("Accept-Encoding", response.header("Vary") or "")
            # The client takes the gzip off.
            found.append((response.header("ETag"), response.json()))
        self.assertEqual(found[0], found[1])

    async def test_methods(self) -> None:
        """It is there to be read, without a token."""
        head = await self.request("HEAD", "/openapi.json", expect=200)
        self.assertEqual(head.body, b"")
        self.problem(await self.post("/openapi.json", {}), 405, "method_not_allowed")

    async def test_whole(self) -> None:
        """It is OpenAPI 3.1, of whole paths on this server."""
        document = (await self.get("/openapi.json", expect=200)).json()
        self.assertEqual(document["openapi"], "3.1.0")
        self.assertEqual(document["servers"], [{"url": "/"}])
        self.assertIn("/api/v1/user/{userId}/info", document["paths"])


class IndexTests(SpecCase):
    async def test_program(self) -> None:
        """index#the-interface: / names the documentation, this document and the API,
        each of which is there."""
        found = await self.get("/", expect=200)
        self.assertIn("Accept", found.header("Vary") or "")
        links = found.json()
        self.assertEqual(links["api"], "/api/v1")
        for name in ("documentation", "openapi"):
            await self.get(links[name], expect=200)
        headers = {"If-None-Match": found.header("ETag") or ""}
        await self.request("GET", "/", headers=headers, expect=304)
        self.problem(await self.post("/", {}), 405, "method_not_allowed")


class HeldTests(SpecCase):
    """Answers that would fail a test."""

    async def wrong(self, response: Response, method: str = "GET", path: str = INFO) -> str:
        """How it differs from the contract, "" if it does not."""
        contract: Contract = await self.contract()
        return contract.wrong(method, path, response) or ""

    async def test_good(self) -> None:
        """An answer as the document has it is right, below the other prefix too."""
        for path in (INFO, INFO.replace("/api/", "/methods/"), "/nothing"):
            self.assertEqual(await self.wrong(answer(200, USER), path=path), "")
        missing = answer(404, PROBLEM, "application/problem+json")
        self.assertEqual(await self.wrong(missing), "")

    async def test_code(self) -> None:
        """An error that the operation does not declare is wrong."""
        other = answer(404, {**PROBLEM, "code": "content_not_found"}, "application/problem+json")
        self.assertIn('"user_not_found"', await self.wrong(other))

    async def test_status(self) -> None:
        """So is a status that it has not, but for those that any request can be refused with."""
        for status, code, wrong in ((409, "sold", "no 409 sold"), (414, "uri_too_long", "")):
            sent = answer(status, {**PROBLEM, "status": status, "code": code})
            self.assertIn(wrong, await self.wrong(sent))
        self.assertIn("has no 204", await self.wrong(Response("test", 204, Headers(), b"")))

    async def test_body(self) -> None:
        """So is an answer without what it should have, or of another kind."""
        for broken in ({**USER, "id": 1}, {"id": USER["id"]}, [], {**USER, "emblem": "x"}):
            self.assertNotEqual(await self.wrong(answer(200, broken)), "", broken)
        self.assertIn("text/plain", await self.wrong(answer(200, USER, "text/plain")))

    async def test_header(self) -> None:
        """So is one without a header that it should have."""
        bare = Headers({"Content-Type": ["application/json"]})
        body = json.dumps(USER).encode()
        self.assertIn("no ETag", await self.wrong(Response("test", 200, bare, body)))
