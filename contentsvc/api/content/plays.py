"""Plays of content, and what was played on each day: content#plays."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait
from contentsvc.api.errors import (
    ContentNotFound,
    RevisionNotFound,
    TooManyRequests,
    UserNotFound,
)
from contentsvc.api.paging import asked_days
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.roles import ADMINISTER, PLAYS
from contentsvc.store.content import content_counts, items
from contentsvc.wire.library import ContentDay, ContentStatisticsQuery, PlayBody


class Plays(Struct):
    """What users have played. A user may report `per_minute` plays, 0 for any number."""

    db: Database
    per_minute: int

    @route(
        "POST",
        "/user/<guid:user>/plays",
        allow=SELF | PLAYS,
        raises=(UserNotFound, ContentNotFound, RevisionNotFound, TooManyRequests),
    )
    async def report_play(self, call: Call, user: str, body: PlayBody) -> None:
        """Report that the user has played a content item, at the end of the play. The same id
        within 24 hours is a repeat, and changes nothing."""
        call.changes(body.content)
        moderate = not call.service and call.viewer.moderate
        what = user, body.content, moderate, body.revision
        given = *what, body.id, body.seconds, body.completed, self.per_minute
        answer = await content_counts.add(self.db, *given)
        if answer == content_counts.NO_CONTENT:
            raise ContentNotFound()
        if answer == content_counts.NO_REVISION:
            raise RevisionNotFound()
        check_wait(answer)

    @route(
        "GET",
        "/content/<guid:content>/statistics",
        allow=SIGNED_IN,
        raises=(Forbidden, ContentNotFound),
    )
    async def list_content_statistics(
        self, call: Call, content: str, query: ContentStatisticsQuery
    ) -> list[ContentDay]:
        """List how the counts of a content item changed on each day of UTC, from the first to the
        last that is asked for, at most 366. For its author and admins."""
        first, last = asked_days(query.first, query.last)
        state = await items.state_of(self.db, content, *call.viewer)
        if state is None or not state.visible:
            raise ContentNotFound()
        if call.user != state.author_id and not call.may(ADMINISTER):
            raise Forbidden("Only its author and admins can see these numbers.")
        return await content_counts.of_days(self.db, content, first.isoformat(), last.isoformat())
