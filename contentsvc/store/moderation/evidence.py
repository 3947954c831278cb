"""The evidence that a report stores of its subject: the text as the reporter sees it
(moderation#reports).

The same text gives the same evidence, to the letter, so that it is stored once.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, maybe
from contentsvc.store.fragments import LEAVING, seen
from contentsvc.store.social.removal import PROOF

_CONTENT = """jsonb_build_object(
        'name', c.name, 'description', c.description, 'tags', c.tags,
        'screenshotUris', c.screenshots, 'type', c.type, 'authorId', c.author_id,
        'revisionId', c.revision_id, 'attributes', c.attributes
    )::text as text"""
_COMMENT = """jsonb_build_object(
        'authorId', m.author_id, 'contentId', m.content_id, 'body', m.body,
        'parentId', m.parent_id, 'created', unix(m.created), 'updated', unix(m.updated),
        'deleted', m.deleted
    )::text as text"""
_USER = """jsonb_build_object(
        'username', u.username, 'avatar', u.avatar, 'emblem', u.emblem,
        'profile', u.public_profile
    )::text as text"""


class Evidence(NamedTuple):
    """A subject's author, and its text as a JSON object."""

    author: str
    text: str


class UserEvidence(NamedTuple):
    """A user's text as a JSON object, and messages of theirs as a JSON array: None if none are
    asked for. `unknown` are the ids for which there is no such message."""

    text: str
    messages: str | None
    unknown: list[str]


@maybe(f"""
    select c.author_id as author, {_CONTENT}
    from contents c
    where c.id = :content and visible(c.status, c.id, c.author_id, :caller, :moderate)
      and c.author_id <> all({LEAVING})
""")
async def of_content(db: Db, content: str, caller: str | None, moderate: bool) -> Evidence | None:
    """A content, if the caller can see it."""


@maybe(f"""
    select m.author_id as author, {_COMMENT}
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and {seen()}
""")
async def of_comment(
    db: Db, content: str, comment: int, caller: str | None, moderate: bool
) -> Evidence | None:
    """A comment on a content, if the caller can see it."""


@maybe("select content_id from comments where id = :comment")
async def content_of_comment(db: Db, comment: int) -> str | None:
    """The content that a comment is on."""


@maybe(f"""
    select {_USER},
           sent.messages::text as messages,
           array(
               select asked.id from unnest(:messages::uuid[]) asked (id)
               where asked.id <> all(sent.ids)
           )::text[] as unknown
    from users u cross join lateral (
        select jsonb_agg(jsonb_build_object(
                   'id', m.id, 'text', coalesce(k.text, m.text), 'created', unix(m.created)
               ) order by m.number) as messages,
               coalesce(array_agg(m.id), '{{}}') as ids
        from pairs p join messages m on m.pair = p.number
        left join removed_messages k
            on (k.pair, k.sender, k.id) = (m.pair, m.sender, m.id) and {PROOF}
        where p.lesser = least(u.id, :caller) and p.greater = greatest(u.id, :caller)
          and m.sender = u.id and m.id = any(:messages)
    ) sent
    where u.id = :user
""")
async def of_user(db: Db, user: str, caller: str, messages: list[str]) -> UserEvidence | None:
    """A user, and these of the messages that the caller has received from them. What was taken away
    has its text while it is proof."""


@maybe("""
    select '' as author, jsonb_build_object(
        'sha256', :sha256::text, 'paths', coalesce(array_agg(f.path order by f.path), '{}'),
        'size', max(f.size)
    )::text as text
    from files f
    where f.path >= left(:sha256, 2) || '/' || :sha256
      and f.path < left(:sha256, 2) || '/' || :sha256 || '/'
    having count(*) > 0 or exists (select from blocked_files b where b.sha256 = :sha256)
""")
async def of_file(db: Db, sha256: str) -> Evidence | None:
    """A file of the service's own, by its digest: one that is known, or blocked. It has no
    author."""


@maybe("""
    select c.owner_id as author,
           jsonb_build_object('name', c.name, 'description', c.description)::text as text
    from collections c where c.id = :collection and (c.public or c.owner_id = :caller)
""")
async def of_collection(db: Db, collection: str, caller: str) -> Evidence | None:
    """A collection, if the caller can see it."""


class ContentFacts(NamedTuple):
    """A content, its author, and what moderators have done to it."""

    author: str
    text: str
    suspended: bool
    locked: bool


class CommentFacts(NamedTuple):
    """A comment, its author, and whether its text is gone."""

    author: str
    text: str
    body: str
    deleted: bool


class ProfileFacts(NamedTuple):
    """A user, what can be taken away of them, and their role."""

    text: str
    role: str
    avatar: str | None
    emblem: str | None
    full_profile: str | None
    public_profile: str | None


@maybe(f"""
    select c.author_id as author, {_CONTENT}, c.suspended, c.comments_locked as locked
    from contents c where c.id = :content
    for no key update
""")
async def lock_content(tx: Db, content: str) -> ContentFacts | None:
    """A content, whoever sees it, locked until the transaction ends. None if there is none."""


@maybe(f"""
    with content as materialized (
        select id from contents where id = :content for no key update
    )
    select m.author_id as author, {_COMMENT}, m.body, m.deleted
    from content c join comments m on m.content_id = c.id
    where m.id = :comment
""")
async def lock_comment(tx: Db, content: str, comment: int) -> CommentFacts | None:
    """A comment, whoever sees it, with its content locked. None if there is none."""


@maybe(f"""
    select {_USER}, u.role, u.avatar, u.emblem, u.full_profile, u.public_profile from users u
    where u.id = :user for update
""")
async def lock_user(tx: Db, user: str) -> ProfileFacts | None:
    """A user, locked as contentsvc.store.accounts.roles does. None if there is none."""
