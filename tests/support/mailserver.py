"""A real SMTP server, aiosmtpd, as a process of its own. It writes each mail that it takes, as a
line of JSON, to standard output.

What it says of a recipient depends on the address: `refused…` is 550, `later…` is 451 once, and
`busy…` always. The words of these replies name the address.

    python -m tests.support.mailserver '{"port": 0, …}'
"""

from __future__ import annotations

import asyncio
import atexit
import json
import re
import ssl
import subprocess
import sys
import tempfile
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.daemon import ROOT, until

TOKEN = re.compile(r"[?&]token=([A-Za-z0-9_-]+)")


class Mail(NamedTuple):
    """A mail that was taken. `secure` says that it came over TLS."""

    sender: str
    recipients: list[str]
    secure: bool
    user: str | None
    message: EmailMessage

    @property
    def text(self) -> str:
        """The decoded body."""
        return str(self.message.get_content())

    @property
    def token(self) -> str:
        """The token of the link in it."""
        (found,) = TOKEN.findall(self.text)
        return str(found)


class MailServer:
    """The process, on a given port or a free one. `starttls` and `tls` are a certificate and its
    key; with `login`, a user and a password, nobody sends without. With `utf8` it has SMTPUTF8."""

    def __init__(
        self,
        port: int = 0,
        *,
        starttls: tuple[Path, Path] | None = None,
        tls: tuple[Path, Path] | None = None,
        login: tuple[str, str] | None = None,
        utf8: bool = False,
    ) -> None:
        self._settings: dict[str, Any] = {
            "port": port,
            "starttls": starttls and [str(path) for path in starttls],
            "tls": tls and [str(path) for path in tls],
            "login": login,
            "utf8": utf8,
        }
        with tempfile.NamedTemporaryFile(prefix="mails-", delete=False) as file:
            self._out = Path(file.name)
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self._out.unlink, missing_ok=True)
        atexit.register(self.stop)

    @property
    def port(self) -> int:
        """The port, the same after another start."""
        return int(self._settings["port"])

    async def start(self) -> None:
        """Start, and wait until it listens."""
        before = len(self._lines())
        self._spawn()
        await until(lambda: len(self._lines()) > before, 30, "the mail server listens")
        self._settings["port"] = self._lines()[before]["port"]

    def _spawn(self) -> None:
        with self._out.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.mailserver", json.dumps(self._settings)],
                cwd=ROOT,
                stdout=out,
                # What it says of connections that tests have broken off.
                stderr=subprocess.DEVNULL,
            )

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _lines(self) -> list[dict[str, Any]]:
        whole = self._out.read_bytes().rpartition(b"\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    @property
    def tries(self) -> list[str]:
        """The recipients that were asked for, as often as they were."""
        return [line["asked"] for line in self._lines() if "asked" in line]

    def mails(self, recipient: str | None = None) -> list[Mail]:
        """All mails, or those to one address."""
        return [
            Mail(
                line["sender"],
                line["recipients"],
                line["secure"],
                line["user"],
                message_from_bytes(  # type: ignore[arg-type]
                    line["data"].encode("latin-1"), policy=policy.default
                ),
            )
            for line in self._lines()
            if "data" in line and (recipient is None or recipient in line["recipients"])
        ]

    async def arrived(self, recipient: str, number: int = 1, seconds: float = 60) -> Mail:
        """The mail of this number to an address, from 1, once it is there."""
        await until(
            lambda: len(self.mails(recipient)) >= number, seconds, f"{number} mails to {recipient}"
        )
        return self.mails(recipient)[number - 1]


def _say(**line: Any) -> None:
    print(json.dumps(line), flush=True)


async def _serve(settings: dict[str, Any]) -> None:
    # Here, so that others can import this module without it.
    from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

    asked: dict[str, int] = {}

    class Handler:
        async def handle_RCPT(
            self, server: Any, session: Any, envelope: Any, address: str, options: Any
        ) -> str:
            _say(asked=address)
            asked[address] = asked.get(address, 0) + 1
            if address.startswith("refused"):
                return f"550 5.1.1 <{address}>: no such user"
            if address.startswith("busy") or (address.startswith("later") and asked[address] == 1):
                return f"451 4.2.1 <{address}>: later"
            envelope.rcpt_tos.append(address)
            return "250 OK"

        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            login = session.auth_data
            _say(
                sender=envelope.mail_from,
                recipients=envelope.rcpt_tos,
                secure=session.ssl is not None or settings["tls"] is not None,
                user=login.login.decode() if login else None,
                data=envelope.content.decode("latin-1"),
            )
            return "250 OK"

    def authenticate(
        server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        given = [data.login.decode(), data.password.decode()]
        good = isinstance(data, LoginPassword) and given == list(settings["login"])
        return AuthResult(success=good, handled=False, auth_data=data)

    def context(paths: list[str] | None) -> ssl.SSLContext | None:
        if paths is None:
            return None
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(*paths)
        return made

    login = settings["login"] is not None
    options: dict[str, Any] = {
        "tls_context": context(settings["starttls"]),
        "require_starttls": settings["starttls"] is not None,
        "auth_required": login,
        "auth_require_tls": settings["starttls"] is not None,
        "authenticator": authenticate if login else None,
        "enable_SMTPUTF8": settings["utf8"],
    }
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Handler(), hostname="mail.test", **options),
        "127.0.0.1",
        settings["port"],
        ssl=context(settings["tls"]),
    )
    _say(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(json.loads(sys.argv[1])))
