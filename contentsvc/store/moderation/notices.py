"""Notices: what anybody has told the service of that is against the law (notices#notices). Each is
a report of each of its subjects, and stays when those reports go."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none, one
from contentsvc.store.fragments import status_of
from contentsvc.store.moderation.appeals import APPEALABLE


class Notice(NamedTuple):
    """A notice. Times are in Unix seconds. Who has sent it is None once that is erased."""

    id: str
    created: int
    due: int
    reason: str
    explanation: str
    law: str | None
    name: str | None
    email: str | None
    signature: str | None


class Named(NamedTuple):
    """A subject of a notice: of a comment with its `content`, which is `public` where everybody
    sees it, of a message with the `user` who has sent it. `url` is the one by which it was named.
    `appeal` is the id of its sender's newest appeal, None if there is none, with its place among
    all. `appeal_until` is until when they can appeal, in Unix seconds; None unless it was
    dismissed."""

    kind: str
    id: str
    content: str | None
    public: bool
    user: str | None
    url: str | None
    state: str
    appeal: str | None
    appeal_number: int
    appeal_state: str
    reason: str | None
    appeal_until: int | None


class Answered(NamedTuple):
    """What was decided of a whole notice, and the address to tell it to, if that is not erased."""

    outcome: str
    email: str | None


@one("""
    select file_notice(
        :reason, :explanation, :law, :name, :email, :signature, :kinds::text[], :ids::text[],
        :contents::uuid[], :users::uuid[], :urls::text[], :evidences::text[], :messages::text[]
    ) as id
""")
async def file(
    tx: Db,
    reason: str,
    explanation: str,
    law: str | None,
    name: str | None,
    email: str | None,
    signature: str | None,
    kinds: list[str],
    ids: list[str],
    contents: list[str | None],
    users: list[str | None],
    urls: list[str | None],
    evidences: list[str],
    messages: list[str | None],
) -> str:
    """File a notice of these subjects, of which each is one place of the lists. Gives its id. See
    schema/functions/file_notice.sql."""


@maybe("""
    select id, unix(created) as created, unix(due) as due, reason, explanation, law, name, email,
           signature
    from notices where id = :notice
""")
async def of_id(db: Db, notice: str) -> Notice | None:
    """A notice."""


@many(f"""
    select n.kind, n.id, n.content_id as content, exists (
               select from contents c where c.id = n.content_id and {status_of("c")} = 'active'
           ) as public,
           n.user_id as "user", n.url,
           coalesce(n.outcome, 'open') as state, a.id as appeal,
           coalesce(a.number, 0) as appeal_number,
           coalesce(a.state, 'open') as appeal_state, a.reason,
           case when n.outcome = 'dismissed'
                then unix(n.decided + interval '{APPEALABLE} days') end as appeal_until
    from notice_subjects n
    left join lateral (
        select a.id, a.number, a.state, a.reason from appeals a
        where a.notice = n.notice and a.subject_kind = n.kind and a.subject = n.id
              and a.subject_user is not distinct from n.user_id
        order by a.number desc limit 1
    ) a on true
    where n.notice = :notice
    order by n.place
""")
async def subjects(db: Db, notice: str) -> list[Named]:
    """The subjects of a notice, in their order."""


@none("select from notices where id = :notice for no key update")
async def lock(tx: Db, notice: str) -> None:
    """Lock a notice: whoever opens its reports again has locked it."""


@maybe("""
    update notices n set answered = d.outcome
    from (
        select case when bool_or(s.outcome = 'upheld') then 'upheld' else 'dismissed' end as outcome
        from notice_subjects s where s.notice = :notice having bool_and(s.outcome is not null)
    ) d
    where n.id = :notice and n.answered is null
    returning n.answered as outcome, n.email
""")
async def answer(tx: Db, notice: str) -> Answered | None:
    """Note that a notice, which is locked, is answered. None if something of it is open, or it was
    answered before."""
