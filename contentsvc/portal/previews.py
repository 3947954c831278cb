"""What a link to a place shows where somebody shares it, of what anyone may see (Open Graph)."""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from msgspec import Struct, json

from contentsvc.framework.db.database import Database
from contentsvc.portal.plain_text import plain
from contentsvc.store.accounts import users
from contentsvc.store.challenges import definitions
from contentsvc.store.content import collections, items


class _Emblem(Struct):
    image: str


class _Reward(Struct):
    emblem: _Emblem


_reward = json.Decoder(_Reward).decode
_TEXT = 200
"""The most characters of a description."""
_LOOKED = 8
"""So many items of a collection are looked at for a picture."""


class Author(NamedTuple):
    """Who has made what is shown: their id and username."""

    id: str
    name: str


class Rating(NamedTuple):
    """The share of votes that are for it, from 0 to 1, and how many votes there are."""

    share: float
    votes: int


class Preview(NamedTuple):
    """The title, the text and the path of the picture, which is "" if there is none. What is
    `listed` search engines may show."""

    title: str
    text: str
    image: str
    listed: bool = True
    author: Author | None = None
    rating: Rating | None = None


async def preview(db: Database, markup: str, kind: str, id: str) -> Preview | None:
    """The preview of the content, user, challenge or collection with this id, in lower case; None
    if a stranger does not see it. `markup` is how descriptions of content are written. Raises what
    the database raises."""
    if kind == "content":
        return await _of_content(db, id, markup)
    return await _KINDS[kind](db, id)


async def _of_content(db: Database, id: str, markup: str) -> Preview | None:
    seen = await items.detail(db, id, None, False)
    if seen is None:
        return None
    text, info = seen.description, seen.info
    return Preview(
        info.name,
        _short(plain(text) if markup == "markdown" else text),
        seen.screenshots[0],
        info.visibility == "public",
        Author(info.author_id, info.author_username),
        Rating(info.rating, info.votes.up + info.votes.down),
    )


async def _of_user(db: Database, id: str) -> Preview | None:
    user = await users.info(db, id)
    if user is None:
        return None
    return Preview(user.username, _short(user.profile or ""), user.avatar or "")


async def _of_collection(db: Database, id: str) -> Preview | None:
    shelf = await collections.get(db, id, None)
    if shelf is None:
        return None
    # The page itself asks for them so.
    rows = await collections.items(db, id, None, False, -collections.EDGE, _LOOKED)
    infos = (row.item for row in rows)
    images = (one.thumbnail_uri for one in infos if one and one.visibility == "public")
    # The favourites have no name.
    title = shelf.name or shelf.owner.username
    return Preview(
        title,
        _short(shelf.description),
        next(filter(None, images), ""),
        author=Author(shelf.owner.id, shelf.owner.username),
    )


async def _of_challenge(db: Database, id: str) -> Preview | None:
    challenge = await definitions.get(db, id, None, False)
    if challenge is None:
        return None
    image = _reward(challenge.win).emblem.image
    return Preview(challenge.name, _short(challenge.description), image)


_KINDS: Final[dict[str, Callable[[Database, str], Coroutine[Any, Any, Preview | None]]]] = {
    "user": _of_user,
    "challenges": _of_challenge,
    "collections": _of_collection,
}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT else line[: _TEXT - 1].rstrip() + "…"
