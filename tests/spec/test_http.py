"""HTTP itself: ETag and conditional requests (conventions#answers), CORS, HEAD, OPTIONS, health,
logs."""

import gzip
import re

from tests.spec.client import Wire
from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.support.daemon import until

ORIGIN = {"Origin": "https://portal.example"}


class ETagTests(SpecCase):
    """Weak validators and If-None-Match."""

    async def validated(self, match: str, status: int) -> None:
        """Assert the status of a GET with this If-None-Match; {} stands for the right tag."""
        user = await self.someone()
        path = f"user/{user.id}/info"
        tag = (await self.get(path)).header("ETag") or ""
        response = await self.get(
            path, headers={"If-None-Match": match.replace("{}", tag)} | ORIGIN
        )
        self.assertEqual(status, response.status, match)
        self.assertEqual(tag, response.header("ETag"))
        self.assertTrue(response.header("Access-Control-Allow-Origin"))

    async def test_list(self):
        """RFC 9110 §13.1.2: one of several tags is enough."""
        await self.validated('"a", W/"b, c" , {}, "d"', 304)

    async def test_weak_comparison(self):
        """RFC 9110 §13.1.2: the comparison is weak: W/ or not makes no difference."""
        user = await self.someone()
        path = f"user/{user.id}/info"
        tag = ((await self.get(path)).header("ETag") or "").removeprefix("W/")
        self.assertEqual(304, (await self.get(path, headers={"If-None-Match": tag})).status)

    async def test_other_tag(self):
        """RFC 9110 §13.1.2: another tag is answered in full."""
        for other in ('W/"other"', '"x", "y"', "nonsense", ""):
            await self.validated(other, 200)

    async def test_changes(self):
        """conventions#answers: the ETag changes with what it validates."""
        user = await self.user()
        path = f"user/{user.id}/info"
        old = (await self.get(path)).header("ETag") or ""
        sent = {"avatar": "a.png", "emblem": None, "fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        response = await self.get(path, headers={"If-None-Match": old}, expect=200)
        self.assertNotEqual(old, response.header("ETag"))
        self.assertEqual("a.png", response.json()["avatar"])

    async def test_errors_are_never_304(self):
        """What is missing is 404 whatever If-None-Match says."""
        response = await self.get(f"user/{guid()}/info", headers={"If-None-Match": "*"})
        self.problem(response, 404, "user_not_found")


class MethodTests(SpecCase):
    """HEAD, OPTIONS, media types, caches."""

    async def test_head_of_nothing(self):
        """conventions#requests: HEAD of what is missing is 404."""
        response = await self.request("HEAD", f"user/{guid()}/info", expect=404)
        self.assertEqual(b"", response.body)

    async def test_options_of_the_socket(self):
        """conventions#requests: OPTIONS answers Allow, for the socket too."""
        response = await self.request("OPTIONS", "/socket", expect=204)
        self.assertEqual("GET, OPTIONS", response.header("Allow"))

    async def test_absolute_target(self):
        """conventions#requests: a request target may be a whole URL, as a proxy writes it."""
        wire = await Wire.open(self.url)
        head = f"GET {self.url}/health/live?x=1 HTTP/1.1\r\nHost: test\r\nConnection: close"
        wire.send(head.encode() + b"\r\n\r\n")
        self.assertEqual(200, (await wire.answer()).status)

    async def test_options_of_nothing(self):
        """OPTIONS of an unknown path is 404."""
        self.problem(await self.request("OPTIONS", "nothing"), 404, "not_found")

    async def test_media_type(self):
        """Spec preamble: bodies are JSON."""
        response = await self.get("user/search?q=abc", expect=200)
        media = (response.header("Content-Type") or "").partition(";")[0]
        self.assertEqual("application/json", media)

    async def test_missing_content_type(self):
        """conventions#requests: a body without Content-Type counts as JSON."""
        user = await self.someone()
        await self.post("session/connect", data=b'{"client":"game"}', by=user, expect=200)

    async def test_content_types(self):
        """conventions#requests: application/json in any case and with parameters; another type
        is 415."""
        user, data = await self.someone(), b'{"client":"game"}'
        for media in ("application/json; charset=utf-8", "Application/JSON"):
            headers = {"Content-Type": media}
            await self.post("session/connect", data=data, by=user, headers=headers, expect=200)
        for media in ("text/plain", "application/x-www-form-urlencoded", "application/xml", "?"):
            headers = {"Content-Type": media}
            response = await self.post("session/connect", data=data, by=user, headers=headers)
            self.problem(response, 415, "unsupported_media_type")

    async def test_content_codings(self):
        """conventions#requests: a body with another Content-Encoding than `identity` is 415 at
        each operation with a body, and nothing is done; the answer says which coding is taken."""
        admin, document = await self.admin(), (await self.get("/openapi.json", expect=200)).json()
        known = {"userId": admin.id, "key": "k", "commentId": "7", "sha256": "0" * 64}
        packed, seen = gzip.compress(b"{}"), 0
        for template, methods in document["paths"].items():
            for method, operation in methods.items():
                if method == "parameters" or "requestBody" not in operation:
                    continue
                path = re.sub(r"\{(\w+)\}", lambda of: known.get(of[1]) or guid(), template)
                headers = {"Content-Encoding": "gzip"}
                if template.startswith("/portal"):
                    headers["Origin"] = self.url
                response = await self.request(
                    method.upper(), path, data=packed, by=admin, headers=headers
                )
                if response.status == 403:  # for service accounts alone
                    continue
                self.problem(response, 415, "unsupported_media_type")
                self.assertEqual("identity", response.header("Accept-Encoding"), template)
                seen += 1
        self.assertGreater(seen, 50)

    async def test_identity(self):
        """conventions#requests: the coding `identity` says nothing, in any case; several are
        refused if one is another, and what is refused for its type names no coding."""
        user, data = await self.someone(), b'{"client":"game"}'
        for coding in ("identity", "Identity", "", "identity, identity"):
            headers = {"Content-Encoding": coding}
            await self.post("session/connect", data=data, by=user, headers=headers, expect=200)
        for coding in ("gzip", "GZIP", "x-gzip", "br", "deflate", "zstd", "identity, gzip", "?"):
            headers = {"Content-Encoding": coding}
            response = await self.post("session/connect", data=data, by=user, headers=headers)
            self.problem(response, 415, "unsupported_media_type")
        wrong = {"Content-Type": "text/plain"}
        response = await self.post("session/connect", data=data, by=user, headers=wrong)
        self.assertIsNone(response.header("Accept-Encoding"))


class CorsTests(SpecCase):
    """The headers that the portal's browser needs."""

    EXPOSED = frozenset({"etag", "location", "retry-after", "x-request-id", "link"})

    async def test_answers(self):
        """conventions#answers: answers and errors may be read from any origin, these headers
        included."""
        user = await self.someone()
        for path, status in ((f"user/{user.id}/info", 200), (f"user/{user.id}", 401), ("x", 404)):
            response = await self.get(path, headers=ORIGIN, expect=status)
            allowed = response.header("Access-Control-Allow-Origin")
            self.assertIn(allowed, ("*", ORIGIN["Origin"]))
            exposed = response.listed("Access-Control-Expose-Headers")
            self.assertLessEqual(self.EXPOSED, exposed)

    async def test_no_cookies(self):
        """conventions#answers: bearer tokens, no credentials of the browser."""
        response = await self.get("user/search?q=abc", headers=ORIGIN)
        self.assertIsNone(response.header("Access-Control-Allow-Credentials"))

    async def test_preflight(self):
        """conventions#answers: a preflight allows the route's methods and these request
        headers."""
        asked = {
            "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "authorization, content-type",
        }
        for path in (f"user/{guid()}", f"/methods/v1/user/{guid()}"):
            response = await self.request("OPTIONS", path, headers=ORIGIN | asked)
            self.assertIn(response.status, (200, 204))
            self.assertTrue(response.header("Access-Control-Allow-Origin"))
            self.assertLessEqual({"get", "put"}, response.listed("Access-Control-Allow-Methods"))
            headers = response.listed("Access-Control-Allow-Headers")
            self.assertLessEqual({"authorization", "content-type", "if-none-match"}, headers)

    async def test_other_headers(self):
        """conventions#answers: scripts may send any header, such as those of tracing, with each
        request: to operations, pages and the socket."""
        names = "baggage,cache-control,sentry-trace,traceparent,tracestate,x-requested-with"
        asked = {
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": f"authorization,{names}",
        }
        paths = ("content", f"user/{guid()}/progress/k", "/oauth/token", "/health/live")
        for path in (*paths, "/openapi.json", "/client.js", "/socket"):
            response = await self.request("OPTIONS", path, headers=ORIGIN | asked)
            headers = response.listed("Access-Control-Allow-Headers")
            self.assertLessEqual({"authorization", *names.split(",")}, headers, path)

    async def test_oauth(self):
        """conventions#answers: a browser may log in: /oauth has the same headers."""
        asked = {"Access-Control-Request-Method": "POST"}
        response = await self.request("OPTIONS", "/oauth/token", headers=ORIGIN | asked)
        self.assertIn(response.status, (200, 204))
        response = await self.post("/oauth/token", data={"grant_type": "x"}, headers=ORIGIN)
        self.assertTrue(response.header("Access-Control-Allow-Origin"))


class OperationTests(SpecCase):
    """The operations for operators."""

    async def test_health(self):
        """/health/live and /health/ready are 200 while all is well."""
        await self.get("/health/live", expect=200)
        await self.get("/health/ready", expect=200)

    async def logged(self, *requests: str) -> str:
        """The daemon's output once it holds these request ids."""
        self.own_daemon()
        daemon = self.daemon
        assert daemon is not None

        def written() -> bool:
            return all(one in daemon.output() for one in requests)

        await until(written, 10, "the log lines")
        return daemon.output()

    async def test_log_line(self):
        """One log line per request: method, route, status, user and request id."""
        user = await self.someone()
        response = await self.get(f"user/{user.id}/followers", by=user, expect=200)
        request_id = response.header("X-Request-Id") or ""
        lines = [
            line for line in (await self.logged(request_id)).splitlines() if request_id in line
        ]
        self.assertEqual(1, len(lines), lines)
        for part in ("GET", "followers", "200", user.id):
            self.assertIn(part, lines[0])

    async def test_content_in_the_log(self):
        """The line of each write that is about a content has its id, whether the path has it or
        the body; those of reads do not."""
        author, boss = await self.user(), await self.admin()
        made = await self.content(author)
        play = {"id": guid(), "content": made.id, "seconds": 60, "completed": True}
        filed = {"reason": "spam"}
        await self.post(f"{made.path}/report", filed, by=boss, expect=204)
        reports = f"moderation/reports/content/{made.id}"
        (report,) = (await self.get(reports, by=boss, expect=200)).json()
        decision = {"outcome": "dismissed", "upTo": report["id"]}
        writes = [
            await self.put(f"user/{boss.id}/rating/{made.id.upper()}", {"value": "1"}, by=boss),
            await self.post(f"{made.path}/comments", {"body": "x"}, by=boss),
            await self.post(f"user/{author.id}/plays", play, by=author),
            await self.put(reports, decision, by=boss),
            await self.delete(made.path, by=boss),
            await self.delete(made.path, by=author),
        ]
        reads = [await self.get(made.path, by=author), await self.get(f"{made.path}/comments")]
        for answer in writes + reads:
            number = answer.header("X-Request-Id") or ""
            said = f"request={number}"
            await until(lambda said=said: said in self.daemon.output(), 10, "the line")
            (line,) = [one for one in self.daemon.output().splitlines() if said in one.split()]
            self.assertEqual(answer in writes, f"content={made.id}" in line.split(), line)

    async def test_no_secrets_in_the_log(self):
        """No token, password or e-mail address is ever logged."""
        user: User = await self.user()
        socket = await self.session(user)
        query = {"access_token": user.token, "q": user.email}
        await self.get("user/search", by=user, query=query, expect=200)
        await self.post("/oauth/revoke", data={"token": user.refresh_token}, expect=200)
        last = await self.get(f"user/{user.id}", by=user, expect=401)
        log = await self.logged(last.header("X-Request-Id") or "")
        secrets = (user.token, user.refresh_token, user.password, user.email, socket["accessToken"])
        for secret in secrets:
            self.assertNotIn(secret, log)
