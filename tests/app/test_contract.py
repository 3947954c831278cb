"""The OpenAPI document: what it says is the table, and is as clients need it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.notifications.notifications import DebugTools
from contentsvc.app.contract import document, golden
from contentsvc.app.families import OPERATIONS, TAGS
from contentsvc.framework.http.schemas import ID
from contentsvc.wire.notifications import KINDS
from contentsvc.wire.repeatable import KEYS, ONCE, POSTS
from tests.support import lists

ROOT = Path(__file__).parent.parent.parent
SHOWN_BY_CALLER = {
    *("listUserContent", "getContent", "getRevision", "listDependents", "listContentRevisions"),
    *("listContent", "listMembers", "listContentFiles", "listRevisionFiles"),
    *("listChallenges", "getChallenge", "listChallengeEntries", "listAchievements"),
    *("listComments", "getComment", "listAnnouncements", "getAnnouncement"),
    *("getCollection", "listCollections", "listCollectionItems"),
}
"""What needs no token, and answers otherwise with one."""


def within(value: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in a document, with its place."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from within(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from within(inner, f"{path}/{index}")


class ContractCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.document = document(OPERATIONS)

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Method, path and description of each."""
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation

    def find(self, id: str) -> Any:
        """The operation of this id."""
        (found,) = [each for _, _, each in self.operations() if each["operationId"] == id]
        return found

    def resolved(self, value: dict[str, Any]) -> Any:
        """The target of a reference."""
        while "$ref" in value:
            found: Any = self.document
            for step in value["$ref"].split("/")[1:]:
                found = found[step]
            value = found
        return value


class DocumentTests(ContractCase):
    """The whole of it."""

    def test_golden(self) -> None:
        """docs/openapi.json is this document. After a change that is meant, scripts/openapi writes
        it anew."""
        if (ROOT / "docs/openapi.json").read_text() != golden(self.document):
            self.fail(
                "run scripts/openapi and scripts/javascript-package, and read what changes: they "
                "make docs/openapi.json, and what the JavaScript client has of it"
            )

    def test_valid(self) -> None:
        """It is OpenAPI 3.1."""
        validate(self.document)

    def test_operations(self) -> None:
        """It has every operation of the table, at the whole path, and no other."""
        there = sorted((method, path) for method, path, _ in self.operations())
        self.assertEqual(there, sorted((each.route.method, each.url) for each in OPERATIONS))

    def test_left_out(self) -> None:
        """Operations that are not served are not in it."""
        some = [each for each in OPERATIONS if each.family.handlers is not DebugTools]
        self.document = document(some)
        self.assertNotIn(
            "sendDebugNotification", [each["operationId"] for _, _, each in self.operations()]
        )
        self.assertNotIn("DebugNotify", self.document["components"]["schemas"])

    def test_tags(self) -> None:
        """Every operation has one tag, its domain, and each tag says what it is."""
        tags = {tag["name"]: tag["description"] for tag in self.document["tags"]}
        self.assertEqual(tags, TAGS)
        used = [each["tags"] for _, _, each in self.operations()]
        self.assertEqual({tag for (tag,) in used}, set(tags))
        for operation in OPERATIONS:
            domain = operation.family.handlers.__module__.split(".")[2]
            self.assertEqual(operation.family.tag, "service" if domain == "health" else domain)
        for text in tags.values():
            self.assertRegex(text, r"^[A-Z].*\.$")

    def test_words(self) -> None:
        """Its words are for clients: no sections of the specification, no names of Python's."""
        for place, value in within(self.document):
            for key in ("description", "summary"):
                text = value.get(key)
                if isinstance(text, str):
                    self.assertNotRegex(text, r"[a-z]#[a-z]|Raises|(?<!-)None\b|``", place)

    def test_titles(self) -> None:
        """Every component has its name as title. What is put together in a body or an answer has a
        title too, and no two different ones have the same."""
        found = {}
        for name, schema in self.document["components"]["schemas"].items():
            self.assertEqual(schema["title"], name)
            found[name] = schema
        for place, value in within(self.document):
            schema = value.get("schema")
            if place.endswith(("json", "urlencoded")) and schema:
                if not schema.keys() & {"allOf", "anyOf", "oneOf"}:
                    continue
                self.assertRegex(schema["title"], "^[A-Z][A-Za-z0-9]+$", place)
                self.assertEqual(found.setdefault(schema["title"], schema), schema, place)
        self.assertIn("ContentNotFoundProblem", found)

    def test_inline(self) -> None:
        """An object with members has a name: it is a component, or narrows one."""
        for place, value in within(self.document):
            if value.get("type") == "object" and isinstance(value.get("properties"), dict):
                self.assertRegex(place, r"^#/components/schemas/\w+$|/allOf/1$")

    def test_integers(self) -> None:
        """Every integer has a format that its bounds fit, and says what it is."""
        count = 0
        for place, value in within(self.document):
            if value.get("type") != "integer" or "/example" in place:
                continue
            count += 1
            self.assertIn(value.get("format"), ("int32", "int64"), place)
            if value["format"] == "int32":
                self.assertLess(value.get("maximum", 0), 2**31, place)
                self.assertGreaterEqual(value.get("minimum", 0), -(2**31), place)
            else:
                self.assertGreaterEqual(value.get("maximum", 2**63), 2**31, place)
            if not place.endswith("/schema"):  # of a parameter or header, which says it
                self.assertTrue(value.get("description"), place)
        self.assertGreater(count, 100)

    def test_wide(self) -> None:
        """Numbers that pass 2^31 have 64 bits: bytes, sequence numbers, times."""
        schemas = self.document["components"]["schemas"]
        for name, members in (
            ("StorageLimits", {"fileBytes", "imageBytes", "userBytes"}),
            ("UserStorage", {"used", "limit"}),
            ("ContentFile", {"size"}),
            ("NotificationState", {"newest", "oldest", "unread"}),
            ("NotificationMessage", {"seq"}),
            ("Comment", {"id", "created", "updated"}),
            ("ProgressData", {"timestamp", "version"}),
        ):
            for member in members:
                self.assertEqual(schemas[name]["properties"][member]["format"], "int64", member)

    def test_described(self) -> None:
        """Every component says what it is, and so does every id."""
        for place, value in within(self.document["components"]["schemas"], "#"):
            if place.count("/") == 1 or value.get("format") == "uuid":
                self.assertTrue(value.get("description"), place)

    def test_references(self) -> None:
        """Every reference has its schema, and every schema is referred to."""
        used = set()
        for place, value in within(self.document):
            if "$ref" in value:
                self.assertTrue(self.resolved(value), place)
                used.add(value["$ref"])
        socket = {"ServerMessage", "ClientMessage"}
        for name in self.document["components"]["schemas"].keys() - socket:
            self.assertIn(f"#/components/schemas/{name}", used)


class SchemaTests(ContractCase):
    """Its schemas."""

    def test_patterns(self) -> None:
        """No pattern has what ECMA-262 has not, or what Python alone understands."""
        for place, value in within(self.document):
            if isinstance(pattern := value.get("pattern"), str):
                self.assertNotRegex(pattern, r"\\[AZUpP]|\(\?[P#iLmsux]|\(\?<[=!]", place)
                re.compile(pattern)

    def test_said(self) -> None:
        """No schema is empty: each says what it is of."""
        for place, value in within(self.document):
            for key in ("schema", "items", "additionalProperties"):
                self.assertNotEqual(value.get(key), {}, place)
            for name, member in value.get("properties", {}).items():
                self.assertNotEqual(member, {}, f"{place}/{name}")

    def test_constants(self) -> None:
        """One word is a constant, except the one code of an error: it narrows a string, which
        generators of clients do with an enum only."""
        for place, value in within(self.document):
            if isinstance(value.get("enum"), list) and "/allOf/" not in place:
                self.assertGreater(len(value["enum"]), 1, place)

    def test_notification(self) -> None:
        """A notification is one of its kinds, by `kind`, and always has what all kinds have."""
        schemas = self.document["components"]["schemas"]
        union = schemas["Notification"]
        self.assertEqual(union["discriminator"]["propertyName"], "kind")
        for kind, reference in union["discriminator"]["mapping"].items():
            self.assertIn({"$ref": reference}, union["oneOf"])
            self.assertIn(kind, (*KINDS, "Deleted"))
            schema = schemas[kind]
            self.assertEqual(schema["properties"]["kind"]["const"], kind)
            self.assertLessEqual({"kind", "id", "created", "read"}, set(schema["required"]))
        message = schemas["NotificationMessage"]["properties"]["notification"]
        self.assertEqual(message, {"$ref": "#/components/schemas/Notification"})

    def test_open(self) -> None:
        """Readers take kinds and types that this document does not know. A known one is still what
        its schema says."""
        seen = {"id": ID, "created": 1, "read": False}
        for name, good, bad in (
            ("Notification", {**seen, "kind": "Gift", "gift": {"of": 3}}, {"kind": "Gift"}),
            ("Notification", {**seen, "kind": "Debug", "text": "hi"}, {**seen, "kind": "Debug"}),
            ("ServerMessage", {"type": "library"}, {"type": "hello"}),
            ("ClientMessage", {"type": "ping"}, {"type": "library"}),
        ):
            schema = {"$ref": f"#/components/schemas/{name}", **self.document}
            fits = Draft202012Validator(schema)
            fits.validate(good)
            self.assertFalse(fits.is_valid(bad), (name, bad))
        settings = self.find("getNotificationSettings")["responses"]["200"]
        muted = self.resolved(settings["content"]["application/json"]["schema"])["properties"]
        self.assertNotIn("enum", muted["muted"]["items"])

    def test_socket(self) -> None:
        """The socket is described, and its messages are there, both ways."""
        self.assertIn("/socket", self.document["info"]["description"])
        schemas = self.document["components"]["schemas"]
        for name, first in (("ServerMessage", "hello"), ("ClientMessage", "auth")):
            self.assertIn(first, schemas[name]["discriminator"]["mapping"])

    def test_examples(self) -> None:
        """Every body and every answer has an example, which fits its schema."""
        count = 0
        for method, path, operation in self.operations():
            contents = [operation.get("requestBody", {}), operation["responses"].get("200", {})]
            for content in (c for part in contents for c in part.get("content", {}).values()):
                schema = {**content["schema"], "components": self.document["components"]}
                fits = Draft202012Validator(schema, validate_formats=True)
                several = [each["value"] for each in content.get("examples", {}).values()]
                for example in several or [content["example"]]:
                    fits.validate(example)
                    count += 1
                json.dumps((method, path))
        self.assertGreater(count, 40)


class OperationTests(ContractCase):
    """The document's description of an operation."""

    def codes(self, id: str, status: str) -> list[str]:
        """The codes of an operation's error."""
        response = self.resolved(self.find(id)["responses"][status])
        schema = response["content"]["application/problem+json"]["schema"]
        codes: list[str] = schema["allOf"][1]["properties"]["code"]["enum"]
        return codes

    def test_errors(self) -> None:
        """Every error of the table, by its status, with a code of its own; then any other."""
        for operation in OPERATIONS:
            if operation.route.form is None:
                responses = self.find(operation.id)["responses"]
                there = {
                    (int(status), code)
                    for status in responses
                    if status.isdigit() and int(status) >= 400
                    for code in self.codes(operation.id, status)
                }
                self.assertEqual(there, {(error.status, error.code) for error in operation.errors})
                self.assertEqual(responses["default"]["$ref"], "#/components/responses/Problem")

    def test_oauth(self) -> None:
        """An OAuth endpoint's errors are of its form, but for those before it is reached."""
        responses = self.find("createToken")["responses"]
        schema = responses["400"]["content"]["application/json"]["schema"]
        self.assertEqual(
            schema["allOf"][1]["properties"]["error"]["enum"],
            [
                *("invalid_grant", "invalid_request", "invalid_scope", "invalid_target"),
                "unsupported_grant_type",
            ],
        )
        self.assertEqual(list(responses["413"]["content"]), ["application/problem+json"])
        self.assertEqual(len(responses["503"]["content"]), 2)

    def test_security(self) -> None:
        """Where a token is needed it says so, and which scope of a service account opens it; and
        where one may be given that changes the answer."""
        tokens: list[dict[str, list[str]]] = [{"bearer": []}, {"password": []}]
        optional = set()
        for operation in OPERATIONS:
            security = self.find(operation.id)["security"]
            rule = operation.route.allow
            if rule.signed_in:
                services: list[list[str]] = (
                    [[]] if rule.services else [[one] for one in rule.scopes]
                )
                self.assertEqual(security, [*tokens, *({"service": one} for one in services)])
            elif security:
                self.assertEqual(security, [{}, *tokens, {"service": []}])
                optional.add(operation.id)
        place = "tests/app/test_contract.py, SHOWN_BY_CALLER"
        lists.same(self, place, SHOWN_BY_CALLER, optional, '    "{}",'.format)

    def test_log_in(self) -> None:
        """A token is to be had from an operation of the document, as RFC 6749 has it."""
        flow = self.document["components"]["securitySchemes"]["password"]["flows"]["password"]
        for name in ("tokenUrl", "refreshUrl"):
            log_in = self.document["paths"][flow[name]]["post"]
            self.assertEqual(log_in["operationId"], "createToken")

    def test_variables(self) -> None:
        """A variable of the path has its specified name and kind."""
        user, key = self.find("getProgress")["parameters"]
        self.assertEqual((user["name"], user["schema"]["format"]), ("userId", "uuid"))
        self.assertEqual((key["name"], key["schema"]["maxLength"]), ("key", 256))

    def test_query(self) -> None:
        """A query's parameters have their limits and defaults, and are never null."""
        q, size, _page = self.find("searchUsers")["parameters"]
        self.assertTrue(q["required"])
        self.assertEqual(
            size["schema"],
            {"type": "integer", "format": "int32", "minimum": 10, "maximum": 200, "default": 48},
        )
        for _, _, operation in self.operations():
            for parameter in operation.get("parameters", ()):
                self.assertNotIn("null", json.dumps(parameter["schema"]), parameter["name"])

    def test_repeatable(self) -> None:
        """Each operation says whether it may be sent again. No read changes anything; of the rest
        only those that stand in the table differ from their method."""
        said = {each["operationId"]: each["x-repeatable"] for _, _, each in self.operations()}
        methods = {each["operationId"]: method for method, _, each in self.operations()}
        self.assertLessEqual({*POSTS, *ONCE, *KEYS}, said.keys())
        for id, method in methods.items():
            self.assertIs(said[id], id in POSTS if method == "POST" else id not in ONCE, id)
            self.assertTrue(said[id] or method != "GET", id)
        self.assertEqual({methods[id] for id in POSTS}, {"POST"})
        self.assertNotIn("POST", {methods[id] for id in ONCE})

    def test_idempotency(self) -> None:
        """The member by which a request is known again is a GUID, and may be missing but of what
        the studio tells its players, and of decisions."""
        for _, _, operation in self.operations():
            name = operation.get("x-idempotency-key")
            self.assertEqual(name, KEYS.get(operation["operationId"]))
            if name is not None:
                self.assertTrue(operation["x-repeatable"])
                body = operation["requestBody"]["content"]["application/json"]["schema"]
                is_needed = operation["operationId"] in {"sendStudioNotification", "createDecision"}
                for schema in map(self.resolved, body.get("anyOf", [body])):
                    self.assertIn('"uuid"', json.dumps(schema["properties"][name]))
                    self.assertIs(name in schema["required"], is_needed)

    def test_paged(self) -> None:
        """Each operation says whether it gives a list in parts: one that takes `limit` and `after`,
        and whose answer has a Link."""
        for _, _, operation in self.operations():
            names = {each["name"] for each in operation.get("parameters", ())}
            answer = self.resolved(operation["responses"].get("200", {}))
            # What is followed for ever, with `wait`, has no last part.
            in_parts = {"limit", "after"} <= names and "wait" not in names
            for there in (in_parts, "Link" in answer.get("headers", {})):
                self.assertIs(operation["x-paged"], there, operation["operationId"])

    def test_explained(self) -> None:
        """Each parameter of a path or query has a description."""
        silent = [
            (operation["operationId"], parameter["name"])
            for _, _, operation in self.operations()
            for parameter in operation.get("parameters", [])
            if not parameter.get("description")
        ]
        self.assertEqual(silent, [])

    def test_bodies(self) -> None:
        """A body that is of several types has each of them, with an example."""
        content = self.find("putContent")["requestBody"]["content"]["application/json"]
        names = ["ContentCreate", "ContentUpdate"]
        self.assertEqual(
            content["schema"]["anyOf"], [{"$ref": f"#/components/schemas/{name}"} for name in names]
        )
        self.assertEqual(list(content["examples"]), names)

    def test_headers(self) -> None:
        """Headers are where they come."""
        for id, status, names in (
            ("getUserInfo", "200", {"ETag"}),
            ("getUserInfo", "304", {"ETag"}),
            ("getUserInfo", "401", {"WWW-Authenticate"}),
            ("getUserInfo", "503", {"Retry-After"}),
            ("createComment", "201", {"Location"}),
            ("createComment", "429", {"Retry-After"}),
            ("listFollowers", "200", {"ETag", "Link"}),
        ):
            response = self.resolved(self.find(id)["responses"][status])
            self.assertEqual(set(response["headers"]), names, (id, status))
        self.assertNotIn("304", self.find("connectSession")["responses"])
