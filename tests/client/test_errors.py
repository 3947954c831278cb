"""What the answers of refused requests become."""

from contentsvc.client import ApiError
from tests.client.fakes import BOB
from tests.client.test_operations import Case


class ErrorTests(Case):
    def test_problem(self) -> None:
        """A problem becomes an ApiError with its status, code, detail and all else it says."""
        problem = {"code": "invalid_body", "detail": "No.", "errors": [{"pointer": "/a"}]}
        self.agent.then(400, problem)
        error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
        self.assertEqual((error.status, error.code, error.detail), (400, "invalid_body", "No."))
        self.assertEqual(error.problem["errors"], [{"pointer": "/a"}])

    def test_fault(self) -> None:
        """The text of an ApiError has the first fault that the problem names."""
        for fault, shown in (
            ({"pointer": "/text", "detail": "Too long."}, " (/text: Too long.)"),
            ({"pointer": "", "detail": "No object."}, " (the body: No object.)"),
            ({"parameter": "limit", "detail": "No number."}, " (limit: No number.)"),
            ({"parameter": "", "detail": "No text."}, " (the query: No text.)"),
            ({"file": 3}, ""),
        ):
            problem = {"code": "invalid_body", "detail": "No.", "errors": [fault]}
            self.agent.then(400, problem)
            error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
            self.assertEqual(str(error), f"400 invalid_body: No.{shown}")

    def test_oauth(self) -> None:
        """RFC 6749's errors become ApiErrors too."""
        self.agent.then(400, {"error": "invalid_grant", "error_description": "Wrong."})
        error = self.failureResultOf(self.call("log_in", "ann", "x"), ApiError).value
        self.assertEqual((error.code, error.detail), ("invalid_grant", "Wrong."))

    def test_proxy(self) -> None:
        """An error that is not the service's own is named by its status."""
        self.agent.then(413, b"<html>too large</html>")
        error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
        self.assertEqual((error.code, error.problem), ("http_413", {}))

    def test_retry_after(self) -> None:
        """The seconds to wait come with the error."""
        self.agent.then(429, {"error": "slow_down"}, Retry_After="70")
        error = self.failureResultOf(self.call("log_in", "ann", "x"), ApiError).value
        self.assertEqual(error.retry_after, 70.0)
