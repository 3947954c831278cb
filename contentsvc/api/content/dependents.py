"""Dependents: the content that is built on other content (content#dependents)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.errors import ContentNotFound
from contentsvc.api.paging import heavy, numbered, position
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.store.content import dependents
from contentsvc.wire.base import Part
from contentsvc.wire.content import ContentInfo


class Dependents(Struct):
    """The content that uses what other content has brought."""

    db: Db

    @route("GET", "/content/<guid:content>/dependents", allow=ANYONE, raises=(ContentNotFound,))
    async def list_dependents(self, call: Call, content: str, query: Part) -> Listed[ContentInfo]:
        """List the active content whose current revision uses an entity or package that this
        content item brought, newest first."""
        window = position(query), query.limit
        rows = await dependents.of_content(self.db, content, *call.viewer, *window)
        if not rows:
            raise ContentNotFound()
        infos = [row.item for row in rows if row.item is not None]
        return numbered(rows, query, cut=heavy(infos))
