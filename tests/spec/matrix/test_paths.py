"""Ids, prefixes and methods of each operation (conventions#requests, conventions#errors and
conventions#versions)."""

from __future__ import annotations

from dataclasses import replace

from tests.spec.matrix.base import MatrixCase, unknown
from tests.spec.matrix.inputs import BAD_GUIDS
from tests.spec.matrix.operations import (
    NEVER_SAME,
    OPERATIONS,
    SELF,
    SELF_OR_MODERATE,
    Operation,
    each,
)

API = "/api/v1"
WITH_IDS = [one for one in OPERATIONS if one.unknown]
FOR_SELF = [one for one in OPERATIONS if one.who in (SELF, SELF_OR_MODERATE)]
BAD = (*filter(None, BAD_GUIDS), "%00", "\0", "\N{SNOWMAN}")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
BAD_VARIABLES = {
    "commentId": ("x", "-1", "0", "1.5", str(2**63), "\0"),
    "sha256": ("x", "0" * 63, "A" * 64, "0" * 65),
    "key": ("x" * 257, "a\0"),
}


@each(*WITH_IDS)
class UnknownTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """An id that nothing has is 404 and says of what, or no error."""
        request, by = await self.prepared(operation), self.rightful(operation)
        for variable, code in operation.unknown.items():
            caller = "admin" if variable == "userId" and "admin" in operation.who.allowed else by
            changed = request.variables | {variable: unknown(variable)}
            response = await self.sent(operation, replace(request, variables=changed), caller)
            if code:
                self.problem(response, 404, code)
            else:
                self.passed(operation, response)


@each(*FOR_SELF)
class NobodyTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """What is for the user of the path is 403 for others also if there is no such user."""
        request = await self.prepared(operation)
        nobody = replace(request, variables=request.variables | {"userId": unknown("userId")})
        for caller in ("stranger", "owner"):
            self.problem(await self.sent(operation, nobody, caller), 403, "forbidden")


@each(*OPERATIONS)
class FormTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """A variable of another form is 400 and named. A GUID may be in upper case: the answer is
        the same."""
        request, guids = await self.prepared(operation), await self.guids(operation)
        method, path, _ = await self.documented(operation)
        bad = dict.fromkeys(guids, BAD) | BAD_VARIABLES
        for variable, values in bad.items():
            for value in values if f"{{{variable}}}" in path else ():
                changed = replace(request, variables=request.variables | {variable: value})
                response = await self.sent(operation, changed, self.rightful(operation))
                found = self.problem(response, 400, "invalid_path")
                self.assertEqual(variable, found["parameter"])
        upper = {variable: request.variables[variable].upper() for variable in guids}
        changed = replace(request, variables=request.variables | upper)
        response = await self.sent(operation, changed, self.rightful(operation))
        self.passed(operation, response)
        if method == "GET" and guids and operation.id not in NEVER_SAME:
            same = await self.sent(operation, request, self.rightful(operation))
            self.assertEqual(same.header("ETag"), response.header("ETag"))


@each(*OPERATIONS)
class PrefixTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """What is below /api/v1/user is below /methods/v1/user too; and nothing is below other
        prefixes."""
        request, by = await self.prepared(operation), self.rightful(operation)
        _, path, _ = await self.documented(operation)
        mirrored = path.startswith(f"{API}/user")
        self.assertTrue(path.startswith((f"{API}/", "/oauth/", "/health/")), path)
        for prefix in ("/methods/v1", "", "/api/v2", "/api", f"{API}{API}"):
            if path.startswith(API) and not (mirrored and prefix == "/methods/v1"):
                response = await self.sent(
                    # Pages of the portal are at some of these paths, for who accepts them.
                    operation,
                    request,
                    by,
                    prefix=prefix,
                    headers={"Accept": "application/json"},
                )
                self.problem(response, 404, "not_found")
        if mirrored:
            self.passed(operation, await self.sent(operation, request, by, prefix="/methods/v1"))


@each(*OPERATIONS)
class MethodTests(MatrixCase):
    async def check(self, operation: Operation) -> None:
        """OPTIONS says which methods the path has, and another one is 405 and says it too."""
        request = await self.prepared(operation)
        method, path, _ = await self.documented(operation)
        there = {each.upper() for each in (await self.contract()).document["paths"][path]}
        allowed = {"options", *map(str.lower, there), *(("head",) if "GET" in there else ())}
        self.assertIn(method, there)
        response = await self.sent(operation, request, "", method="OPTIONS", expect=204)
        self.assertEqual(allowed, response.listed("Allow"))
        for other in (*METHODS, "BREW"):
            if other not in there:
                response = await self.sent(operation, request, method=other)
                self.problem(response, 405, "method_not_allowed")
                self.assertEqual(allowed, response.listed("Allow"))
