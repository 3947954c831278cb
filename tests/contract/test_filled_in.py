"""What /docs sends of each operation as it is filled in: the examples of /openapi.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from jsonschema_rs import Draft202012Validator, Registry

from tests.spec.harness import SpecCase
from tests.support import daemon

HOME = "urn:contract"
FAULTS = {"invalid_body", "invalid_query", "invalid_path", "malformed_json"}
ENDS = {"deleteUser", "endOtherSessions", "endSession"}
"""What would end the log-in of the caller."""
EITHER = {"listModeratedUsers"}
"""What needs one of two parameters, either of which may be left out."""


class Filled(NamedTuple):
    """An operation, its place in the document, and what is filled in."""

    id: str
    method: str
    path: str
    place: str
    parameters: list[dict[str, Any]]
    media: str
    bodies: list[Any]


def filled(document: dict[str, Any]) -> Iterator[Filled]:
    """All operations."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            place = f"/paths/{_escaped(path)}/{method}"
            (media, content), *_ = [
                *operation.get("requestBody", {}).get("content", {}).items(),
                ("", {"examples": {}}),
            ]
            bodies = [content["example"]] if "example" in content else []
            bodies += [each["value"] for each in content.get("examples", {}).values()]
            given = operation.get("parameters", [])
            yield Filled(operation["operationId"], method, path, place, given, media, bodies)


def _escaped(path: str) -> str:
    return quote(path.replace("~", "~0").replace("/", "~1"), safe="~")


class FilledInTests(SpecCase):
    async def connect(self) -> None:
        # It makes who the demo and others make.
        self.own_daemon()
        self.use(await daemon.shared("filled-in", daemon.Daemon))
        self.document = (await self.get("/openapi.json", expect=200)).json()

    def assert_fits(self, place: str, value: Any) -> None:
        """Assert that a value fits the schema at this place of the document."""
        registry = Registry([(HOME, self.document)])
        schema = Draft202012Validator({"$ref": f"{HOME}#{place}"}, registry=registry)
        self.assertEqual([], [error.message for error in schema.iter_errors(value)], place)

    async def test_examples(self):
        """What is sent without a touch fits: what is required has an example, each body too; what
        may be left out has none."""
        for operation in filled(self.document):
            for n, parameter in enumerate(operation.parameters):
                self.assertEqual(parameter["required"], "example" in parameter, operation.id)
                if parameter["required"]:
                    place = f"{operation.place}/parameters/{n}/schema"
                    self.assert_fits(place, parameter["example"])
            place = f"{operation.place}/requestBody/content/{_escaped(operation.media)}/schema"
            self.assertEqual(bool(operation.media), bool(operation.bodies))
            for body in operation.bodies:
                self.assert_fits(place, body)

    async def test_sent(self):
        """No operation finds a fault in the form of what is sent without a touch, whatever else it
        says of ids that nothing has."""
        boss = await self.admin()
        for operation in filled(self.document):
            if operation.id in ENDS | EITHER:
                continue
            path, query = operation.path, {}
            for parameter in operation.parameters:
                value = parameter.get("example")
                if parameter["name"] == "userId":
                    value = boss.id
                if parameter["in"] == "path":
                    path = path.replace(f"{{{parameter['name']}}}", quote(str(value), safe=""))
                elif parameter["required"]:
                    query[parameter["name"]] = value
            path += f"?{urlencode(query)}" if query else ""
            kind = "body" if "json" in operation.media else "data"
            sent = {kind: operation.bodies[0]} if operation.bodies else {}
            by = None if path.startswith("/oauth") else boss
            answer = await self.request(operation.method.upper(), path, by=by, **sent)
            said = answer.json() if answer.status == 400 else {}
            self.assertNotIn(said.get("code"), FAULTS, answer)
            self.assertNotEqual(said.get("error"), "invalid_request", answer)
