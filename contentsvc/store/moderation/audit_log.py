"""What admins did (moderation#actions). A trigger refuses changes of it
(schema/functions/keep_actions.sql)."""

from typing import Final

from contentsvc.framework.db.query import Db, found, many, none, one
from contentsvc.store.fragments import BEFORE, NIL, Numbered
from contentsvc.wire.moderation import Act, AuditLogEntry, SubjectKind

OPERATOR: Final = NIL, False
"""The actor of a command, for `record`: no user, and no service account."""


@none("""
    insert into moderation_actions (admin, service, action, subject_kind, subject, reason)
    values (:admin, :service, :action, :kind, :subject, :reason)
""")
async def record(
    tx: Db,
    admin: str,
    service: bool,
    action: Act,
    kind: SubjectKind,
    subject: str,
    reason: str,
) -> None:
    """Note an act of an admin, or of a `service` account, in the transaction of the act. `reason`
    is "" without one."""


@none("""
    insert into moderation_actions (admin, service, action, subject_kind, subject, reason, counts)
    values (:admin, :service, :action, :kind, :subject, :reason, :counts::jsonb)
""")
async def record_counted(
    tx: Db,
    admin: str,
    service: bool,
    action: Act,
    kind: SubjectKind,
    subject: str,
    reason: str,
    counts: str,
) -> None:
    """The same of an act that was about several things. `counts` are the JSON of an object: how
    many there were, by their kind."""


@found("""
    insert into moderation_actions (admin, service, action, subject_kind, subject, reason, warning)
    values (:admin, :service, 'user_warned', 'user', :user, :reason, :warning::uuid)
    on conflict (subject, warning) where warning is not null do nothing
    returning true
""")
async def warn(
    tx: Db, admin: str, service: bool, user: str, reason: str, warning: str | None
) -> bool:
    """Note a warning of a user. False if the user has had the `warning` with this id."""


@one("""
    select unix(max(created)) from moderation_actions
    where subject = :subject and subject_kind = :kind
""")
async def last(db: Db, kind: SubjectKind, subject: str) -> int | None:
    """When they last did something to a subject, in Unix seconds. None if they never did."""


def _list(which: str = "") -> str:
    return f"""
        select number, id, admin,
               case when admin = '{NIL}' then 'operator'
                    when service then 'service' else 'user' end as admin_kind,
               action, subject_kind as kind, subject as id, reason,
               unix(created) as created, counts
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
