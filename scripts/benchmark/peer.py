"""The peer: FastAPI on uvicorn with uvloop and httptools, asyncpg, pydantic and PyJWT.

As a good engineer would write these four operations, on the same tables. It runs in a venv of
its own and imports nothing of ours. It does less than the daemon: no entity tags, no CORS, no
request ids or log, no log-outs, statuses of content but no error codes.

PEER_DATABASE is the DSN, PEER_KEYS the daemon's secret file. With PEER_TUNED, asyncpg's pool
does not send its query that resets a connection each time one is returned.
"""

import base64
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import asyncpg
import jwt
from fastapi import Depends, FastAPI, HTTPException, Query, Request, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class UserInfo(Camel):
    id: UUID
    username: str
    avatar: str | None
    emblem: UUID | None
    profile: str | None = None


class Comment(Camel):
    id: int
    parent_id: int | None
    author_id: UUID
    body: str
    created: int
    updated: int
    deleted: bool


class CommentPage(Camel):
    page: int
    page_size: int
    count: int
    total: int
    items: list[Comment]


class RatingBody(Camel):
    value: Literal["1", "0"]
    account_id: UUID | None = None
    content_id: UUID | None = None


class Caller(BaseModel):
    user: UUID
    admin: bool


async def _keep(connection: asyncpg.Connection) -> None:
    """Nothing to reset: no statement here changes the session."""


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    tuned: dict[str, Any] = {"reset": _keep} if os.environ.get("PEER_TUNED") else {}
    dsn = os.environ["PEER_DATABASE"]
    async with asyncpg.create_pool(dsn, min_size=8, max_size=8, **tuned) as pool:
        app.state.pool = pool
        yield


def _keys() -> dict[str, bytes]:
    lines = Path(os.environ["PEER_KEYS"]).read_text().splitlines()
    pairs = (line.split() for line in lines if line and not line.startswith("#"))
    return {kid: base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)) for kid, key in pairs}


app = FastAPI(lifespan=lifespan)
bearer = HTTPBearer(auto_error=False)
keys = _keys()


async def get_pool(request: Request) -> asyncpg.Pool:
    return request.app.state.pool


async def get_caller(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Caller | None:
    if credentials is None:
        return None
    try:
        key = keys[jwt.get_unverified_header(credentials.by_name)["kid"]]
        claims = jwt.decode(
            credentials.by_name, key, ["HS256"], audience="api", issuer="contentsvc"
        )
    except (jwt.InvalidTokenError, KeyError):
        raise HTTPException(
            status.HTTP_401_UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"}
        ) from None
    return Caller(user=claims["sub"], admin=claims["role"] == "admin")


Pool = Annotated[asyncpg.Pool, Depends(get_pool)]
MaybeCaller = Annotated[Caller | None, Depends(get_caller)]


async def require_self(user: UUID, caller: MaybeCaller) -> Caller:
    if caller is None:
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
    if caller.user != user:
        raise HTTPException(status.HTTP_403_FORBIDDEN)
    return caller


Self = Annotated[Caller, Depends(require_self)]


@app.get("/api/v1/user/{user}/info", response_model_exclude_defaults=True)
async def user_info(user: UUID, pool: Pool) -> UserInfo:
    row = await pool.fetchrow(
        "select id, username, avatar, emblem, public_profile as profile from users where id = $1",
        user,
    )
    if row is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND)
    return UserInfo(**row)


@app.get("/api/v1/content/{content}/comments")
async def comments(
    content: UUID,
    pool: Pool,
    caller: MaybeCaller,
    size: Annotated[int, Query(ge=1, le=200)] = 100,
    page: Annotated[int, Query(ge=0)] = 0,
) -> CommentPage:
    rows = await pool.fetch(
        """
        select c.comments as total, m.id, m.parent_id, m.author_id, m.body,
               unix(m.created) as created, unix(m.updated) as updated, m.deleted
        from contents c
        left join comments m on m.content_id = c.id
             and m.ordinal > $4::bigint * $5::bigint and m.ordinal <= ($4::bigint + 1) * $5::bigint
        where c.id = $1 and (c.status = 'active' or c.author_id = $2 or $3)
        order by m.ordinal
        """,
        content,
        caller and caller.user,
        caller is not None and caller.admin,
        page,
        size,
    )
    if not rows:
        raise HTTPException(status.HTTP_404_NOT_FOUND)
    items = [Comment(**row) for row in rows if row["id"] is not None]
    return CommentPage(
        page=page, page_size=size, count=len(items), total=rows[0]["total"], items=items
    )


@app.get("/api/v1/user/{user}/ratings")
async def ratings(user: UUID, pool: Pool, caller: Self) -> dict[str, str]:
    rows = await pool.fetch(
        """
        select r.content_id, r.up
        from ratings r join contents c on c.id = r.content_id
        where r.user_id = $1 and (c.status = 'active' or c.author_id = $1 or $2)
        order by r.content_id
        """,
        user,
        caller.admin,
    )
    return {str(row["content_id"]): "1" if row["up"] else "0" for row in rows}


@app.put("/api/v1/user/{user}/rating/{content}", status_code=status.HTTP_204_NO_CONTENT)
async def put_rating(user: UUID, content: UUID, body: RatingBody, pool: Pool, caller: Self) -> None:
    if body.account_id not in {None, user} or body.content_id not in {None, content}:
        raise HTTPException(status.HTTP_400_BAD_REQUEST)
    found = await pool.fetchval(
        """
        with content as (
            select id from contents
            where id = $2 and (status = 'active' or author_id = $1 or $3)
        ), vote as (
            insert into ratings as r (user_id, content_id, up)
            select $1, id, $4 from content
            on conflict (user_id, content_id) do update set up = excluded.up
            where r.up <> excluded.up
        )
        select true from content
        """,
        user,
        content,
        caller.admin,
        body.value == "1",
    )
    if found is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND)
