"""What a hold copies of its subject (moderation#holds): of a user what the export has, of content
its detail, former names, members, revisions and comments, of a file who has sent it and what uses
it.

All of it is written where the subject is seen by nobody else too: content that is suspended,
withdrawn or purged, and tombstones.
"""

from typing import Final

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, maybe
from contentsvc.store.accounts import export
from contentsvc.store.files.held import of_digest
from contentsvc.store.sections import CONTENT, GUID, REVISION, TEXT, Section, section
from contentsvc.wire.moderation import HoldKind

_CONTENT: Final[list[Section]] = []
section(
    _CONTENT,
    "names",
    'n.name, unix(n.since) as since, n.user_id as "user"',
    "n.number",
    "content_names n where n.content_id = :subject",
    prefix="held_content",
)
section(
    _CONTENT,
    "guests",
    'g.user_id as "user", g.role, g.accepted, unix(g.since) as since',
    "g.number",
    "content_guests g where g.content_id = :subject",
    prefix="held_content",
)
section(
    _CONTENT,
    "revisions",
    f'{REVISION}, r.publisher_id as "publisherId"',
    "r.ordinal",
    "revisions r where r.content_id = :subject",
    prefix="held_content",
)
section(
    _CONTENT,
    "comments",
    """m.id, m.author_id as "authorId", m.parent_id as "parentId", m.body,
       unix(m.created) as created, unix(m.updated) as updated, m.deleted""",
    "m.ordinal",
    "comments m where m.content_id = :subject",
    prefix="held_content",
)

_FILE: Final[list[Section]] = []
section(
    _FILE,
    "users",
    'f.user_id as "user", f.path, f.size, f.sent, f.use',
    "(f.user_id::text || f.path)",
    f"user_files f where {of_digest('f.path', ':subject')}",
    of=TEXT,
    prefix="held_file",
)
section(
    _FILE,
    "content",
    "c.content_id as id",
    "c.content_id",
    f"""(select distinct content_id from claims
         where {of_digest("path", ":subject")} and content_id is not null) c where true""",
    of=GUID,
    prefix="held_file",
)


@maybe(
    f"""
    select row_to_json(content)::text
    from (
        select {CONTENT}, c.author_id as "authorId", unix(c.withdrawn) as withdrawn, c.purged, (
            select json_build_object('id', u.id, 'username', u.username)
            from users u where u.id = c.author_id
        ) as author
        from contents c where c.id = :content
    ) content
    """,
    lane=WHOLE,
)
async def _content(db: Db, content: str) -> str | None:
    """A content, as JSON. None if there is none."""


@maybe(
    f"""
    select json_build_object(
        'sha256', :sha256::text,
        'paths', (
            select coalesce(json_agg(json_build_object(
                'path', f.path, 'size', f.size, 'invalid', f.invalid
            ) order by f.path), '[]')
            from files f where {of_digest("f.path", ":sha256")}
        ),
        'block', (
            select json_build_object('reason', b.reason, 'created', unix(b.created))
            from blocked_files b where b.sha256 = :sha256::text
        )
    )::text
    """,
    lane=WHOLE,
)
async def _file(db: Db, sha256: str) -> str | None:
    """A file, as JSON."""


async def head(db: Db, kind: HoldKind, subject: str) -> str | None:
    """The first members of the record. None if the subject is gone."""
    if kind == "user":
        account = await export.account(db, subject)
        return None if account is None else export.head(account)
    if kind == "content":
        found = await _content(db, subject)
    else:
        found = await _file(db, subject)
    return None if found is None else f'"{kind}":{found}'


SECTIONS: Final[dict[HoldKind, list[Section]]] = {
    "user": export.SECTIONS,
    "content": _CONTENT,
    "file": _FILE,
}
"""The lists of the record, in their order."""
