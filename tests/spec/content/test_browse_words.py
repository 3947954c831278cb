"""Searching content by words: GET /content with q (content#words)."""

from tests.spec.content.test_browse import BrowseCase
from tests.spec.data import guid, word
from tests.spec.shapes import CONTENT_INFO


class WordTests(BrowseCase):
    """The parameter q."""

    async def test_where(self):
        """content#words: words of the name, of the tags and of the description are found."""
        someone, asked = await self.someone(), word()
        made = [
            (await self.made(someone, **change)).id
            for change in (
                {"name": f"The {asked} of old"},
                {"tags": ["castle", f"old {asked}"]},
                {"description": f"With a moat,\n{asked}!"},
            )
        ]
        await self.made(someone)
        self.assertCountEqual(made, await self.found(q=asked))

    async def test_not_elsewhere(self):
        """content#words: words of nothing else are: not of paths, notes or the author's name."""
        author, asked = await self.user(), word()
        await self.made(
            author, revisionDescription=asked, version=asked, screenshotUris=[f"{asked}.png"]
        )
        self.assertEqual([], await self.found(q=asked))
        self.assertEqual([], await self.found(q=author.username))

    async def test_all_must_match(self):
        """content#words: all words must match, in any order, wherever each stands."""
        someone, one, two, three = await self.someone(), word(), word(), word()
        both = (await self.made(someone, name=one, description=f"so {two}", tags=[three])).id
        await self.made(someone, name=one)
        self.assertEqual([both], await self.found(q=f"{one} {two}"))
        self.assertEqual([both], await self.found(q=f"{three}  {two}\t{one}"))
        self.assertEqual([], await self.found(q=f"{one} {two} {word()}"))

    async def test_prefix(self):
        """content#words: the last word also matches as a prefix, the others only whole."""
        author, one, two = await self.user(), word(), word()
        bare_words = {"description": "", "tags": []}
        made = (await self.made(author, name=f"{one} {two}", **bare_words)).id
        self.assertEqual([made], await self.found(q=one[0], author=author.id))
        self.assertEqual([made], await self.found(q=one[:9]))
        self.assertEqual([made], await self.found(q=f"{two} {one[:9]}"))
        self.assertEqual([], await self.found(q=f"{one[:9]} {two}"))
        self.assertEqual([], await self.found(q=one[1:]), "no suffix")

    async def test_no_stemming(self):
        """content#words: there is no stemming: a longer form of the word does not find it."""
        someone, stem = await self.someone(), word()
        change = {"description": "", "tags": []}
        made = (await self.made(someone, name=f"{stem}ing castles", **change)).id
        self.assertEqual([], await self.found(q=f"{stem}s"))
        self.assertEqual([], await self.found(q=f"{stem} castles"))
        self.assertEqual([], await self.found(q=f"castle {stem}ing"))
        self.assertEqual([made], await self.found(q=f"castles {stem}ing"))

    async def test_no_stop_words(self):
        """content#words: there are no stop words: "the" and "of" are words as others are."""
        someone, asked = await self.someone(), word()
        plain = (await self.made(someone, name=asked, description="", tags=[])).id
        with_the = (await self.made(someone, name=f"The {asked}", description="", tags=[])).id
        self.assertEqual([with_the], await self.found(q=f"the {asked}"))
        self.assertEqual([], await self.found(q=f"of {asked}"))
        self.assertCountEqual([plain, with_the], await self.found(q=asked))
        self.assertIn(with_the, await self.found(q="the", author=someone.id, limit=200))

    async def test_case(self):
        """content#words: case does not matter, beyond ASCII too, nor does the width of
        characters."""
        someone, asked = await self.someone(), word()
        made = (await self.made(someone, name=f"Ärger ЖЮЩ ŁÓDŹ {asked.upper()} ÉTÉ")).id
        for q in (asked, asked.upper(), f"ärger {asked}", f"ÄRGER жющ łódź été {asked.title()}"):
            self.assertEqual([made], await self.found(q=q), q)
        author = await self.user()
        name = "ÆRØ Straße İstanbul ΣΊΣΥΦΟΣ \uff21\uff22\uff23"
        made = (await self.made(author, name=name)).id
        for q in ("ærø", "STRASSE", "istanbul", "İSTANBUL", "σίσυφος", "abc", "Ærø straß"):
            self.assertEqual([made], await self.found(q=q, author=author.id), q)

    async def test_characters(self):
        """content#words: words are runs of letters and digits, in every script, with the marks on
        them; what means something to SQL or to Postgres' own search parts words as other signs."""
        author = await self.user()
        for name, description, queries in (
            (
                "snake_case o'neill 3D-Welt",
                "हिन्दी 東京 ё",
                "snake case neill 3d welt हिन्दी हि 東 Ё o'neill 3d-welt",
            ),
            (
                "a & b | !c <-> 'd' \\ e:* ~ f",
                "\\' :A",
                "a_&_b 'd' \\_e:* ~_f a:* !c a_<->_b (a",
            ),
        ):
            made = (await self.made(author, name=name, description=description, tags=[])).id
            for q in (each.replace("_", " ") for each in queries.split()):
                self.assertIn(made, await self.found(q=q, author=author.id), q)
        for q in ("!!!", "_", "%z"):
            self.assertEqual([], await self.found(q=q, author=author.id), q)

    async def test_length(self):
        """content#words: q is 1 to 256 characters after trimming."""
        for q in ("", "   ", "\t\n", "x" * 257):
            await self.refused("q", q=q)
        self.assertEqual([], await self.found(q=f"  {word()}{'x' * 242}  "))
        self.assertEqual([], await self.found(q="ß" * 256))
        await self.found(q="x")
        asked = word()
        made = (await self.made(await self.someone(), name=asked)).id
        self.assertEqual([made], await self.found(q=f"  {asked}\n"))

    async def test_odd_characters(self):
        """What means something to a query language means nothing here: no 5xx."""
        asked = word()
        made = (await self.made(await self.someone(), name=f"{asked} & co")).id
        for q in (
            "'",
            '"',
            "\\",
            ":*",
            "!",
            "&|",
            "(",
            "<->",
            "%",
            "_",
            "a:b",
            "\x01",
            "🏰",
            "--;",
        ):
            self.assertIn((await self.get("content", query={"q": q})).status, (200, 400), q)
            self.assertLessEqual(set(await self.found(q=f"{q} {asked}")), {made}, q)

    async def test_many_words(self):
        """Whatever the limits of names, tags and descriptions let through is published, updated and
        found, and any q that they let through is answered."""
        author, tags = await self.someone(), [word() for _ in range(64)]
        many = " ".join(f"{chr(0x4E00 + n // 150)}{chr(0x3041 + n % 80)}" for n in range(16_000))
        for text, *there in (
            ("x" * 65_536, "x", "x" * 64, "x" * 65, "x" * 241),
            ("🏰" * 65_536,),
            (" ".join(f"{n:x}" for n in range(13_000)), "1"),
            (f"first {many} last", "first"),
            ("㌖㌔㌳㌆ " * 13_107, "キロメートル"),
            (" ".join(f"{n:x}㌖㌖㌖㌖㌖㌖" for n in range(6_000)),),
        ):
            asked = word()
            made = await self.made(author, name=asked, tags=tags, description=text)
            for q in (f"{tags[63]} {asked}", *(f"{asked} {each}" for each in there)):
                self.assertEqual([made.id], await self.found(q=q))
            self.assertEqual([], await self.found(q=f"{asked} last"))
            body = {"description": f"{text[:-16]} {word()}", "screenshotUris": ["x.png"]}
            await self.put(made.path, body, by=author, expect=204)
            self.assertEqual([made.id], await self.found(q=asked))
        for q in ("a " * 127, " ".join(["ab"] * 85), "-" * 256):
            self.assertIn((await self.get("content", query={"q": q})).status, (200, 400))

    async def test_update(self):
        """content#words: an update's words are found from then on, and the old ones no more; those
        of the name stay, and those of tags that it does not name."""
        name, old, new, tag, last = [word() for _ in range(5)]
        made = await self.made(await self.someone(), name=name, description=old, tags=[])
        body = {"description": new, "screenshotUris": ["x.png"], "tags": [tag]}
        await self.put(made.path, body, by=made.author, expect=204)
        self.assertEqual([], await self.found(q=old))
        self.assertEqual([made.id], await self.found(q=f"{name} {new} {tag}"))
        del body["tags"]
        await self.put(made.path, body | {"description": "x"}, by=made.author, expect=204)
        self.assertEqual([made.id], await self.found(q=tag))
        await self.put(made.path, body | {"tags": [last]}, by=made.author, expect=204)
        self.assertEqual([made.id], await self.found(q=last))
        self.assertEqual([], await self.found(q=tag))
        self.assertEqual([], await self.found(tags=tag))

    async def test_hidden(self):
        """content#words: what is suspended or deleted is not found, and is again when back."""
        asked = word()
        made = await self.made(await self.user(), name=asked)
        await self.moderate(made, "suspended")
        self.assertEqual([], await self.found(q=asked, by=made.author))
        admin = await self.admin()
        self.assertEqual([], await self.found(q=asked, by=admin))
        self.assertEqual([made.id], await self.found(q=asked, status="suspended", by=admin))
        await self.moderate(made, "active")
        self.assertEqual([made.id], await self.found(q=asked))
        await self.delete(made.path, by=made.author, expect=204)
        self.assertEqual([], await self.found(q=asked, by=made.author))
        self.assertEqual([made.id], await self.found(q=asked, status="deleted", by=admin))
        await self.post(f"{made.path}/restore", by=made.author, expect=204)
        self.assertEqual([made.id], await self.found(q=asked))

    async def test_with_filters(self):
        """content#words: q and the filters together; each must hold."""
        author, asked = await self.user(), word()
        game = (await self.made(author, name=asked, type="game", tags=["a"])).id
        asset = (await self.made(author, name=asked, type="asset", tags=["b"])).id
        other = (await self.made(await self.someone(), name=asked)).id
        self.assertEqual([asset], await self.found(q=asked, category="asset"))
        self.assertEqual([game], await self.found(q=asked, tags="A", author=author.id))
        self.assertCountEqual([game, asset], await self.found(q=asked, author=author.id))
        self.assertCountEqual([game, other], await self.found(q=asked, category="game"))
        self.assertEqual([], await self.found(q=asked, featured="true"))
        self.assertEqual([], await self.found(q=asked, author=guid()))

    async def test_sorts(self):
        """content#words: matches of q come in any sort that is asked for."""
        someone, asked = await self.someone(), word()
        first, second, third = [await self.made(someone, name=asked) for _ in range(3)]
        await self.rate(someone, second, "1")
        newest = [third.id, second.id, first.id]
        self.assertEqual(newest, await self.found(q=asked, sort="newest"))
        self.assertEqual(newest, await self.found(q=asked, sort="updated"))
        for sort in ("top", "trending"):
            found = await self.found(q=asked, sort=sort)
            self.assertEqual([second.id, third.id, first.id], found, sort)
        for sort in ("relevance", "top", "trending", "newest", "updated"):
            self.assertCountEqual(newest, await self.found(q=asked, sort=sort))

    async def test_relevance(self):
        """content#words: relevance is the default with q; a name that is the word comes before
        a description that mentions it."""
        someone, asked = await self.someone(), word()
        named = (await self.made(someone, name=asked)).id
        mentioned = (await self.made(someone, description=f"{'long ' * 60}{asked}")).id
        found = await self.found(q=asked)
        self.assertEqual([named, mentioned], found)
        self.assertEqual(found, await self.found(q=asked, sort="relevance"))

    async def test_ranks(self):
        """content#words: what is named so comes first. Then the name comes before tags and
        those before the description, a word before a beginning, and more words of the name before
        fewer; among equals the newest."""
        author, asked, other = await self.user(), word(), word()
        made = []
        for name, tags, description in (
            ("x", [], f"{asked}s"),
            ("x", [], asked),
            ("x", [], f"{other} {asked}"),
            ("x", [f"{asked}s"], ""),
            ("x", [asked], ""),
            (f"{asked}s", [], ""),
            (f"my {asked}", [asked], asked),
            (f"{other} {asked}", [], ""),
            (asked, [], other),
        ):
            change = {"name": name, "tags": tags, "description": description}
            made.append((await self.made(author, **change)).id)
        for limit in (1, 3, 50):
            path = f"content?q={asked}&limit={limit}"
            pages = await self.pages(path, [CONTENT_INFO])
            self.assertEqual(made[::-1], [item["id"] for page in pages for item in page])
        expected = [made[7], made[8], made[2]]
        self.assertEqual(expected, await self.found(q=f"{asked} {other}"))

    async def test_pages(self):
        """content#words: limit gives pages of each sort, together all matches, each once."""
        someone, asked = await self.someone(), word()
        made = [(await self.made(someone, name=asked)).id for _ in range(5)]
        for sort in ("relevance", "newest", "updated", "top", "trending"):
            path = f"content?q={asked}&limit=2&sort={sort}"
            pages = await self.pages(path, [CONTENT_INFO])
            self.assertLessEqual(max(len(page) for page in pages), 2)
            self.assertCountEqual(made, [item["id"] for page in pages for item in page], sort)
