"""Users: spec §4.5 to §4.8."""

from msgspec import UNSET

from contentsvc.api.errors import UserNotFound
from contentsvc.store import users
from contentsvc.store.query import Db
from contentsvc.web.allow import ANYONE, SELF, SELF_OR_ADMIN
from contentsvc.web.call import Call
from contentsvc.web.errors import at_parameter
from contentsvc.web.route import route
from contentsvc.wire.users import (
    FullUser,
    Profile,
    UserInfo,
    UserPage,
    UserSearch,
    UserUpdate,
)

_SHORTEST_QUERY, _LONGEST_QUERY = 3, 256


class Users:
    """What users say of themselves, and finding them."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @route("GET", "/user/search", allow=ANYONE)
    async def search(self, call: Call, query: UserSearch) -> UserPage:
        """Spec §4.5."""
        q = query.q.strip()
        if not _SHORTEST_QUERY <= len(q) <= _LONGEST_QUERY:
            raise at_parameter("q", f"{_SHORTEST_QUERY} to {_LONGEST_QUERY} characters are taken.")
        found = await users.search(self._db, q, query.page_size, query.page)
        items = [UserInfo(row.id, *row[2:]) for row in found if row.id is not None]
        return UserPage(items, query.page, query.page_size, found[0].total)

    @route("GET", "/user/<guid:user>/info", allow=ANYONE)
    async def info(self, call: Call, user: str) -> UserInfo:
        """Spec §4.6. Raises UserNotFound."""
        info = await users.info(self._db, user)
        if info is None:
            raise UserNotFound()
        return info

    @route("GET", "/user/<guid:user>", allow=SELF)
    async def full(self, call: Call, user: str) -> FullUser:
        """Spec §4.7. Raises UserNotFound."""
        row = await users.full(self._db, user)
        if row is None:
            raise UserNotFound()
        return FullUser(*row[:5], _profile(row.full_profile), _profile(row.public_profile))

    @route("PUT", "/user/<guid:user>", allow=SELF_OR_ADMIN)
    async def update(self, call: Call, user: str, body: UserUpdate) -> None:
        """Spec §4.8. Raises UserNotFound."""
        full, public = body.full_profile.profile, body.public_profile.profile
        updated = await users.update(
            self._db,
            user,
            body.avatar,
            body.emblem,
            None if full is UNSET else full,
            None if public is UNSET else public,
        )
        if updated is None:
            raise UserNotFound()


def _profile(text: str | None) -> Profile:
    return Profile() if text is None else Profile(profile=text)
