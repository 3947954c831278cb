"""What admins did (extensions §7). A trigger keeps it (schema/functions/keep_actions.sql)."""

from contentsvc.db.query import Db, many, maybe, none
from contentsvc.store.fragments import BEFORE, Numbered
from contentsvc.wire.moderation import Act, AuditLogEntry, SubjectKind


@none("""
    insert into moderation_actions (admin, action, subject_kind, subject, reason)
    values (:admin, :action, :kind, :subject, :reason)
""")
async def record(
    tx: Db, admin: str, action: Act, kind: SubjectKind, subject: str, reason: str
) -> None:
    """Note an admin's act, in the transaction of the act. `reason` is "" without one."""


@maybe("""
    with warned as (
        insert into moderation_actions (admin, action, subject_kind, subject, reason, warning)
        select :admin, 'user_warned', 'user', id::text, :reason, :warning::uuid
        from users where id = :user
        on conflict (subject, warning) where warning is not null do nothing
        returning true
    )
    select exists (select from warned) from users where id = :user
""")
async def warn(tx: Db, admin: str, user: str, reason: str, warning: str | None) -> bool | None:
    """Note a warning of a user. False if the user has had the `warning` with this id, None if there
    is no such user."""


def _list(which: str = "") -> str:
    return f"""
        select number, id, admin, action, subject_kind as kind, subject as id, reason,
               unix(created) as created
        from moderation_actions where {which} number < {BEFORE}
        order by number desc limit :limit
    """


@many(_list())
async def all(db: Db, before: int | None, limit: int) -> list[Numbered[AuditLogEntry]]:
    """What admins did, newest first."""


@many(_list("subject = :subject and"))
async def of_subject(
    db: Db, subject: str, before: int | None, limit: int
) -> list[Numbered[AuditLogEntry]]:
    """What they did to one subject."""


@many(_list("admin = :admin and"))
async def by_admin(
    db: Db, admin: str, before: int | None, limit: int
) -> list[Numbered[AuditLogEntry]]:
    """What one admin did."""


@many(_list("subject = :subject and admin = :admin and"))
async def of_subject_by_admin(
    db: Db, subject: str, admin: str, before: int | None, limit: int
) -> list[Numbered[AuditLogEntry]]:
    """What one admin did to one subject."""
