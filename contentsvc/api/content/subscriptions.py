"""Players' subscriptions to content (content#subscriptions)."""

from typing import Final

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.content.requirements import client
from contentsvc.api.content.types_and_platforms import Platforms
from contentsvc.api.errors import (
    ContentNotFound,
    NotSubscribed,
    QuotaExceeded,
    RevisionGone,
    RevisionNotFound,
)
from contentsvc.api.paging import heavy, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Encoded, Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.notifier import Notifier
from contentsvc.store.content import subscriptions as store
from contentsvc.wire.library import (
    LibraryMap,
    Subscription,
    SubscriptionBody,
    SubscriptionsQuery,
)
from contentsvc.wire.searches import ClientQuery

_PATH: Final = "/user/<guid:user>/subscription/<guid:content>"


class Subscriptions(Struct):
    """Subscriptions: at most `most` of each user, 0 for any number."""

    db: Database
    notifier: Notifier
    queue: TaskQueue
    most: int
    platforms: Platforms

    @route(
        "PUT",
        _PATH,
        allow=SELF,
        heeds=_PATH,
        raises=(ContentNotFound, RevisionNotFound, RevisionGone, QuotaExceeded),
    )
    async def put_subscription(
        self, call: Call, user: str, content: str, body: SubscriptionBody
    ) -> None:
        """Subscribe to a content item, with `pin` to one of its revisions, else to the current one.
        A repeat replaces the pin. A subscription to content that the user does not see now stays as
        it is."""
        given = user, content, body.pin, call.viewer.moderate, self.most
        async with self.db.transaction() as tx:
            if call.conditional:
                await store.lock(tx, user, content)
                await call.unchanged(tx)
            outcome, used, unsettled = await store.put(tx, *given)
        if unsettled:
            self.queue.wake()
        match outcome:
            case "content_not_found":
                raise ContentNotFound()
            case "revision_not_found":
                raise RevisionNotFound()
            case "revision_gone":
                raise RevisionGone("The revision has been deleted, so nobody can stay with it.")
            case "quota_exceeded":
                detail = f"This write would exceed your quota of {self.most} subscriptions."
                raise QuotaExceeded(detail, limit=self.most, used=used)
            case "changed":
                self.notifier.library_changed([user])

    @route("DELETE", _PATH, allow=SELF)
    async def delete_subscription(self, call: Call, user: str, content: str) -> None:
        """Unsubscribe from a content item."""
        if await store.delete(self.db, user, content):
            self.notifier.library_changed([user])

    @route("GET", _PATH, allow=SELF, raises=(NotSubscribed,))
    async def get_subscription(
        self, call: Call, user: str, content: str, query: ClientQuery
    ) -> Subscription:
        """Get the user's subscription to one content item."""
        has = await client(query, self.platforms)
        row = await store.get(self.db, user, content, call.viewer.moderate, has.asked, *has)
        return _shown(required(row, NotSubscribed))

    @route("GET", "/user/<guid:user>/subscriptions", allow=SELF)
    async def list_subscriptions(
        self, call: Call, user: str, query: SubscriptionsQuery
    ) -> Listed[Subscription]:
        """List the user's subscriptions, newest first. If the query says what the client has, the
        revision is the pinned one, or else the one that fits."""
        has = await client(query, self.platforms)
        given = call.viewer.moderate, position(query), query.limit, has.asked, *has
        rows = await store.page(self.db, user, *given)
        cut = heavy(row.info for row in rows if row.info is not None)
        return listed(rows, query, lambda row: row.number, _shown, cut=cut)

    @route("GET", "/user/<guid:user>/subscriptions/state", allow=SELF)
    async def get_library(self, call: Call, user: str, query: ClientQuery) -> Encoded[LibraryMap]:
        """Get all of the user's subscriptions by the id of the content, as of one moment
        (content#library-map). A client that has exactly this has the user's library. If the query
        says what the client has, the revision is the pinned one, or else the one that fits."""
        has = await client(query, self.platforms)
        kept = await store.state(self.db, user, call.viewer.moderate, has.asked, *has)
        return Encoded(f"{{{kept}}}".encode())


def _shown(row: store.SubscriptionRow) -> Subscription:
    return Subscription(row.id, row.info, row.since, row.pin, row.revision, row.state)
