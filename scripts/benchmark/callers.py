"""Callers of a daemon who use it by hand, one connection each."""

import hashlib
import json
from contextlib import closing
from http.client import HTTPConnection
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from tests.support import pictures

API: Final = "/api/v1"
_PASSWORD: Final = "open sesame"  # noqa: S105


class CallError(Exception):
    """The daemon did not answer as it should; `str()` says what."""


class Caller:
    """A connection of a user, or of nobody without `token`, from the client address `address`.

    The daemon believes the address only of a trusted proxy.
    """

    def __init__(self, port: int, address: str, token: str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"X-Forwarded-For": address}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self.user = ""
        self.status = 0
        """The last answer's."""

    def ask(self, method: str, path: str, body: Any = None, *wanted: int) -> Any:
        """The decoded answer. Raises CallError for other statuses than 2xx and those wanted."""
        data, headers = None, dict(self._headers)
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        received = self.send(method, path, data, headers, *wanted)
        return json.loads(received) if received[:1] in (b"{", b"[") else None

    def send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], *wanted: int
    ) -> bytes:
        """The body of the answer to bytes with these headers alone. Raises CallError as `ask`."""
        self._connection.request(method, path, data, headers)
        answer = self._connection.getresponse()
        received, self.status = answer.read(), answer.status
        if answer.status >= 300 and answer.status not in wanted:
            raise CallError(f"{method} {path}: {answer.status} {received[:500]!r}")
        return received

    def close(self) -> None:
        """Close it."""
        self._connection.close()


def joined(port: int, address: str) -> Caller:
    """A new user, who is logged in."""
    with closing(Caller(port, address)) as nobody:
        name = f"u{uuid4().hex[:12]}"
        account = {"username": name, "email": f"{name}@example.com", "password": _PASSWORD}
        nobody.ask("POST", f"{API}/user", account)
        form = f"grant_type=password&username={name}&password={_PASSWORD.replace(' ', '+')}"
        kind = {"Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": address}
        tokens = json.loads(nobody.send("POST", "/oauth/token", form.encode(), kind))
    caller = Caller(port, address, tokens["access_token"])
    caller.user = tokens["userId"]
    return caller


def upload(caller: Caller, use: str, data: bytes, kind: str | None = None, *wanted: int) -> str:
    """Announce a file and send it, where it is not there yet. Gives its path, or "" where its
    announcement is answered with one of the statuses `wanted`."""
    file = {"use": use, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    body = {"files": [file if kind is None else file | {"mediaType": kind}]}
    answer = caller.ask("POST", f"{API}/uploads", body, *wanted)
    if "files" not in answer:
        return ""
    (announced,) = answer["files"]
    if (place := announced["upload"]) is not None:
        target = urlsplit(place["url"])._replace(scheme="", netloc="").geturl()
        caller.send(place["method"], target, data, place["headers"], *wanted)
        caller.ask("POST", f"{API}/uploads", body, *wanted)
    return str(announced["path"])


def published(caller: Caller, **changes: Any) -> str:
    """The id of new content, whose body has these changes."""
    content, core = str(uuid4()), upload(caller, "entity", uuid4().bytes)
    body = {
        "name": "Tilting Tower",
        "description": "Stack it as high as it goes.",
        "type": "game",
        "screenshotUris": [upload(caller, "screenshot", pictures.drawn(), pictures.PNG)],
        "version": "1",
        **revision(core),
        **changes,
    }
    caller.ask("PUT", f"{API}/content/{content}", body)
    return content


def revision(core: str) -> dict[str, Any]:
    """The members of a body that make a new revision, whose core is the file `core`."""
    number = str(uuid4())
    return {
        "revisionId": number,
        "revisionDescription": "",
        "entity": {"entityId": str(uuid4()), "revisionId": str(uuid4()), "path": core},
        "originating": [],
        "using": [],
    }
