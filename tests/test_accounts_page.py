"""docs/guides/accounts.md does what it says."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

from tests.support import daemon
from tests.support.daemon import Daemon, free_port
from tests.test_readme import PasteCase

PAGE = (daemon.ROOT / "docs/guides/accounts.md").read_text()
FOLDER, ISSUER, MAIL = "var/try", "9200", "2525"
SAID = [
    # Registered, confirmed, shown.
    *(201, 204, 200),
    # A reset asked for, used, used again; the session has ended.
    *(204, 204, 400, 401),
    # A new address with a wrong password and the right one, confirmed, shown.
    *(403, 204, 204, 200),
    # By a token of the studio, shown, again, refused.
    *(200, 200, 200, 400),
    # To link without a proof, with a wrong one, with a good one; another's; by it; the list, a
    # second one, which goes; the last one kept.
    *(400, 403, 204, 409, 200, 200, 204, 204, 409),
    # An address and a password for who had none; now the link may go.
    *(204, 204, 204, 204, 204),
    # Exported; a wrong password, left, ended, gone; the name taken, the address free.
    *(200, 403, 204, 401, 404, 409, 201),
]


def stage() -> tuple[str, list[str]]:
    """The commands of the first terminal but for those that install something, and the options of
    the daemon that they end in."""
    (block,) = re.findall(r"^```bash stage\n(.*?)^```$", PAGE, re.M | re.S)
    lines = block.replace("\\\n", "").splitlines()
    kept = [line for line in lines if not re.match(r"scripts/|kill |.*pip install", line)]
    (run,) = [line for line in lines if line.startswith("scripts/run ")]
    return "\n".join(kept), shlex.split(run)[1:]


class TranscriptTests(PasteCase):
    """With a mail server and an issuer beside the daemon."""

    def moved(self, text: str) -> str:
        """The same, in a folder and with ports of this test."""
        for old, new in self.places:
            text = text.replace(old, new)
        return text

    def begin(self, script: str) -> None:
        """Run the first terminal's commands, and leave what they start running."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", f"{script}\nwait"],
            cwd=daemon.ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

        def end() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()

        self.addCleanup(end)

    async def test_transcript(self) -> None:
        """Pasted from top to bottom, the commands go from a registration over a lost password, a
        new address and an account of the studio to a deletion."""
        home = tempfile.TemporaryDirectory(prefix="contentsvc-page-")
        self.addCleanup(home.cleanup)
        self.places = [(FOLDER, home.name), (ISSUER, str(free_port())), (MAIL, str(free_port()))]
        script, options = stage()
        self.begin(self.moved(script))
        there = [Path(home.name) / name for name in ("issuers.toml", "mails/new")]
        for path in there:
            await daemon.until(path.exists, 60, str(path))
        service = Daemon(*map(self.moved, options))
        answers, said = await self.follow(self.moved(PAGE), service)
        self.assertEqual(answers, SAID, said)
        for shown in (
            *('"code":"invalid_token"', '"code":"wrong_password"', '"code":"identity_taken"'),
            *('"code":"last_identity"', '"code":"username_taken"', '"emailVerified":true'),
            *('"email":"fay@new.example"', '"username":"gus"', "issued_token_type"),
            *('"error":"invalid_request"', '"subject":"player-7"'),
        ):
            self.assertIn(shown, said)
        # Lost, told of the change, and of a link; the first password of another, and told that his
        # link is gone.
        self.assertEqual(said.count("Hello fay,") + said.count("Hello gus,"), 5, said)
        # Confirmed, changed; the address of the other.
        self.assertEqual(said.count("Hello,"), 3, said)
