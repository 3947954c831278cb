"""The base of the matrix: requests of an operation."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase, fresh
from tests.spec.matrix.operations import SELF_OR_MODERATE, Operation
from tests.spec.matrix.world import Request, World

ROW_FIRST = {"putContent", "unlinkIdentity"}
"""Whose body is read after the row that says what it must have."""


def unknown(variable: str) -> str:
    """A value of a path's variable that nothing has."""
    others = {"commentId": "999999999999", "key": name(), "kind": "nothing"}
    return secrets.token_hex(32) if variable == "sha256" else others.get(variable, guid())


class MatrixCase(SpecCase):
    """Tests of which each is about one operation."""

    _worlds: ClassVar[dict[str, World]] = {}

    async def connect(self) -> None:
        """The matrix lists everything and tells everybody, so nobody else is there."""
        await super().connect()
        await self.be_alone()

    async def world(self) -> World:
        """Users and things, shared by all tests of a service."""
        world = self._worlds.get(self.url)
        if world is None or not fresh(world.owner):
            world = World()
            await world.make(self)
            self._worlds[self.url] = world
        return world

    async def documented(self, operation: Operation) -> tuple[str, str, dict[str, Any]]:
        """The operation's method and path, and what /openapi.json says of it."""
        document = (await self.contract()).document
        for path, methods in document["paths"].items():
            for method, found in methods.items():
                if found["operationId"] == operation.id:
                    return method.upper(), path, found
        return self.fail(f"there is no {operation.id}")

    async def guids(self, operation: Operation) -> list[str]:
        """The variables of the path that are GUIDs."""
        _, _, documented = await self.documented(operation)
        return [
            one["name"]
            for one in documented.get("parameters", ())
            if one["in"] == "path" and one["schema"].get("format") == "uuid"
        ]

    async def prepared(self, operation: Operation) -> Request:
        """A request of this operation that would go through for the right caller."""
        request = await (await self.world()).request(self, operation.id)
        _, path, _ = await self.documented(operation)
        for variable in set(re.findall(r"{(\w+)}", path)) - request.variables.keys():
            self.fail(
                f"tests/spec/matrix/world.py: World makes no {variable} yet: let `make` put one "
                "into `variables`"
            )
        return request

    async def about_nothing(self, operation: Operation) -> Request:
        """Such a request, with the ids of nothing, where those do not take the permission."""
        request = await self.prepared(operation)
        changed = {one: unknown(one) for one in operation.unknown}
        if operation.who == SELF_OR_MODERATE:
            changed.pop("userId", None)
        return replace(request, variables=request.variables | changed)

    async def send(self, operation: Operation, caller: str = "owner", **changes: Any) -> Response:
        """The answer to such a request."""
        return await self.sent(operation, await self.prepared(operation), caller, **changes)

    async def sent(
        self,
        operation: Operation,
        request: Request,
        caller: str = "owner",
        *,
        prefix: str | None = None,
        method: str | None = None,
        **more: Any,
    ) -> Response:
        """The answer to this request by the `caller`, with another `prefix` or `method`. `more` is
        for the harness."""
        documented, path, _ = await self.documented(operation)
        for variable, value in request.variables.items():
            path = path.replace(f"{{{variable}}}", quote(value, safe=""))
        if prefix is not None:
            path = path.replace("/api/v1", prefix, 1)
        if request.query:
            query = request.query
            path = f"{path}?{query if isinstance(query, str) else urlencode(query)}"
        if request.body is not None and not more.keys() & {"body", "data"}:
            more["data" if request.form else "body"] = request.body
        by = more.pop("by", None) or await self.caller(caller, request)
        return await self.request(method or documented, path, by=by, **more)

    async def caller(self, name: str, request: Request) -> User | None:
        """The user of this name; None for ""."""
        world = await self.world()
        users = {"stranger": world.stranger, "owner": request.owner, **world.staff}
        return users.get(name)

    def passed(self, operation: Operation, response: Response) -> None:
        """Assert that the request was not refused."""
        code = response.json().get("code") if response.status >= 400 else None
        if code is not None and code not in operation.past:
            self.fail(
                f"{response!r}: if {operation.id} needs another thing, tests/spec/matrix/world.py "
                "prepares it"
            )

    @staticmethod
    def rightful(operation: Operation) -> str:
        """A caller who gets past, with a token."""
        return "owner" if "owner" in operation.who.allowed else operation.who.allowed[-1]
