"""What admins did (moderation#actions). A trigger refuses changes of it
(schema/functions/keep_actions.sql)."""

from collections.abc import Sequence
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
    insert into moderation_actions (admin, service, action, subject_kind, subject, reason, decision)
    values (:admin, :service, :action, :kind, :subject, :reason, :decision::uuid)
""")
async def record_decided(
    tx: Db,
    admin: str,
    service: bool,
    action: Act,
    kind: SubjectKind,
    subject: str,
    reason: str,
    decision: str | None,
) -> None:
    """The same of an act that is of a decision; None where it takes back what stood without one."""


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
    insert into moderation_actions (
        admin, service, action, subject_kind, subject, reason, warning, decision
    ) values (
        :admin, :service, 'user_warned', 'user', :user, :reason, :warning::uuid, :decision::uuid
    )
    on conflict (subject, warning) where warning is not null do nothing
    returning true
""")
async def warn(
    tx: Db,
    admin: str,
    service: bool,
    user: str,
    reason: str,
    warning: str | None,
    decision: str | None,
) -> bool:
    """Note a warning of a user, and its decision. False if the user has had the `warning` with this
    id."""


@one("""
    select unix(max(created)) from moderation_actions
    where subject = :subject and subject_kind = :kind
""")
async def last(db: Db, kind: SubjectKind, subject: str) -> int | None:
    """When they last did something to a subject, in Unix seconds. None if they never did."""


_ENTRY: Final = f"""
    number, id, admin,
    case when admin = '{NIL}' then 'operator'
         when service then 'service' else 'user' end as admin_kind,
    action, subject_kind as kind, subject as id, reason, unix(created) as created, decision, counts
"""


def _list(which: str = "") -> str:
    return f"""
        select {_ENTRY} from moderation_actions where {which} number < {BEFORE}
        order by number desc limit :limit
    """


def _merged(which: str, more: str = "") -> str:
    """The acts of several kinds. Of each kind as many are read from an index as the part may have,
    and no others. The order by both columns keeps Postgres from reading all by number instead."""
    return f"""
        select {_ENTRY} from (
            select a.* from unnest(:actions::text[]) p (action)
            cross join unnest(:kinds::text[]) k (kind) {more}
            cross join lateral (
                select * from moderation_actions a
                where {which} and a.action = p.action and a.subject_kind >= k.kind
                  and (a.subject_kind, a.number) < (k.kind, {BEFORE})
                order by a.subject_kind desc, a.number desc limit :limit
            ) a
            order by a.number desc limit :limit
        ) a
        order by number desc
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


_PEOPLE: Final = f"(not :people or a.admin <> '{NIL}')"


@many(
    _merged(
        f"a.service = s.service and {_PEOPLE}",
        "cross join unnest(:services::boolean[]) s (service)",
    )
)
async def of_kinds(
    db: Db,
    actions: Sequence[str],
    kinds: Sequence[str],
    services: Sequence[bool],
    people: bool,
    before: int | None,
    limit: int,
) -> list[Numbered[AuditLogEntry]]:
    """The acts with one of these names, on one of these kinds of subjects. `services` says whether
    service accounts did them, or others, or either. With `people`, those of commands are left
    out."""


@many(_merged("a.admin = :admin and a.service = any(:services::boolean[])"))
async def of_kinds_by_admin(
    db: Db,
    admin: str,
    actions: Sequence[str],
    kinds: Sequence[str],
    services: Sequence[bool],
    before: int | None,
    limit: int,
) -> list[Numbered[AuditLogEntry]]:
    """Those of one admin."""


@many(f"""
    select {_ENTRY} from moderation_actions a
    where subject = :subject and (:admin::uuid is null or admin = :admin)
      and action = any(:actions::text[]) and subject_kind = any(:kinds::text[])
      and service = any(:services::boolean[]) and {_PEOPLE} and number < {BEFORE}
    order by number desc limit :limit
""")
async def of_kinds_of_subject(
    db: Db,
    subject: str,
    admin: str | None,
    actions: Sequence[str],
    kinds: Sequence[str],
    services: Sequence[bool],
    people: bool,
    before: int | None,
    limit: int,
) -> list[Numbered[AuditLogEntry]]:
    """The same of what was done to one subject, by whomever or by one admin."""
