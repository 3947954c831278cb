"""How what a proxy has seen is compared with a case."""

from twisted.trial.unittest import SynchronousTestCase

from tests.conformance.script import Request, Seen, cases, covers, fault_of, filled, matches

GET = "GET /socket"


def request(name: str = GET, begun: float = 0.0, **has: str) -> Request:
    """One that took no time."""
    return Request(name, has, begun, begun)


class SeenTests(SynchronousTestCase):
    def test_right(self) -> None:
        """What was seen as it should be has no fault."""
        wanted = [Seen(GET, {"token": "$a"}), Seen(GET, {"token": "!$a", "resume": 1, "id": None})]
        self.assertEqual(fault_of(wanted, [request(token="x"), request(token="y", resume="1")]), "")

    def test_missing(self) -> None:
        """A request that did not come is a fault."""
        self.assertIn("1 times instead of 2", fault_of([Seen(GET, times=2)], [request()]))

    def test_too_many(self) -> None:
        """So is one that should not have come."""
        self.assertIn("not expected", fault_of([Seen(GET)], [request(), request()]))

    def test_another(self) -> None:
        """So is another in its place."""
        self.assertIn("it is POST /x", fault_of([Seen(GET)], [request("POST /x")]))

    def test_same(self) -> None:
        """A variable has one value."""
        wanted = [Seen(GET, {"token": "$a"}, times=2)]
        self.assertIn("token is 'y'", fault_of(wanted, [request(token="x"), request(token="y")]))

    def test_different(self) -> None:
        """One that must differ does not pass with the same."""
        wanted = [Seen(GET, {"token": "$a"}), Seen(GET, {"token": "!$a"})]
        self.assertIn("token is 'x'", fault_of(wanted, [request(token="x"), request(token="x")]))

    def test_absent(self) -> None:
        """What must be absent is a fault where it is there."""
        self.assertIn(
            "resume is '1'", fault_of([Seen(GET, {"resume": None})], [request(resume="1")])
        )

    def test_too_soon(self) -> None:
        """A request that came too soon is a fault."""
        wanted = [Seen(GET), Seen(GET, after=2)]
        self.assertIn("1.500 s after", fault_of(wanted, [request(), request(begun=1.5)]))
        self.assertEqual(fault_of(wanted, [request(), request(begun=2.0)]), "")


class FormTests(SynchronousTestCase):
    def test_names(self) -> None:
        """A star is one segment of a path."""
        self.assertTrue(matches("GET /user/*/state", "GET /user/a/state"))
        self.assertFalse(matches("GET /user/*", "GET /user/a/state"))

    def test_covers(self) -> None:
        """An object may have more members, a list no more items."""
        self.assertTrue(covers({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3}))
        self.assertFalse(covers({"a": [1]}, {"a": [1, 2]}))
        self.assertFalse(covers({"a": 1}, None))

    def test_filled(self) -> None:
        """Whole values keep their type, and what is not named stays."""
        form = {"status": "$status", "name": "after_{status}", "other": "$other"}
        got = {"status": 503, "name": "after_503", "other": "$other"}
        self.assertEqual(filled(form, {"status": 503}), got)

    def test_file(self) -> None:
        """The cases of the file are as they should be, each with a name of its own."""
        names = [case.name for case in cases()]
        self.assertEqual(len(names), len(set(names)))
        self.assertLess(60, len(names))
