"""The body and the query of each operation: what fits, and what does not (conventions#requests and
conventions#errors)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from tests.spec.client import Response
from tests.spec.data import guid
from tests.spec.matrix.base import ROW_FIRST, MatrixCase
from tests.spec.matrix.inputs import BODIES, QUERIES
from tests.spec.matrix.kinds import Members
from tests.spec.matrix.operations import OPERATIONS, Operation, each
from tests.spec.matrix.world import Request
from tests.support import lists

WITH_BODIES = [one for one in OPERATIONS if one.id in BODIES]
READ = [one for one in WITH_BODIES if one.id != "unlinkIdentity"]
"""Whose bodies are read whatever there is: there is no account elsewhere to unlink."""
WITH_QUERIES = [one for one in OPERATIONS if one.id in QUERIES]
DEEP = 7_000
BAD_JSON = (b"", b"{", b"nul", b"{'a':1}", b'{"a":NaN}', b'{"a":01}', b'{"a":+1}', b'{"a":[1,]}')
"""Texts that are no JSON."""


class InputCase(MatrixCase):
    """Requests about nothing that there is, so that they change nothing."""

    async def forms(self, operation: Operation) -> list[tuple[Members, Request]]:
        """Each form of the operation's body, with the request that may have it."""
        request = await self.prepared(operation)
        if operation.id not in ROW_FIRST:
            request = await self.about_nothing(operation)
        forms = [(form, request) for form in BODIES[operation.id]]
        if operation.id == "putContent":
            fresh = replace(request, variables=request.variables | {"contentId": guid()})
            forms[0] = BODIES[operation.id][0], fresh
        if operation.id == "putCollection":
            own = {"collectionId": request.variables["userId"]}
            forms[1] = forms[1][0], replace(request, variables=request.variables | own)
        return forms

    async def with_body(self, operation: Operation, request: Request, **body: Any) -> Response:
        """The answer to a request with this body."""
        return await self.sent(operation, request, self.rightful(operation), **body)


@each(*READ)
class BodyTests(InputCase):
    async def check(self, operation: Operation) -> None:
        """What does not fit is 400 and pointed at: a member that is missing, null, of another type
        or form, or beyond its limits."""
        for form, request in await self.forms(operation):
            for pointer, body in form.faults():
                response = await self.with_body(operation, request, body=body)
                if _is_text(body):
                    found = self.problem(response, 400, "invalid_body")
                    self.assertIn(pointer, [error["pointer"] for error in found["errors"]], body)
                else:
                    self.problem(response, 400)


@each(*READ)
class JsonTests(InputCase):
    async def check(self, operation: Operation) -> None:
        """A body that is no JSON in UTF-8, or too deep, is 400, and one of another media type
        415."""
        form, request = (await self.forms(operation))[0]
        good = json.dumps(form.sample()).encode()
        bad = (good[:-1], good + b"x", b"\xff\xfe" + good, good[:-1] + b',"zz":"\xff"}')
        for data in (*BAD_JSON, *bad):
            response = await self.with_body(operation, request, data=data)
            self.problem(response, 400, "malformed_json")
        for data in (b"[" * DEEP, good[:-1] + b',"zz":' + b"[" * DEEP + b"]" * DEEP + b"}"):
            self.problem(await self.with_body(operation, request, data=data), 400)
        for media in ("text/plain", "application/x-www-form-urlencoded"):
            headers = {"Content-Type": media}
            response = await self.with_body(operation, request, data=good, headers=headers)
            self.problem(response, 415, "unsupported_media_type")


@each(*WITH_BODIES)
class FittingTests(InputCase):
    async def check(self, operation: Operation) -> None:
        """What only just fits is taken; members that are not known are ignored."""
        if operation.id == "createDecision":
            return  # which members fit depends on the action: tests/spec/moderation
        for form, request in await self.forms(operation):
            for body in form.limits():
                response = await self.with_body(operation, request, body=body)
                code = response.json()["code"] if response.status >= 400 else ""
                self.assertNotIn(code, {"invalid_body", "malformed_json"}, repr(response))


@each(*WITH_QUERIES)
class QueryTests(InputCase):
    async def asked(self, operation: Operation, request: Request, query: str) -> Response:
        """The answer to this query."""
        by = self.rightful(operation)
        return await self.sent(operation, replace(request, query=query), by)

    async def check(self, operation: Operation) -> None:
        """A parameter that does not fit, comes twice, or is missing, is 400 and named; what only
        just fits is taken, and a parameter that is not known is ignored."""
        request = await self.about_nothing(operation)
        for name, parameter in QUERIES[operation.id].items():
            given = {**request.query, "unknown": "x"}
            for value in parameter.bad:
                response = await self.asked(operation, request, urlencode(given | {name: value}))
                self.invalid_query(response, name)
            for value in ("%FF", "%ED%A0%80"):
                given.pop(name, None)
                query = f"{urlencode(given)}&{name}={value}"
                self.invalid_query(await self.asked(operation, request, query), name)
            twice = urlencode([*given.items(), (name, "1"), (name, "1")])
            self.invalid_query(await self.asked(operation, request, twice), name)
            if parameter.required:
                response = await self.asked(operation, request, urlencode(given))
                self.invalid_query(response, name)
            for value in parameter.fits:
                response = await self.asked(operation, request, urlencode(given | {name: value}))
                self.assertIn(response.status, (200, 204, 404), repr(response))


@each(*OPERATIONS)
class DocumentTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """/openapi.json says the same of the body's members and the query's parameters."""
        document = (await self.contract()).document
        _, _, documented = await self.documented(operation)

        def named(schema: dict[str, Any]) -> Any:
            name = schema.get("$ref", "").rpartition("/")[2]
            return document["components"]["schemas"][name] if name else schema

        content = documented.get("requestBody", {}).get("content", {})
        schema = named(content.get("application/json", {}).get("schema", {}))
        forms = BODIES.get(operation.id, ())
        schemas = [*map(named, schema.get("anyOf", [schema] if schema else []))]
        place = f"tests/spec/matrix/inputs.py, BODIES of {operation.id}"
        if len(forms) != len(schemas):
            made = ", ".join(map(_members, schemas))
            self.fail(f'{place}: write\n    "{operation.id}": ({made},),')
        for form, schema in zip(forms, schemas, strict=True):
            self.assertIsNone(form.differs(schema, named), place)
        there = {
            (one["name"], one["required"])
            for one in documented.get("parameters", ())
            if one["in"] == "query"
        }
        parameters = QUERIES.get(operation.id, {}).items()
        place = f"tests/spec/matrix/inputs.py, QUERIES of {operation.id}"
        listed = {(name, one.required) for name, one in parameters}
        lists.same(self, place, listed, there, _parameter)


def _members(schema: dict[str, Any]) -> str:
    """The beginning of a form."""
    needed = schema.get("required", ())
    names = [name if name in needed else f"{name}?" for name in schema.get("properties", ())]
    return "Members({" + ", ".join(f'"{name}": KIND' for name in names) + "})"


def _parameter(parameter: tuple[str, bool]) -> str:
    """The line of a parameter. `limit` and `after` together are PAGED."""
    name, required = parameter
    return f'        "{name}": Parameter((FITS,), (BAD,){", required=True" if required else ""}),'


def _is_text(body: Any) -> bool:
    """Whether this can be JSON: no half of a surrogate pair is."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
