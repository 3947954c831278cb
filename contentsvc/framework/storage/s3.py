"""Files in two buckets of an S3 store (files#sending). Their bytes never pass this process.

An object lies under exactly its path. With its upload come, signed, its digest, its length, its
media type, and the token of the announcement: the store itself checks them, and the object
says whose upload it is.

Of all users who announce a file, only the first sends it to its path. The others send it to keys of
their own, `incoming/<token>/<path>`: so nobody overwrites the token of another user's upload.
"""

import re
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from random import Random
from typing import Any
from urllib.parse import quote

from contentsvc.framework.core.concurrency import map_bounded
from contentsvc.framework.core.http_client import PLAIN
from contentsvc.framework.core.request_timing import waiting
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.storage.attachments import attachment
from contentsvc.framework.storage.bucket import (
    UPLOAD_LIFETIME,
    BadStore,
    ListedFile,
    SignedDownload,
    SignedUpload,
    StorageUnavailable,
    StoredFile,
)
from contentsvc.framework.storage.calls import Calls, StoreResponse
from contentsvc.framework.storage.deadlines import within
from contentsvc.framework.storage.listing import parse
from contentsvc.framework.storage.paths import (
    BINARY,
    digest_of,
    held_path_of,
    is_media,
    is_ours,
    media_type_of,
)
from contentsvc.framework.storage.self_test import CACHED, CHECKSUM, UPLOAD, Proof
from contentsvc.framework.storage.sigv4 import Credentials, Endpoint, Signer

HOUR = 3600
STAT_TIMEOUT = 20.0
"""Seconds to read the state of any number of files."""
AT_ONCE = 16
"""Requests at once of one `stat` or deletion, so that another has room beside it."""
COPY = 50.0
"""Seconds for the copies of one call. What was copied until then stays, so the next call goes on
from there. Proxies wait for an answer for a minute."""
COPIES = 4
"""Copies at once of one call: they take long, and other calls need requests meanwhile."""
STALE = 25 * 3600.0
"""Seconds after which an incoming object is of no use: announcements lapse after 24 hours, if no
client asks for them."""
PAGE_PAUSE = 0.2
"""Seconds between two pages of a listing of uploads."""
INCOMING = "incoming/"
"""The beginning of the keys of staged uploads."""
PAGE = 500
"""Files in a page of a listing."""
LISTING = 4 * 1024 * 1024
"""Most bytes of a page: keys have up to 1024 bytes, and each may come as three."""


class S3Bucket:
    """The two buckets. `media_url` is None where players read media from the store itself. With
    `virtual`, the store has its buckets as host names.

    `stat` fails before the store has proved itself; see `prove`.
    """

    def __init__(
        self,
        reactor: Any,
        wall: WallClock,
        random: Random,
        endpoint: str,
        region: str,
        content_bucket: str,
        media_bucket: str,
        credentials: Credentials,
        *,
        media_url: str | None,
        virtual: bool = False,
        calls: Callable[[Any, WallClock, Random, Signer], Calls] = Calls,
    ) -> None:
        self._reactor = reactor
        self._endpoint = endpoint
        self._wall = wall
        place = Endpoint.of(endpoint, virtual=virtual)
        self._signer = Signer(place, region, credentials)
        self._calls = calls(reactor, wall, random, self._signer)
        self._content = content_bucket
        self._media = media_bucket
        self._urls = place.url(content_bucket), place.url(media_bucket)
        self._media_url = media_url or self._urls[1]
        self._proof = Proof(reactor, self, self._calls, content_bucket, media_bucket)
        self._pages_left: list[tuple[str, str]] = []
        """Pages of uploads still to read: buckets, and the tokens of their next pages."""
        self._trouble: StorageUnavailable | None = StorageUnavailable("the store is not tried yet")

    async def start(self) -> None:
        """Have the store prove itself, if it can be reached. Raises BadStore."""
        try:
            await self.prove()
        except BadStore:
            raise
        except StorageUnavailable:
            pass  # `reach` tries it again

    async def stop(self) -> None:
        await self._calls.stop()

    # What clients do by themselves.

    def sign_upload(
        self, base: str, path: str, size: int, token: str, *, staged: bool = False
    ) -> SignedUpload:
        headers = {
            "Content-Type": media_type_of(path),
            CHECKSUM: b64encode(bytes.fromhex(digest_of(path))).decode(),
            UPLOAD: token,
        }
        if is_media(path):
            headers["Cache-Control"] = CACHED
        now = self._wall.seconds()
        url = self._signer.presign(
            "PUT",
            self._lies(self.staging_key(path, token) if staged else path),
            at=now,
            lifetime=UPLOAD_LIFETIME,
            headers={**headers, "Content-Length": str(size)},
        )
        # Content-Length follows from the body. A browser allows nobody to set it, and another
        # client would send it twice.
        return SignedUpload(url, headers, int(now) + UPLOAD_LIFETIME)

    def staging_key(self, path: str, token: str) -> str:
        return f"{INCOMING}{token}/{path}"

    def sign_download(self, base: str, path: str, name: str | None = None) -> SignedDownload:
        hour = int(self._wall.seconds()) // HOUR * HOUR
        named = None if name is None else {"response-content-disposition": attachment(name)}
        url = self._signer.presign("GET", self._lies(path), at=hour, lifetime=2 * HOUR, query=named)
        return SignedDownload(url, hour + 2 * HOUR)

    def media_url(self, base: str) -> str:
        return self._media_url

    def urls(self) -> tuple[str, ...]:
        return self._urls

    # What this process asks the store.

    async def prove(self) -> None:
        """Have the store prove that it does what the service relies on. Raises BadStore if it does
        not, StorageUnavailable if it cannot be reached. From then on `stat` works, or fails for the
        same reason."""
        await self._try(self._proof.whole)

    async def reach(self) -> None:
        """Find out whether the store can be reached, with its whole proof if it could not be
        before. Raises what `prove` does."""
        await self._try(self._proof.whole if self._trouble else self._proof.short)

    async def _try(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except BadStore as error:
            self._trouble = BadStore(f"S3 store {self._endpoint}, {error}")
            raise self._trouble from None
        except StorageUnavailable as error:
            self._trouble = error
            raise
        self._trouble = None

    async def stat(self, paths: Iterable[str]) -> Mapping[str, StoredFile]:
        if self._trouble is not None:
            raise StorageUnavailable(str(self._trouble))
        found: dict[str, StoredFile] = {}

        async def head(path: str) -> None:
            if (one := await self._find(path)) is not None:
                found[path] = one

        await within(STAT_TIMEOUT, self._reactor, map_bounded(AT_ONCE, paths, head))
        return found

    async def _find(self, path: str) -> StoredFile | None:
        answer = await self._calls.ask("HEAD", self._lies(path))
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise answer.unexpected("HEAD")
        if answer.length is None:
            raise StorageUnavailable("the store answers a HEAD without Content-Length")
        # Otherwise a client would have to unpack what it gets.
        packed = answer.header("Content-Encoding") not in PLAIN
        return None if packed else StoredFile(answer.length, _token(answer))

    async def copy(self, tokens: Mapping[str, str]) -> None:
        async def copy(path: str) -> None:
            await self._copy(path, tokens[path])

        await within(COPY, self._reactor, map_bounded(COPIES, tokens, copy))

    async def _copy(self, path: str, token: str) -> None:
        key = self.staging_key(path, token)
        headers = {
            "x-amz-copy-source": quote(f"/{self._lies(key)}"),
            # Without what else the sender may have declared, as a Content-Encoding.
            "x-amz-metadata-directive": "REPLACE",
            "Content-Type": media_type_of(path),
            UPLOAD: token,
        }
        if is_media(path):
            headers["Cache-Control"] = CACHED
        # What has just come shows who has sent it. Some stores do not know this condition.
        answer = await self._put(path, {**headers, "If-None-Match": "*"})
        if answer.status == 501 or (answer.status == 412 and not await self._alike(path, key)):
            answer = await self._put(path, headers)
        if answer.status not in {404, 412}:
            _check_copied(answer)

    async def _alike(self, path: str, key: str) -> bool:
        """Whether what lies at a path may be what lies at a key: nothing there is packed, and it
        has the same length."""
        there, own = await self._find(path), await self._find(key)
        return there is not None and (own is None or there.size == own.size)

    async def _put(self, path: str, headers: Mapping[str, str]) -> StoreResponse:
        return await self._calls.ask("PUT", self._lies(path), headers=headers, whole=COPY)

    async def read(self, path: str, length: int, offset: int = 0) -> bytes:
        headers = {"Range": f"bytes={offset}-{offset + length - 1}"}
        with waiting("outside", self._reactor):
            answer = await self._calls.ask("GET", self._lies(path), headers=headers, limit=length)
        # 416: there is no byte at all.
        if answer.status in {404, 416}:
            return b""
        if answer.status not in {200, 206}:
            raise answer.unexpected("GET")
        return answer.body

    async def write(self, path: str, data: bytes) -> None:
        headers = {"Content-Type": media_type_of(path), "Cache-Control": CACHED}
        answer = await self._calls.ask("PUT", self._lies(path), headers=headers, body=data)
        if answer.status != 200:
            raise answer.unexpected("PUT")

    async def hold(self, path: str) -> bool:
        headers = {
            "x-amz-copy-source": quote(f"/{self._lies(path)}"),
            # No browser is to show it, whatever it was.
            "x-amz-metadata-directive": "REPLACE",
            "Content-Type": BINARY,
        }
        answer = await self._put(held_path_of(path), headers)
        if answer.status == 404:
            return False
        _check_copied(answer)
        return True

    async def delete(self, paths: Iterable[str]) -> None:
        # One by one. Stores differ in the checksum that deleting many at once needs.
        async def delete(path: str) -> None:
            answer = await self._calls.ask("DELETE", self._lies(path))
            if answer.status not in {200, 204, 404}:
                raise answer.unexpected("DELETE")

        await map_bounded(AT_ONCE, paths, delete)

    async def delete_broken_uploads(self) -> float | None:
        """Delete the old ones of a page of incoming objects. Ages are by the store's clock."""
        if not self._pages_left:
            self._pages_left = [(self._content, ""), (self._media, "")]
        # If this fails, the next round begins anew with this bucket.
        bucket, token = self._pages_left.pop(0)
        answer = await self._page(bucket, token, INCOMING)
        page, before = parse(answer.body), _date(answer) - STALE
        await self.delete(
            file.path
            for file in page.files
            if file.modified is not None and file.modified < before and _is_incoming(file.path)
        )
        if page.next is not None and page.next != token:
            self._pages_left.insert(0, (bucket, page.next))
        return PAGE_PAUSE if self._pages_left else None

    async def list(self) -> AsyncIterator[ListedFile]:
        # Each bucket is listed in this order already.
        buckets = (self._listed(self._content), self._listed(self._media))
        heads = [(file, rest) for rest in buckets if (file := await _next(rest))]
        while heads:
            heads.sort(key=lambda head: head[0].path.encode())
            file, rest = heads.pop(0)
            yield file
            if following := await _next(rest):
                heads.append((following, rest))

    async def _listed(self, bucket: str) -> AsyncIterator[ListedFile]:
        token: str | None = ""
        while token is not None:
            page = parse((await self._page(bucket, token)).body)
            for file in page.files:
                if not file.path.startswith(INCOMING):
                    yield file
            if page.next == token:
                raise StorageUnavailable("the store lists the same page again")
            token = page.next

    async def _page(self, bucket: str, token: str, prefix: str = "") -> StoreResponse:
        query = {"list-type": "2", "max-keys": str(PAGE), "encoding-type": "url"}
        if prefix:
            query["prefix"] = prefix
        if token:
            query["continuation-token"] = token
        answer = await self._calls.ask("GET", bucket, query=query, limit=LISTING)
        if answer.status != 200:
            raise answer.unexpected("GET of a list")
        if not answer.whole:
            raise StorageUnavailable("the store answers a list without end")
        return answer

    def _lies(self, path: str) -> str:
        return f"{self._media if is_media(path) else self._content}/{path}"


async def _next(files: AsyncIterator[ListedFile]) -> ListedFile | None:
    async for file in files:
        return file
    return None


def _check_copied(answer: StoreResponse) -> None:
    """Raises StorageUnavailable unless this is the answer to a copy that was made."""
    if answer.status != 200:
        raise answer.unexpected("copy")
    # A store may find out that it cannot copy after it has begun to answer.
    if b"<Error>" in answer.body:
        raise StorageUnavailable("the store breaks off a copy")
    if b"CopyObjectResult" not in answer.body:
        raise BadStore("the store does not copy")


def _is_incoming(key: str) -> bool:
    """Whether a key that begins with INCOMING is a `staging_key`: others may write there too."""
    return is_ours(key.removeprefix(INCOMING).partition("/")[2])


def _date(answer: StoreResponse) -> float:
    """When the store has answered, by its own clock."""
    try:
        when = parsedate_to_datetime(answer.header("Date") or "")
    except ValueError:
        raise StorageUnavailable("the store answers a list without a Date") from None
    return when.replace(tzinfo=when.tzinfo or UTC).timestamp()


def _token(answer: StoreResponse) -> str | None:
    """The token, if it can be one: others may have written anything there."""
    token = answer.header(UPLOAD)
    return token if token is not None and re.fullmatch("[!-~]{1,200}", token) else None
