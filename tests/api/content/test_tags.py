"""Which tags content may have, and the list of all (content#tags)."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.content.tags import TagList, TagRules
from contentsvc.config.tags import Group, Tag, TagsFile
from contentsvc.framework.config.toml_files import Label
from contentsvc.framework.http.errors import Problem
from tests.support.databases import StoreCase

START = -(2**31 - 1), ""


def group(key: str, *tags: str, **more: object) -> Group:
    """A group with these tags."""
    label = Label(key, key)
    return Group(key, label, tuple(Tag(tag, Label(tag, tag)) for tag in tags))._replace(**more)


GENRE = group("genre", "Puzzle", "Race", "Quiz", most=2)
MODE = group("mode", "Co-op", types=("game",))
STUDIO = group("studio", "Pick", "Event", staff=True, most=1)
FILE = TagsFile(True, (GENRE, MODE, STUDIO))


class RulesTests(SynchronousTestCase):
    rules = TagRules(FILE)

    def problems(self, *tags: str, before: tuple[str, ...] = (), type: str = "game") -> list[str]:
        """The codes of what is wrong with these tags."""
        found: list[Problem] = [*self.rules.problems(self.rules.spelt(tags), type, before)]
        return [each.code for each in found]

    def test_none(self) -> None:
        """Without a file any tags pass as they are."""
        rules, tags = TagRules(None), ["a", "A", "a"]
        self.assertEqual(rules.spelt(tags), tags)
        self.assertEqual([*rules.problems(tags, "game")], [])
        self.assertEqual(rules.kept(tags, ["b"]), tags)

    def test_before(self) -> None:
        """What content has passes, as long as its group does not get more of it."""
        had = ("puzzle", "RACE", "quiz", "co-op", "pick")
        self.assertEqual(self.problems(*had, before=had, type="asset"), [])
        self.assertEqual(self.problems("Puzzle", "Race", "Quiz", before=had[:2]), ["too_many_tags"])
        self.assertEqual(self.problems("Pick", "Event", before=had), ["staff_tag"])
        wrong = self.problems("Co-op", "Pick", "Puzzle", "Race", "Quiz", type="asset")
        self.assertEqual(wrong, ["unknown_tags", "staff_tag", "too_many_tags"])

    def test_kept(self) -> None:
        """Tags of staff stay where they are sent, or else at the end, as the file spells them."""
        before = ["a", "PICK", "b", "event"]
        self.assertEqual(self.rules.kept(["Pick", "c"], before), ["Pick", "c", "Event"])
        self.assertEqual(self.rules.kept([], before), ["Pick", "Event"])

    def test_given(self) -> None:
        """Those that a curator gives replace the others of staff, unless they are the same."""
        before = ["a", "Pick", "b"]
        self.assertEqual(self.rules.given(["event"], before), ["a", "b", "Event"])
        self.assertEqual(self.rules.given([], before), ["a", "b"])
        self.assertIsNone(self.rules.given(["PICK"], before))
        self.assertEqual(self.rules.given(["pick"], ["pick"]), ["Pick"])

    def test_staff(self) -> None:
        """A curator gives tags of staff alone, and as many as their group allows."""
        found = self.rules.staff_problems(["Pick", "Puzzle", "x"], "game", ["x"])
        self.assertEqual([each.members for each in found], [{"tags": ["Puzzle", "x"]}])
        for before, codes in ((["Pick"], ["too_many_tags"]), (["Pick", "Event"], [])):
            found = self.rules.staff_problems(["Pick", "Event"], "game", before)
            self.assertEqual([each.code for each in found], codes)


class ListTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("truncate tags")
        self.clock = Clock()
        self.list = TagList(self.clock, self.db, TagRules(FILE))

    def count(self, **contents: int) -> None:
        """So many contents have these."""
        for tag, count in contents.items():
            self.sql("delete from tags where tag = %s", tag)
            self.sql("insert into tags values (%s, %s, %s)", tag, count, tag.upper())

    async def part(
        self, q: str = "", group: str | None = None, after: tuple[int, str] = START, most: int = 50
    ) -> list[tuple[str, int]]:
        """A part of the list."""
        rows = await self.list.part(q, group, after, most)
        return [(row.tag, row.count) for row in rows]

    async def test_merged(self) -> None:
        """Tags of groups stand among the others by their numbers, spelt as there, also where no
        content has them; parts of any length are the list."""
        self.count(puzzle=3, race=1, a=3, b=2, z=1)
        whole = [
            *(("A", 3), ("Puzzle", 3), ("B", 2), ("Race", 1), ("Z", 1)),
            *(("Co-op", 0), ("Event", 0), ("Pick", 0), ("Quiz", 0)),
        ]
        self.assertEqual(await self.part(), whole)
        for most in (1, 2, 3):
            after, found = START, []
            while part := await self.part(after=after, most=most):
                found += part
                after = -part[-1][1], part[-1][0]
            self.assertEqual(found, whole)

    async def test_narrowed(self) -> None:
        """A group has its own alone, and so has a beginning."""
        self.count(puzzle=3, pizza=2)
        self.assertEqual(await self.part(group="genre"), [("Puzzle", 3), ("Quiz", 0), ("Race", 0)])
        self.assertEqual(await self.part(" P"), [("Puzzle", 3), ("PIZZA", 2), ("Pick", 0)])
        self.assertEqual(await self.part("p", "studio"), [("Pick", 0)])
        self.assertEqual(await self.part(group="other"), [])

    async def test_fresh(self) -> None:
        """What content has of groups is read again after some seconds."""
        self.assertEqual((await self.part(group="mode")), [("Co-op", 0)])
        self.count(**{"co-op": 5})
        self.clock.advance(3)
        self.assertEqual((await self.part(group="mode")), [("Co-op", 5)])
