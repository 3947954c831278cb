"""The floor: `python -m scripts.benchmark.floor DSN PORT`.

A bare twisted.web resource, a few plain txpostgres connections with the daemon's own statements
prepared on them, msgspec for JSON, and nothing else: no authentication, no checks, no header but
Content-Length, no log. The difference to the daemon is the cost of its features.
"""

import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site
from txpostgres import txpostgres

from contentsvc.framework.db.query import STATEMENTS
from contentsvc.store.accounts import users

# Imported for the statements that they declare.
from contentsvc.store.content import comments, ratings
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.content import Comment, CommentPage, RatingBody

__all__ = ["comments", "ratings", "users"]

_SIZE = 8
"""Connections, as many as the daemon has by default."""
_encode = msgspec.json.Encoder().encode
_rating = msgspec.json.Decoder(RatingBody).decode


class Pool:
    """Connections that are lent one at a time."""

    def __init__(self) -> None:
        self._idle: list[Any] = []
        self._waiting: deque[Deferred[Any]] = deque()

    async def open(self, dsn: str) -> None:
        """Open them, with the statements prepared."""
        for _ in range(_SIZE):
            connection = txpostgres.Connection()
            await connection.connect(dsn, application_name="floor", options="-c jit=off")
            for name in ("users_info", "comments_page", "ratings_of_user", "ratings_put"):
                await connection.runOperation(f"PREPARE {name} AS {STATEMENTS[name].sql}")
            self._idle.append(connection)

    async def run(self, name: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        if self._idle:
            connection = self._idle.pop()
        else:
            self._waiting.append(Deferred())
            connection = await self._waiting[-1]
        statement = STATEMENTS[name]
        if statement.batch is not None:
            args = statement.several([args])
        cursor = await connection.cursor().execute(statement.execute, args)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        if self._waiting:
            self._waiting.popleft().callback(connection)
        else:
            self._idle.append(connection)
        return rows


class Floor(Resource):
    """The four operations, by the shape of the path."""

    isLeaf = True

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool
        self._acts: dict[tuple[str, ...], Callable[[Request, list[str]], Any]] = {
            ("user", "info"): self._info,
            ("content", "comments"): self._comments,
            ("user", "ratings"): self._ratings,
            ("user", "rating"): self._rate,
        }

    def render(self, request: Request) -> int:
        """Answer in time."""
        words = request.path.decode().split("/")[3:]
        act = self._acts[words[0], words[2]]
        Deferred.fromCoroutine(self._serve(request, act(request, words)))
        return NOT_DONE_YET

    async def _serve(self, request: Request, work: Any) -> None:
        result = await work
        if result is None:
            request.setResponseCode(204)
            request.finish()
            return
        body = _encode(result)
        request.responseHeaders.setRawHeaders(b"Content-Length", [b"%d" % len(body)])
        request.write(body)
        request.finish()

    async def _info(self, request: Request, words: list[str]) -> UserInfo:
        (row,) = await self._pool.run("users_info", words[1])
        return UserInfo(*row)

    async def _comments(self, request: Request, words: list[str]) -> CommentPage:
        size, page = int(request.args[b"size"][0]), int(request.args[b"page"][0])
        rows = await self._pool.run("comments_page", words[1], None, False, size, page)
        items = [Comment(*row[1:]) for row in rows if row[1] is not None]
        return CommentPage(page, size, len(items), rows[0][0], items)

    async def _ratings(self, request: Request, words: list[str]) -> msgspec.Raw:
        ((text,),) = await self._pool.run("ratings_of_user", words[1], False, 5000)
        return msgspec.Raw(f"{{{text}}}".encode())

    async def _rate(self, request: Request, words: list[str]) -> None:
        up = _rating(request.content.read()).value == "1"
        await self._pool.run("ratings_put", words[1], words[3], False, up)


async def _main(dsn: str, port: int) -> None:
    pool = Pool()
    await pool.open(dsn)
    reactor.listenTCP(port, Site(Floor(pool)), backlog=1024, interface="127.0.0.1")


if __name__ == "__main__":
    Deferred.fromCoroutine(_main(sys.argv[1], int(sys.argv[2]))).addErrback(
        lambda failure: (failure.printTraceback(), reactor.stop())
    )
    reactor.run()
