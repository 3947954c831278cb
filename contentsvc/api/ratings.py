"""Ratings: spec §4.13, §4.14."""

from msgspec import Raw

from contentsvc.api.errors import ContentNotFound
from contentsvc.store import ratings
from contentsvc.store.query import Db
from contentsvc.web.allow import SELF
from contentsvc.web.call import Call
from contentsvc.web.errors import at_pointer
from contentsvc.web.route import route
from contentsvc.wire.ratings import RatingBody


class Ratings:
    """A user's votes."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @route("PUT", "/user/<guid:user>/rating/<guid:content>", allow=SELF)
    async def put(self, call: Call, user: str, content: str, body: RatingBody) -> None:
        """Spec §4.13. Raises ContentNotFound."""
        for member, given, meant in (
            ("accountId", body.account_id, user),
            ("contentId", body.content_id, content),
        ):
            if given is not None and given.lower() != meant:
                raise at_pointer(f"/{member}", "This differs from the path.")
        if not await ratings.put(self._db, user, content, call.viewer[1], body.value == "1"):
            raise ContentNotFound()

    @route("DELETE", "/user/<guid:user>/rating/<guid:content>", allow=SELF)
    async def delete(self, call: Call, user: str, content: str) -> None:
        """Take the vote back. Raises ContentNotFound."""
        if not await ratings.delete(self._db, user, content, call.viewer[1]):
            raise ContentNotFound()

    @route("GET", "/user/<guid:user>/ratings", allow=SELF)
    async def all(self, call: Call, user: str) -> Raw:
        """Spec §4.14."""
        return Raw((await ratings.of_user(self._db, user, call.viewer[1])).encode())
