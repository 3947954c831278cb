"""Platforms beyond those of a service that was not set otherwise (content#platforms)."""

from __future__ import annotations

from typing import Any
from unittest import SkipTest

from tests.spec.data import draft, guid
from tests.spec.files.support import FilesCase, blob, packed
from tests.spec.harness import SpecCase
from tests.spec.notifications.support import bare, revision
from tests.spec.shapes import SERVICE
from tests.support import daemon

PLATFORMS = ("ps5", "switch", "3ds", "class", "__init__", "xbox_one", "platforms")
"""Some have names that mean something to Python."""


def package_for(*platforms: str) -> dict[str, str]:
    """A new Package for these platforms."""
    return {"id": guid(), **{one: f"packages/{guid()}" for one in platforms}}


class PlatformsTests(SpecCase):
    """The option `platforms`."""

    async def connect(self) -> None:
        self.own_daemon()
        options = "--platforms", ",".join(PLATFORMS)
        self.use(await daemon.shared("platforms", lambda: daemon.Daemon(*options)))

    async def test_service(self):
        """conventions#the-service: it names them in their order; those that are known have labels,
        the others are called as they are."""
        found = (await self.read("service", SERVICE))["platforms"]
        self.assertEqual([*PLATFORMS], [one["name"] for one in found])
        labels = {one["name"]: one["label"]["en"] for one in found}
        self.assertEqual(
            ("PlayStation 5", "3ds", "class"), (labels["ps5"], labels["3ds"], labels["class"])
        )

    async def test_packages(self):
        """content#parts: a package has a path for each of them, in a create and in a revision;
        other members are ignored, whatever they have."""
        author, first, second = await self.user(), package_for(*PLATFORMS), package_for("3ds")
        sent = {**first, "win64": 5, "later": [{}], "Switch": None}
        made = await self.content(author, packagesOriginating=[sent])
        self.assertEqual([first], (await self.get(made.path, expect=200)).json()["packages"])
        body = revision() | {"packagesOriginating": [second], "packagesUsing": [first["id"]]}
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)
        self.assertEqual(
            [second, first], (await self.get(made.path, expect=200)).json()["packages"]
        )
        exported = (await self.get(f"user/{author.id}/export", by=author, expect=200)).json()
        packages = [one["packages"] for one in exported["revisions"]]
        self.assertIn([second, first], [[*map(_without_null, some)] for some in packages])

    async def test_refused(self):
        """content#parts: without a path for any of them, or with a wrong one, a package is 400."""
        author = await self.user()
        for package, pointer in (
            ({"id": guid(), "win64": "packages/one"}, ""),
            ({"id": guid()}, ""),
            ({"id": guid(), "ps5": "../one"}, "/ps5"),
            ({"id": guid(), "3ds": 5}, "/3ds"),
            ({"id": guid(), "__init__": ""}, "/__init__"),
        ):
            body = draft(packagesOriginating=[package])
            refused = await self.put(f"content/{guid()}", body, by=author)
            self.invalid(refused, f"/packagesOriginating/0{pointer}")
            if not pointer:
                self.assertIn("switch", refused.json()["errors"][0]["detail"])

    async def test_conflict(self):
        """content#publishing: what is sent again is compared by all of them."""
        author, package = await self.user(), package_for("ps5", "switch")
        made = await self.content(author, packagesOriginating=[package])
        for change, expected in (({}, 201), ({"switch": "x/y"}, 409), ({"3ds": "x/y"}, 409)):
            body = revision() | {"packagesOriginating": [package | change]}
            found = await self.post(f"{made.path}/revisions", body, by=author)
            self.assertEqual(expected, found.status, found)

    async def test_requires(self):
        """content#requirements: a revision requires them, and no other."""
        author = await self.user()
        made = await self.content(author, **bare(requires={"platforms": ["ps5", "3ds"]}))
        for platform, expected in (("3ds", True), ("switch", False)):
            found = (await self.get(made.path, query={"platform": platform}, expect=200)).json()
            self.assertEqual(expected, found["fitting"] is not None)
        for path in (f"user/{author.id}/content", "content"):
            query = {"platform": "switch", "author": author.id}
            self.assertEqual([], (await self.get(path, query=query, expect=200)).json())
        body = draft(**bare(requires={"platforms": ["ps5", "win64"]}))
        refused = await self.put(f"content/{guid()}", body, by=author)
        self.invalid(refused, "/requires/platforms/1")
        self.assertIn("ps5, switch", refused.json()["errors"][0]["detail"])

    async def test_query(self):
        """content#platforms: a platform that is none, and that no package has, is 400 in every
        query, which names the allowed."""
        author = await self.user()
        made = await self.content(author, **bare())
        library = f"user/{author.id}/subscriptions"
        for path in (
            *("content", f"user/{author.id}/content", made.path, library, f"{library}/state"),
            *(f"{made.path}/files", f"{made.path}/revisions/{made.sent['revisionId']}/files"),
        ):
            for platform in ("win64", "PS5", "", "ps5,switch", "id"):
                refused = await self.get(path, query={"platform": platform}, by=author)
                self.assertIn("ps5", str(self.invalid_query(refused, "platform")), path)

    async def test_document(self):
        """content#platforms: this service's document has them, and no others."""
        document = (await self.contract()).document
        schemas = document["components"]["schemas"]
        members = schemas["PackageDefinition"]["properties"].keys()
        self.assertEqual([*PLATFORMS], [name for name in members if name not in ("id", "name")])
        listed = document["paths"]["/api/v1/content"]["get"]["parameters"]
        (asked,) = (one["schema"] for one in listed if one["name"] == "platform")
        self.assertEqual([*PLATFORMS], asked["enum"])
        self.assertNotIn("win64", str(document))


class LeavingTests(FilesCase):
    """Platforms and types that have left the options: a second daemon has others."""

    async def connect(self) -> None:
        self.own_daemon()
        self.first = await daemon.shared(
            "left", lambda: daemon.Daemon("--platforms", "retro,win64,unused,ps5")
        )
        folder = self.first.socket_folder()
        if folder is None:
            raise SkipTest("needs an embedded Postgres")
        first = self.first
        self.second = await daemon.shared(
            "left since",
            lambda: daemon.Daemon(
                *("--files", "local", "--data-dir", str(first.data_dir), "--platforms", "ps5"),
                *("--specified-types", "no", "--content-types", "map,asset"),
                database=f"host={folder} user=postgres dbname=contentsvc",
                secret_file=first.secret_file,
            ),
        )
        self.use(self.first)

    async def test_package(self):
        """content#platforms: what a package has for it stays, is shown, listed, downloaded and
        exported; queries take it, but none that no package has."""
        author, old, new = await self.user(), blob(use="package"), blob(use="package")
        await self.upload(author, old, new)
        package = packed(retro=old, win64=new)
        requires = {"platforms": ["retro"]}
        made = await self.content(author, packagesOriginating=[package], requires=requires)
        self.use(self.second)
        found = (await self.get(made.path, expect=200)).json()
        self.assertEqual(([package], requires), (found["packages"], found["requires"]))
        for platform, file in (("retro", old), ("win64", new)):
            query = {"platform": platform}
            files = (await self.get(f"{made.path}/files", query=query, expect=200)).json()
            (link,) = [one for one in files if one["use"] == "package"]
            self.assertEqual(platform, link["platform"])
            await self.gets(link["url"], file.data)
        query = {"platform": "retro", "author": author.id}
        listed = (await self.get("content", query=query, expect=200)).json()
        self.assertEqual([made.id], [one["id"] for one in listed])
        exported = (await self.get(f"user/{author.id}/export", by=author, expect=200)).json()
        (kept,) = exported["revisions"][0]["packages"]
        self.assertEqual(package, _without_null(kept))
        refused = await self.get("content", query={"platform": "unused"})
        self.assertIn("ps5, retro, win64", str(self.invalid_query(refused, "platform")))

    async def test_again(self):
        """content#platforms: what is sent again is compared by the platforms of now, and nothing
        new can have one that has left."""
        author = await self.user()
        paths = {name: f"packages/{guid()}" for name in ("retro", "ps5")}
        package = {"id": guid(), **paths}
        made = await self.content(author, packagesOriginating=[package])
        self.use(self.second)
        for change, expected in (({"retro": "other"}, 201), ({"ps5": "other"}, 409)):
            body = revision(packagesOriginating=[package | change])
            found = await self.post(f"{made.path}/revisions", body, by=author)
            self.assertEqual(expected, found.status, found)
        self.assertEqual([package], (await self.get(made.path, expect=200)).json()["packages"])
        other = {"id": guid(), "retro": "packages/other", "ps5": "packages/another"}
        body = revision(packagesOriginating=[other])
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)
        del other["retro"]
        self.assertEqual([other], (await self.get(made.path, expect=200)).json()["packages"])
        body = revision(packagesOriginating=[{"id": guid(), "retro": "packages/other"}])
        refused = await self.post(f"{made.path}/revisions", body, by=author)
        self.invalid(refused, "/packagesOriginating/0")
        refused = await self.post(
            f"{made.path}/revisions", revision(requires={"platforms": ["retro"]}), by=author
        )
        self.invalid(refused, "/requires/platforms/0")

    async def test_types(self):
        """content#types: without the specified types these are none, but for those of the list;
        content of one stays readable, findable and revisable."""
        author = await self.user()
        made = await self.content(author, type="game")
        self.use(self.second)
        self.assertEqual(
            ["map", "asset"],
            [one["name"] for one in (await self.read("service", SERVICE))["types"]],
        )
        self.assertEqual("game", (await self.get(made.path, expect=200)).json()["type"])
        query = {"category": "game", "author": author.id}
        listed = (await self.get("content", query=query, expect=200)).json()
        self.assertEqual([made.id], [one["id"] for one in listed])
        await self.post(f"{made.path}/revisions", revision(), by=author, expect=201)
        await self.content(author, **bare(type="asset"))
        refused = await self.put(f"content/{guid()}", draft(type="game"), by=author)
        self.invalid(refused, "/type")
        self.assertIn("map, asset", refused.json()["errors"][0]["detail"])
        document = (await self.contract()).document
        shown = document["components"]["schemas"]["ContentCreate"]["properties"]["type"]["enum"]
        self.assertEqual(["map", "asset"], shown)


def _without_null(package: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in package.items() if value is not None}
