"""Files, with two daemons on one database and one folder: files#sending."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SkipTest

from tests.spec.files.support import FilesCase, blob, picture
from tests.support import daemon
from tests.support.daemon import Daemon


class TwoDaemonsFilesTests(FilesCase):
    """The shared daemon, and another beside it."""

    async def connect(self) -> None:
        self.own_daemon()
        self.first = await daemon.shared()
        folder = self.first.socket_folder()
        if folder is None:
            raise SkipTest("needs the shared daemon's embedded Postgres")
        first = self.first
        self.second = await daemon.shared(
            "files",
            lambda: Daemon(
                *("--files", "local", "--data-dir", str(first.data_dir)),
                database=f"host={folder} user=postgres dbname=contentsvc",
                secret_file=first.secret_file,
            ),
        )
        self.use(self.first)

    def elsewhere(self, url: str) -> str:
        """The same URL at the second daemon."""
        self.assertTrue(url.startswith(self.first.url), url)
        return self.second.url + url.removeprefix(self.first.url)

    async def test_any_daemon(self):
        """files#sending: all daemons share the folder: what one gave a URL for another takes, has
        and serves."""
        author, file, shot = await self.user(), blob(), picture()
        uploads: list[Any] = await self.announce(author, file, shot)
        await self.send(uploads[0] | {"url": self.elsewhere(uploads[0]["url"])}, file.data)
        await self.send(uploads[1], shot.data)
        for service in (self.second, self.first):
            self.use(service)
            await self.there(author, file, shot)
        made = await self.content(author, **self.in_use(file))
        url = await self.link(made, file)
        tags = [
            (await self.gets(one, file.data)).header("ETag") for one in (url, self.elsewhere(url))
        ]
        self.assertEqual(tags[0], tags[1])
        self.use(self.second)
        await self.gets(await self.media(shot), shot.data)

    async def test_block(self):
        """files#sending: a block at one is known to the other, for what arrives and what is
        read."""
        author, file, arriving = await self.user(), blob(), blob(200_000)
        made = await self.holding(author, file)
        url = self.elsewhere(await self.link(made, file))
        upload = await self.place(author, arriving)
        there = upload | {"url": self.elsewhere(upload["url"])}
        wire = await self.begun(there, arriving.data[:100_000], 200_000)
        for one in (file, arriving):
            await self.block(one)
        wire.send(arriving.data[100_000:])
        self.problem(await wire.answer(), 403, "file_blocked")
        await self.gone(url)
