"""Types of content beside those that every service has (content#types)."""

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import draft, guid
from tests.spec.harness import SpecCase
from tests.support import daemon

TYPES = ("game", "asset", "avatar_box", "gameplay_box", "scene_box")


class ContentTypesTests(SpecCase):
    """The option `content_types`."""

    async def connect(self) -> None:
        self.own_daemon()
        options = "--content-types", "music,level_2"
        self.use(await daemon.shared("types", lambda: daemon.Daemon(*options)))

    async def test_everywhere(self):
        """content#types: it is a type of content, of lists and of challenges, and this service's
        document has it."""
        author = await self.user()
        made = await self.content(author, type="music")
        for path in (f"user/{author.id}/content", "content"):
            for query in ({"category": "music"}, {"category": "all", "author": author.id}):
                found = (await self.get(path, query=query, expect=200)).json()
                self.assertEqual("music", found[0]["type"])
                self.assertEqual(made.id, found[0]["id"])
        for sort in ("newest", "updated", "top", "trending"):
            query = {"category": "music,game", "sort": sort}
            found = (await self.get("content", query=query, expect=200)).json()
            self.assertIn(made.id, [item["id"] for item in found])
        sent = challenge() | {"types": ["level_2"]}
        await self.post("design-challenges", sent, by=await self.admin(), expect=201)
        document = (await self.contract()).document
        shown = document["components"]["schemas"]["ContentCreate"]["properties"]["type"]["enum"]
        self.assertEqual([*TYPES, "music", "level_2"], shown)

    async def test_refused(self):
        """content#types: another one is 400, in the create, in lists and in challenges."""
        user, admin = await self.someone(), await self.admin()
        refused = await self.put(f"content/{guid()}", draft(type="film"), by=user)
        self.invalid(refused, "/type")
        self.assertIn("level_2", refused.json()["errors"][0]["detail"])
        self.invalid_query(await self.get("content", query={"category": "film"}), "category")
        sent = challenge() | {"types": ["game", "film"]}
        self.invalid(await self.post("design-challenges", sent, by=admin), "/types/1")


class WithoutContentTypesTests(SpecCase):
    """The types that every service has."""

    async def test_refused(self):
        """content#types: without the option there are no others."""
        refused = await self.put(f"content/{guid()}", draft(type="music"), by=await self.someone())
        self.invalid(refused, "/type")
