"""Routes: what a declaration must say, and what is read from it."""

from typing import Any

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.web.allow import ADMIN, ANYONE, SELF
from contentsvc.web.call import Call
from contentsvc.web.route import Route, route, routes_of
from contentsvc.web.sizes import BODY_LIMIT


class Body(Struct):
    text: str


class Query(Struct):
    page: int = 0


class Stalls:
    @route("PUT", "/user/<guid:user>/stall/<text:name>", allow=SELF, limit=10)
    async def put(self, call: Call, user: str, name: str, body: Body) -> None: ...

    @route("GET", "/stall", allow=ANYONE)
    async def all(self, call: Call, query: Query) -> list[str]: ...

    async def helper(self) -> None: ...


class RouteTests(SynchronousTestCase):
    def test_read(self) -> None:
        """A family's routes are its decorated methods, with all that was declared."""
        routes = dict(routes_of(Stalls()))
        self.assertEqual(set(routes), {"put", "all"})
        path = "/user/<guid:user>/stall/<text:name>"
        variables = (("guid", "user"), ("text", "name"))
        self.assertEqual(routes["put"], Route("PUT", path, SELF, 10, variables, Body, None, None))
        self.assertEqual(
            routes["all"], Route("GET", "/stall", ANYONE, BODY_LIMIT, (), None, None, Query)
        )

    def test_permission_forgotten(self) -> None:
        """A route without its permission fails at import."""
        declare: Any = route
        self.assertRaises(TypeError, declare, "GET", "/x")

    def refused(self, path: str, handler: Any) -> None:
        """Assert that this handler does not fit the path."""
        error = self.assertRaises(TypeError, route("GET", path, allow=ADMIN), handler)
        self.assertIn("handler", str(error))

    def test_variable_not_taken(self) -> None:
        """A variable of the path that the handler does not take fails at import."""

        async def handler(self: Any, call: Call) -> None: ...

        self.refused("/<guid:user>", handler)

    def test_variable_not_given(self) -> None:
        """A parameter that the path does not give fails at import."""

        async def handler(self: Any, call: Call, user: str) -> None: ...

        self.refused("/x", handler)

    def test_order(self) -> None:
        """Variables stand in the order of the path."""

        async def handler(self: Any, call: Call, b: str, a: str) -> None: ...

        self.refused("/<guid:a>/<guid:b>", handler)

    def test_name(self) -> None:
        """A parameter has the name of its variable."""

        async def handler(self: Any, call: Call, users: str) -> None: ...

        self.refused("/<guid:user>", handler)

    def test_no_call(self) -> None:
        """Every handler takes the call."""

        async def handler(self: Any) -> None: ...

        self.refused("/x", handler)
