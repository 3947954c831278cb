"""Names that can be seen, and paths that stay below their folder: conventions#requests."""

from tests.spec.challenges.test_challenges import challenge, reward
from tests.spec.data import draft, entity, guid, package, reference
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT

BLANK = [
    " ", " \t\n ", "\u00a0", "\u2003\u3000", "\u200b", "\u2800", "\u3164", "\ufeff\u00ad", "\x01",
]  # fmt: skip
BAD = [
    "/a", "a/", "a//b", "/", ".", "..", "./a", "../a", "a/./b", "a/../b", "a/..", "a/.", "a\\b",
    "\\a", "a\x01b", "a\n", "\n", "a\x7f", "a\x85b", "https://example.org/a",
]  # fmt: skip
GOOD = ["a", ".a", "a.", "..a/b..", "...", "a b/ü/🏰.png", "a%2F..", "a/" * 511 + "aa"]


class PathTests(SpecCase):
    """conventions#requests: a path of a file has no empty, . or .. segments, no backslashes and
    no control characters."""

    async def test_content(self):
        """Each path of a create is held to it, and the one that does not fit is named."""
        someone = await self.someone()
        for path in BAD:
            for pointer, body in {
                "/screenshotUris/1": draft(screenshotUris=["a", path]),
                "/entity/path": draft(entity=entity() | {"path": path}),
                "/originating/1/path": draft(originating=[entity(), entity() | {"path": path}]),
                "/packagesOriginating/0/osx64": draft(
                    packagesOriginating=[package() | {"osx64": path}]
                ),
            }.items():
                self.invalid(await self.put(f"content/{guid()}", body, by=someone), pointer)

    async def test_update(self):
        """Screenshots of an update are held to it."""
        made = await self.content(await self.someone())
        for path in BAD:
            body = {"description": "", "screenshotUris": [path]}
            self.invalid(await self.put(made.path, body, by=made.author), "/screenshotUris/0")

    async def test_precheck(self):
        """Paths of dependencies in the pre-check are held to it."""
        someone = await self.someone()
        body = {"contentId": guid(), "operation": "create", "packages": []}
        for path in BAD:
            body["dependencies"] = [reference(entity()), entity() | {"path": path}]
            refused = await self.post("content/upload-precheck", body, by=someone)
            self.invalid(refused, "/dependencies/1/path")

    async def test_images(self):
        """Avatars and images of emblems are held to it."""
        user, admin = await self.user(), await self.admin()
        for path in BAD:
            body = {"avatar": path, "emblem": None, "fullProfile": {}, "publicProfile": {}}
            self.invalid(await self.put(f"user/{user.id}", body, by=user), "/avatar")
            win = reward()
            win["emblem"]["image"] = path
            refused = await self.post("design-challenges", challenge(win=win), by=admin)
            self.invalid(refused, "/win/emblem/image")

    async def test_detail(self):
        """The error says what a path is."""
        body = draft(entity=entity() | {"path": "../../etc"})
        refused = await self.put(f"content/{guid()}", body, by=await self.someone())
        (error,) = self.problem(refused, 400, "invalid_body")["errors"]
        self.assertIn("relative path", error["detail"])

    async def test_good(self):
        """All else is a path, and comes back as it was."""
        made = await self.content(await self.someone(), screenshotUris=GOOD)
        self.assertEqual(GOOD, (await self.read(made.path, CONTENT))["screenshotUris"])


class NameTests(SpecCase):
    """conventions#requests: a name has a visible character at least."""

    async def test_content(self):
        """A content's name does."""
        for name in BLANK:
            refused = await self.put(f"content/{guid()}", draft(name=name), by=await self.someone())
            self.invalid(refused, "/name")

    async def test_challenge(self):
        """The names of a challenge, its achievements and its emblems do."""
        admin = await self.admin()
        for name in ["", *BLANK]:
            body = challenge(name=name)
            self.invalid(await self.post("design-challenges", body, by=admin), "/name")
            for prize in ("achievement", "emblem"):
                participate = reward()
                participate[prize]["name"] = name
                body = challenge(participate=participate)
                refused = await self.post("design-challenges", body, by=admin)
                self.invalid(refused, f"/participate/{prize}/name")

    async def test_good(self):
        """Any other name is taken as it is, with its blanks."""
        for name in (" a ", ".", "\u200bü", "🏰", "ㅤx"):
            made = await self.content(await self.someone(), name=name)
            self.assertEqual(name, (await self.read(made.path, CONTENT))["name"])


class ChoiceTests(SpecCase):
    """Words of which there are few."""

    async def test_listed(self):
        """Where a word is none of the allowed, the error's detail lists them."""
        someone, bad = await self.someone(), "level" * 1000
        for method, path, body, words in (
            ("PUT", f"content/{guid()}", draft(type=bad), ["game", "asset", "scene_box"]),
            ("POST", "session/connect", {"client": bad}, ["game", "portal"]),
            (
                "POST",
                "content/upload-precheck",
                {"contentId": guid(), "operation": bad, "dependencies": [], "packages": []},
                ["create", "update"],
            ),
            ("PUT", f"user/{someone.id}/rating/{guid()}", {"value": bad}, ["1", "0"]),
        ):
            send = self.put if method == "PUT" else self.post
            found = self.problem(await send(path, body, by=someone), 400, "invalid_body")
            (error,) = found["errors"]
            self.assertNotIn("level", error["detail"])
            for word in words:
                self.assertIn(word, error["detail"])
