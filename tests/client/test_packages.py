"""The types of packages, which have any platforms."""

from msgspec import ValidationError, json
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.wire.content import ContentCreate, RevisionDetail, content_create, detail_type
from contentsvc.wire.packages import (
    PLATFORMS,
    Package,
    PackageDefinition,
    define,
    definition_type,
    is_platform,
    packages,
    paths_of,
)

ID = "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"
ODD = ("3ds", "_3ds", "__3ds", "class", "__class__", "__init__", "platforms", "xbox_one", "P_3ds")
"""Names that are none of Python's attributes, or others'."""


class DefinitionTests(SynchronousTestCase):
    def test_odd(self) -> None:
        """Each name is a member of its own, and is read and written as it is."""
        paths = {name: f"at/{name}" for name in ODD if is_platform(name)}
        self.assertEqual(len(paths), len(ODD) - 1)
        sent = json.encode(define(ID, paths, "a.zip"))
        self.assertEqual(json.decode(sent), {"id": ID, "name": "a.zip", **paths})
        read = json.decode(sent, type=definition_type(tuple(paths)))
        self.assertEqual((paths_of(read), read.name), (paths, "a.zip"))

    def test_others(self) -> None:
        """What is no platform is left out, whatever it has; a path must be one."""
        kind = definition_type(("ps5",))
        read = json.decode(b'{"id": "%s", "win64": 5, "ps5": "a"}' % ID.encode(), type=kind)
        self.assertEqual(paths_of(read), {"ps5": "a"})
        with self.assertRaises(ValidationError):
            json.decode(b'{"id": "%s", "ps5": "../a"}' % ID.encode(), type=kind)

    def test_specified(self) -> None:
        """Those of the specification have the types of before."""
        self.assertIs(definition_type(PLATFORMS), PackageDefinition)
        self.assertIs(content_create(PLATFORMS), ContentCreate)
        self.assertIs(type(define(ID, {"osx64": "a"})), PackageDefinition)
        self.assertIs(type(packages([(ID, {"win64": "a"})])[0]), Package)

    def test_names(self) -> None:
        """Members of a package that are something else are no platforms."""
        for name in ("id", "name", "", "PS5", "a-b", "x" * 33, "a/b", "ps5\n"):
            self.assertFalse(is_platform(name), name)


class DetailTests(SynchronousTestCase):
    def read(self, *given: object) -> RevisionDetail:
        """A detail with these packages, as the client reads it."""
        sent = json.encode(
            {
                **{"id": ID, "version": "1", "description": "", "created": 0},
                "entity": {"entityId": ID, "revisionId": ID, "path": "a"},
                **{"originating": [], "using": [], "packages": given, "requires": None},
            }
        )
        return json.decode(sent, type=detail_type(RevisionDetail, sent))

    def test_any(self) -> None:
        """Packages have the paths of all platforms that the answer names."""
        read = self.read({"id": ID, "ps5": "a"}, {"id": ID, "win64": "b", "3ds": "c"})
        self.assertIsInstance(read, RevisionDetail)
        found = [paths_of(package) for package in read.packages]
        self.assertEqual(found, [{"ps5": "a"}, {"win64": "b", "3ds": "c"}])

    def test_later(self) -> None:
        """What a later release adds, and what is no name, is left out."""
        read = self.read({"id": ID, "ps5": "a", "size": 5, "../up": "b", "files": ["c"]})
        self.assertEqual(paths_of(read.packages[0]), {"ps5": "a"})

    def test_specified(self) -> None:
        """With those of the specification it is of the type of before."""
        self.assertIs(type(self.read({"id": ID, "win64": "a"})), RevisionDetail)

    def test_none(self) -> None:
        """What is no detail is read as one, and refused as ever."""
        for text in (b"", b"[]", b'{"packages": 5}', b"[" * 5_000):
            self.assertIs(detail_type(RevisionDetail, text), RevisionDetail)
