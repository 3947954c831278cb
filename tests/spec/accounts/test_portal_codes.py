"""The portal inside the game: accounts#portal-codes."""

from contextlib import closing
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg2
from twisted.internet.defer import Deferred, gatherResults

from tests.spec.accounts.test_portal_session import PortalCase
from tests.spec.accounts.test_sessions import SESSION, sid
from tests.spec.client import Response
from tests.spec.data import User, claims, guid
from tests.spec.shapes import instant
from tests.support import daemon, postgres
from tests.support.daemon import Daemon
from tests.support.databases import fresh

GRANT = "urn:contentsvc:grant:portal-code"
CODE = {"code": str, "url": str, "expires": instant}
HALF_A_DAY = 12 * 3600


class CodeCase(PortalCase):
    """Players whose games open the portal."""

    async def asked(self, by: User, **body: Any) -> dict[str, Any]:
        """A code that the user's game has asked for."""
        response = await self.post(f"user/{by.id}/portal-codes", body, by=by, expect=200)
        found = response.json()
        self.shape(found, CODE)
        return dict(found)

    async def spend(self, code: str, user: str, **more: Any) -> Response:
        """Log in with a code, as the portal's page does."""
        form = {"grant_type": GRANT, "code": code, "user": user}
        return await self.send("POST", form, **more)

    async def opened(self, by: User) -> Response:
        """The answer to a log-in with a new code."""
        response = await self.spend((await self.asked(by))["code"], by.id)
        self.assertEqual(200, response.status, response)
        return response

    async def in_game(self, by: User) -> str:
        """The access token of a log-in with a new code."""
        return str((await self.opened(by)).json()["access_token"])

    def invalid_grant(self, response: Response) -> None:
        """Assert that a log-in was refused, without a cookie."""
        self.assertEqual((400, "invalid_grant"), (response.status, response.json()["error"]))
        self.assertIsNone(response.header("Set-Cookie"))

    async def goes_on(self, user: User, token: str) -> None:
        """Assert that an access token is good."""
        await self.get(f"user/{user.id}", by=token, expect=200)

    async def is_over(self, user: User, token: str) -> None:
        """Assert that an access token is refused."""
        self.problem(await self.get(f"user/{user.id}", by=token), 401, "invalid_token")

    async def kinds(self, user: User, by: User | str) -> dict[str, str]:
        """The kind of each session of the user."""
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=by)
        return {session["id"]: session["kind"] for session in found}


class AskTests(CodeCase):
    """POST /user/{userId}/portal-codes."""

    async def test_url(self):
        """The URL is that of the page /log-in, with code, user and place in its fragment."""
        user = await self.user()
        then = "/browse?q=a b&c=#d%2F&layout=game"
        found = await self.asked(user, then=then)
        parts = urlsplit(found["url"])
        self.assertEqual(self.origin, f"{parts.scheme}://{parts.netloc}")
        self.assertEqual(("/log-in", ""), (parts.path, parts.query))
        members = {"portal-code": [found["code"]], "user": [user.id], "then": [then]}
        self.assertEqual(members, parse_qs(parts.fragment, strict_parsing=True))
        self.assertEqual(["portal-code", "user", "then"], [*parse_qs(parts.fragment)])

    async def test_without_then(self):
        """Without a place the fragment has none."""
        user = await self.user()
        found = await self.asked(user)
        members = {"portal-code": [found["code"]], "user": [user.id]}
        self.assertEqual(members, parse_qs(urlsplit(found["url"]).fragment))

    async def test_expires(self):
        """It is good for a minute."""
        user = await self.user()
        issued = claims(user.token)["iat"]
        self.assertIn((await self.asked(user))["expires"] - issued, range(60, 80))

    async def test_random(self):
        """A code has 256 random bits."""
        user = await self.user()
        codes = [(await self.asked(user))["code"] for _ in range(2)]
        self.assertNotEqual(*codes)
        for code in codes:
            self.assertRegex(code, r"\A[A-Za-z0-9_-]{43}\Z")

    async def test_then(self):
        """A place is a path of up to 2,048 characters that cannot name a host."""
        user = await self.user()
        for then in ("/", "/" + "x" * 2047):
            await self.asked(user, then=then)
        path = f"user/{user.id}/portal-codes"
        for then in ("", "browse", "//evil.example", "/\\evil.example", "https://evil.example"):
            self.invalid(await self.post(path, {"then": then}, by=user), "/then")
        for wrong in ("/" + "x" * 2048, "/\t/evil.example", "/library\n", 1):
            self.invalid(await self.post(path, {"then": wrong}, by=user), "/then")

    async def test_who(self):
        """Only the user may: neither a stranger, nor an admin, nor a service."""
        user = await self.user()
        path = f"user/{user.id}/portal-codes"
        self.problem(await self.post(path, {}), 401, "unauthorized")
        for other in (await self.user(), await self.admin()):
            self.problem(await self.post(path, {}, by=other), 403, "forbidden")
        service, token = await self.service("notify")
        for id in (user.id, service.id):
            answer = await self.post(f"user/{id}/portal-codes", {}, by=token)
            self.problem(answer, 403, "insufficient_scope")

    async def test_portal(self):
        """A session that began at /portal/session gets none, with a password, with a code, and
        after a renewal."""
        user = await self.user()
        path = f"user/{user.id}/portal-codes"
        for first in (await self.enter(user), await self.opened(user)):
            renewed = await self.renew(self.set_by(first))
            for answer in (first, renewed):
                token = answer.json()["access_token"]
                self.problem(await self.post(path, {}, by=token), 403, "forbidden")

    async def test_often(self):
        """An eleventh within a minute is 429 with Retry-After, on whatever session."""
        user = await self.user()
        again = await self.logged_in(user.username, user.email, user.password)
        for by in [user, again] * 5:
            await self.asked(by)
        response = await self.post(f"user/{user.id}/portal-codes", {}, by=again)
        self.problem(response, 429, "too_many_requests")
        self.assertIn(int(response.header("Retry-After") or ""), range(1, 61))


class UseTests(CodeCase):
    """The grant at POST /portal/session."""

    async def test_log_in(self):
        """It is answered as a password is, with a cookie that is as good as the session."""
        user = await self.user()
        response = await self.opened(user)
        found = response.json()
        self.assertEqual({"access_token", "token_type", "expires_in", "userId"}, set(found))
        self.assertEqual(("Bearer", 900, user.id), tuple(found.values())[1:])
        await self.goes_on(user, found["access_token"])
        ((_, morsel),) = SimpleCookie(response.header("Set-Cookie")).items()
        self.assertEqual(HALF_A_DAY, int(morsel["max-age"]))
        self.assertTrue(morsel["httponly"])

    async def test_case(self):
        """The user's id may be in capitals."""
        user = await self.user()
        answer = await self.spend((await self.asked(user))["code"], user.id.upper())
        self.assertEqual(200, answer.status)

    async def test_elsewhere(self):
        """At /oauth/token there is no such grant, and the code stays good."""
        user = await self.user()
        code = (await self.asked(user))["code"]
        form = {"grant_type": GRANT, "code": code, "user": user.id}
        response = await self.post("/oauth/token", data=form)
        self.assertEqual(
            (400, "unsupported_grant_type"), (response.status, response.json()["error"])
        )
        self.assertEqual(200, (await self.spend(code, user.id)).status)

    async def test_other_origin(self):
        """A page of another origin is 403, and the code stays good."""
        user = await self.user()
        code = (await self.asked(user))["code"]
        answer = await self.spend(code, user.id, Origin="https://evil.example")
        self.problem(answer, 403, "forbidden")
        self.assertEqual(200, (await self.spend(code, user.id)).status)

    async def test_missing(self):
        """Without a code or a user it is `invalid_request`."""
        user = await self.user()
        code = (await self.asked(user))["code"]
        for form in ({"code": code}, {"user": user.id}, {"code": "", "user": user.id}):
            response = await self.send("POST", {"grant_type": GRANT, **form})
            self.assertEqual(("invalid_request", 400), (response.json()["error"], response.status))

    async def test_unknown(self):
        """A code that nobody gave out is `invalid_grant`."""
        user = await self.user()
        for code in ("x", "é" * 43, "x" * 4096):
            self.invalid_grant(await self.spend(code, user.id))

    async def test_wrong_user(self):
        """Another user's id is `invalid_grant`, and uses nothing up: neither the code, nor what
        has begun with it."""
        user, other = await self.user(), await self.user()
        code = (await self.asked(user))["code"]
        for wrong in (other.id, guid(), "nobody"):
            self.invalid_grant(await self.spend(code, wrong))
        token = (await self.spend(code, user.id)).json()["access_token"]
        self.invalid_grant(await self.spend(code, other.id))
        await self.goes_on(user, token)

    async def test_twice(self):
        """A second use ends what the first began, with its renewals, and nothing else."""
        user = await self.user()
        code = (await self.asked(user))["code"]
        first = await self.spend(code, user.id)
        self.invalid_grant(await self.spend(code, user.id))
        await self.is_over(user, first.json()["access_token"])
        self.invalid_grant(await self.renew(self.set_by(first)))
        await self.goes_on(user, user.token)

    async def test_at_once(self):
        """Of several uses at once one begins a session, which the others end."""
        user = await self.user()
        code = (await self.asked(user))["code"]
        uses = [Deferred.fromCoroutine(self.spend(code, user.id)) for _ in range(6)]
        answers = await gatherResults(uses)
        begun = [answer for answer in answers if answer.status == 200]
        self.assertEqual(1, len(begun))
        await self.is_over(user, begun[0].json()["access_token"])
        self.assertEqual({sid(user): "client"}, await self.kinds(user, user))

    async def test_session_over(self):
        """A code of a session that has ended is not good."""
        user = await self.user()
        other = await self.logged_in(user.username, user.email, user.password)
        code = (await self.asked(other))["code"]
        await self.delete(f"user/{user.id}/sessions/{sid(other)}", by=user, expect=204)
        self.invalid_grant(await self.spend(code, user.id))

    async def test_banned(self):
        """Nor is one of a user who is banned, or who has left."""
        for act in ("ban", "leave"):
            user = await self.user()
            code = (await self.asked(user))["code"]
            if act == "ban":
                path, by = f"user/{user.id}/ban", await self.admin()
                await self.put(path, {"reason": "x"}, by=by, expect=204)
            else:
                body = {"password": user.password}
                await self.delete(f"user/{user.id}", body=body, by=user, expect=204)
            self.invalid_grant(await self.spend(code, user.id))


class EndTests(CodeCase):
    """When a session ends that began with a code."""

    async def test_next_code(self):
        """It goes on while the next code of the game is asked for, and ends when that is used. The
        codes of another session of the user's end nothing of it."""
        user = await self.user()
        other = await self.logged_in(user.username, user.email, user.password)
        first = await self.in_game(user)
        beside = await self.in_game(other)
        code = (await self.asked(user))["code"]
        await self.goes_on(user, first)
        second = (await self.spend(code, user.id)).json()["access_token"]
        await self.is_over(user, first)
        for token in (second, beside):
            await self.goes_on(user, token)

    async def test_asking_ends(self):
        """It ends with the session that has asked, however that ends: with its sockets, on each
        process."""
        for end in ("log out", "one", "others", "password"):
            user = await self.user()
            game = await self.logged_in(user.username, user.email, user.password)
            response = await self.opened(game)
            token = response.json()["access_token"]
            socket = await self.socket(_with(game, token))
            await self.end(end, user, game)
            self.assertEqual(4403, await socket.closed(), end)
            await self.is_over(user, token)
            self.invalid_grant(await self.renew(self.set_by(response)))
            self.assertEqual({sid(user): "client"}, await self.kinds(user, user))

    async def end(self, way: str, user: User, game: User) -> None:
        """End the session of the game."""
        path = f"user/{user.id}/sessions"
        if way == "log out":
            form = {"token": game.refresh_token}
            await self.post("/oauth/revoke", data=form, expect=200)
        elif way == "one":
            await self.delete(f"{path}/{sid(game)}", by=user, expect=204)
        elif way == "others":
            await self.delete(path, by=user, expect=204)
        else:
            body = {"current": user.password, "new": guid()}
            await self.put(f"user/{user.id}/password", body, by=user, expect=204)

    async def test_reused_refresh_token(self):
        """It ends too where a refresh token of the game is used twice."""
        user = await self.user()
        token = await self.in_game(user)
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        following = (await self.post("/oauth/token", data=form, expect=200)).json()
        again = {"grant_type": "refresh_token", "refresh_token": following["refresh_token"]}
        await self.post("/oauth/token", data=again, expect=200)
        await self.goes_on(user, token)
        await self.post("/oauth/token", data=form, expect=400)
        await self.is_over(user, token)

    async def test_own_end(self):
        """Its log-out ends it alone."""
        user = await self.user()
        response = await self.opened(user)
        answer = await self.send("DELETE", cookie=self.set_by(response))
        self.assertEqual(204, answer.status)
        await self.is_over(user, response.json()["access_token"])
        await self.goes_on(user, user.token)

    async def test_ends_others(self):
        """To end all other sessions spares the game that has opened it."""
        user = await self.user()
        other = await self.logged_in(user.username, user.email, user.password)
        token = await self.in_game(user)
        await self.delete(f"user/{user.id}/sessions", by=token, expect=204)
        for goes_on in (token, user.token):
            await self.goes_on(user, goes_on)
        await self.is_over(user, other.token)


def _with(user: User, token: str) -> User:
    """The user, with another access token."""
    return User(user.id, user.username, user.email, user.password, token, "")


class PermissionTests(CodeCase):
    """What a session may do that began with a code."""

    async def test_none(self):
        """Whatever the role, it has no permissions, after a renewal too."""
        for role in ("curator", "moderator", "admin"):
            staff, user = await self.member(role), await self.user()
            first = await self.opened(staff)
            renewed = await self.renew(self.set_by(first))
            for answer in (first, renewed):
                token = answer.json()["access_token"]
                me = (await self.get("me", by=token, expect=200)).json()
                self.assertEqual([], me["permissions"])
                for path in (
                    "moderation/actions",
                    "moderation/reports",
                    "events",
                    "moderation/staff",
                ):
                    self.problem(await self.get(path, by=token), 403, "forbidden")
                body = {"role": "curator"}
                refused = await self.put(f"user/{user.id}/role", body, by=token)
                self.problem(refused, 403, "forbidden")

    async def test_hidden(self):
        """A moderator does not see what is hidden there."""
        staff, author = await self.member("moderator"), await self.user()
        content = await self.content(author)
        await self.moderate(content, "suspended")
        await self.get(content.path, by=staff, expect=200)
        answer = await self.get(content.path, by=await self.in_game(staff))
        self.problem(answer, 404, "content_not_found")

    async def test_role_given(self):
        """A role that is given later ends it, as all sessions."""
        user = await self.user()
        token = await self.in_game(user)
        await self.give_role(user, "moderator")
        await self.is_over(user, token)

    async def test_cookie_elsewhere(self):
        """Its refresh token gives no more at /oauth/token."""
        staff = await self.member("admin")
        refresh = self.set_by(await self.opened(staff)).partition("=")[2]
        form = {"grant_type": "refresh_token", "refresh_token": refresh}
        found = (await self.post("/oauth/token", data=form, expect=200)).json()
        me = (await self.get("me", by=found["access_token"], expect=200)).json()
        self.assertEqual([], me["permissions"])
        answer = await self.post(f"user/{staff.id}/portal-codes", {}, by=found["access_token"])
        self.problem(answer, 403, "forbidden")


class KindTests(CodeCase):
    """`kind` of sessions."""

    async def test_kinds(self):
        """It says how each began, in the list and in the export."""
        user = await self.user()
        portal = str((await self.enter(user)).json()["access_token"])
        opened = await self.in_game(user)
        expected = {
            sid(user): "client",
            str(claims(portal)["sid"]): "portal",
            str(claims(opened)["sid"]): "portal-in-game",
        }
        for by in (user, portal, opened):
            self.assertEqual(expected, await self.kinds(user, by))
        export = (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()
        self.assertEqual(expected, {one["id"]: one["kind"] for one in export["sessions"]})

    async def test_secret(self):
        """The export has no code."""
        user = await self.user()
        used, unused = [(await self.asked(user))["code"] for _ in range(2)]
        self.assertEqual(200, (await self.spend(used, user.id)).status)
        export = (await self.get(f"user/{user.id}/export", by=user, expect=200)).body.decode()
        for code in (used, unused):
            self.assertNotIn(code, export)


class LimitTests(CodeCase):
    """With a limit of one session for each user."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"SESSIONS_PER_USER": "1"}
        self.use(await daemon.shared("portal-codes-one", lambda: Daemon(environ=environ)))

    async def test_limit(self):
        """It counts with the session that has asked: neither ends the other, and a log-in beyond
        the limit ends both."""
        user = await self.user()
        token = await self.in_game(user)
        for goes_on in (user.token, token):
            await self.goes_on(user, goes_on)
        await self.logged_in(user.username, user.email, user.password)
        for over in (user.token, token):
            await self.is_over(user, over)


class StoredTests(CodeCase):
    """With the database of the daemon: what is stored, and what time does."""

    async def connect(self) -> None:
        self.own_daemon()
        service = await daemon.shared("portal-codes-seen", _Seen)
        assert isinstance(service, _Seen)
        self.database = service.database
        self.use(service)

    def sql(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with closing(psycopg2.connect(self.database)) as connection, connection:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return cursor.fetchall() if cursor.description else []

    def older(self, token: str, seconds: int) -> None:
        """Have the session of an access token begun so many seconds earlier, and its code too."""
        session = claims(token)["sid"]
        self.sql(
            "update sessions set created = created - make_interval(secs => %s) where id = %s",
            *(seconds, session),
        )
        self.sql(
            "update portal_codes set expires = expires - make_interval(secs => %s)"
            " where begun = %s",
            *(seconds, session),
        )

    async def test_hashed(self):
        """Neither the database nor the log has a code, before its use and after it."""
        user = await self.user()
        for act in ("asked", "used", "used again"):
            code = (await self.asked(user))["code"]
            for _ in range(("asked", "used", "used again").index(act)):
                await self.spend(code, user.id)
            rows = "".join(
                str(self.sql(f"select t::text from {table} t"))
                for (table,) in self.sql(
                    "select quote_ident(tablename) from pg_tables where schemaname = 'public'"
                )
            )
            self.assertNotIn(code, rows, act)
            self.assertNotIn(code.encode().hex(), rows, act)
            assert self.daemon is not None
            self.assertNotIn(code, self.daemon.output(), act)

    async def test_late(self):
        """After 60 s a code is not good, and a second use ends nothing."""
        user = await self.user()
        unused = (await self.asked(user))["code"]
        used = (await self.asked(user))["code"]
        token = (await self.spend(used, user.id)).json()["access_token"]
        self.sql("update portal_codes set expires = expires - interval '60 s'")
        for code in (unused, used):
            self.invalid_grant(await self.spend(code, user.id))
        await self.goes_on(user, token)

    async def test_twelve_hours(self):
        """Its tokens are good until twelve hours have passed, and no longer."""
        user = await self.user()
        first = await self.opened(user)
        self.older(first.json()["access_token"], HALF_A_DAY - 100)
        renewed = await self.renew(self.set_by(first))
        found = renewed.json()
        self.assertIn(found["expires_in"], range(50, 101))
        issued = claims(found["access_token"])
        self.assertEqual(found["expires_in"], issued["exp"] - issued["iat"])
        ((_, morsel),) = SimpleCookie(renewed.header("Set-Cookie")).items()
        self.assertIn(int(morsel["max-age"]), range(50, 101))
        cookie = self.set_by(renewed)
        self.older(found["access_token"], 100)
        self.invalid_grant(await self.renew(cookie))
        self.assertEqual({sid(user): "client"}, await self.kinds(user, user))

    async def test_from_before(self):
        """A session of which nothing says how it began is a client's, until it is renewed in the
        portal."""
        user = await self.user()
        response = await self.enter(user)
        portal = claims(response.json()["access_token"])["sid"]
        self.sql("update sessions set kind = null where user_id = %s", user.id)
        client = {sid(user): "client", portal: "client"}
        self.assertEqual(client, await self.kinds(user, user))
        await self.asked(user)
        await self.renew(self.set_by(response))
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        await self.post("/oauth/token", data=form, expect=200)
        self.assertEqual(client | {portal: "portal"}, await self.kinds(user, user))

    async def test_release_before(self):
        """To a release that does not know such sessions their refresh tokens are over: it renews
        none with the role of its user."""
        staff = await self.member("admin")
        cookie = self.set_by(await self.opened(staff))
        for _ in range(2):
            answer = await self.renew(cookie)
            cookie = self.set_by(answer)
            session = claims(answer.json()["access_token"])["sid"]
            (live,) = self.sql(
                "select bool_or(expires > now()) from refresh_tokens where session_id = %s",
                session,
            )
            self.assertEqual((False,), live)


class _Seen(Daemon):
    """Has a database that tests look into."""

    def __init__(self) -> None:
        self.database = fresh(postgres.embedded())
        super().__init__(database=self.database)
