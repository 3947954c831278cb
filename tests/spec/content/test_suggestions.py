"""What a misspelt search is mended to (content#suggestions)."""

from tests.spec.content.letting_in import GuestsCase
from tests.spec.content.test_browse import BrowseCase
from tests.spec.data import word
from tests.spec.shapes import SUGGESTION


class SuggestionCase(BrowseCase):
    """GET /api/v1/suggestions."""

    async def mended(self, q: str) -> str | None:
        """The text that a search is mended to."""
        found = await self.read("suggestions", SUGGESTION, query={"q": q})
        return None if found["q"] is None else str(found["q"])


class SuggestionTests(SuggestionCase):
    async def test_edits(self):
        """content#suggestions: a letter more, less or other, or two neighbours swapped, of a word
        in the name or a tag; two such changes are too many."""
        name, tag = word(), word()
        await self.made(await self.someone(), name=name, tags=[tag], description="")
        for right in (name, tag):
            swapped = right[:2] + right[3] + right[2] + right[4:]
            for wrong in (right[:-1], right + "x", right[:3] + "é" + right[3:], swapped):
                if wrong != right:
                    self.assertEqual(right, await self.mended(wrong), wrong)
            self.assertIsNone(await self.mended(right))
            self.assertIsNone(await self.mended(f"zz{right}zz"))

    async def test_text(self):
        """content#suggestions: the rest of the text stays, and what is outside of the first eight
        words or short does too."""
        name = word()
        await self.made(await self.someone(), name=name, tags=[], description="")
        self.assertEqual(f"- {name}, (a b)!", await self.mended(f"  - {name}x, (a b)! "))
        seven = "a b c d e f g"
        self.assertEqual(f"{seven} {name}", await self.mended(f"{seven} {name}x"))
        self.assertIsNone(await self.mended(f"{seven} h {name}x"))

    async def test_case_and_accents(self):
        """content#suggestions: case and accents do not matter, and the word has its own."""
        stem = word()
        await self.made(await self.someone(), name=f"ÉTÉ{stem}", tags=[], description="")
        self.assertEqual(f"été{stem}", await self.mended(f"Etee{stem}"))
        for there in (f"ete{stem}", f"ÈTÊ{stem.upper()}"):
            self.assertIsNone(await self.mended(there), there)

    async def test_most_frequent(self):
        """content#suggestions: of several, the one that most contents have."""
        stem, someone = word(), await self.someone()
        for end in ("abc", "abd", "abd", "abe"):
            await self.made(someone, name=f"{stem}{end}", tags=[], description="")
        self.assertEqual(f"{stem}abd", await self.mended(f"{stem}abx"))

    async def test_descriptions(self):
        """content#suggestions: words of descriptions are neither there nor meant."""
        name, other = word(), word()
        description = f"{other} {name}x"
        await self.made(await self.someone(), name=name, tags=[], description=description)
        self.assertIsNone(await self.mended(f"{other}x"))
        self.assertEqual(name, await self.mended(f"{name}x"))

    async def test_limits(self):
        """content#suggestions: q is 1 to 256 characters after trimming, and must be there."""
        for q in ("", "   ", "x" * 257):
            self.invalid_query(await self.get("suggestions", query={"q": q}), "q")
        self.invalid_query(await self.get("suggestions"), "q")
        for q in ("x" * 256, "!!!", "ß" * 256, "'\\:*", " ".join("abcd" * 12)):
            await self.mended(q)


class HiddenTests(SuggestionCase, GuestsCase):
    async def gone(self, name: str) -> None:
        """Assert that a name is neither meant nor there."""
        self.assertIsNone(await self.mended(f"{name}x"))

    async def test_hidden(self):
        """content#suggestions: words of content that is suspended, withdrawn or not public go at
        once, and come back with it."""
        name, tag = word(), word()
        made = await self.made(await self.user(), name=name, tags=[tag], description="")
        self.assertEqual(f"{name} {tag}", await self.mended(f"{name}x {tag}x"))
        await self.moderate(made, "suspended")
        await self.gone(name)
        await self.moderate(made, "active")
        self.assertEqual(name, await self.mended(f"{name}x"))
        await self.delete(made.path, by=made.author, expect=204)
        await self.gone(name)
        await self.gone(tag)
        await self.post(f"{made.path}/restore", by=made.author, expect=204)
        self.assertEqual(name, await self.mended(f"{name}x"))
        for visibility in ("unlisted", "friends", "private"):
            await self.show(made, visibility)
            await self.gone(name)
            await self.show(made, "public")
            self.assertEqual(tag, await self.mended(f"{tag}x"))

    async def test_draft(self):
        """content#suggestions: the name of a draft is never there."""
        name = word()
        await self.made(await self.user(), name=name, tags=[name], visibility="private")
        await self.gone(name)

    async def test_other_tags(self):
        """content#suggestions: tags that a content has no more go at once."""
        tag, other = word(), word()
        made = await self.made(await self.user(), tags=[tag], description="")
        body = {"description": "", "screenshotUris": ["x.png"], "tags": [other]}
        await self.put(made.path, body, by=made.author, expect=204)
        await self.gone(tag)
        self.assertEqual(other, await self.mended(f"{other}x"))

    async def test_account(self):
        """content#suggestions: the words of who has deleted their account go with it."""
        name = word()
        made = await self.made(await self.user(), name=name, tags=[], description="")
        body = {"password": made.author.password}
        await self.delete(f"user/{made.author.id}", body=body, by=made.author, expect=204)
        await self.gone(name)
