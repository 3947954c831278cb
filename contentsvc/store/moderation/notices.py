"""Notices: what anybody has told the service of that is against the law (notices#notices). Each is
a report of each of its subjects, and stays when those reports go."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, one


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
    """A subject of a notice: of a comment with its `content`, of a message with the `user` who has
    sent it. `url` is the one by which it was named."""

    kind: str
    id: str
    content: str | None
    user: str | None
    url: str | None
    state: str


class Answered(NamedTuple):
    """What was decided of a whole notice, and the address to tell it to, if that is not erased."""

    outcome: str
    email: str | None


@one("""
    select file_notice(
        :reason, :explanation, :law, :name, :email, :signature, :kinds::text[], :ids::text[],
        :contents::uuid[], :users::uuid[], :urls::text[], :evidences::text[]
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


@many("""
    select kind, id, content_id as content, user_id as "user", url,
           coalesce(outcome, 'open') as state
    from notice_subjects where notice = :notice order by place
""")
async def subjects(db: Db, notice: str) -> list[Named]:
    """The subjects of a notice, in their order."""


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
    """Note that a notice is answered. None if something of it is open, or it was answered
    before."""
