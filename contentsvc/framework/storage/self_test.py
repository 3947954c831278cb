"""The proof that a store does what the service relies on, in both of its buckets.

The service never sees the bytes. So the store has to refuse what a sender was not allowed: other
bytes, no digest, another token. In a store that does not, anybody can write anything.
"""

import secrets
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any

from contentsvc.framework.core.concurrency import map_bounded
from contentsvc.framework.storage.bucket import BadStore, Bucket, SignedUpload, StorageUnavailable
from contentsvc.framework.storage.calls import Calls
from contentsvc.framework.storage.deadlines import within
from contentsvc.framework.storage.paths import BINARY, path_of

WHOLE = 6.0
"""Seconds for both buckets."""
CACHED = "public, max-age=31536000, immutable"
"""Cache-Control of media: the bytes under a path never change."""
UPLOAD = "x-amz-meta-upload"
"""The header of an object that has the token of its announcement."""
CHECKSUM = "x-amz-checksum-sha256"
_SIZE = 32
_RANGE = (8, 15)
"""The first and the last byte of the range that is read."""


Act = Coroutine[Any, Any, None]


class Proof:
    """Of one store. `content` and `media` are the names of the buckets. All methods raise BadStore
    or StorageUnavailable."""

    def __init__(
        self, reactor: Any, bucket: Bucket, calls: Calls, content: str, media: str
    ) -> None:
        self._reactor = reactor
        self._bucket = bucket
        self._calls = calls
        self._types = {content: BINARY, media: "image/png"}

    async def whole(self) -> None:
        """Prove everything."""
        await self._both(self._prove)

    async def short(self) -> None:
        """Find out whether both buckets can be reached."""
        await self._both(self._reach)

    async def _both(self, act: Callable[[str], Act]) -> None:
        buckets = list(self._types)
        both = map_bounded(len(buckets), buckets, lambda name: self._named(act, name))
        await within(WHOLE, self._reactor, both, "the store cannot be reached: not all answers")

    async def _named(self, act: Callable[[str], Act], name: str) -> None:
        try:
            await act(name)
        except BadStore as error:
            raise BadStore(f"bucket {name}: {error}") from None

    async def _reach(self, name: str) -> None:
        answer = await self._calls.ask("HEAD", name)
        if answer.status != 200:
            raise answer.unexpected("HEAD of the bucket")

    async def _prove(self, name: str) -> None:
        # Not with HEAD: its answer has no body that could say what is wrong.
        query = {"list-type": "2", "max-keys": "1"}
        listed = await self._calls.ask("GET", name, query=query, tries=1)
        if listed.status != 200:
            raise listed.unexpected("GET of a list")
        # Each process has a file of its own.
        body, token = secrets.token_bytes(_SIZE), secrets.token_hex(16)
        path = path_of(sha256(body).hexdigest(), self._types[name])
        key = self._bucket.staging_key(path, token) or path
        missing = await self._calls.ask("HEAD", f"{name}/{path}", tries=1)
        if missing.status != 404:
            raise missing.unexpected("HEAD of a file that is not there")
        try:
            upload = self._bucket.sign_upload("", path, len(body), token, staged=True)
            wrong = list(_wrong(upload, body))
            await map_bounded(len(wrong), wrong, lambda other: self._refused(upload.url, *other))
            await self._right(upload, body, f"{name}/{key}")
            await self._bucket.copy({path: token})
            await self._kept(upload, body, f"{name}/{path}", "a copy of what it has taken")
            await self._in_range(self._bucket.sign_download("", path, "proof").url, body)
        except StorageUnavailable:
            # The first error says more than one of this.
            with suppress(StorageUnavailable):
                await self._bucket.delete([key, path])
            raise
        await self._bucket.delete([key, path])
        gone = await self._calls.ask("HEAD", f"{name}/{path}", tries=1)
        if gone.status != 404:
            raise gone.unexpected("HEAD of a file that was deleted")

    async def _refused(self, url: str, headers: dict[str, str], body: bytes, what: str) -> None:
        answer = await self._calls.send("PUT", url, headers, body)
        if answer.status < 300:
            raise BadStore(f"the store takes {what}")
        error = answer.unexpected("PUT")
        if answer.status < 400 or not isinstance(error, BadStore):
            raise error

    async def _right(self, upload: SignedUpload, body: bytes, where: str) -> None:
        stored = await self._calls.send("PUT", upload.url, upload.headers, body)
        if stored.status != 200:
            raise stored.unexpected("PUT")
        await self._kept(upload, body, where, "what it has taken")

    async def _kept(self, upload: SignedUpload, body: bytes, where: str, what: str) -> None:
        head = await self._calls.ask("HEAD", where, tries=1)
        if head.status != 200:
            raise head.unexpected("HEAD")
        if head.length != len(body):
            raise BadStore(f"the store does not have {what}")
        kept = ("Content-Type", "Cache-Control", UPLOAD)
        for header in (header for header in kept if header in upload.headers):
            if head.header(header) != upload.headers[header]:
                raise BadStore(f"the store does not keep {header}")

    async def _in_range(self, url: str, body: bytes) -> None:
        first, last = _RANGE
        part = await self._calls.send("GET", url, {"Range": f"bytes={first}-{last}"})
        if part.status != 206:
            raise part.unexpected("GET of a range")
        if (
            part.body != body[first : last + 1]
            or part.header("Content-Range") != f"bytes {first}-{last}/{len(body)}"
        ):
            raise BadStore("the store answers a range with another")


def _wrong(upload: SignedUpload, body: bytes) -> Iterator[tuple[dict[str, str], bytes, str]]:
    """The headers and bytes of requests that a store must refuse, and what they are."""
    other = bytes(byte ^ 1 for byte in body)
    headers = upload.headers
    unchecked = {name: value for name, value in headers.items() if name != CHECKSUM}
    yield headers, other, "wrong bytes under a signed digest"
    yield unchecked, other, "an upload without its signed digest"
    yield {**headers, UPLOAD: secrets.token_hex(16)}, body, "an upload with another token"
