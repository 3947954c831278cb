"""Progress data: progress#progress and progress#list."""

from urllib.parse import quote

import msgspec

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import PROGRESS, instant
from tests.support import daemon
from tests.support.deferreds import together


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
        """progress#list: without progress data it is an empty array."""
        self.assertEqual([], await self.everything(await self.user()))

    async def test_write(self):
        """progress#progress: what is put under a key is read back as it was, with key and
        timestamp."""
        user = await self.user()
        path = self.path(user, "chapter-1.castle")
        await self.put(path, {"value": self.VALUE}, by=user, expect=204)
        got = await self.read(path, PROGRESS, by=user)
        self.assertEqual(("chapter-1.castle", self.VALUE), (got["key"], got["value"]))
        self.assertEqual([got], await self.everything(user))

    async def test_all(self):
        """progress#list: all keys of the user, and only theirs."""
        user, other = await self.user(), await self.user()
        for key in ("b", "a", "c"):
            await self.put(self.path(user, key), {"value": {"key": key}}, by=user, expect=204)
        await self.put(self.path(other, "d"), {"value": {}}, by=other, expect=204)
        found = {one["key"]: one["value"] for one in await self.everything(user)}
        self.assertEqual({key: {"key": key} for key in "abc"}, found)

    async def test_overwrite(self):
        """progress#list: a PUT replaces the whole value."""
        user = await self.user()
        for value in ({"a": 1, "b": 2}, {"c": 3}):
            await self.put(self.path(user, "k"), {"value": value}, by=user, expect=204)
        (got,) = await self.everything(user)
        self.assertEqual({"c": 3}, got["value"])

    async def test_delete(self):
        """progress#versions: DELETE removes a key, and is 204 also where there is none."""
        user = await self.user()
        await self.put(self.path(user, "k"), {"value": {}}, by=user, expect=204)
        for _ in range(2):
            await self.delete(self.path(user, "k"), by=user, expect=204)
        self.assertEqual([], await self.everything(user))

    async def test_encoded_key(self):
        """progress#list: a key may hold any characters, percent-encoded in the
        path."""
        user = await self.user()
        await self.put(self.path(user, "caf%C3%A9%20n%C2%B01"), {"value": {}}, by=user, expect=204)
        self.assertEqual(["café n°1"], [one["key"] for one in await self.everything(user)])

    async def test_bad_keys(self):
        """A key with NUL, of bad UTF-8 or without measure is 400 invalid_path."""
        user = await self.someone()
        for key in ("a%00b", "%ff%fe", "k" * 3000):
            response = await self.put(self.path(user, key), {"value": {}}, by=user)
            self.problem(response, 400, "invalid_path")

    async def test_parent(self):
        """progress#versions: a key with a segment `..` is 400, in the path and in the query.
        One that only begins or ends with dots is none."""
        user = await self.user()
        everything = f"user/{user.id}/progress"
        bad = "..", "../sessions", "a/../b", "a/..", "..\\x", "a\\..", "a\\../b", "../..\n"
        for key in bad:
            # Encoded, or the client itself would take it for the folder above.
            path = self.path(user, quote(key, safe="").replace(".", "%2E"))
            for answer in (
                await self.put(path, {"value": {}}, by=user),
                await self.get(path, by=user),
                await self.delete(path, by=user),
            ):
                self.problem(answer, 400, "invalid_path")
            answer = await self.put(everything, {"value": {}}, by=user, query={"key": key})
            self.problem(answer, 400, "invalid_query")
        for key in ("...", "..a", "a..", "a/...", "a/..b", ". .", "a.../b"):
            path = self.path(user, quote(key, safe=""))
            await self.put(path, {"value": {}}, by=user, expect=204)

    async def test_by_key(self):
        """progress#versions: a key may stand in the query instead, where no proxy changes its
        slashes: GET gives a list of the one key, PUT and DELETE are as those by path."""
        user = await self.user()
        path = f"user/{user.id}/progress"
        value, keys = {"value": {"n": 1}}, ("a", "a/b", "a/b/c", "é ?&#%2F+")
        for key in keys:
            await self.put(path, value, by=user, query={"key": key}, expect=204)
        for key in keys:
            (found,) = await self.read(path, [PROGRESS], by=user, query={"key": key})
            self.assertEqual((key, {"n": 1}, 1), (found["key"], found["value"], found["version"]))
            by_path = await self.read(self.path(user, quote(key, safe="")), PROGRESS, by=user)
            self.assertEqual(found, by_path)
        for prefix, count in (("a", 1), ("a/b/", 0), ("b", 0)):
            asked = {"key": "a/b", "prefix": prefix}
            self.assertEqual(count, len(await self.read(path, [PROGRESS], by=user, query=asked)))
        sent = {"value": {"n": 2}, "version": 0}
        answer = await self.put(path, sent, by=user, query={"key": "a/b"})
        self.problem(answer, 409, "progress_conflict")
        answer = await self.delete(path, by=user, query={"key": "a/b", "version": "7"})
        self.problem(answer, 409, "progress_conflict")
        for version in ("1", "1", "9"):
            asked = {"key": "a/b", "version": version}
            await self.delete(path, by=user, query=asked, expect=204)
        self.assertEqual([], await self.read(path, [PROGRESS], by=user, query={"key": "a/b"}))
        for answer in (await self.put(path, value, by=user), await self.delete(path, by=user)):
            self.problem(answer, 400, "invalid_query")
        self.assertEqual(3, len(await self.everything(user)))

    async def test_nul_in_value(self):
        """conventions#requests: strings never hold NUL, in the value of progress data either."""
        user = await self.someone()
        for value in ({"a": "x\0"}, {"x\0": 1}, {"a": [{"b": "\0"}]}):
            response = await self.put(self.path(user, "k"), {"value": value}, by=user)
            self.problem(response, 400)


class VersionTests(SpecCase):
    """extensions: versions, writes that name the one they replace, and repeats."""

    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.path = f"user/{self.ann.id}/progress/k"

    async def write(self, value: dict, *, expect: int | None = 204, **more: object) -> Response:
        """PUT `value`, with what more the body has."""
        return await self.put(self.path, {"value": value, **more}, by=self.ann, expect=expect)

    async def there(self) -> tuple[dict, int]:
        """The value and the version at the key."""
        found = await self.read(self.path, PROGRESS, by=self.ann)
        return found["value"], found["version"]

    def conflict(self, response: Response, value: dict | None, version: int) -> dict:
        """Assert a 409 that has what is there."""
        problem = self.problem(response, 409, "progress_conflict")
        self.assertEqual((problem["value"], problem["version"]), (value, version))
        return problem

    async def test_counts(self):
        """The first write is version 1, and each that follows one more, over a deletion too."""
        for version in (1, 2, 3):
            await self.write({"n": version})
            self.assertEqual(({"n": version}, version), await self.there())
        await self.delete(self.path, by=self.ann, expect=204)
        await self.write({})
        self.assertEqual(({}, 5), await self.there())

    async def test_list(self):
        """The list has the versions too."""
        await self.write({})
        await self.write({})
        (got,) = await self.read(f"user/{self.ann.id}/progress", [PROGRESS], by=self.ann)
        self.assertEqual(2, got["version"])

    async def test_conflict(self):
        """A write for another version than the present is 409, with what is there, and changes
        nothing."""
        await self.write({"n": 1}, version=0)
        await self.write({"n": 2}, version=1)
        found = await self.read(self.path, PROGRESS, by=self.ann)
        for version in (0, 1, 3, 2**53):
            response = await self.write({"n": 3}, version=version, expect=None)
            problem = self.conflict(response, {"n": 2}, 2)
            self.assertEqual(found["timestamp"], problem["timestamp"])
        self.assertEqual(({"n": 2}, 2), await self.there())

    async def test_conflict_with_nothing(self):
        """Where nothing was ever written the present version is 0; after a deletion it is that
        deletion's, and the value is null."""
        response = await self.write({}, version=1, expect=None)
        self.assertIsNone(self.conflict(response, None, 0)["timestamp"])
        await self.write({})
        await self.delete(self.path, by=self.ann, expect=204)
        for version in (0, 1):
            response = await self.write({}, version=version, expect=None)
            self.shape(self.conflict(response, None, 2)["timestamp"], instant)
        await self.write({}, version=2)
        self.assertEqual(({}, 3), await self.there())

    async def test_delete(self):
        """A deletion may name its version: 409 where another is there, 204 where nothing is."""
        await self.write({"n": 1})
        for version in (0, 2):
            response = await self.delete(f"{self.path}?version={version}", by=self.ann)
            self.conflict(response, {"n": 1}, 1)
        for version in (1, 1, 7):
            await self.delete(f"{self.path}?version={version}", by=self.ann, expect=204)
        await self.write({}, version=2)

    async def test_repeat(self):
        """The repeat of the last write is 204 and changes nothing, with any version and value and
        with its GUID in either case. After another write it is a new write."""
        write = guid()
        await self.write({"n": 1}, writeId=write)
        await self.write({"n": 2}, writeId=write.upper())
        await self.write({"n": 2}, writeId=write, version=0)
        self.assertEqual(({"n": 1}, 1), await self.there())
        await self.write({"n": 3})
        await self.write({"n": 4}, writeId=write)
        self.assertEqual(({"n": 4}, 3), await self.there())
        self.conflict(await self.write({}, writeId=guid(), version=0, expect=None), {"n": 4}, 3)

    async def test_at_once(self):
        """Of many at once for one version, one is stored; of one write sent many times, one."""
        for expected, version in (([204], 0), ([204], 1)):
            writes = [self.write({"n": n}, version=version, expect=None) for n in range(8)]
            done = [response.status for response in await together(*writes)]
            self.assertEqual(expected, [status for status in done if status != 409])
        write = guid()
        await together(*(self.write({}, writeId=write) for n in range(8)))
        self.assertEqual(3, (await self.there())[1])

    async def test_first_at_once(self):
        """The first write of a key, sent many times at once, is stored once."""
        write = guid()
        await together(*(self.write({}, writeId=write, version=0) for _ in range(8)))
        self.assertEqual(1, (await self.there())[1])

    async def test_prefix(self):
        """GET progress takes what the keys begin with, and no character of it is special."""
        for key in ("a", "a%25b", "a%25", "a_b", "ab", "b", "A", "%F0%9F%8F%B0"):
            path = f"user/{self.ann.id}/progress/{key}"
            await self.put(path, {"value": {}}, by=self.ann, expect=204)
        for prefix, keys in (
            ("a", ["a", "a%", "a%b", "a_b", "ab"]),
            ("a%", ["a%", "a%b"]),
            ("a_", ["a_b"]),
            ("🏰", ["🏰"]),
            ("\U0010ffff", []),
            ("", ["A", "a", "a%", "a%b", "a_b", "ab", "b", "🏰"]),
        ):
            path = f"user/{self.ann.id}/progress"
            found = await self.read(path, [PROGRESS], by=self.ann, query={"prefix": prefix})
            self.assertEqual(keys, [one["key"] for one in found], prefix)


class QuotaTests(SpecCase):
    """extensions: quotas, against a daemon with small ones."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PROGRESS_KEYS": "3", "PROGRESS_BYTES": "60"}
        self.use(await daemon.shared("quotas", lambda: daemon.Daemon(environ=environ)))

    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def write(self, key: str, value: dict, **more: object) -> Response:
        """PUT a value."""
        path = f"user/{self.ann.id}/progress/{key}"
        data = msgspec.json.encode({"value": value, **more})
        return await self.put(path, data=data, by=self.ann)

    def refused(self, response: Response, limit: int, used: int, unit: str) -> None:
        """Assert a 403 with both numbers, whose detail says what the limit counts."""
        problem = self.problem(response, 403, "quota_exceeded")
        self.assertEqual((limit, used), (problem["limit"], problem["used"]))
        self.assertIn(f"{limit} {unit}", problem["detail"])

    async def test_keys(self):
        """One key more than allowed is 403; writing to those that are there is not."""
        for key in "abc":
            self.assertEqual(204, (await self.write(key, {})).status)
        for more in ({}, {"version": 0}, {"writeId": guid()}):
            self.refused(await self.write("d", {}, **more), 3, 3, "keys")
        self.assertEqual(204, (await self.write("a", {"n": 1})).status)
        await self.delete(f"user/{self.ann.id}/progress/a", by=self.ann, expect=204)
        self.assertEqual(204, (await self.write("d", {})).status)

    async def test_bytes(self):
        """A write by which the values have more bytes than allowed is 403; one that does not grow
        is not."""
        self.assertEqual(204, (await self.write("a", {"s": "ü" * 20})).status)
        self.refused(await self.write("b", {"s": "xxxxx"}), 60, 48, "bytes")
        self.refused(await self.write("a", {"s": "ü" * 27}, version=1), 60, 48, "bytes")
        for value in ({"s": "ü" * 20}, {"s": "ü" * 26}, {"s": "x" * 52}, {}):
            self.assertEqual(204, (await self.write("a", value)).status)

    async def test_conflict_first(self):
        """A write that is both in conflict and too much is in conflict; a repeat is neither."""
        write = guid()
        self.assertEqual(204, (await self.write("a", {}, writeId=write)).status)
        large = {"s": "x" * 99}
        self.problem(await self.write("a", large, version=0), 409, "progress_conflict")
        self.assertEqual(204, (await self.write("a", large, writeId=write)).status)

    async def test_at_once(self):
        """Ten first writes at once store no more than allowed."""
        done = await together(*(self.write(f"k{n}", {}) for n in range(10)))
        self.assertEqual([204] * 3, [one.status for one in done if one.status != 403])
