"""Progress data: spec §2 and §4.12."""

from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.spec.shapes import PROGRESS


class ProgressTests(SpecCase):
    """GET progress; GET, PUT and DELETE of one key."""

    VALUE = {"level": 3, "best": 12.5, "name": "Höhle 🏰", "done": [True, None], "": {}}

    def path(self, user: User, key: str) -> str:
        """The path of one key."""
        return f"user/{user.id}/progress/{key}"

    async def everything(self, user: User) -> list[dict]:
        """All progress data of the user."""
        return await self.read(f"user/{user.id}/progress", [PROGRESS], by=user)

    async def test_empty(self):
        """Spec §4.12: without progress data it is an empty array."""
        self.assertEqual([], await self.everything(await self.user()))

    async def test_write(self):
        """Spec §2: what is put under a key is read back as it was, with key and timestamp."""
        user = await self.user()
        path = self.path(user, "chapter-1.castle")
        await self.put(path, {"value": self.VALUE}, by=user, expect=204)
        got = await self.read(path, PROGRESS, by=user)
        self.assertEqual(("chapter-1.castle", self.VALUE), (got["key"], got["value"]))
        self.assertEqual([got], await self.everything(user))

    async def test_all(self):
        """Spec §4.12: all keys of the user, and only theirs."""
        user, other = await self.user(), await self.user()
        for key in ("b", "a", "c"):
            await self.put(self.path(user, key), {"value": {"key": key}}, by=user, expect=204)
        await self.put(self.path(other, "d"), {"value": {}}, by=other, expect=204)
        found = {one["key"]: one["value"] for one in await self.everything(user)}
        self.assertEqual({key: {"key": key} for key in "abc"}, found)

    async def test_overwrite(self):
        """choices: a PUT replaces the whole value."""
        user = await self.user()
        for value in ({"a": 1, "b": 2}, {"c": 3}):
            await self.put(self.path(user, "k"), {"value": value}, by=user, expect=204)
        (got,) = await self.everything(user)
        self.assertEqual({"c": 3}, got["value"])

    async def test_delete(self):
        """choices: DELETE removes a key, and is 204 also where there is none."""
        user = await self.user()
        await self.put(self.path(user, "k"), {"value": {}}, by=user, expect=204)
        for _ in range(2):
            await self.delete(self.path(user, "k"), by=user, expect=204)
        self.assertEqual([], await self.everything(user))

    async def test_absent(self):
        """choices: a key without data is 404 progress_not_found."""
        user = await self.someone()
        response = await self.get(self.path(user, "nothing"), by=user)
        self.problem(response, 404, "progress_not_found")

    async def test_value_is_object(self):
        """Spec §2: value is an object."""
        user = await self.user()
        for value in ("text", 7, [], None, True):
            response = await self.put(self.path(user, "k"), {"value": value}, by=user)
            self.invalid(response, "/value")
        self.assertEqual([], await self.everything(user))

    async def test_encoded_key(self):
        """choices: a key may hold any characters, percent-encoded in the path."""
        user = await self.user()
        await self.put(self.path(user, "caf%C3%A9%20n%C2%B01"), {"value": {}}, by=user, expect=204)
        self.assertEqual(["café n°1"], [one["key"] for one in await self.everything(user)])

    async def test_bad_keys(self):
        """choices: a key with NUL, of bad UTF-8 or without measure is 400 invalid_path."""
        user = await self.someone()
        for key in ("a%00b", "%ff%fe", "k" * 3000):
            response = await self.put(self.path(user, key), {"value": {}}, by=user)
            self.problem(response, 400, "invalid_path")

    async def test_nul_in_value(self):
        """choices: strings never hold NUL, in the value of progress data either."""
        user = await self.someone()
        for value in ({"a": "x\0"}, {"x\0": 1}, {"a": [{"b": "\0"}]}):
            response = await self.put(self.path(user, "k"), {"value": value}, by=user)
            self.problem(response, 400)

    async def test_methods_prefix(self):
        """Spec §9: the prefix /methods/v1 serves the same."""
        user = await self.user()
        path = f"/methods/v1/user/{user.id}/progress"
        await self.put(f"{path}/k", {"value": {}}, by=user, expect=204)
        self.assertEqual(await self.everything(user), await self.read(path, [PROGRESS], by=user))
