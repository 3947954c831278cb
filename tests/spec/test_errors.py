"""Errors: spec §7."""

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import draft, guid
from tests.spec.harness import SpecCase


class ProblemTests(SpecCase):
    """The form of every error, and the order of the checks."""

    async def test_unknown_path(self):
        """choices: a path that does not exist is 404 not_found."""
        paths = ("/nothing", "/api", "/api/v1", "/api/v2/user/search", "contents", "users")
        for path in paths:
            self.problem(await self.get(path), 404, "not_found")

    async def test_double_slash(self):
        """choices: a path with an empty segment is no other path's: 404, no redirect."""
        user = await self.someone()
        for path in (
            "/api/v1//user/search?q=abc",
            "//api/v1/user/search?q=abc",
            f"/api/v1/user//{user.id}/info",
            f"/api/v1/user/{user.id}//info",
        ):
            self.problem(await self.get(path), 404, "not_found")

    async def test_slash_at_the_end(self):
        """choices: a slash at a path's end makes it another path, no redirect."""
        user = await self.someone()
        self.problem(await self.get(f"user/{user.id}/info/"), 404, "not_found")

    async def test_method_not_allowed(self):
        """choices: another method on a known path is 405 with Allow."""
        user = await self.someone()
        for method, path, allowed in (
            ("POST", f"user/{user.id}", {"get", "put", "delete"}),
            ("PUT", f"user/{user.id}/info", {"get"}),
            ("DELETE", "content/upload-precheck", {"post"}),
            ("POST", f"content/{guid()}", {"get", "put"}),
            ("GET", f"user/{user.id}/rating/{guid()}", {"put", "delete"}),
            ("GET", "debug/notify", {"post"}),
            ("DELETE", "design-challenges", {"get", "post"}),
        ):
            response = await self.request(method, path, by=user)
            self.problem(response, 405, "method_not_allowed")
            self.assertLessEqual(allowed, response.listed("Allow"), repr(response))
            self.assertNotIn(method.lower(), response.listed("Allow"))

    async def test_unknown_method(self):
        """choices: a method that no route has is 405 as well."""
        response = await self.request("BREW", f"user/{(await self.someone()).id}/info")
        self.problem(response, 405, "method_not_allowed")

    async def test_oauth_method(self):
        """choices: /oauth/token and /oauth/revoke are POST only."""
        for path in ("/oauth/token", "/oauth/revoke"):
            response = await self.get(path)
            self.assertEqual(405, response.status)
            self.assertIn("post", response.listed("Allow"))

    async def test_path_before_token(self):
        """choices: a bad GUID is 400 before a missing token is 401."""
        found = self.problem(await self.get("user/nobody"), 400, "invalid_path")
        self.assertEqual("userId", found["parameter"])

    async def test_token_before_body(self):
        """choices: a missing token is 401 before a bad body is 400."""
        response = await self.put(f"content/{guid()}", data=b"{")
        self.problem(response, 401, "unauthorized")

    async def test_permission_before_body(self):
        """choices: a missing permission is 403 before a bad body is 400."""
        response = await self.post("design-challenges", data=b"{", by=await self.someone())
        self.problem(response, 403, "forbidden")

    async def test_request_ids(self):
        """choices: each response has its own X-Request-Id."""
        user = await self.someone()
        ids = {
            (await self.get(path)).header("X-Request-Id")
            for path in (f"user/{user.id}/info", f"user/{user.id}/info", "/nothing", "/health/live")
        }
        self.assertEqual(4, len(ids))

    async def test_error_names_the_member(self):
        """choices: a validation error points at the member that is wrong."""
        someone = await self.someone()
        for body, pointer in (
            (draft(tags=[7]), "/tags/0"),
            (draft(entity=draft()["entity"] | {"entityId": "x"}), "/entity/entityId"),
            (draft(using=[{"entityId": guid(), "revisionId": 5}]), "/using/0/revisionId"),
            (draft(name=None), "/name"),
        ):
            self.invalid(await self.put(f"content/{guid()}", body, by=someone), pointer)

    async def test_error_names_the_missing_member(self):
        """choices: the error of a missing member names it."""
        body = draft()
        del body["entity"]["path"]
        response = await self.put(f"content/{guid()}", body, by=await self.someone())
        found = self.problem(response, 400, "invalid_body")
        self.assertIn("path", str(found["errors"]))

    async def test_error_names_the_limit(self):
        """choices: the error of a number out of range says the range."""
        found = self.invalid_query(await self.get("user/search?q=abc&pageSize=500"), "pageSize")
        self.assertIn("200", found["errors"][0]["detail"])

    async def test_detail_is_no_traceback(self):
        """choices: errors say nothing of the service's inside."""
        sent = challenge(ordinal=10**30)
        response = await self.post("design-challenges", sent, by=await self.admin())
        self.invalid(response, "/ordinal")
        for word in (b"Traceback", b"msgspec", b"psycopg", b".py"):
            self.assertNotIn(word, response.body)

    async def test_unknown_members(self):
        """choices: unknown members of a body are ignored, as are unknown parameters."""
        body = {"client": "game", "colour": "red", "nested": {"a": [1]}}
        await self.post("session/connect", body, by=await self.someone(), expect=200)
        await self.get("user/search?q=abc&colour=red", expect=200)
