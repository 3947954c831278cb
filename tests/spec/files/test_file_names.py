"""Names of files: in a create and a revision, in lists, and where files are downloaded
(files#names)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tests.spec.data import Content, User, guid, reference
from tests.spec.files.support import File, FilesCase, blob, made_of, packed, with_query
from tests.spec.notifications.support import bare, revision

BAD = (
    *("", " ", "\u200b", ".", "..", "a/b", "/", "a\\b", "a\tb", "a\r\nb", "a\x7fb", "a\x9fb"),
    *(
        "\u061ca",
        "\u200ea",
        "a\u200f",
        "\u202agpj.exe",
        "a\u202eb",
        "\u2066a",
        "a\u2069",
        "x" * 256,
    ),
)
ODD = (
    *(
        "...",
        " a ",
        "a\"b'c;d.zip",
        "100%41%.zip",
        "&kid=x&signature=y",
        "塔\U0001f5fc.zip",
        "*?<>|:",
    ),
    *("x" * 255, "é" * 255, "\U0001f5fc" * 255, "con", "a=b#c?d"),
)


class NamesCase(FilesCase):
    """Content whose files have names."""

    async def calling(
        self, author: User, called: str | None, **changes: Any
    ) -> tuple[Content, File]:
        """Content of one file with this name."""
        (file,) = await self.uploaded(author)
        core = made_of(file) | ({} if called is None else {"name": called})
        made = await self.content(author, **bare(entity=core, **changes))
        return made, file

    async def names(self, of: Content, by: User | None = None) -> dict[str, str | None]:
        """The names of the files by their paths."""
        return {one["path"]: one["name"] for one in await self.files(of, by)}

    async def called(self, of: Content, file: File) -> tuple[str, str]:
        """Both forms of the name under which a file is downloaded."""
        value = (await self.gets(await self.link(of, file), file.data)).header(
            "Content-Disposition"
        )
        start, _, second = (value or "").partition("; filename*=UTF-8''")
        self.assertRegex(start, r'\Aattachment; filename="[ !#-\[\]-~]*"\Z')
        self.assertRegex(second, r"\A[A-Za-z0-9._~%-]+\Z")
        return start[len('attachment; filename="') : -1], unquote(second)

    async def suspend(self, content: Content) -> None:
        """As a moderator."""
        body = {"status": "suspended"}
        await self.put(f"{content.path}/status", body, by=await self.admin(), expect=204)


class NamesTests(NamesCase):
    """Names on any store."""

    async def test_all(self):
        """files#names: core, further entities and all files of a package have their names in the
        list and where they are downloaded."""
        author = await self.user()
        core, part, win, linux = blob(61), blob(62), blob(63, "package"), blob(64, "package")
        await self.upload(author, core, part, win, linux)
        made = await self.content(
            author,
            **bare(
                entity=made_of(core) | {"name": "tower.zip"},
                originating=[made_of(part) | {"name": "wall.zip"}],
                packagesOriginating=[packed(win64=win, linux64=linux) | {"name": "textures.pak"}],
            ),
        )
        expected = {core: "tower.zip", part: "wall.zip", win: "textures.pak", linux: "textures.pak"}
        self.assertEqual({file.path: n for file, n in expected.items()}, await self.names(made))
        for file, name in expected.items():
            self.assertEqual((name, name), await self.called(made, file))

    async def test_revision(self):
        """files#names: POST revisions takes names as a create does."""
        author = await self.user()
        made, _ = await self.calling(author, "first.zip")
        (file,) = await self.uploaded(author)
        body = revision(entity=made_of(file) | {"name": "second.zip"})
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)
        self.assertEqual({file.path: "second.zip"}, await self.names(made))

    async def test_none(self):
        """files#names: without a name it is null, and the download is called as the content, with
        the ending of the media type; what no name has is `_`, and what is too long is cut."""
        author = await self.user()
        for content, expected in (
            ("Castle run", "Castle run.bin"),
            ("a/b\\c\n\u202e", "a_b_c__.bin"),
            ("x" * 256, "x" * 251 + ".bin"),
            ("塔", "塔.bin"),
            ("..", "...bin"),
        ):
            made, file = await self.calling(author, None, name=content)
            self.assertEqual({file.path: None}, await self.names(made))
            plain = "".join(each if each.isascii() else "_" for each in expected)
            self.assertEqual((plain, expected), await self.called(made, file))

    async def test_odd(self):
        """files#names: a name may have quotes, percent signs, any script and 255 characters;
        no part of it becomes another header, parameter or signature."""
        author = await self.user()
        for name in ODD:
            made, file = await self.calling(author, name)
            self.assertEqual({file.path: name}, await self.names(made))
            plain = "".join("_" if each == '"' or not each.isascii() else each for each in name)
            self.assertEqual((plain, name), await self.called(made, file))

    async def test_signed(self):
        """files#names: nobody changes the name of a URL, or takes it away."""
        made, file = await self.calling(await self.user(), "tower.zip")
        url = await self.link(made, file)
        query = urlsplit(url).query
        self.assertIn("tower.zip", query)
        pairs = query.split("&")
        for other in (
            query.replace("tower.zip", "virus.exe"),
            "&".join(pair for pair in pairs if "tower.zip" not in pair),
            f"{query}&name=virus.exe",
            f"{query}&response-content-disposition={quote('inline')}",
        ):
            response = await self.fetch(with_query(url, other))
            self.assertEqual(403, response.status, repr(response))

    async def test_stable(self):
        """files#sending: the URL of a file with a name stays the same for an hour, and so does the
        ETag of the list."""
        made, _ = await self.calling(await self.user(), "tür.zip")
        first = await self.get(f"{made.path}/files", expect=200)
        again = await self.get(f"{made.path}/files", expect=200)
        if first.json()[0]["expires"] == again.json()[0]["expires"]:
            self.assertEqual(first.body, again.body)
            self.assertEqual(first.header("ETag"), again.header("ETag"))


class KeptTests(NamesCase):
    """What exists keeps its name."""

    async def test_refused(self):
        """files#names: any other name is 400, and the pointer shows it."""
        author = await self.user()
        made, _ = await self.calling(author, None)
        for name in (*BAD, 7, ["a"]):
            for member, pointer in (
                ({"entity": {**made.sent["entity"], "name": name}}, "/entity/name"),
                ({"originating": [_entity(), _entity() | {"name": name}]}, "/originating/1/name"),
                (
                    {"packagesOriginating": [_package() | {"name": name}]},
                    "/packagesOriginating/0/name",
                ),
            ):
                for response in (
                    await self.creating(author, **member),
                    await self.post(f"{made.path}/revisions", revision(**member), by=author),
                ):
                    found = self.problem(response, 400, "invalid_body")
                    self.assertEqual(pointer, found["errors"][0]["pointer"], ascii(name))

    async def test_surrogate(self):
        """files#names: half a character is none: 400."""
        sent = json.dumps(bare(entity=_entity() | {"name": "a\ud83d.zip"}))
        response = await self.put(f"content/{guid()}", data=sent.encode(), by=await self.user())
        self.problem(response, 400)

    async def test_other_name(self):
        """files#names: a part that exists keeps its name, or none, whatever a later publication
        says, which is no conflict."""
        author = await self.user()
        for name, other in (("first.zip", "second.zip"), (None, "second.zip"), ("first.zip", None)):
            made, file = await self.calling(author, name)
            again = made_of(file) | reference(made.sent["entity"])
            again |= {} if other is None else {"name": other}
            body = revision(entity=again)
            await self.post(f"{made.path}/revisions", body, by=author, expect=201)
            self.assertEqual({file.path: name}, await self.names(made))

    async def test_other_name_of_package(self):
        """files#names: so does a package."""
        author, file = await self.user(), blob(60, "package")
        await self.upload(author, file)
        bundle = packed(win64=file) | {"name": "first.pak"}
        made = await self.content(author, **bare(packagesOriginating=[bundle]))
        body = revision(packagesOriginating=[bundle | {"name": "second.pak"}])
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)
        self.assertEqual("first.pak", (await self.names(made))[file.path])

    async def test_repeated(self):
        """content#publishing: a create that is repeated with another name is a repeat, and changes
        nothing."""
        author = await self.user()
        made, file = await self.calling(author, "first.zip")
        sent = made.sent | {"entity": made.sent["entity"] | {"name": "second.zip"}}
        await self.put(made.path, sent, by=author, expect=204)
        self.assertEqual({file.path: "first.zip"}, await self.names(made))

    async def test_used(self):
        """files#names: who uses a part gets it under its name; a part without one as the content
        that uses it."""
        author, other = await self.user(), await self.user()
        for name, expected in (("part.zip", "part.zip"), (None, "Tower.bin")):
            part, file = await self.calling(author, name)
            using = [reference(part.sent["entity"])]
            built = await self.content(other, **bare(using=using, name="Tower"))
            self.assertEqual((expected, expected), await self.called(built, file))

    async def test_hidden(self):
        """files#names: the names of suspended content are shown in its own list alone, to those who
        see it."""
        author, other = await self.user(), await self.user()
        part, file = await self.calling(author, "part.zip")
        built = await self.content(other, **bare(using=[reference(part.sent["entity"])]))
        await self.suspend(part)
        self.assertEqual({file.path: None}, await self.names(built))
        for by in (author, await self.admin()):
            self.assertEqual({file.path: "part.zip"}, await self.names(part, by))

    async def test_left(self):
        """accounts#deletion: with an account the names of its files go, also for those who use
        them."""
        author, other = await self.user(), await self.user()
        part, file = await self.calling(author, "part.zip")
        built = await self.content(other, **bare(using=[reference(part.sent["entity"])]))
        body = {"password": author.password}
        await self.delete(f"user/{author.id}", body=body, by=author, expect=204)
        self.assertEqual({file.path: None}, await self.names(built))

    async def test_export(self):
        """accounts#export: the names of files are in the export of who published them, and others'
        are not."""
        author, other = await self.user(), await self.user()
        part, _ = await self.calling(author, "mine alone.zip")
        await self.content(other, **bare(using=[reference(part.sent["entity"])]))
        for user, there in ((author, True), (other, False)):
            response = await self.get(f"user/{user.id}/export", by=user, expect=200)
            self.assertEqual(there, "mine alone.zip" in json.dumps(response.json()))


def _entity() -> dict[str, str]:
    return {"entityId": guid(), "revisionId": guid(), "path": "entities/one"}


def _package() -> dict[str, str]:
    return {"id": guid(), "win64": "packages/one"}
