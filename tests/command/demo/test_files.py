"""The files of the demo world: with a daemon, in a folder and in a real S3 store."""

import json
import re
import shutil
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import treq
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.command.demo.files import SHOTS
from contentsvc.command.demo.world import WORLD, id_of
from contentsvc.framework.storage.images import fits, pixels
from tests.command.test_cli import CommandCase
from tests.support import stores
from tests.support.daemon import Daemon

TOWER = id_of("tower")


class FilesCase(TestCase):
    timeout = 180.0

    def begin(self, service: Daemon) -> None:
        """Use this daemon."""
        self.service = service
        self.addCleanup(lambda: Deferred.fromCoroutine(service.stop()))

    async def get(self, url: str, token: str | None = None) -> bytes:
        """The body of a GET, which succeeds."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = await treq.get(url, headers=headers, persistent=False)
        body = await response.content()
        self.assertEqual(response.code, 200, (url, body))
        return bytes(body)

    async def ask(self, path: str, token: str | None = None) -> Any:
        """The JSON at a path of the API."""
        return json.loads(await self.get(f"{self.service.url}/api/v1/{path}", token))

    async def log_in(self, name: str, password: str) -> dict[str, Any]:
        """A log-in with a password."""
        given = f"grant_type=password&username={name}&password={quote(password)}"
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        url = f"{self.service.url}/oauth/token"
        response = await treq.post(url, given.encode(), headers=form, persistent=False)
        self.assertEqual(response.code, 200)
        answer: dict[str, Any] = await response.json()
        return answer

    async def check(self, printed: str) -> None:
        """Everything that the demo says of its files and its users is true."""
        password = printed.strip().rpartition("Password of each: ")[2]
        users = {name: await self.log_in(name, password) for name in WORLD["people"]}
        token = users["warden"]["access_token"]
        media = (await self.ask("storage"))["mediaUrl"]
        seen = set()
        for name in WORLD["contents"]:
            detail = await self.ask(f"content/{id_of(name)}", token)
            self.assertEqual(len(detail["screenshotUris"]), SHOTS)
            for path in detail["screenshotUris"]:
                await self.picture(media, path)
                seen.add(path)
            if detail["status"] != "active":
                continue
            for file in await self.ask(f"content/{detail['id']}/files", token):
                data = await self.get(file["url"])
                self.assertEqual(sha256(data).hexdigest(), file["sha256"])
                seen.add(file["path"])
        for name, answer in users.items():
            avatar = (await self.ask(f"user/{answer['userId']}/info"))["avatar"]
            await self.picture(media, avatar)
            used = await self.ask(f"user/{answer['userId']}/storage", answer["access_token"])
            self.assertGreater(used["used"], 0, name)
            self.assertEqual(used["pending"], 0)
        for challenge in await self.ask("design-challenges"):
            for what in ("win", "participate"):
                await self.picture(media, challenge[what]["emblem"]["image"])
        self.assertGreater(len(seen), 30)
        found = json.loads(await self.service.command("files", "check", "--sums", "--json"))
        self.assertEqual(found["problems"], [])

    async def picture(self, media: str, path: str) -> None:
        """Check that there is an image."""
        data = await self.get(f"{media}/{path}")
        self.assertTrue(fits(pixels("image/png", data)))


class FolderTests(FilesCase):
    async def test_while(self) -> None:
        """While the daemon runs, the demo's files can be seen and downloaded at once, and its users
        log in with the password that it prints."""
        self.begin(Daemon())
        await self.service.start()
        printed = await self.service.command("demo")
        await self.check(printed)
        (shown,) = re.findall(r"^  http\S+/files/media/(\S+)$", printed, re.M)
        await self.get(f"{self.service.url}/files/media/{shown}")
        again = await self.service.command("demo")
        self.assertIn("exists already", again)
        self.assertNotIn("Password", again)

    async def test_before(self) -> None:
        """Before the first start of the daemon, too."""
        self.begin(Daemon())
        printed = await self.service.command("demo")
        await self.service.start()
        await self.check(printed)


class StoreTests(FilesCase):
    async def test_store(self) -> None:
        """Where files lie in a store, those of the demo do."""
        store = stores.new()
        self.begin(Daemon(environ=store.environ))
        await self.service.start()
        await self.check(await self.service.command("demo"))


class BrokenTests(FilesCase):
    async def test_name_taken(self) -> None:
        """Where the demo cannot be made, no file is."""
        service = Daemon()
        await service.add_user("juno", "open sesame")
        with self.assertRaisesRegex(AssertionError, "juno exists already"):
            await service.command("demo")
        self.assertFalse((service.data_dir / "files").exists())

    async def test_left_over(self) -> None:
        """Bytes that a demo has left which ended too early are no trouble, even wrong ones."""
        before = Daemon()
        await before.command("demo")
        self.begin(Daemon())
        await self.service.start()
        folder = self.service.data_dir / "files"
        for bucket in ("content", "media"):
            left = before.data_dir / "files" / bucket
            shutil.copytree(left, folder / bucket, dirs_exist_ok=True)
        for number, file in enumerate(sorted(folder.glob("*/*/*"))):
            if number % 2:
                file.write_bytes(b"wrong")
        await self.check(await self.service.command("demo"))


class ExternalTests(CommandCase):
    def test_names(self) -> None:
        """Where the service has no files, their paths are names, and the demo says so."""
        printed = self.good("demo")
        self.assertIn("no files here", printed)
        self.assertNotIn("/files", printed)
        paths = self.sql(f"select screenshots from contents where id = '{TOWER}'")
        self.assertEqual(paths[0][0][0], "screenshots/tower-1.png")
        self.assertEqual(self.sql("select count(*) from files"), [(0,)])
