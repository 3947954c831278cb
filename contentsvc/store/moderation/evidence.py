"""The evidence that a report stores of its subject: the text as the reporter sees it
(moderation#reports).

The same text gives the same evidence, to the letter, so that it is stored once.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, maybe
from contentsvc.store.fragments import LEAVING, seen


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
    select c.author_id as author, jsonb_build_object(
        'name', c.name, 'description', c.description, 'tags', c.tags,
        'screenshotUris', c.screenshots, 'type', c.type, 'authorId', c.author_id,
        'revisionId', c.revision_id, 'attributes', c.attributes
    )::text as text
    from contents c
    where c.id = :content and visible(c.status, c.id, c.author_id, :caller, :moderate)
      and c.author_id <> all({LEAVING})
""")
async def of_content(db: Db, content: str, caller: str, moderate: bool) -> Evidence | None:
    """A content, if the caller can see it."""


@maybe(f"""
    select m.author_id as author, jsonb_build_object(
        'authorId', m.author_id, 'contentId', m.content_id, 'body', m.body,
        'parentId', m.parent_id, 'created', unix(m.created), 'updated', unix(m.updated),
        'deleted', m.deleted
    )::text as text
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and {seen()}
""")
async def of_comment(
    db: Db, content: str, comment: int, caller: str, moderate: bool
) -> Evidence | None:
    """A comment on a content, if the caller can see it."""


@maybe("""
    select jsonb_build_object(
               'username', u.username, 'avatar', u.avatar, 'emblem', u.emblem,
               'profile', u.public_profile
           )::text as text,
           sent.messages::text as messages,
           array(
               select asked.id from unnest(:messages::uuid[]) asked (id)
               where asked.id <> all(sent.ids)
           )::text[] as unknown
    from users u cross join lateral (
        select jsonb_agg(jsonb_build_object(
                   'id', m.id, 'text', m.text, 'created', unix(m.created)
               ) order by m.number) as messages,
               coalesce(array_agg(m.id), '{}') as ids
        from pairs p join messages m on m.pair = p.number
        where p.lesser = least(u.id, :caller) and p.greater = greatest(u.id, :caller)
          and m.sender = u.id and m.id = any(:messages)
    ) sent
    where u.id = :user
""")
async def of_user(db: Db, user: str, caller: str, messages: list[str]) -> UserEvidence | None:
    """A user, and these of the messages that the caller has received from them."""


@maybe("""
    select c.owner_id as author,
           jsonb_build_object('name', c.name, 'description', c.description)::text as text
    from collections c where c.id = :collection and (c.public or c.owner_id = :caller)
""")
async def of_collection(db: Db, collection: str, caller: str) -> Evidence | None:
    """A collection, if the caller can see it."""
