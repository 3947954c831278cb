"""Platforms beyond those of a service that was not set otherwise (content#platforms)."""

from __future__ import annotations

from typing import Any

from tests.spec.data import draft, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, SERVICE
from tests.support import daemon

PLATFORMS = ("ps5", "switch", "3ds", "class", "__init__", "xbox_one", "platforms")
"""Some have names that mean something to Python."""


def packed(*platforms: str) -> dict[str, str]:
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
        author, first, second = await self.user(), packed(*PLATFORMS), packed("3ds")
        sent = {**first, "win64": 5, "later": [{}], "Switch": None}
        made = await self.content(author, packagesOriginating=[sent])
        self.assertEqual([first], (await self.read(made.path, CONTENT))["packages"])
        body = {key: value for key, value in draft().items() if key in REVISION}
        body |= {"packagesOriginating": [second], "packagesUsing": [first["id"]]}
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)
        self.assertEqual([second, first], (await self.read(made.path, CONTENT))["packages"])
        exported = (await self.get(f"user/{author.id}/export", by=author, expect=200)).json()
        (revised, created) = exported["content"][0]["revisions"]
        for package, revision in ((first, created), (second, revised)):
            self.assertEqual(package, package | _without_null(revision["packages"][0]) | package)
            self.assertEqual(package.keys(), _without_null(revision["packages"][0]).keys())

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
        author, package = await self.user(), packed("ps5", "switch")
        made = await self.content(author, packagesOriginating=[package])
        for change, expected in (({}, 201), ({"switch": "x/y"}, 409), ({"3ds": "x/y"}, 409)):
            body = {key: value for key, value in draft().items() if key in REVISION}
            body |= {"packagesOriginating": [package | change]}
            found = await self.post(f"{made.path}/revisions", body, by=author)
            self.assertEqual(expected, found.status, found)

    async def test_requires(self):
        """content#requirements: a revision requires them, and no other."""
        author = await self.user()
        made = await self.content(author, requires={"platforms": ["ps5", "3ds"]})
        for platform, expected in (("3ds", True), ("switch", False)):
            found = (await self.get(made.path, query={"platform": platform}, expect=200)).json()
            self.assertEqual(expected, found["fitting"] is not None)
        for path in (f"user/{author.id}/content", "content"):
            query = {"platform": "switch", "author": author.id}
            self.assertEqual([], (await self.get(path, query=query, expect=200)).json())
        body = draft(requires={"platforms": ["ps5", "win64"]})
        refused = await self.put(f"content/{guid()}", body, by=author)
        self.invalid(refused, "/requires/platforms/1")
        self.assertIn("ps5, switch", refused.json()["errors"][0]["detail"])

    async def test_query(self):
        """content#platforms: a platform that is none, and that no package has, is 400 in every
        query, which names the allowed."""
        author = await self.user()
        made = await self.content(author)
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


REVISION = {
    *("revisionId", "revisionDescription", "version", "entity", "originating", "using"),
    *("packagesOriginating", "packagesUsing"),
}


def _without_null(package: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in package.items() if value is not None}
