"""Problems: one class per cause, and their two forms on the wire."""

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.errors import InternalError, Problem, at_parameter, at_pointer, named

TooSour = named(422, "too_sour", "It is too sour.", oauth="invalid_scope")


class ProblemTests(SynchronousTestCase):
    def test_named(self) -> None:
        """A named problem is a class with the name of its code."""
        self.assertEqual(TooSour.__name__, "TooSour")
        self.assertTrue(issubclass(TooSour, Problem))
        self.assertEqual((TooSour().status, str(TooSour())), (422, "It is too sour."))

    def test_detail(self) -> None:
        """One raised with a detail of its own leaves the class as it was."""
        self.assertEqual(TooSour("As a lemon.").detail, "As a lemon.")
        self.assertEqual(TooSour().detail, "It is too sour.")

    def test_json(self) -> None:
        """RFC 9457: type, title, status and detail, the code, the request, further members."""
        found = msgspec.json.decode(TooSour(fruit="lemon").to_json("r1"))
        self.assertEqual(
            found,
            {
                "type": "urn:contentsvc:problem:too_sour",
                "title": "Unprocessable Entity",
                "status": 422,
                "detail": "It is too sour.",
                "code": "too_sour",
                "requestId": "r1",
                "fruit": "lemon",
            },
        )

    def test_oauth(self) -> None:
        """RFC 6749 §5.2: error and error_description."""
        found = msgspec.json.decode(TooSour().to_oauth())
        self.assertEqual(found, {"error": "invalid_scope", "error_description": "It is too sour."})

    def test_unnamed(self) -> None:
        """One without a name is 500 and tells nothing of the cause."""
        found = msgspec.json.decode(InternalError().to_json("r1"))
        self.assertEqual((found["status"], found["code"]), (500, "internal_error"))

    def test_places(self) -> None:
        """An error about a member has its pointer, one about a parameter its name."""
        found = at_pointer("/a", "x").members["errors"]
        self.assertEqual(found, [{"pointer": "/a", "detail": "x"}])
        found = at_parameter("a", "x").members["errors"]
        self.assertEqual(found, [{"parameter": "a", "detail": "x"}])
