"""User search: accounts#search and conventions#limits."""

import random
import string

from tests.spec.harness import SpecCase
from tests.spec.shapes import USER_PAGE


def word(length: int = 12) -> str:
    """Random letters, so that no two tests find each other's users."""
    return "".join(random.choices(string.ascii_lowercase, k=length))


class SearchTests(SpecCase):
    """GET /api/v1/user/search."""

    async def search(self, q: str, **query):
        """The answer to a search."""
        return await self.read("user/search", USER_PAGE, query={"q": q, **query})

    async def found(self, q: str) -> list[str]:
        """The usernames found, in order."""
        return [user["username"] for user in (await self.search(q))["items"]]

    async def test_answer(self):
        """accounts#search: 200 with items (UserInfo), page, pageSize and total."""
        user = await self.user(word())
        found = await self.search(user.username)
        item = {"id": user.id, "username": user.username, "avatar": None, "emblem": None}
        self.assertEqual({"items": [item], "page": 0, "pageSize": 48, "total": 1}, found)

    async def test_nobody(self):
        """accounts#search: a search that finds nobody is an empty page."""
        found = await self.search(word(20))
        self.assertEqual({"items": [], "page": 0, "pageSize": 48, "total": 0}, found)

    async def test_order(self):
        """accounts#search: the exact name comes first, then names that begin with
        q, then similar ones."""
        exact = word()
        other = "0" if exact[-1] != "0" else "1"
        names = [exact[:-1] + other, exact + "xy", exact]
        for username in names:
            await self.user(username)
        self.assertEqual(names[::-1], await self.found(exact))

    async def test_any_case(self):
        """accounts#search: the case of the letters does not matter."""
        username = word()
        await self.user(username)
        self.assertEqual([username], await self.found(username.upper()))

    async def test_spelling(self):
        """accounts#search: accents, width and forms of Unicode do not matter."""
        stem = word(9)
        user = await self.user(f"lo{stem}e")
        wide = "".join(chr(ord(letter) + 0xFEE0) for letter in user.username)
        for q in (f"łó{stem}é", f"LÖ{stem}E\u0301", wide):
            found = (await self.search(q))["items"]
            self.assertEqual([user.username], [each["username"] for each in found], q)

    async def test_similarity_threshold(self):
        """accounts#search: names that share under 0.3 of their trigrams are not
        found."""
        half = word(6)
        await self.user(half + word(20))
        self.assertEqual([], await self.found("zz" + half[2:5] + word(12)))

    async def test_q_required(self):
        """accounts#search: q is required."""
        self.invalid_query(await self.get("user/search"), "q")

    async def test_q_length(self):
        """conventions#limits: q has at least 3 characters, counted after trimming."""
        for short in ("", "ab", "  ab  ", "   ", "éà"):
            self.invalid_query(await self.get("user/search", query={"q": short}), "q")
        for enough in ("abc", "éàü", "日本語", "🏰🏰🏰"):
            await self.search(enough)

    async def test_too_long(self):
        """conventions#limits: q has at most 64 characters, counted after trimming."""
        await self.search(" " + "q" * 64 + " ")
        for long in ("q" * 65, "a b" * 85, "日" * 65):
            self.invalid_query(await self.get("user/search", query={"q": long}), "q")

    async def test_longer_than_names(self):
        """accounts#search: nothing is similar to what is longer than any name."""
        username = word(32)
        await self.user(username)
        self.assertEqual([username], await self.found(username[:31]))
        found = await self.search(username + "q", page="2", pageSize="10")
        self.assertEqual({"items": [], "page": 2, "pageSize": 10, "total": 0}, found)

    async def test_trimmed(self):
        """accounts#search: space around q does not count."""
        username = word()
        await self.user(username)
        self.assertEqual([username], await self.found(f"  {username} "))

    async def test_wildcards_are_letters(self):
        """The signs of SQL patterns mean themselves."""
        await self.user(word())
        for pattern in ("%%%", "___%", "\\\\\\", "'''"):
            self.assertEqual([], await self.found(pattern))

    async def test_page_size(self):
        """conventions#limits: pageSize is 10 to 200 inclusive, by default 48."""
        for size in ("9", "201", "0", "-1", "ten", "10.5"):
            response = await self.get("user/search", query={"q": "abc", "pageSize": size})
            self.invalid_query(response, "pageSize")
        for size in ("10", "200"):
            self.assertEqual(int(size), (await self.search("abc", pageSize=size))["pageSize"])

    async def test_page(self):
        """conventions#limits: page is 0 to 2^31-1."""
        for page in ("-1", "2147483648", "1" + "0" * 30, "x"):
            response = await self.get("user/search", query={"q": "abc", "page": page})
            self.invalid_query(response, "page")
        found = await self.search("abc", page="2147483647")
        self.assertEqual(([], 2147483647), (found["items"], found["page"]))

    async def test_pages(self):
        """accounts#search: the pages together hold every match once, and total says how many."""
        stem = word(10)
        names = [f"{stem}{n:02}" for n in range(12)]
        for username in names:
            await self.user(username)
        first, second = [await self.search(stem, pageSize="10", page=str(n)) for n in (0, 1)]
        self.assertEqual([10, 2], [len(page["items"]) for page in (first, second)])
        self.assertEqual({12}, {first["total"], second["total"]})
        found = [user["username"] for page in (first, second) for user in page["items"]]
        self.assertCountEqual(names, found)

    async def test_public_profile(self):
        """accounts#userinfo: a found user's profile is present only if public."""
        user = await self.user(word())
        sent = {"avatar": None, "emblem": None, "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{user.id}", sent | {"fullProfile": {}}, by=user, expect=204)
        (found,) = (await self.search(user.username))["items"]
        self.assertEqual("hi", found["profile"])

    async def test_no_email(self):
        """accounts#full-record: the public representation holds no e-mail address, nor is it
        searched."""
        username = word()
        await self.user(username)
        self.assertEqual([], await self.found("example.com"))
