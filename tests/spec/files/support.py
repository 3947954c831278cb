"""Files and their way to the service and back: files#files."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from twisted.internet import reactor
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IConsumer
from twisted.internet.task import deferLater
from twisted.web.iweb import IBodyProducer
from zope.interface import implementer

from tests.spec.challenges.test_challenges import challenge, reward
from tests.spec.client import Response, Wire
from tests.spec.data import Content, User, draft, entity, package
from tests.spec.notifications.support import TellingCase
from tests.spec.shapes import CONTENT_FILE, FILE, USER_STORAGE
from tests.support import daemon, pictures
from tests.support.daemon import Daemon

EXTENSIONS = {pictures.PNG: ".png", pictures.JPEG: ".jpg", pictures.WEBP: ".webp"}
BLOCKED_WITHIN = 15
"""Seconds after which blocked bytes are nowhere (files#files)."""


@dataclass(frozen=True)
class File:
    """Bytes, and what they are to be used as."""

    data: bytes
    use: str = "entity"
    media_type: str | None = None

    @property
    def digest(self) -> str:
        """Its SHA-256."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def path(self) -> str:
        """Where the service has it."""
        return f"{self.digest[:2]}/{self.digest}{EXTENSIONS.get(self.media_type or '', '')}"

    @property
    def announced(self) -> dict[str, Any]:
        """Its entry in POST /uploads."""
        sent = {"use": self.use, "sha256": self.digest, "size": len(self.data)}
        return sent if self.media_type is None else sent | {"mediaType": self.media_type}


def blob(size: int = 60, use: str = "entity") -> File:
    """An entity (or package) of bytes that nobody else has."""
    return File(secrets.token_bytes(size), use)


def picture(use: str = "screenshot") -> File:
    """An image that nobody else has."""
    return File(pictures.png(), use, pictures.PNG)


def unknown(extension: str = "") -> str:
    """A path of the service's form that nobody has registered."""
    digest = secrets.token_hex(32)
    return f"{digest[:2]}/{digest}{extension}"


def made_of(file: File) -> dict[str, str]:
    """A new Entity whose bytes are these."""
    return entity() | {"path": file.path}


def packed(**platforms: File) -> dict[str, str]:
    """A new Package of these files."""
    return {"id": package()["id"]} | {one: file.path for one, file in platforms.items()}


def emblems(win: str, participate: str) -> dict[str, Any]:
    """A challenge with these images."""
    rewards = {"win": reward(), "participate": reward()}
    for kind, image in (("win", win), ("participate", participate)):
        rewards[kind]["emblem"]["image"] = image
    return challenge(**rewards)


def with_query(url: str, query: str) -> str:
    """The URL with another query."""
    return urlsplit(url)._replace(query=query).geturl()


@implementer(IBodyProducer)
class Whole:
    """A body that is written at once, so that nothing is left to do when an answer comes early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length = len(data)

    def startProducing(self, consumer: IConsumer) -> Deferred[None]:
        consumer.write(self._data)
        return succeed(None)

    def pauseProducing(self) -> None:
        pass

    def resumeProducing(self) -> None:
        pass

    def stopProducing(self) -> None:
        pass


class FilesCase(TellingCase):
    """Uploads, their use, and downloads; with the daemon's own folder, or on another backend."""

    backend = "local"
    settings: ClassVar[Mapping[str, str]] = {}

    async def connect(self) -> None:
        """A daemon with these settings; without any, the one that other suites use."""
        if self.settings:
            self.own_daemon()
            name = " ".join(f"{key}={value}" for key, value in sorted(self.settings.items()))
            self.use(await daemon.shared(name, lambda: Daemon(environ=self.settings)))
        else:
            await super().connect()

    # -- uploads

    async def announcing(self, by: User | None, *files: File | dict[str, Any]) -> Response:
        """The response to POST /uploads."""
        sent = [file.announced if isinstance(file, File) else file for file in files]
        return await self.post("uploads", {"files": sent}, by=by)

    async def announce(self, by: User, *files: File) -> list[dict[str, Any] | None]:
        """The `upload` of each of these files."""
        response = await self.announcing(by, *files)
        self.assertEqual(200, response.status, repr(response))
        found = response.json()
        self.shape(found, {"files": [FILE]})
        self.assertEqual(
            [(file.digest, file.path) for file in files],
            [(one["sha256"], one["path"]) for one in found["files"]],
        )
        return [one["upload"] for one in found["files"]]

    async def place(self, by: User, file: File) -> dict[str, Any]:
        """The upload of this one file, which is not there."""
        (upload,) = await self.announce(by, file)
        if upload is None:
            self.fail(f"{file.path} is there")
        return upload

    async def there(self, by: User, *files: File) -> None:
        """Assert that all these are there for the caller."""
        self.assertEqual([None] * len(files), await self.announce(by, *files))

    async def missing(self, by: User, *files: File) -> None:
        """Assert that the caller is asked for the bytes of each of these."""
        self.assertNotIn(None, await self.announce(by, *files))

    async def sending(self, upload: dict[str, Any], data: bytes, **headers: str) -> Response:
        """The response to the upload of these bytes, with other headers in place of its own."""
        sent = {name.lower(): value for name, value in upload["headers"].items()}
        sent |= {name.replace("_", "-").lower(): value for name, value in headers.items()}
        sent.pop("content-length", None)  # the client makes it from the body
        return await self.bare(upload["method"], upload["url"], headers=sent, data=data)

    async def bare(
        self, method: str, url: str, *, headers: dict[str, str], data: bytes | None = None
    ) -> Response:
        """A request to a URL that was given, of which nothing is expected."""
        body = None if data is None else Whole(data)
        response = await self._http.request(method, url, headers=headers, data=body)
        self.assertNotIn(response.status, (500, 502), repr(response))
        return response

    async def send(self, upload: dict[str, Any], data: bytes) -> None:
        """Upload these bytes, which are taken."""
        response = await self.sending(upload, data)
        self.assertIn(response.status, (200, 201, 204), repr(response))

    async def upload(self, by: User, *files: File) -> None:
        """Announce, send and verify."""
        for file, upload in zip(files, await self.announce(by, *files), strict=True):
            if upload is not None:
                await self.send(upload, file.data)
        await self.there(by, *files)

    async def uploaded(self, by: User, *files: File) -> list[File]:
        """The same, and these files, or a new one."""
        made = list(files or [blob()])
        await self.upload(by, *made)
        return made

    async def part(self, url: str, head: list[str], data: bytes) -> Wire:
        """A connection on which a PUT to this URL has begun, with these headers and bytes."""
        at = urlsplit(url)
        lines = [f"PUT {at.path}?{at.query} HTTP/1.1", f"Host: {at.netloc}", *head]
        lines += ["Connection: close", "", ""]
        wire = await Wire.open(url)
        wire.send("\r\n".join(lines).encode() + data)
        return wire

    async def begun(self, upload: dict[str, Any], data: bytes, whole: int | str) -> Wire:
        """A connection on which the first bytes of an upload have been sent."""
        headers = {name.lower(): value for name, value in upload["headers"].items()}
        headers["content-length"] = str(whole)
        lines = [f"{name}: {value}" for name, value in headers.items()]
        return await self.part(upload["url"], lines, data)

    async def refused_bytes(self, response: Response, code: str) -> None:
        """Assert that the store, whichever it is, did not take an upload. The daemon gives this
        code."""
        self.assertTrue(400 <= response.status < 500, repr(response))
        if self.backend == "local":
            self.problem(response, response.status, code)

    def lose(self, file: File) -> None:
        """Delete the bytes behind the service's back."""
        assert self.daemon is not None
        (found,) = (self.daemon.data_dir / "files").glob(f"*/{file.path}")
        found.unlink()

    # -- use

    def at_files(self, response: Response, status: int, code: str, *wrong: int) -> dict[str, Any]:
        """Assert that /uploads was refused because of the files of these numbers."""
        found = self.problem(response, status, code)
        at = set()
        for error in found["errors"]:
            self.shape(error, {"pointer": str, "detail": str})
            match = re.match(r"/files/(\d+)(/|$)", error["pointer"])
            at.add(int(match[1]) if match else error["pointer"])
        self.assertEqual(set(wrong), at, found)
        return found

    def at_paths(self, response: Response, code: str, *paths: str) -> None:
        """Assert a 422 of this code that names exactly these paths."""
        found = self.problem(response, 422, code)
        self.assertIsInstance(found.get("paths"), list, found)
        self.assertCountEqual(set(paths), found["paths"])

    async def creating(self, by: User, **changes: Any) -> Response:
        """The response to a create of content of nothing but its core, with these changes."""
        sent = draft(originating=[], packagesOriginating=[]) | changes
        return await self.put(f"content/{sent['revisionId']}", sent, by=by)

    async def usable(self, by: User, *files: File) -> None:
        """Assert that the caller can publish each of these, as an entity or a screenshot."""
        for file in files:
            response = await self.creating(by, **self.in_use(file))
            self.assertEqual(204, response.status, repr(response))

    async def unusable(self, by: User, *files: File, code: str = "file_missing") -> None:
        """Assert that the caller cannot."""
        for file in files:
            self.at_paths(await self.creating(by, **self.in_use(file)), code, file.path)

    def in_use(self, file: File) -> dict[str, Any]:
        """What of a create has this file in its place."""
        if file.media_type is None:
            return {"entity": made_of(file)}
        return {"screenshotUris": [file.path]}

    async def holding(self, author: User, file: File) -> Content:
        """Content of nothing but this file, uploaded by its author."""
        await self.upload(author, file)
        return await self.content(
            author, originating=[], packagesOriginating=[], **self.in_use(file)
        )

    async def dress(self, user: User, avatar: str | None, by: User | None = None) -> Response:
        """The response to PUT user with this avatar."""
        body = {"avatar": avatar, "emblem": None, "fullProfile": {}, "publicProfile": {}}
        return await self.put(f"user/{user.id}", body, by=by or user)

    async def storage(self, user: User) -> dict[str, Any]:
        """GET /user/{user}/storage."""
        return dict(await self.read(f"user/{user.id}/storage", USER_STORAGE, by=user))

    async def worn(self, user: User, shot: File, avatar: File, emblem: File) -> Callable[..., Any]:
        """Publish each of these images in its place, uploaded by the user, who is an admin.

        What this gives asserts that the same writes again miss these of them.
        """
        made = await self.holding(user, shot)
        await self.upload(user, avatar, emblem)
        self.assertEqual(204, (await self.dress(user, avatar.path)).status)
        sent = emblems(emblem.path, emblem.path)
        response = await self.post("design-challenges", sent, by=user, expect=201)
        place = response.header("Location") or ""
        body = {"description": "", "screenshotUris": [shot.path]}

        async def again(*missed: File) -> None:
            for file, response in (
                (shot, await self.put(made.path, body, by=user)),
                (avatar, await self.dress(user, avatar.path)),
                (emblem, await self.put(place, sent, by=user)),
            ):
                if file in missed:
                    self.at_paths(response, "file_missing", file.path)
                else:
                    self.assertEqual(204, response.status, repr(response))

        return again

    # -- downloads

    async def files(self, of: Content, by: User | None = None, **query: str) -> list[dict]:
        """GET /content/{content}/files."""
        found = await self.read(f"{of.path}/files", [CONTENT_FILE], by=by, query=query)
        return list(found)

    async def urls(self, of: Content, by: User | None = None) -> dict[str, str | None]:
        """The URL of each path."""
        return {one["path"]: one["url"] for one in await self.files(of, by)}

    async def link(self, of: Content, file: File) -> str:
        """The URL of this file of the content, which has one."""
        url = (await self.urls(of)).get(file.path)
        return url or self.fail(f"no URL of {file.path}")

    async def fetch(self, url: str, method: str = "GET", **headers: str) -> Response:
        """The response to a plain request for this URL."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.bare(method, url, headers={"Accept-Encoding": "identity"} | sent)

    async def gets(self, url: str, data: bytes) -> Response:
        """Assert that the URL gives these bytes to anybody who has it."""
        response = await self.fetch(url)
        self.assertEqual(200, response.status, repr(response))
        self.assertEqual(data, response.body)
        return response

    async def media(self, file: File) -> str:
        """Where anybody reads this image."""
        found = (await self.get("storage", expect=200)).json()
        return f"{found['mediaUrl']}/{file.path}"

    # -- blocks

    async def block(self, file: File) -> None:
        """Block these bytes."""
        body = {"reason": "not ours"}
        await self.put(f"files/{file.digest}/block", body, by=await self.admin(), expect=204)

    async def lift(self, file: File) -> None:
        """Take the block back."""
        await self.delete(f"files/{file.digest}/block", by=await self.admin(), expect=204)

    async def gone(self, url: str) -> None:
        """Wait until the URL gives nothing, for as long as that may take after a block."""
        deadline = reactor.seconds() + BLOCKED_WITHIN
        while (response := await self.fetch(url)).status < 400:
            if reactor.seconds() > deadline:
                self.fail(f"still there: {response!r}")
            await deferLater(reactor, 0.05)
