"""The file of the option `tags`."""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

from pathlib import Path

from contentsvc.command.demo import world
from contentsvc.config.tags import MOST_GROUPS, MOST_TAGS, Group, Tag, TagsFile, read
from contentsvc.framework.config.toml_files import Files, Label
from tests.config.support import FileCase

ROOT = Path(__file__).parents[2]
ONE = '[[groups]]\nkey = "a"\nlabel = "A"\ntags = [{name = "x"}]\n'


class TagsTests(FileCase):
    name = "tags.toml"
    reader = staticmethod(read)

    def test_groups(self) -> None:
        """A file has groups with their tags; what is left out allows all."""
        found = self.read(
            """
            free = false
            [[groups]]
            key = "genre-1_x"
            label = {en = "Genre", de = "Art"}
            tags = [{name = "Co-op", label = {de = "Zusammen"}}, {name = "c"}]
            types = ["game", "level_2"]
            most = 2
            staff = true
            [[groups]]
            key = "b"
            label = "B"
            tags = [{name = "d"}]
            """
        )
        tags = Tag("Co-op", Label("Zusammen", "Zusammen")), Tag("c", Label("c", "c"))
        first = Group("genre-1_x", Label("Genre", "Art"), tags, ("game", "level_2"), 2, True)
        other = Group("b", Label("B", "B"), (Tag("d", Label("d", "d")),))
        self.assertEqual(found, TagsFile(False, (first, other)))

    def test_empty(self) -> None:
        """All may be left out."""
        self.assertEqual(self.read(""), TagsFile(True, ()))

    def test_most(self) -> None:
        """There may be 32 groups of 200 tags each, and not one more."""
        groups = [
            ONE.replace('"a"', f'"k{n}"').replace('"x"', f'"x{n}"') for n in range(MOST_GROUPS)
        ]
        self.assertEqual(len(self.read("".join(groups)).groups), MOST_GROUPS)
        self.refused("".join([*groups, ONE]), "groups must be array of length <= 32")
        tags = [f'{{name = "t{n}"}}' for n in range(MOST_TAGS)]
        whole = ONE.replace('{name = "x"}', ",".join(tags))
        self.assertEqual(len(self.read(whole).groups[0].tags), MOST_TAGS)
        reason = "groups[0].tags must be array of length <= 200"
        self.refused(whole.replace("t0", 't0"}, {name = "more'), reason)

    def test_unknown(self) -> None:
        """An unknown key is named, and what is missing."""
        self.refused("fre = true", "fre is no key of it")
        self.refused(
            ONE.replace('{name = "x"}', '{nam = "x"}'), "groups[0].tags[0].nam is no key of it"
        )
        self.refused(ONE.replace('label = "A"\n', ""), "groups[0].label is missing")

    def test_values(self) -> None:
        """A wrong value is named with its place."""
        key = "is not 1 to 32 of a-z, 0-9, _ and -"
        for old, new, reason in (
            ('"a"', '"A"', f"groups[0].key 'A' {key}"),
            ('"a"', '""', f"groups[0].key '' {key}"),
            ('"a"', f'"{"x" * 33}"', f"groups[0].key '{'x' * 33}' {key}"),
            ('[{name = "x"}]', "[]", "groups[0].tags must be array of length >= 1"),
            ('"x"', '"x,y"', "groups[0].tags[0].name 'x,y' has a comma"),
            ('"x"', '" x"', "groups[0].tags[0].name ' x' has blanks at its ends"),
            ('"x"', f'"{"x" * 65}"', "groups[0].tags[0].name must be a text of length <= 64"),
            ('"x"', '"x\\u0000"', None),
            ('"x"', '"x\\u202e"', None),
            ('"x"', '" "', None),
            ("tags =", "most = 0\ntags =", "groups[0].most must be int >= 1"),
            ("tags =", "types = []\ntags =", "groups[0].types must be array of length >= 1"),
            (
                "tags =",
                'types = ["Game"]\ntags =',
                "groups[0].types 'Game' is no type: 1 to 32 of a-z, 0-9 and _",
            ),
        ):
            said = "must be one line of text, without control and bidi characters"
            self.refused(ONE.replace(old, new, 1), reason or f"groups[0].tags[0].name {said}")

    def test_twice(self) -> None:
        """A key is that of one group, and a tag stands once, however it is spelt."""
        self.refused(ONE + ONE, "groups[1].key 'a' is that of another group")
        other = ONE.replace('"a"', '"b"').replace('"x"', '"Ｘ"')
        reason = "groups[1].tags[0].name 'Ｘ' is 'x', which is there already"
        self.refused(ONE + other, reason)

    def test_ours(self) -> None:
        """The sample, and the file of the demo, are right."""
        for path in (ROOT / "etc/tags.sample", world.TAGS):
            self.assertGreater(len(read(Files(), path).groups), 1)
