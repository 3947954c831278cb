"""Content that uses what other content has brought (extensions §1)."""

from typing import NamedTuple

from contentsvc.db.query import Db, many
from contentsvc.store.fragments import INFO
from contentsvc.wire.content import ContentInfo


class Dependent(NamedTuple):
    """A content that uses another, with its place in the list. Without `info` there is none."""

    number: int
    info: ContentInfo | None


@many(f"""
    select d.*
    from contents o left join lateral (
        select n.number, {INFO}
        from content_uses n
        join contents c on c.id = n.content_id
        join users u on u.id = c.author_id
        where n.used = o.id and c.status = 'active'
          and n.number < coalesce(:before, 9223372036854775807)
        order by n.number desc limit :limit
    ) d on true
    where o.id = :content and visible(o.status, o.author_id, :caller, :admin)
    order by d.number desc
""")
async def of_content(
    db: Db, content: str, caller: str | None, admin: bool, before: int | None, limit: int
) -> list[Dependent]:
    """The active content whose current revision uses a part that this one brought, newest first. No
    row at all if the caller cannot see the content."""
