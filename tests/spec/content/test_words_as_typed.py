"""Words of GET /content as people type them (content#words)."""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

from unicodedata import normalize

from tests.spec.content.test_browse import BrowseCase
from tests.spec.data import word

Names = dict[str, str]


class TypedCase(BrowseCase):
    async def check(self, names: Names, **change: object) -> None:
        """Each name is found by each of these searches, which are parted by strokes; and the other
        names are not."""
        author = await self.user()
        made = {
            name: (await self.made(author, name=name, description="", tags=[], **change)).id
            for name in names
        }
        for name, queries in names.items():
            for q in (name, *queries.split(" | ")):
                self.assertEqual([made[name]], await self.found(q=q, author=author.id), q)


class AccentTests(TypedCase):
    async def test_latin(self):
        """Letters are found without their accents, and with others, in any language; the letters
        that Unicode does not take apart too."""
        await self.check(
            {
                "Pokémon": "pokemon | POKEMON | pokèmon | pokem",
                "Café Noir": "cafe noir | cafe | noir cafe",
                "Türme": "turme | tuerme",
                "Łódź": "lodz | łodz | LODZ",
                "Smørrebrød": "smorrebrod | smoerrebroed",
                "Kılıç Işığı": "kilic isigi | kılıc",
                "Đường Phố": "duong pho | đường pho",
                "Straße": "strasse | STRASSE",
                "Þórsmörk": "thorsmork",
                "Hawaiʻi": "hawaii",
                "Ærø": "aero",
            }
        )

    async def test_typed_with(self):
        """Who types accents finds what is written without."""
        await self.check({"Pokemon Hunt": "pokémon", "Tuerme": "türme", "Lodz": "łódź"})

    async def test_others(self):
        """So are Greek and Cyrillic letters, Arabic and Hebrew ones without points, and Arabic
        words without the article."""
        await self.check(
            {
                "Σίσυφος": "σισυφος | ΣΙΣΥΦΟΣ",
                "Ёлка": "елка",
                "القَلْعَةُ": "قلعة | القلعة | قلعه",
                "أحمد": "احمد",
                "מִגְדָּל": "מגדל",
            }
        )

    async def test_forms_of_unicode(self):
        """Letters and marks may come apart, and wide, on both sides."""
        await self.check({normalize("NFD", "Élan"): "elan | élan", "Ｔｏｗｅｒ": "tower | ＴＯＷ"})
        author, name = await self.user(), "Ünder"
        made = (await self.made(author, name=name)).id
        self.assertEqual([made], await self.found(q=normalize("NFD", name), author=author.id))


class JoinedTests(TypedCase):
    async def test_signs(self):
        """Words with a sign between them are one word too, and two in the search."""
        await self.check(
            {
                "Devil's Tower": "devils tower | devil’s tower | devil tower | devils",
                "Spider-Man": "spiderman | spider man | spider-man | spiderm",
                "S.T.A.L.K.E.R.": "stalker | s.t.a.l.k.e.r",
                "Don’t Starve": "dont starve | don't starve",
            }
        )

    async def test_blanks(self):
        """Neighbours in a name are one word too, and neighbours in a search."""
        await self.check(
            {
                "Epic Loot": "epicloot | epic-loot",
                "Skyfall": "sky fall | sky-fall",
                "Tower of Babel": "towerof babel | towerofbabel",
            }
        )

    async def test_parts(self):
        """A word has the parts that capitals and digits make, on both sides."""
        await self.check(
            {
                "TowerDefense2": "tower defense | defense | tower defense 2",
                "HTTPServer": "http server",
                "ЗамокДракона": "замок дракона",
                "Quest 3": "Quest3",
            }
        )


class UnspacedTests(TypedCase):
    async def test_scripts(self):
        """Words of scripts without blanks are found anywhere."""
        await self.check(
            {
                "我的世界地図": "世界 | 地図 | 世界地図 | 図",
                "ドラゴンクエスト": "クエスト | ゴン",
                "세계지도를 그리다": "지도 | 세계 | 지도 그리다",
                "กำแพงเมืองจีน": "เมือง | กำแพง | จีน",
                "Minecraft城堡": "城堡 | minecraft | minecraft 城堡",
            }
        )

    async def test_not(self):
        """What has not all of the pairs is not found."""
        author = await self.user()
        await self.made(author, name="我的世界地図", description="", tags=[])
        for q in ("世地", "界世", "世界図", "地図世界"):
            self.assertEqual([], await self.found(q=q, author=author.id), q)


class PlaceTests(TypedCase):
    async def test_tags_and_descriptions(self):
        """Looser forms are found in tags and descriptions too."""
        author = await self.user()
        tagged = (await self.made(author, name="x", description="", tags=["Pokémon", "co-op"])).id
        told = (
            await self.made(author, name="y", description="Le café, l'été.\n城堡城", tags=[])
        ).id
        for q in ("pokemon", "coop"):
            self.assertEqual([tagged], await self.found(q=q, author=author.id), q)
        for q in ("cafe", "lete", "cafe ete", "堡城"):
            self.assertEqual([told], await self.found(q=q, author=author.id), q)

    async def test_weaker(self):
        """A looser form in the name comes after the word itself, and before the description."""
        author, stem = await self.user(), word()
        exact = (await self.made(author, name=f"my {stem}e")).id
        loose = (await self.made(author, name=f"my {stem}é")).id
        told = (await self.made(author, name="x", description=f"{stem}e")).id
        self.assertEqual([exact, loose, told], await self.found(q=f"{stem}e"))
        self.assertEqual([exact, loose], await self.found(q=f"my {stem}e"))

    async def test_updated(self):
        """An update takes the looser forms of the old text away."""
        made = await self.made(await self.user(), name="x", description="ein Zürcher Türmchen")
        by = {"author": made.author.id}
        self.assertEqual([made.id], await self.found(q="turmchen", **by))
        body = {"description": "ein Häuschen", "screenshotUris": ["x.png"]}
        await self.put(made.path, body, by=made.author, expect=204)
        self.assertEqual([], await self.found(q="turmchen", **by))
        self.assertEqual([made.id], await self.found(q="hauschen", **by))


class ExactNameTests(BrowseCase):
    async def test_first(self):
        """What is named as the search says comes first, before newer names that have it in them;
        then what is named so but for spelling."""
        author, asked = await self.user(), word()
        exact = (await self.made(author, name=asked.title())).id
        loose = (await self.made(author, name=f"{asked[:5]}-{asked[5:]}")).id
        newer = [
            (await self.made(author, name=name, tags=[asked], description=asked)).id
            for name in (f"{asked} {asked} of {asked}", f"The {asked}")
        ]
        self.assertEqual([exact, loose, *newer[::-1]], await self.found(q=asked))
        self.assertEqual([exact, loose], (await self.found(q=f"  {asked.upper()}! "))[:2])

    async def test_several_words(self):
        """So does a name of several words."""
        author, one, two = await self.user(), word(), word()
        exact = (await self.made(author, name=f"{one} {two}")).id
        newer = (await self.made(author, name=f"{one} {two} {one}", tags=[one, two])).id
        other = (await self.made(author, name=f"{two} {one}")).id
        self.assertEqual([exact, other, newer], await self.found(q=f"{one} {two}"))
