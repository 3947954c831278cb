"""The operator's settings, with a daemon that has all of them changed."""

from tests.spec.data import User, draft, guid, name, package
from tests.spec.files.support import blob
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, SERVICE, STORAGE
from tests.support import daemon

PORTAL = "https://portal.example"
SETTINGS = {
    "REGISTRATION": "false",
    "DEBUG_NOTIFY": "false",
    "REQUIRE_PARTY_INVITE": "true",
    "PARTY_INVITES": "friends",
    "REQUIRED_PLATFORMS": "win64,linux64",
    "MARKUP": "none",
    "CORS_ORIGINS": PORTAL,
    "PUBLIC_URL": "https://svc.example",
}


class ConfigurationTests(SpecCase):
    """Options that change what clients see."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("strict", lambda: daemon.Daemon(environ=SETTINGS)))

    async def user(self, username: str | None = None) -> User:
        """A fresh user, made by the operator."""
        assert self.daemon is not None
        username, password = username or name(), guid()
        email = await self.daemon.add_user(username, password)
        return await self.logged_in(username, email, password)

    async def test_registration(self):
        """accounts#tokens: registration can be closed: 403
        registration_closed."""
        body = {"username": name(), "email": f"{name()}@example.com", "password": "long enough"}
        self.problem(await self.post("user", body), 403, "registration_closed")

    async def test_debug_notify(self):
        """notifications#debug: debug/notify can be switched off."""
        user = await self.someone()
        response = await self.post("debug/notify", {"recipient": user.id, "text": "x"}, by=user)
        self.problem(response, (403, 404))
        document = (await self.contract()).document
        self.assertNotIn("/api/v1/debug/notify", document["paths"])

    async def test_debug_notify_auto(self):
        """notifications#debug: by default it is there on a developer's machine,
        and not once the service has a public URL."""
        for key, environ, status in (
            ("auto", {"DEBUG_NOTIFY": "auto"}, 204),
            ("auto-public", {"DEBUG_NOTIFY": "auto", "PUBLIC_URL": "https://svc.example"}, 404),
        ):
            self.use(await daemon.shared(key, lambda e=environ: daemon.Daemon(environ=e)))
            user = await SpecCase.user(self)
            response = await self.post("debug/notify", {"recipient": user.id, "text": "x"}, by=user)
            self.assertEqual(status, response.status, key)

    async def test_party_answer_needs_invite(self):
        """social#party-invites: with require_party_invite an answer needs the
        friend's invite."""
        user, friend, party = await self.someone(), await self.user(), guid()
        path = f"user/{user.id}/friend/{friend.id}/party-invite/accept"
        self.problem(await self.post(path, {"party": party}, by=user), (403, 404, 409, 422))
        self.assertEqual([], await self.notifications(friend))
        for one, other in ((user, friend), (friend, user)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        before = len(await self.notifications(friend))
        invite = f"user/{friend.id}/friend/{user.id}/party-invite"
        await self.post(invite, {"party": party}, by=friend, expect=204)
        await self.post(path, {"party": party}, by=user, expect=204)
        (told,) = (await self.notifications(friend))[before:]
        self.assertEqual("PartyInviteAccept", told["kind"])

    async def test_party_invites(self):
        """social#party-invites: with party_invites = friends, invites between
        others are 403 not_friends, and tell nobody."""
        user, other = await self.someone(), await self.user()
        path = f"user/{user.id}/friend/{other.id}/party-invite"
        self.problem(await self.post(path, {"party": guid()}, by=user), 403, "not_friends")
        self.assertEqual([], await self.notifications(other))
        path = f"user/{user.id}/friend/{guid()}/party-invite"
        self.problem(await self.post(path, {"party": guid()}, by=user), 404, "user_not_found")
        await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)
        path = f"user/{other.id}/friend/{user.id}/party-invite"
        self.problem(await self.post(path, {"party": guid()}, by=other), 403, "blocked")

    async def test_required_platforms(self):
        """content#parts: the server may reject packages that do not support all platforms."""
        user, whole = await self.someone(), package()
        part = {"id": guid(), "win64": "packages/part"}
        response = await self.put(f"content/{guid()}", draft(packagesOriginating=[part]), by=user)
        refused = self.problem(response, (400, 409, 422))
        self.assertIn("linux64", str(refused))
        del whole["osx64"]
        made = await self.content(user, packagesOriginating=[whole])
        self.assertEqual([whole], (await self.read(made.path, CONTENT))["packages"])

    async def test_markup(self):
        """conventions#the-service: texts may be plain, and a link shows them as they are."""
        self.assertEqual("none", (await self.read("service", SERVICE))["markup"])
        made = await self.content(await self.someone(), description="*a*")
        accept = {"Accept": "text/html"}
        page = await self.request("GET", f"/{made.path}", headers=accept, expect=200)
        self.assertIn(b'<meta property="og:description" content="*a*">', page.body)

    async def test_public_url(self):
        """socket#session-connect: socketUrl is built on the public URL; Location stays
        a path."""
        found = await self.session(await self.someone())
        self.assertEqual("wss://svc.example/socket", found["socketUrl"])

    async def test_file_urls(self):
        """files#files: so are the URLs of files."""
        base, file = SETTINGS["PUBLIC_URL"] + "/", blob()
        user = await self.someone()
        found = await self.post("uploads", {"files": [file.announced]}, by=user, expect=200)
        self.assertTrue(found.json()["files"][0]["upload"]["url"].startswith(base), found)
        storage = await self.read("storage", STORAGE)
        self.assertTrue(storage["mediaUrl"].startswith(base), storage)

    async def test_origins_of_files(self):
        """files#files: the URLs of files answer other origins as the API does."""
        user, file = await self.someone(), blob()
        found = await self.post("uploads", {"files": [file.announced]}, by=user, expect=200)
        upload = found.json()["files"][0]["upload"]
        path = upload["url"].removeprefix(SETTINGS["PUBLIC_URL"])
        for origin, allowed in ((PORTAL, PORTAL), ("https://evil.example", None)):
            asked = {"Origin": origin, "Access-Control-Request-Method": "PUT"}
            response = await self.request("OPTIONS", path, headers=asked)
            self.assertEqual(allowed, response.header("Access-Control-Allow-Origin"))

    async def test_origins(self):
        """conventions#answers: with cors_origins set, other origins may not read answers."""
        for origin, allowed in ((PORTAL, PORTAL), ("https://evil.example", None)):
            response = await self.get("user/search?q=abc", headers={"Origin": origin})
            self.assertEqual(allowed, response.header("Access-Control-Allow-Origin"))
            self.assertIn("origin", response.listed("Vary"))

    async def test_portal_socket_from_its_origin(self):
        """A portal's socket may come from an allowed origin, or without any."""
        user = await self.someone()
        for origin in (PORTAL, None):
            socket = await self.socket(user, kind="portal", via="auth", origin=origin)
            await socket.quiet()

    async def test_portal_socket_from_elsewhere(self):
        """socket#errors: a portal's socket from another origin is closed with 4409."""
        user = await self.someone()
        for via in ("header", "auth"):
            socket = await self.socket(
                user, kind="portal", via=via, origin="https://evil.example", greeted=False
            )
            self.assertEqual(4409, await socket.closed())

    async def test_game_socket_from_elsewhere(self):
        """A game's socket is not asked for its origin."""
        socket = await self.socket(await self.someone(), origin="https://evil.example")
        await socket.quiet()


class CommandTests(SpecCase):
    """The `contentsvc` command beside a running daemon."""

    async def connect(self) -> None:
        self.own_daemon()
        await super().connect()

    async def command(self, *arguments: str) -> str:
        """The output of the command."""
        assert self.daemon is not None
        return await self.daemon.command(*arguments)

    async def test_token(self):
        """`contentsvc token NAME` prints an access token."""
        user = await self.user()
        token = (await self.command("token", user.username)).strip()
        await self.get(f"user/{user.id}", by=token, expect=200)

    async def test_promote(self):
        """accounts#authentication: `contentsvc user promote NAME` makes an admin."""
        user, made = await self.user(), await self.content(await self.someone())
        path, body = f"{made.path}/featured", {"featured": True}
        await self.put(path, body, by=user, expect=403)
        await self.command("user", "promote", user.username)
        again = await self.logged_in(user.username, user.email, user.password)
        await self.put(path, body, by=again, expect=204)

    async def test_migrate(self):
        """`contentsvc migrate` may run at any time."""
        await self.command("migrate")
        await self.get("/health/ready", expect=200)

    async def test_demo(self):
        """`contentsvc demo` makes a small world."""
        await self.command("demo")
        found = (await self.get("design-challenges", expect=200)).json()
        self.assertNotEqual([], found)

    async def test_secret_file(self):
        """The generated key is readable by its owner only."""
        assert self.daemon is not None
        self.assertEqual(0o600, self.daemon.secret_file.stat().st_mode & 0o777)
