"""What a service says of itself (conventions#the-service)."""

from tests.spec.harness import SpecCase
from tests.spec.shapes import SERVICE


class ServiceTests(SpecCase):
    """GET /service of a service that nothing was set for."""

    async def test_defaults(self):
        """conventions#the-service: anybody reads what the service is called, has and does."""
        found = await self.read("service", SERVICE)
        self.assertEqual(
            {
                "name": "contentsvc",
                "tagGroups": [],
                "freeTags": True,
                "guests": False,
                "guestsMay": [],
                "registration": True,
                "issuers": [],
                "markup": "markdown",
                "links": [],
                "mail": False,
                "unsendMinutes": 60,
            },
            {key: value for key, value in found.items() if key not in {"platforms", "types"}},
        )
        names = {key: [one["name"] for one in found[key]] for key in ("platforms", "types")}
        self.assertEqual(["win64", "osx64", "linux64"], names["platforms"])
        self.assertEqual(
            ["game", "asset", "avatar_box", "gameplay_box", "scene_box"], names["types"]
        )
        self.assertEqual({"en": "Asset", "de": "Baustein"}, found["types"][1]["label"])
        self.assertEqual({"en": "macOS", "de": "macOS"}, found["platforms"][1]["label"])
