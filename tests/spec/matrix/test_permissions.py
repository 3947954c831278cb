"""Who may call each operation, and in which order that is checked (accounts#authentication and
conventions#errors)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from tests.spec.matrix.base import ROW_FIRST, MatrixCase
from tests.spec.matrix.operations import (
    ANYONE,
    OAUTH,
    OPERATIONS,
    SCOPES,
    Operation,
    each,
    scopes_of,
)
from tests.support import lists

WITH_TOKENS = [one for one in OPERATIONS if one.id not in OAUTH]
FOR_SOME = [one for one in OPERATIONS if one.who != ANYONE]


def _line(document: dict[str, Any], path: str, documented: dict[str, Any]) -> str:
    """The line of an operation, as far as the document tells."""
    variables = re.findall(r"{(\w+)}", path)
    rule = "ANYONE" if {} in (documented["security"] or [{}]) else "SIGNED_IN"
    if path.startswith("/api/v1/user/{userId}"):
        rule, variables = "SELF", variables[1:]
    missing = documented["responses"].get("404", {})
    shared = document["components"]["responses"].get(missing.get("$ref", "").rpartition("/")[2])
    codes = sorted(set(re.findall(r'"(\w+_not_found)"', json.dumps(shared or missing))))
    unknown = ", ".join(f'"{one}": "{" or ".join(codes)}"' for one in variables)
    return f'    Operation("{documented["operationId"]}", {rule}, {{{unknown}}}),'


class ListedTests(MatrixCase):
    async def test_all(self) -> None:
        """The matrix has all operations of the service, and no others, each once. What a failure
        says of who gets past is to be held against the specification."""
        document = (await self.contract()).document
        there = {
            found["operationId"]: _line(document, path, found)
            for path, methods in document["paths"].items()
            for found in methods.values()
        }
        listed = [one.id for one in OPERATIONS]
        lists.same(self, "tests/spec/matrix/operations.py", listed, there, there.__getitem__)
        self.assertEqual(len(listed), len(set(listed)))


@each(*OPERATIONS)
class AllowedTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """The operation goes through for whom it is."""
        for caller in operation.who.allowed:
            self.passed(operation, await self.send(operation, caller))


@each(*FOR_SOME)
class RefusedTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """Without a token it is 401, for those for whom it is not 403; and then nothing of it is
        done, so it goes through afterwards."""
        request = await self.prepared(operation)
        for caller in operation.who.refused:
            response = await self.sent(operation, request, caller)
            if caller:
                self.problem(response, 403, "forbidden")
            else:
                self.problem(response, 401, "unauthorized")
                self.assertEqual('Bearer realm="contentsvc"', response.header("WWW-Authenticate"))
        self.passed(operation, await self.sent(operation, request, self.rightful(operation)))


@each(*WITH_TOKENS)
class ServiceTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """A service account gets past with each of the scopes that open the operation, and with no
        other: then it is 403 before the body, and header and body name one that would do."""
        services, opening = (await self.world()).services, scopes_of(operation)
        request = await self.prepared(operation)
        for scope in SCOPES:
            if scope in opening:
                continue
            response = await self.sent(operation, request, by=services[scope], data=b"{")
            body = self.problem(response, 403, "insufficient_scope")
            self.assertEqual(opening[-1] if opening else None, body.get("scope"))
            needed = f', scope="{opening[-1]}"' if opening else ""
            expected = f'Bearer realm="contentsvc", error="insufficient_scope"{needed}'
            self.assertEqual(expected, response.header("WWW-Authenticate"))
        for scope in opening if operation.who != ANYONE else SCOPES[:1]:
            self.passed(operation, await self.send(operation, by=services[scope]))

    async def test_documented(self) -> None:
        """The document says which scopes open each operation."""
        for operation in WITH_TOKENS:
            if operation.who == ANYONE:
                continue
            _, _, documented = await self.documented(operation)
            ways = [way["service"] for way in documented["security"] if "service" in way]
            opening = [[scope] for scope in scopes_of(operation)]
            expected = [[]] if operation.id == "getMe" else opening
            place = f"tests/spec/matrix/operations.py, _BY_ID: {operation.id}"
            self.assertEqual(expected, ways, place)


@each(*WITH_TOKENS)
class TokenTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """A bad token, and one of a service that has ended, is 401 before the body, also where none
        is needed."""
        request = await self.prepared(operation)
        for token in ("bad", (await self.world()).ended):
            response = await self.sent(operation, request, by=token, data=b"{")
            self.problem(response, 401, "invalid_token")
            self.assertIn('error="invalid_token"', response.header("WWW-Authenticate") or "")


@each(*WITH_TOKENS)
class OrderTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """Path, token, permission, body, and what there is: the first that is wrong is the
        answer."""
        request = await self.prepared(operation)
        _, _, documented = await self.documented(operation)
        body = {"data": b"{"} if "requestBody" in documented else {}
        for variable in (await self.guids(operation))[:1]:
            bad = replace(request, variables=request.variables | {variable: "nobody"})
            self.problem(await self.sent(operation, bad, "", **body), 400, "invalid_path")
        if not body:
            return
        for caller in operation.who.refused:
            if not (caller and operation.who.by_row):
                response = await self.sent(operation, request, caller, **body)
                self.problem(response, 403 if caller else 401)
        if operation.id not in ROW_FIRST:
            nothing = await self.about_nothing(operation)
            response = await self.sent(operation, nothing, self.rightful(operation), **body)
            self.problem(response, 400, "malformed_json")
