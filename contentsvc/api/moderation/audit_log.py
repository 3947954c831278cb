"""What moderators did, and their warnings (moderation#actions)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, required
from contentsvc.api.errors import ProtectedUser, UserNotFound
from contentsvc.api.moderation.acts import Acts
from contentsvc.api.paging import choice, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store.accounts import roles
from contentsvc.store.fragments import NIL, Numbered
from contentsvc.store.moderation import audit_log as store
from contentsvc.wire.moderation import (
    ACTS,
    SUBJECT_KINDS,
    ActionsQuery,
    AuditLogEntry,
    WarningBody,
)

_SERVICES = {
    None: [False, True],
    "user": [False],
    "service": [True],
    "operator": [False],
}
"""By who acted: whether it is a service account."""


class AuditLog(Struct):
    """The memory of what admins did, and the act that is nothing but remembered: a warning."""

    db: Database
    acts: Acts

    @route("GET", "/moderation/actions", allow=MODERATE)
    async def list_moderation_actions(
        self, call: Call, query: ActionsQuery
    ) -> Listed[AuditLogEntry]:
        """List the actions of admins and moderators, newest first (moderation#actions): all, or
        those on one `subject` or by one `admin`, and by `action`, by the `kind` of the subject and
        by `adminKind`. Nothing changes or deletes them."""
        return numbered(await self._page(query), query)

    async def _page(self, query: ActionsQuery) -> list[Numbered[AuditLogEntry]]:
        place = position(query), query.limit
        if query.action is not None or query.kind is not None or query.admin_kind is not None:
            return await self._of_kinds(query, *place)
        match query:
            case ActionsQuery(subject=str(subject), admin=str(admin)):
                return await store.of_subject_by_admin(self.db, subject, admin, *place)
            case ActionsQuery(subject=str(subject)):
                return await store.of_subject(self.db, subject, *place)
            case ActionsQuery(admin=str(admin)):
                return await store.by_admin(self.db, admin, *place)
            case _:
                return await store.all(self.db, *place)

    async def _of_kinds(
        self, query: ActionsQuery, before: int | None, limit: int
    ) -> list[Numbered[AuditLogEntry]]:
        actions = ACTS if query.action is None else choice("action", query.action, ACTS)
        kinds = SUBJECT_KINDS if query.kind is None else [query.kind]
        services = _SERVICES[query.admin_kind]
        # What a command did has the nil GUID, and nothing else has that.
        admin, people = query.admin, query.admin_kind == "user"
        if query.admin_kind == "operator":
            if admin not in {None, NIL}:
                return []
            admin = NIL
        if people and admin == NIL:
            return []
        place = before, limit
        if query.subject is not None:
            of = query.subject, admin
            return await store.of_kinds_of_subject(
                self.db, *of, actions, kinds, services, people, *place
            )
        if admin is not None:
            return await store.of_kinds_by_admin(self.db, admin, actions, kinds, services, *place)
        return await store.of_kinds(self.db, actions, kinds, services, people, *place)

    @route(
        "POST",
        "/user/<guid:user>/warning",
        allow=MODERATE,
        raises=(UserNotFound, ProtectedUser),
    )
    async def warn_user(self, call: Call, user: str, body: WarningBody) -> None:
        """Warn a user, who is notified. If the user has had a warning with this `id`, nothing
        happens."""
        order = self.acts.order(body.reason)
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.lock(tx, user), UserNotFound))
            await self.acts.warn(tx, call.actor, user, order, body.id)
