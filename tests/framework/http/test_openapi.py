"""The document of a few toys; tests/app/test_contract.py has that of the service."""

from typing import Any, ClassVar

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.openapi import Document
from contentsvc.framework.http.operations import Family, table
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.reply import Accepted, Created, Listed
from contentsvc.framework.http.route import route

Sold = named(409, "sold", "It was sold.", to=str)
Broken = named(409, "broken", "It is broken.", to=int, parts=list[str])
Lost = named(404, "lost", "It is lost.", oauth="lost_it")
Late = named(429, "late", "It is late.")


class Toy(Struct):
    name: str


class Part(Struct):
    number: int


class Text(Struct):
    """A Toy as it is read."""

    described_as: ClassVar[type[Struct]] = Toy

    name: str


class Form(Struct):
    grant: str


class Page(Struct):
    size: int = 10
    after: str | None = None


class Toys:
    """Toys of all kinds."""

    @route("GET", "/user/<guid:user>/toy", allow=SELF)
    async def all(self, call: Call, user: str, query: Page) -> Listed[Toy]:
        """List a user's toys (content#pre-check). The newest are
        first.

        The rest is long.
        """

    @route("POST", "/toy", allow=SIGNED_IN, raises=(Sold, Broken, Late))
    async def add_toy(self, call: Call, body: Either[Toy | Part]) -> Created:
        """Add a toy, or a part."""

    @route("PUT", "/toy/<text:name>", allow=ANYONE, limit=2**20)
    async def put(self, call: Call, name: str, body: Text) -> None:
        """Change a toy."""

    @route("PUT", "/part/<text:name>", allow=ANYONE)
    async def put_part(self, call: Call, name: str) -> Created | None:
        """Keep a part."""

    @route("DELETE", "/part/<text:name>", allow=ANYONE)
    async def delete_part(self, call: Call, name: str) -> Accepted:
        """Begin to delete a part."""

    @route("POST", "/form", allow=ANYONE, raises=(Lost,))
    async def form(self, call: Call, form: Form) -> Toy:
        """Take a form."""


class DocumentTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.document = Document(
            table([Family("toys", Toys, "/v1")]),
            title="toys",
            version="7",
            about="Toys.",
            tags={"tools": "Tools.", "toys": "Toys of all kinds."},
            log_in="/v1/form",
            scopes={"curate": "choose toys"},
            unions={},
            is_repeatable=lambda id, method: id == "addToy" or method != "POST",
            keys={"addToy": "name"},
        ).build()

    def operation(self, method: str, path: str) -> Any:
        """The document's description of an operation."""
        return self.document["paths"][path][method]

    def response(self, method: str, path: str, status: str) -> Any:
        """The document's description of an answer."""
        found = self.operation(method, path)["responses"][status]
        if "$ref" in found:
            found = self.document["components"]["responses"][found["$ref"].rpartition("/")[2]]
        return found

    def test_info(self) -> None:
        """Title and version are the service's. Only tags that operations have are described."""
        self.assertEqual(self.document["info"]["title"], "toys")
        self.assertEqual(self.document["info"]["version"], "7")
        tags = [{"name": "toys", "description": "Toys of all kinds."}]
        self.assertEqual(self.document["tags"], tags)

    def test_words(self) -> None:
        """The first sentence of a handler's docstring sums it up; who may call it comes last."""
        found = self.operation("get", "/v1/user/{userId}/toy")
        self.assertEqual(found["summary"], "List a user's toys")
        first, second, last = found["description"].split("\n\n")
        self.assertEqual((first, second), ("The newest are first.", "The rest is long."))
        self.assertIn("the user in the path", last)

    def test_id(self) -> None:
        """An operation's id is the name of its handler, its tag that of its family."""
        found = self.operation("post", "/v1/toy")
        self.assertEqual((found["operationId"], found["tags"]), ("addToy", ["toys"]))

    def test_repeatable(self) -> None:
        """An operation says whether it may be sent again, and by which member it is known then."""
        found = [self.operation("post", path) for path in ("/v1/toy", "/v1/form")]
        self.assertEqual([each["x-repeatable"] for each in found], [True, False])
        self.assertEqual([each.get("x-idempotency-key") for each in found], ["name", None])

    def test_paged(self) -> None:
        """An operation says whether its answer comes in parts."""
        self.assertIs(self.operation("get", "/v1/user/{userId}/toy")["x-paged"], True)
        self.assertIs(self.operation("post", "/v1/form")["x-paged"], False)

    def test_query(self) -> None:
        """A query's parameters follow those of the path."""
        names = [
            (each["name"], each["in"], each["required"])
            for each in self.operation("get", "/v1/user/{userId}/toy")["parameters"]
        ]
        self.assertEqual(
            names, [("userId", "path", True), ("size", "query", False), ("after", "query", False)]
        )

    def test_answer(self) -> None:
        """An answer has its type's schema, its headers and an example."""
        found = self.response("get", "/v1/user/{userId}/toy", "200")
        content = found["content"]["application/json"]
        self.assertEqual(content["schema"]["items"], {"$ref": "#/components/schemas/Toy"})
        self.assertEqual(content["example"], [{"name": "text"}])
        self.assertEqual(set(found["headers"]), {"ETag", "Link"})

    def test_empty_answers(self) -> None:
        """201 has a Location, 204 nothing."""
        self.assertEqual(set(self.response("post", "/v1/toy", "201")["headers"]), {"Location"})
        self.assertEqual(set(self.response("put", "/v1/toy/{name}", "204")), {"description"})

    def test_several_answers(self) -> None:
        """What is made or replaced is 201 or 204, and what only begins is 202."""
        self.assertEqual(
            set(self.response("put", "/v1/part/{name}", "201")["headers"]), {"Location"}
        )
        self.assertEqual(set(self.response("put", "/v1/part/{name}", "204")), {"description"})
        self.assertEqual(
            set(self.response("delete", "/v1/part/{name}", "202")["headers"]), {"Location"}
        )

    def test_limit(self) -> None:
        """A body's description has its limit: the smaller one where no token is needed."""
        for method, path, limit in (("post", "/v1/toy", 256), ("put", "/v1/toy/{name}", 16)):
            body = self.operation(method, path)["requestBody"]
            self.assertEqual(body["description"], f"At most {limit} KiB.")

    def test_described(self) -> None:
        """A body that the service reads in its own way is described as what it is."""
        content = self.operation("put", "/v1/toy/{name}")["requestBody"]["content"]
        schema = content["application/json"]["schema"]
        self.assertEqual(schema, {"$ref": "#/components/schemas/Toy"})
        self.assertNotIn("Text", self.document["components"]["schemas"])

    def test_either(self) -> None:
        """A body of several types is any of them."""
        content = self.operation("post", "/v1/toy")["requestBody"]["content"]["application/json"]
        self.assertEqual(len(content["schema"]["anyOf"]), 2)
        self.assertEqual(content["schema"]["title"], "AddToyBody")
        self.assertEqual(content["examples"]["Part"], {"value": {"number": 1}})

    def test_problem(self) -> None:
        """Errors of one status are one response, with their codes and all their members."""
        found = self.response("post", "/v1/toy", "409")
        schema = found["content"]["application/problem+json"]["schema"]
        self.assertEqual(schema["title"], "SoldOrBrokenProblem")
        problem, narrow = schema["allOf"]
        self.assertEqual(problem, {"$ref": "#/components/schemas/Problem"})
        members = narrow["properties"]
        self.assertEqual(members["code"], {"type": "string", "enum": ["broken", "sold"]})
        self.assertEqual(
            members["to"], {"anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}]}
        )
        self.assertEqual(members["parts"]["type"], "array")
        self.assertIn("- `sold`: It was sold.", found["description"])

    def test_components(self) -> None:
        """An error alone is a component, and so are those that a route implies. What else comes
        together at a status stands in its operation."""
        responses = self.operation("post", "/v1/toy")["responses"]
        for status, name in (("401", "InvalidTokenAndUnauthorized"), ("408", "Timeout")):
            self.assertEqual(responses[status], {"$ref": f"#/components/responses/{name}"})
        for status in ("409", "429"):
            self.assertIn("content", responses[status])
        self.assertNotIn("SoldAndBroken", self.document["components"]["responses"])

    def test_retry(self) -> None:
        """429 and 503 have a Retry-After."""
        for status in ("429", "503"):
            found = self.response("post", "/v1/toy", status)
            self.assertEqual(set(found["headers"]), {"Retry-After"})

    def test_form(self) -> None:
        """A form's own errors are in OAuth's words, those before it problems, one may be both."""
        body = self.operation("post", "/v1/form")["requestBody"]["content"]
        self.assertEqual(set(body), {"application/x-www-form-urlencoded"})
        media = {
            status: set(self.response("post", "/v1/form", status)["content"])
            for status in ("404", "408", "503")
        }
        oauth, problem = "application/json", "application/problem+json"
        self.assertEqual(media, {"404": {oauth}, "408": {problem}, "503": {oauth, problem}})
        schema = self.response("post", "/v1/form", "404")["content"][oauth]["schema"]
        self.assertEqual(schema["allOf"][1]["properties"]["error"]["enum"], ["lost_it"])
        self.assertNotIn("401", self.operation("post", "/v1/form")["responses"])
