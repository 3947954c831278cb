"""The file of the option `brand`."""

import json
import os

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.config.brand import MOST_PICTURE_BYTES, Brand, Link, read
from contentsvc.framework.config.toml_files import FileError, Files, Label
from tests.config.support import FileCase
from tests.support.daemon import ROOT

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
PNG = b"\x89PNG\r\n\x1a\n and more"
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 "


class BrandCase(FileCase):
    name = "brand.toml"
    reader = staticmethod(read)


class SampleTests(SynchronousTestCase):
    def test_samples(self) -> None:
        """The samples are good, and have all pictures."""
        for name in ("brand", "night"):
            found = read(Files(), ROOT / f"etc/brand.sample/{name}.toml")
            self.assertEqual(set(found.pictures), {"logo", "logo_dark", "icon", "share"})
            self.assertEqual(found.pictures["share"].ending, "png")
            self.assertTrue(found.links and found.types and found.colours["dark"])


class TextTests(BrandCase):
    def test_texts(self) -> None:
        """A brand has a name, a tagline, links and labels."""
        found = self.read(
            """
            name = "Skyforge"
            tagline = "Islands that players build"
            [[links]]
            label = {en = "Imprint", de = "Impressum"}
            url = "https://studio.example/imprint?x=1#y"
            [[links]]
            label = "Rules"
            url = "/content/12345678-9abc-def0-1234-56789abcdef0"
            [labels.types]
            game = "Island"
            [labels.platforms]
            switch = {de = "Konsole"}
            """
        )
        self.assertEqual((found.name, found.tagline), ("Skyforge", "Islands that players build"))
        self.assertEqual(
            found.links,
            (
                Link(Label("Imprint", "Impressum"), "https://studio.example/imprint?x=1#y"),
                Link(Label("Rules", "Rules"), "/content/12345678-9abc-def0-1234-56789abcdef0"),
            ),
        )
        self.assertEqual(found.types, {"game": Label("Island", "Island")})
        self.assertEqual(found.platforms, {"switch": Label("Konsole", "Konsole")})

    def test_empty(self) -> None:
        """All may be left out; the portal is called by the word for it then."""
        self.assertEqual(
            self.read('tagline = ""'), Brand("Portal", colours={"light": {}, "dark": {}})
        )

    def test_lengths(self) -> None:
        """A name has up to 64 characters, a tagline up to 200."""
        found = self.read(f'name = "{"n" * 64}"\ntagline = "{"t" * 200}"')
        self.assertEqual((len(found.name), len(found.tagline)), (64, 200))
        self.refused(f'name = "{"n" * 65}"', "name must be a text of length <= 64")
        self.refused("name = 5", "name must be text, got int")
        self.refused('name = ""', "name must be a text of length >= 1")
        self.refused(f'tagline = "{"n" * 201}"', "tagline must be a text of length <= 200")

    def test_bidi(self) -> None:
        """No text turns the direction of what is around it."""
        line = "must be one line of text, without control and bidi characters"
        self.refused('name = "a\\u202eb"', f"name {line}")
        self.refused('tagline = "a\\u2067b"', f"tagline {line}")
        self.refused('[labels.types]\ngame = "a\\u200fb"', f"labels.types.game {line}")
        self.refused('[[links]]\nlabel = "\\n"\nurl = "/"', f"links[0].label {line}")

    def test_names(self) -> None:
        """What no type or platform can be named has no label."""
        reason = "is no name: 1 to 32 of a-z, 0-9 and _"
        self.refused('[labels.types]\n"Big game" = "x"', f"labels.types.Big game {reason}")
        self.refused("[labels.platforms]\nPS5 = 'x'", f"labels.platforms.PS5 {reason}")

    def test_unknown(self) -> None:
        """An unknown key is named."""
        self.refused("color = 1", "color is no key of it")
        self.refused('[colours.link]\nlight = "#000000"', "colours.link is no key of it")
        self.refused('[labels.tags]\nx = "x"', "labels.tags is no key of it")
        self.refused('[[links]]\nlabel = "x"\nhref = "/"', "links[0].href is no key of it")


class LinkTests(BrandCase):
    def test_nowhere(self) -> None:
        """A link leads to https or to a path, and nowhere else however a browser reads it."""
        for url in (
            *("http://studio.example/", "javascript:alert(1)", "data:text/html,x", "mailto:a@b"),
            *("//evil.example", "/\\evil.example", "\\\\evil.example", "rules", "", "https://"),
            *("/\t/evil.example", "https://a b/", "https://user@studio.example/", "https:/x"),
            *("https://studio.example:0/", "https://[::1", "/rüles", "HTTPS:evil"),
        ):
            with self.assertRaises(FileError) as raised:
                self.read(f'[[links]]\nlabel = "x"\nurl = {json.dumps(url)}')
            self.assertIn(": links[0].url ", str(raised.exception), url)

    def test_many(self) -> None:
        """There are eight links at most."""
        link = '[[links]]\nlabel = "x"\nurl = "/"\n'
        self.assertEqual(len(self.read(link * 8).links), 8)
        self.refused(link * 9, "links must be array of length <= 8")


class ColourTests(BrandCase):
    def test_colours(self) -> None:
        """Colours are by theme; what is not given stays the portal's own."""
        found = self.read('[colours]\naccent = {light = "#8A2B00", dark = "#ffcc66"}\n')
        self.assertEqual(
            found.colours, {"light": {"accent": "#8a2b00"}, "dark": {"accent": "#ffcc66"}}
        )
        found = self.read('[colours]\nline = {dark = "#000000"}')
        self.assertEqual(found.colours, {"light": {}, "dark": {"line": "#000000"}})

    def test_form(self) -> None:
        """What is no #rrggbb is refused."""
        for colour in (
            "#fff",
            "red",
            "#12345g",
            "#1234567",
            "rgb(1 2 3)",
            "#123456;}",
            "#12345\\n",
        ):
            self.refused(
                f'[colours]\naccent = {{light = "{colour}"}}',
                "colours.accent.light must be a colour like #4338ca",
            )

    def test_contrast(self) -> None:
        """A colour that cannot be read is refused, with the other one and one that would do."""
        self.refused(
            '[colours]\naccent = {light = "#FFCC00"}',
            "colours.accent.light #ffcc00 has a contrast of 1.38 with back #f6f5f2, and needs 4.5: "
            "accent #826800 would do",
        )


class PictureTests(BrandCase):
    def put(self, name: str, data: bytes) -> None:
        """Write a file beside that of the brand."""
        (self.folder / name).write_bytes(data)

    def test_kinds(self) -> None:
        """SVG, PNG and WebP are known by their first bytes, whatever the file is named."""
        for data, ending, media in (
            (SVG, "svg", "image/svg+xml"),
            (b"\xef\xbb\xbf\n <svg>", "svg", "image/svg+xml"),
            (b"<?xml version='1.0'?><svg/>", "svg", "image/svg+xml"),
            (b"<!-- made by us --><svg/>", "svg", "image/svg+xml"),
            (PNG, "png", "image/png"),
            (WEBP, "webp", "image/webp"),
        ):
            self.put("logo.bin", data)
            found = self.read('logo = "logo.bin"').pictures
            self.assertEqual(found, {"logo": (ending, media, data)})

    def test_others(self) -> None:
        """Other files are refused."""
        for data in (
            b"",
            b"GIF89a",
            b"\xff\xd8\xff\xe0",
            b"<html>",
            b"x<svg>",
            b"<svgs/>",
            b"RIFF",
        ):
            self.put("icon.svg", data)
            self.refused(
                'icon = "icon.svg"', "icon icon.svg must be an SVG, a PNG or a WebP picture"
            )

    def test_share(self) -> None:
        """What links show is no SVG."""
        self.put("share", WEBP)
        self.assertEqual(self.read('share = "share"').pictures["share"].media, "image/webp")
        self.put("share", SVG)
        self.refused('share = "share"', "share share must be a PNG or a WebP picture")

    def test_size(self) -> None:
        """A picture has 256 KiB at most."""
        self.put("logo.svg", SVG.ljust(MOST_PICTURE_BYTES))
        self.assertEqual(len(self.read('logo = "logo.svg"').pictures["logo"].data), 262_144)
        self.put("logo.svg", SVG.ljust(MOST_PICTURE_BYTES + 1))
        self.refused('logo = "logo.svg"', "logo logo.svg is larger than 256 KiB")

    def test_missing(self) -> None:
        """A picture that is missing, or no file, is refused."""
        self.refused('logo = "logo.svg"', "logo logo.svg: No such file or directory")
        os.mkfifo(self.folder / "pipe")
        self.refused('logo_dark = "pipe"', "logo_dark pipe is not a regular file")

    def test_names(self) -> None:
        """A picture is named, and lies in the folder of the file."""
        (self.folder / "inner").mkdir()
        self.put("inner/logo.svg", SVG)
        for name in ("", ".", "..", "../x.svg", "inner/logo.svg", "/etc/passwd", "a\\b", "a\0b"):
            with self.assertRaises(FileError) as raised:
                self.read(f"logo = {json.dumps(name)}")
            self.assertIn("must be the name of a file in the same folder", str(raised.exception))

    def test_links(self) -> None:
        """A link leads to another file of the folder, and not out of it."""
        outside = self.folder.with_name(f"{self.folder.name}.svg")
        outside.write_bytes(SVG)
        self.addCleanup(outside.unlink)
        (self.folder / "..data").mkdir()
        self.put("..data/logo.svg", SVG)
        (self.folder / "logo.svg").symlink_to("..data/logo.svg")
        self.assertEqual(self.read('logo = "logo.svg"').pictures["logo"].data, SVG)
        (self.folder / "out.svg").symlink_to(outside)
        self.refused('logo = "out.svg"', "logo out.svg is a link out of the folder")
        (self.folder / "loop.svg").symlink_to("loop.svg")
        self.refused('logo = "loop.svg"', "logo loop.svg is a link to itself")

    def test_handed(self) -> None:
        """Another process has the pictures as they were read."""
        self.put("logo.svg", SVG)
        self.path.write_text('logo = "logo.svg"')
        files = Files()
        first = read(files, self.path)
        (self.folder / "logo.svg").unlink()
        self.path.write_text("nonsense")
        self.assertEqual(read(Files(files.packed()), self.path), first)
