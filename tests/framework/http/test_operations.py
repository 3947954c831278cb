"""The table: which operations families have, as a value."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.checks import check_may_change
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import Forbidden, named
from contentsvc.framework.http.operations import Family, mirrored, table
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.roles import ADMINISTER, CURATE, MODERATE
from contentsvc.store.content.items import ContentState
from tests.framework.http.support import ANN, Service, operations

Lost = named(404, "lost", "It is lost.")
Sold = named(409, "sold", "It was sold.")


class Toys:
    """Nothing here needs an instance."""

    def __init__(self, shelf: object) -> None:
        raise AssertionError("made")

    @route("GET", "/user/<guid:user>/toy/<text:name>", allow=ANYONE, raises=(Lost,))
    async def get_toy(self, call: Call, user: str, name: str) -> str:
        """One toy.

        It may be broken.
        """
        raise Lost()

    @route("PUT", "/toy/<int:toy>", allow=SIGNED_IN, raises=(Sold, Forbidden))
    async def put(self, call: Call, toy: int) -> None:
        self._check()

    def _check(self) -> None:
        [_refuse() for _ in range(2)]


def _refuse() -> None:
    raise Sold() from Forbidden()


class Again:
    @route("GET", "/user/<guid:owner>/toy/<text:toy>", allow=ANYONE, raises=(Lost,))
    async def other(self, call: Call, owner: str, toy: str) -> str:
        return toy


class Tools:
    @route("GET", "/tool", allow=ANYONE)
    async def get(self, call: Call) -> str:
        return "saw"


class Silent:
    """One who names an error in a function that its handler calls."""

    @route("DELETE", "/toy", allow=ANYONE)
    async def remove(self, call: Call) -> None:
        self._remove()

    def _remove(self) -> None:
        _refuse()


class Asking:
    """Each asks for permissions in another place."""

    @route("PUT", "/user/<guid:user>/toy", allow=SELF | CURATE)
    async def put(self, call: Call, user: str) -> None: ...

    @route("DELETE", "/toy", allow=MODERATE)
    async def remove(self, call: Call) -> None:
        self._remove(call)

    def _remove(self, call: Call) -> None:
        call.may(CURATE)

    @route("PUT", "/toy", allow=SIGNED_IN)
    async def change(self, call: Call) -> None:
        check_may_change(call, ContentState("", "", "", "", False, False))

    @route("GET", "/toy", allow=ANYONE)
    async def get(self, call: Call) -> str:
        return str(call.may(MODERATE))


class TableTests(SynchronousTestCase):
    def test_permissions(self) -> None:
        """An operation asks for the permission of its route, and for those that its handler names,
        a method that it calls, or a check of another module."""
        found = {each.handler: each.permissions for each in table([Family("asking", Asking)])}
        expected = {
            "put": (CURATE,),
            "remove": (CURATE, MODERATE),
            "change": (ADMINISTER,),
            "get": (MODERATE,),
        }
        self.assertEqual(found, expected)

    def test_sees_caller(self) -> None:
        """The answer depends on who asks, where the handler asks what they may."""
        found = {each.handler for each in table([Family("asking", Asking)]) if each.sees_caller}
        self.assertEqual(found, {"remove", "get"})

    def test_operations(self) -> None:
        """The operations of the families' classes, in the order in which they are written."""
        get, put = table([Family("toys", Toys, "/v1")])
        self.assertEqual([get.id, put.id], ["getToy", "put"])
        self.assertEqual(get.path, "/v1/user/<guid:user>/toy/<text:name>")
        self.assertEqual(get.url, "/v1/user/{userId}/toy/{name}")
        self.assertEqual(put.url, "/v1/toy/{toyId}")
        self.assertEqual(get.doc, "One toy.\n\nIt may be broken.")
        self.assertIn(Sold, put.errors)

    def test_mirrored(self) -> None:
        """The operations below one path may be served below another too, and no others."""
        (get,) = mirrored(table([Family("toys", Toys, "/v1")]), "/v1/user", "/old/user")
        self.assertEqual(get.url, "/old/user/{userId}/toy/{name}")

    def refused(self, *families: Family) -> str:
        """Why these families make no table."""
        return str(self.assertRaises(TypeError, table, families))

    def test_same_path(self) -> None:
        """Two operations of one method and path are refused, whatever their variables' names."""
        self.assertIn("two of", self.refused(Family("toys", Toys), Family("again", Again)))

    def test_same_id(self) -> None:
        """Two operations of one id are refused."""
        self.assertIn("getToy", self.refused(Family("toys", Toys), Family("toys", Toys, "/v2")))

    def test_undeclared(self) -> None:
        """A handler that names an error which its route does not declare is refused, also where a
        function that it calls names it."""
        self.assertIn("'Forbidden', 'Sold'", self.refused(Family("silent", Silent)))

    def test_public_method(self) -> None:
        """Methods that are no operations are called too, whatever their names."""

        class Loud:
            @route("DELETE", "/toy", allow=ANYONE)
            async def remove(self, call: Call) -> None:
                self.drop()

            def drop(self) -> None:
                raise Sold()

        self.assertIn("'Sold'", self.refused(Family("loud", Loud)))

    def test_same_code(self) -> None:
        """Two errors of one status and code are refused: a code has one cause."""
        other = named(409, "sold", "It is gone.")

        class Shops:
            @route("DELETE", "/shop", allow=ANYONE, raises=(other,))
            async def close(self, call: Call) -> None: ...

        self.assertIn("sold", self.refused(Family("toys", Toys), Family("shops", Shops)))

    def test_same_variable(self) -> None:
        """Two variables that clients could not tell apart are refused."""

        class Pairs:
            @route("DELETE", "/pair/<guid:toy>/<text:toyId>", allow=ANYONE)
            async def part(self, call: Call, toy: str, toyId: str) -> None: ...

        self.assertIn("{toyId}/{toyId}", self.refused(Family("pairs", Pairs)))

    def test_empty(self) -> None:
        """A family without a route is refused."""
        self.assertIn("Empty", self.refused(Family("empty", type("Empty", (), {}))))


class MountTests(SynchronousTestCase):
    """A table that is served."""

    def setUp(self) -> None:
        self.service = Service([])
        self.families = [Again(), Tools()]

    def status(self, path: str) -> int:
        """The status of a GET."""
        return self.service.ask("GET", path).status

    def test_mirrored(self) -> None:
        """The same operations are served at another path too, by the same families."""
        there = operations(self.families)
        self.service.api.mount((*there, *mirrored(there, "/user", "/old/user")), self.families)
        for path in (f"/user/{ANN}/toy/car", f"/old/user/{ANN}/toy/car", "/tool"):
            self.assertEqual(self.status(path), 200)
        self.assertEqual(self.status("/old/tool"), 404)

    def test_left_out(self) -> None:
        """An operation whose family is not given is not served."""
        self.service.api.mount(operations(self.families), self.families[1:])
        self.assertEqual(self.status("/tool"), 200)
        self.assertEqual(self.status(f"/user/{ANN}/toy/car"), 404)
        self.assertEqual([op.id for op in self.service.api.operations], ["get"])

    def test_unknown_family(self) -> None:
        """A family without an operation is refused."""
        api, there = self.service.api, operations(self.families[1:])
        self.assertIn("Again", str(self.assertRaises(TypeError, api.mount, there, self.families)))
