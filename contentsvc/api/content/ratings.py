"""Ratings: content#ratings."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_visible
from contentsvc.api.errors import ContentNotFound
from contentsvc.api.guests import RATE
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Encoded, Pieces
from contentsvc.framework.http.route import route
from contentsvc.store.content import ratings
from contentsvc.store.fragments import NIL
from contentsvc.wire.content import RatingBody, RatingMap

VOTES = 5000
"""Most votes of a map in one piece, and of a page of a longer map."""


class Ratings(Struct):
    """A user's votes."""

    db: Database
    votes: int = VOTES

    @route(
        "PUT",
        "/user/<guid:user>/rating/<guid:content>",
        allow=SELF,
        guests=RATE,
        restricts="rate",
        raises=(ContentNotFound,),
    )
    async def put_rating(self, call: Call, user: str, content: str, body: RatingBody) -> None:
        """Rate a content item (content#ratings). A second rating replaces the first."""
        for member, given, meant in (
            ("accountId", body.account_id, user),
            ("contentId", body.content_id, content),
        ):
            if given not in {None, meant}:
                raise at_pointer(f"/{member}", "This must be the same as in the path.")
        up = body.value == "1"
        if call.restricted and not await ratings.is_so(self.db, user, content, up):
            await check_visible(call, self.db, content)
            await call.unrestricted(self.db)
        if not await ratings.put(self.db, user, content, call.viewer.moderate, up):
            raise ContentNotFound()

    @route(
        "DELETE",
        "/user/<guid:user>/rating/<guid:content>",
        allow=SELF,
        raises=(ContentNotFound,),
    )
    async def delete_rating(self, call: Call, user: str, content: str) -> None:
        """Remove the user's rating of a content item."""
        if not await ratings.delete(self.db, user, content, call.viewer.moderate):
            raise ContentNotFound()

    @route("GET", "/user/<guid:user>/ratings", allow=SELF)
    async def get_ratings(self, call: Call, user: str) -> Encoded[RatingMap] | Pieces[RatingMap]:
        """Get the user's ratings (content#ratings), by the id of the content."""
        moderate = call.viewer.moderate
        first = await ratings.of_user(self.db, user, moderate, self.votes)
        if len(first) < self.votes * ratings.ENTRY:
            return Encoded(f"{{{first}}}".encode())

        after, db = NIL, self.db.whole()

        async def more() -> bytes:
            nonlocal after
            entries = await ratings.page(db, user, moderate, after, self.votes)
            after = entries[1 - ratings.ENTRY :][:36]
            return entries.encode()

        return Pieces(more, lambda: ratings.state(db, user, moderate), b"{}")
