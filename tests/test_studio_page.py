"""The programs of docs/interface/studio.md work as they stand there."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.spec.events.test_webhooks import OwnCase
from tests.support.daemon import until

PAGE = (Path(__file__).parent.parent / "docs/interface/studio.md").read_text()
MOST = 40
"""Lines of a program."""


class ProgramTests(OwnCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.folder = Path(self.enterContext(TemporaryDirectory()))

    def start(self, name: str, *words: str) -> Path:
        """Run a program of the page, which its first line names, until the test ends. Gives the
        file of what it prints."""
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
        (code,) = [block for block in blocks if f": {name}" in block.partition("\n")[0]]
        self.assertLessEqual(len(code.splitlines()), MOST)
        program, said = self.folder / name, self.folder / f"{name}.out"
        program.write_text(code)
        with said.open("a") as out:
            words = sys.executable, str(program), *words
            running = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)

        def end() -> None:
            running.send_signal(signal.SIGKILL)
            running.wait()

        self.addCleanup(end)
        return said

    async def printed(self, said: Path, *subjects: str) -> list[int]:
        """The numbers of all events that were printed, once these subjects were, in order."""

        def lines() -> list[list[str]]:
            return [line.split() for line in said.read_text().splitlines()]

        def there() -> bool:
            return [each[2] for each in lines() if each[2] in subjects] == [*subjects]

        await until(there, 30, f"{said.name} prints {subjects}")
        return [int(number) for number, *_ in lines()]

    async def test_events(self):
        """The one that reads events prints all, in order, and goes on where it was stopped."""
        token, file = (await self.admin()).token, str(self.folder / "place")
        first = await self.user()
        said = self.start("events.py", self.url, token, file)
        await self.printed(said, first.id)
        await until(Path(file).exists, 10, "it has noted its place")
        second = await self.user()
        await self.printed(said, first.id, second.id)

    async def test_hook(self):
        """The one that takes a webhook prints each event once, and nothing that is not signed."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        path = await self.hook(f"http://127.0.0.1:{port}/", enabled=False)
        file = str(self.folder / "place")
        said = self.start("hook.py", str(port), await self.secret(path), file)

        async def tested() -> int | None:
            test = await self.post(f"{path}/test", by=await self.admin(), expect=200)
            return test.json()["status"]

        while await tested() is None:
            pass
        self.assertEqual(await tested(), 204)
        url = f"http://127.0.0.1:{port}/"
        forged = {"webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,x"}
        response = await self._http.request("POST", url, body={"events": []}, headers=forged)
        self.assertEqual(response.status, 403)
        body = {"url": url, "kinds": ["UserRegistered"], "enabled": True}
        await self.put(path, body, by=await self.admin(), expect=204)
        users = [await self.user() for _ in range(3)]
        numbers = await self.printed(said, *(user.id for user in users))
        self.assertEqual(numbers, sorted(set(numbers)))
