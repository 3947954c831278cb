"""Routes: what a declaration must say, what is read from it, and what is refused at import."""

import inspect
from typing import Any

from msgspec import Raw, Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.body_reader import BODY_LIMIT, FORM_LIMIT
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Forbidden, InvalidPath, named
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.reply import Accepted, Created, Encoded, Listed, Pieces
from contentsvc.framework.http.route import Answer, errors_of, route
from contentsvc.roles import ADMINISTER

Lost = named(404, "lost", "It is lost.")
Full = named(409, "full", "It is full.")


class Body(Struct):
    text: str


class Other(Struct):
    number: int


class Query(Struct):
    page: int = 0
    after: str | None = None


class Stalls:
    @route("PUT", "/user/<guid:user>/stall/<text:name>", allow=SELF, raises=(Full,), limit=10)
    async def put(self, call: Call, user: str, name: str, body: Body) -> None: ...

    @route("POST", "/stall", allow=SIGNED_IN)
    async def add(self, call: Call, body: Either[Body | Other]) -> Created: ...

    @route("GET", "/stall", allow=ANYONE)
    async def all(
        self, call: Call, query: Query
    ) -> Listed[Body] | Encoded[list[Body]] | Pieces[list[Body]]: ...

    @route("GET", "/stall/<guid:stall>", allow=ADMINISTER, raises=(Lost,))
    async def one(self, call: Call, stall: str) -> Encoded[dict[str, Body]]: ...

    @route("POST", "/form", allow=ANYONE)
    async def form(self, call: Call, form: Body) -> None: ...


PUT, ADD, ALL, ONE, FORM = (
    handler.__route__  # type: ignore[attr-defined]
    for handler in (Stalls.put, Stalls.add, Stalls.all, Stalls.one, Stalls.form)
)


class DeclarationTests(SynchronousTestCase):
    """The contents of a declaration."""

    def test_path(self) -> None:
        """Method, path and variables, in order; whether the path names its user."""
        self.assertEqual((PUT.method, PUT.path), ("PUT", "/user/<guid:user>/stall/<text:name>"))
        self.assertEqual(PUT.variables, (("guid", "user"), ("text", "name")))
        self.assertTrue(PUT.owned)
        self.assertFalse(ONE.owned)

    def test_body(self) -> None:
        """A body is of one type, or of one of those that the handler decides between."""
        self.assertEqual((PUT.bodies, PUT.undecided), ((Body,), False))
        self.assertEqual((ADD.bodies, ADD.undecided), ((Body, Other), True))
        self.assertEqual((ALL.bodies, ALL.query), ((), Query))
        self.assertEqual((FORM.bodies, FORM.form), ((), Body))

    def test_limit(self) -> None:
        """A body is limited as declared, or as its kind is."""
        self.assertEqual([r.limit for r in (PUT, ADD, FORM)], [10, BODY_LIMIT, FORM_LIMIT])

    def test_answer(self) -> None:
        """An answer is described down to what its list is made of."""
        self.assertEqual([r.answer for r in (PUT, ADD)], [Answer(204), Answer(201)])
        self.assertEqual(ALL.answer, Answer(200, list[Body], linked=True))
        self.assertEqual(ONE.answer, Answer(200, dict[str, Body]))

    def test_either_answer(self) -> None:
        """An answer may be one of several Structs."""

        class Family:
            @route("GET", "/toy", allow=ANYONE)
            async def get(self, call: Call) -> Body | Other: ...

        answer = Family.get.__route__.answer  # type: ignore[attr-defined]
        self.assertEqual(answer, Answer(200, Body | Other))

    def test_again(self) -> None:
        """What is made, or there already, is 201 or 204; what goes on elsewhere is 202."""

        class Family:
            @route("PUT", "/toy", allow=ANYONE)
            async def put(self, call: Call) -> Created | None: ...

            @route("POST", "/toy", allow=ANYONE)
            async def post(self, call: Call) -> Accepted: ...

        found = [each.__route__.answer for each in (Family.put, Family.post)]  # type: ignore[attr-defined]
        self.assertEqual(found, [Answer(201, again=True), Answer(202)])

    def test_public_form(self) -> None:
        """A form that takes no token is for OAuth clients, and only that."""
        self.assertEqual([r.public_form for r in (PUT, ALL, FORM)], [False, False, True])


class ErrorTests(SynchronousTestCase):
    """The errors of an operation."""

    def test_put(self) -> None:
        """The errors of a variable, a token, an owner and a body, and the route's own."""
        self.assertEqual(
            [error.code for error in errors_of(PUT)],
            [
                *("invalid_path", "invalid_token", "unauthorized", "insufficient_scope"),
                *("forbidden", "malformed_json", "invalid_body", "unsupported_media_type"),
                *("timeout", "payload_too_large", "too_many_requests", "full"),
                *("internal_error", "unavailable", "maintenance"),
            ],
        )

    def test_public(self) -> None:
        """Where anyone may ask, a bad token is an error still."""
        self.assertEqual(
            [error.code for error in errors_of(ALL)],
            [
                *("invalid_token", "invalid_query", "too_many_requests", "internal_error"),
                *("unavailable", "maintenance"),
            ],
        )

    def test_form(self) -> None:
        """A form has neither JSON nor, where it is public, tokens."""
        self.assertEqual(
            [error.code for error in errors_of(FORM)],
            [
                *("invalid_body", "unsupported_media_type", "timeout", "payload_too_large"),
                *("internal_error", "unavailable"),
            ],
        )


class RefusalTests(SynchronousTestCase):
    """Declarations that fail at import."""

    def refused(self, path: str, handler: Any, allow: Any = ADMINISTER, **more: Any) -> None:
        """Assert that this handler does not fit its route."""
        declare = route(more.pop("method", "PUT"), path, allow=allow, **more)
        error = self.assertRaises(TypeError, declare, handler)
        self.assertIn("handler", str(error))

    def test_permission_forgotten(self) -> None:
        """A route without its permission."""
        declare: Any = route
        self.assertRaises(TypeError, declare, "GET", "/x")

    def test_variable_not_taken(self) -> None:
        """A variable of the path that the handler does not take."""

        async def handler(self: Any, call: Call) -> None: ...

        self.refused("/<guid:user>", handler)

    def test_variable_not_given(self) -> None:
        """A parameter that the path does not give."""

        async def handler(self: Any, call: Call, user: str) -> None: ...

        self.refused("/x", handler)

    def test_order(self) -> None:
        """Variables in another order than the path's."""

        async def handler(self: Any, call: Call, b: str, a: str) -> None: ...

        self.refused("/<guid:a>/<guid:b>", handler)

    def test_name(self) -> None:
        """A parameter that has another name than its variable."""

        async def handler(self: Any, call: Call, users: str) -> None: ...

        self.refused("/<guid:user>", handler)

    def test_no_call(self) -> None:
        """A handler that does not take the call."""

        async def handler(self: Any) -> None: ...

        self.refused("/x", handler)

    def test_self_without_user(self) -> None:
        """SELF without a user in the path."""

        async def handler(self: Any, call: Call, friend: str) -> None: ...

        for allow in (SELF, SELF | ADMINISTER):
            self.refused("/<guid:friend>", handler, allow)

    def test_no_answer(self) -> None:
        """A handler that does not say what it answers."""

        async def handler(self: Any, call: Call): ...  # type: ignore[no-untyped-def]

        self.refused("/x", handler)

    def test_vague_answer(self) -> None:
        """An answer that could be anything."""
        vague_ones = Any, object, Raw, list, dict, Listed, Pieces, Encoded
        for vague in (*vague_ones, list[Any], Listed[Raw], dict[str, Any], tuple[int, str]):

            async def handler(self: Any, call: Call) -> None: ...

            handler.__annotations__["return"] = vague
            self.refused("/x", handler)

    def test_two_answers(self) -> None:
        """Answers that differ in more than in their form."""

        async def one(self: Any, call: Call) -> Listed[Body] | Encoded[Body]: ...

        async def other(self: Any, call: Call) -> Body | None: ...

        for handler in (one, other):
            handler.__qualname__ = "handler"
            self.refused("/x", handler)

    def test_body(self) -> None:
        """A body where there cannot be one, and two of them."""

        async def handler(self: Any, call: Call, body: Body) -> None: ...

        self.refused("/x", handler, method="GET")

        async def both(self: Any, call: Call, body: Body, form: Body) -> None: ...

        both.__qualname__ = "handler"
        self.refused("/x", both)

        async def silent(self: Any, call: Call) -> None: ...

        silent.__qualname__ = "handler"
        self.refused("/x", silent, method="GET")

    def test_kinds_of_input(self) -> None:
        """Input that is no Struct, or a union of which nobody says who decides."""
        for name, wrong in (
            ("body", dict),
            ("body", Body | Other),
            ("body", Either),
            ("form", Body | None),
            ("query", Query | None),
        ):

            async def handler(self: Any, call: Call) -> None: ...

            handler.__annotations__[name] = wrong
            self.taking(name, handler)
            self.refused("/x", handler)

        async def untyped(self: Any, call: Call, body) -> None: ...  # type: ignore[no-untyped-def]

        untyped.__qualname__ = "handler"
        self.refused("/x", untyped)

    def taking(self, name: str, handler: Any) -> None:
        """Have the handler take this parameter too."""
        given = inspect.signature(handler)
        more = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
        handler.__signature__ = given.replace(parameters=[*given.parameters.values(), more])

    def test_method(self) -> None:
        """A method that the service has not, or has by itself."""

        async def handler(self: Any, call: Call) -> Body: ...

        for method in ("get", "HEAD", "OPTIONS", "FETCH"):
            self.refused("/x", handler, method=method)

    def test_path(self) -> None:
        """A path that no request could have, or with variables of an unknown kind."""

        async def handler(self: Any, call: Call) -> None: ...

        for path in ("x", "/x/", "", "//x", "/x/<y>", "/x/{y}", "/x y", "/x?y"):
            self.refused(path, handler)

        async def other(self: Any, call: Call, y: str) -> None: ...

        other.__qualname__ = "handler"
        for kind in ("uuid", "int"):
            self.refused(f"/x/<{kind}:y>", other)

    def test_permission(self) -> None:
        """A permission that is none."""

        async def handler(self: Any, call: Call) -> None: ...

        self.refused("/x", handler, allow="SELF")

    def test_not_async(self) -> None:
        """A handler that is no coroutine."""

        def handler(self: Any, call: Call) -> None: ...

        self.refused("/x", handler)

    def test_list_without_end(self) -> None:
        """A list in parts, of which nobody can ask for the next."""

        async def handler(self: Any, call: Call, query: Body) -> Listed[Body]: ...

        self.refused("/x", handler, method="GET")

    def test_errors(self) -> None:
        """Errors that are no tuple, no problems, or there twice."""

        async def handler(self: Any, call: Call) -> None: ...

        for raises in (Full, [Full], (ValueError,), (Full, Full)):
            self.refused("/x", handler, raises=raises)

    def test_missing(self) -> None:
        """A GET of a thing that does not say what is answered where there is none."""

        async def handler(self: Any, call: Call, user: str) -> Body: ...

        self.refused("/<guid:user>", handler, ANYONE, method="GET")
        self.refused("/<guid:user>", handler, ANYONE, method="GET", raises=(Full,))
        route("GET", "/<guid:user>", allow=SELF)(handler)

    def test_derived(self) -> None:
        """An error that the declaration says already."""

        async def handler(self: Any, call: Call, key: str) -> None: ...

        for error in (Forbidden, InvalidPath):
            self.refused("/<text:key>", handler, raises=(error,))

    def test_same_name(self) -> None:
        """A method that would take the place of another route's."""

        def family() -> type:
            class Family:
                @route("PUT", "/x", allow=ANYONE)
                async def handler(self, call: Call) -> None: ...

                @route("GET", "/x", allow=ANYONE)
                async def handler(self, call: Call) -> None: ...  # noqa: F811

            return Family

        self.assertIn("handler", str(self.assertRaises(TypeError, family)))
