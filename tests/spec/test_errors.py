"""Errors: conventions#errors."""

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import draft, guid
from tests.spec.harness import SpecCase


class ProblemTests(SpecCase):
    """The form of every error, and the order of the checks."""

    async def test_unknown_path(self):
        """conventions#error-order: a path that does not exist is 404 not_found."""
        paths = ("/nothing", "/api", "/api/v1", "/api/v2/user/search", "contents", "users")
        for path in paths:
            self.problem(await self.get(path), 404, "not_found")

    async def test_double_slash(self):
        """conventions#requests: a path with an empty segment is no other path's: 404, no
        redirect."""
        user = await self.someone()
        for path in (
            "/api/v1//user/search?q=abc",
            "//api/v1/user/search?q=abc",
            f"/api/v1/user//{user.id}/info",
            f"/api/v1/user/{user.id}//info",
        ):
            self.problem(await self.get(path), 404, "not_found")

    async def test_slash_at_the_end(self):
        """conventions#requests: a slash at a path's end makes it another path, no redirect."""
        user = await self.someone()
        self.problem(await self.get(f"user/{user.id}/info/"), 404, "not_found")

    async def test_request_ids(self):
        """conventions#errors: each response has its own X-Request-Id."""
        user = await self.someone()
        ids = {
            (await self.get(path)).header("X-Request-Id")
            for path in (f"user/{user.id}/info", f"user/{user.id}/info", "/nothing", "/health/live")
        }
        self.assertEqual(4, len(ids))

    async def test_error_names_the_member(self):
        """conventions#errors: a validation error points at the member that is wrong."""
        someone = await self.someone()
        for body, pointer in (
            (draft(tags=[7]), "/tags/0"),
            (draft(entity=draft()["entity"] | {"entityId": "x"}), "/entity/entityId"),
            (draft(using=[{"entityId": guid(), "revisionId": 5}]), "/using/0/revisionId"),
            (draft(name=None), "/name"),
        ):
            self.invalid(await self.put(f"content/{guid()}", body, by=someone), pointer)

    async def test_error_names_the_missing_member(self):
        """conventions#errors: the error of a missing member names it."""
        body = draft()
        del body["entity"]["path"]
        response = await self.put(f"content/{guid()}", body, by=await self.someone())
        found = self.problem(response, 400, "invalid_body")
        self.assertIn("path", str(found["errors"]))

    async def test_error_names_the_limit(self):
        """The error of a number out of range says the range."""
        found = self.invalid_query(await self.get("user/search?q=abc&pageSize=500"), "pageSize")
        self.assertIn("200", found["errors"][0]["detail"])

    async def test_detail_is_no_traceback(self):
        """Errors say nothing of the service's inside."""
        sent = challenge(ordinal=10**30)
        response = await self.post("design-challenges", sent, by=await self.admin())
        self.invalid(response, "/ordinal")
        for word in (b"Traceback", b"msgspec", b"psycopg", b".py"):
            self.assertNotIn(word, response.body)

    async def test_unknown_members(self):
        """conventions#requests: unknown members of a body are ignored, as are unknown
        parameters."""
        body = {"client": "game", "colour": "red", "nested": {"a": [1]}}
        await self.post("session/connect", body, by=await self.someone(), expect=200)
        await self.get("user/search?q=abc&colour=red", expect=200)
