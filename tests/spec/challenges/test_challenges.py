"""Design challenges: challenges#definition."""

from tests.spec.data import name
from tests.spec.harness import SpecCase
from tests.spec.shapes import CHALLENGE, GUID


def reward(**achievement) -> dict:
    """A RewardDefinition; `achievement` changes its achievement."""
    return {
        "achievement": {
            "key": name("key-"),
            "name": "Builder",
            "description": "Built a castle",
            "visibilityStart": None,
            "visibilityStop": None,
            **achievement,
        },
        "emblem": {
            "name": "Tower",
            "description": "A tower",
            "image": "emblems/tower.png",
            "color": "#00FFcc",
        },
    }


def challenge(**changes) -> dict:
    """A valid design challenge."""
    return {
        "name": "Castles",
        "ordinal": 7,
        "description": "Build a castle",
        "theme": "medieval",
        "win": reward(),
        "participate": reward(),
        **changes,
    }


class ChallengeTests(SpecCase):
    """POST and GET /api/v1/design-challenges."""

    async def create(self, **changes) -> str:
        """The Location of a new challenge."""
        response = await self.post(
            "design-challenges", challenge(**changes), by=await self.admin(), expect=201
        )
        return response.header("Location") or self.fail("no Location")

    async def test_create(self):
        """challenges#definition: 201, no body, and a Location whose last segment is the new ID."""
        sent = challenge()
        response = await self.post("design-challenges", sent, by=await self.admin(), expect=201)
        location = response.header("Location") or ""
        self.assertRegex(location, f"^/api/v1/design-challenges/{GUID.pattern}$")
        got = await self.read(location, CHALLENGE)
        for reward in ("win", "participate"):
            self.assertRegex(got[reward]["emblem"].pop("id"), GUID)
        sent |= {"id": location.rpartition("/")[2]}
        self.assertEqual(sent, {member: got[member] for member in sent})

    async def test_visibility(self):
        """challenges#definition: visibilityStart and visibilityStop are Unix timestamps or null."""
        bounds = {"visibilityStart": 1_700_000_000, "visibilityStop": 1_800_000_000}
        got = await self.read(await self.create(win=reward(**bounds)), CHALLENGE)
        achievement = got["win"]["achievement"]
        self.assertEqual(bounds, {member: achievement[member] for member in bounds})

    async def test_list_by_ordinal(self):
        """challenges#definition: ordinal is the numerical ordering of challenges, the list's
        order."""
        made = [await self.create(ordinal=ordinal) for ordinal in (30, -5, 4)]
        ids = [path.rpartition("/")[2] for path in made]
        found = await self.read("design-challenges", [CHALLENGE])
        ordinals = [one["ordinal"] for one in found]
        self.assertEqual(sorted(ordinals), ordinals)
        ours = [one["id"] for one in found if one["id"] in ids]
        self.assertEqual([ids[1], ids[2], ids[0]], ours)

    async def test_equal_keys(self):
        """challenges#definition: the keys of the two achievements may be
        equal."""
        path = await self.create(win=reward(key="same"), participate=reward(key="same"))
        got = await self.read(path, CHALLENGE)
        self.assertEqual("same", got["win"]["achievement"]["key"])
