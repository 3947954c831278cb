"""Callers, and a notifier that counts."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.api.call import Viewer
from contentsvc.api.content.types_and_platforms import ContentTypes, Platforms
from contentsvc.api.moderation.acts import Acts
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.call import Actor
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.reply import Encoded, Listed, Pieces
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.notifier import data_of
from contentsvc.roles import MODERATE, ROLES, Permission
from contentsvc.store.notifications import notifications
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.content import CONTENT_TYPES, ContentInfo
from contentsvc.wire.notifications import Notification
from contentsvc.wire.packages import PLATFORMS
from tests.support.databases import StoreCase


def no_types(db: Db) -> ContentTypes:
    """The types of a service without further ones."""
    return ContentTypes(Clock(), db, CONTENT_TYPES)


def no_platforms(db: Db) -> Platforms:
    """The platforms of a service without the setting."""
    return Platforms(Clock(), db, PLATFORMS)


def infos_of(answer: Listed[ContentInfo] | Encoded[Any] | Pieces[Any]) -> list[ContentInfo]:
    """The contents of a list's part."""
    if isinstance(answer, Listed) and isinstance(answer.items, Encoded):
        return msgspec.json.decode(answer.items.json, type=list[ContentInfo])
    if not isinstance(answer, Listed):
        raise TypeError("This is a whole list, not a part of one.")
    return [info for info in answer.items if isinstance(info, ContentInfo)]


class Caller:
    """Stands for web.call.Call: a user, signed in. An admin has all permissions, others those that
    are named."""

    base_url = "http://called.example:81"
    conditional = False
    user_agent = None
    guest = in_game = restricted = False

    def __init__(
        self,
        user: str = "",
        *,
        admin: bool = False,
        permissions: Iterable[Permission] = (),
        session: str = "",
        address: str = "192.0.2.1",
    ) -> None:
        self.user = user
        self.address = self.network = address
        self.notes: list[str] = []
        self.caller = user or None
        self.given: list[Callable[[], object]] = []
        self.leaving: list[Callable[[], object]] = []
        self.session = session
        self.role = "admin" if admin else "player"
        self._permissions = ROLES["admin"] if admin else frozenset(permissions)
        self.service = self.head = False
        self.viewer, self.actor = Viewer(user, self.may(MODERATE)), Actor(user, self.service)

    def may(self, permission: Permission) -> bool:
        """Whether the user has a permission."""
        return permission in self._permissions

    def changes(self, content: str) -> None:
        """Which content the request is to change: nothing here."""

    async def unrestricted(self, db: object) -> None:
        """That the user is not shut out: nobody is here."""

    async def unchanged(self, db: object, changed: object = None) -> None:
        """What the client demands of the present state: nothing here."""

    def when_gone(self, act: Callable[[], object]) -> None:
        """What is called if the client goes."""
        self.leaving.append(act)

    def note(self, word: str) -> None:
        """The note for the line of the log."""
        self.notes.append(word)

    def when_given(self, callback: Callable[[], object]) -> None:
        """What is called once the answer turns out to be what a GET asked for."""
        self.given.append(callback)


class Notifier:
    """Stores as push.notifier does, and remembers what was committed. `error` is raised after
    the row was inserted."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.states: list[str] = []
        self.libraries: list[str] = []
        self.error: Exception | None = None

    async def send(self, db: Db, recipient: str, notification: Notification) -> None:
        kind = type(notification).__name__
        await notifications.insert(db, recipient, kind, data_of(notification))
        self._sent(db, recipient, notification)

    async def send_many(self, db: Db, batch: Sequence[tuple[str, Notification]]) -> None:
        for recipient, notification in batch:
            if await notifications.insert_many(
                db, [recipient], [type(notification).__name__], [data_of(notification)]
            ):
                self._sent(db, recipient, notification)

    def _sent(self, db: Db, recipient: str, notification: Notification) -> None:
        if self.error is not None:
            raise self.error
        db.after_commit(lambda: self.sent.append((recipient, type(notification).__name__)))

    def publish(self, db: Db, rows: Sequence[Following]) -> None:
        told = [(row.user_id, msgspec.json.decode(row.data)["kind"]) for row in rows]
        db.after_commit(lambda: self.sent.extend(told))

    def changed(self, user: str) -> None:
        self.states.append(user)

    def library_changed(self, users: Sequence[str]) -> None:
        self.libraries.extend(users)


class Tasks(TaskQueue):
    """A queue of tasks that remembers how often it was woken."""

    def __init__(self) -> None:
        self.woken = 0
        super().__init__(self._count)

    def _count(self) -> None:
        self.woken += 1


class FakeRevocation:
    """Remembers which sessions were ended, once that is committed."""

    def __init__(self) -> None:
        self.sids: list[str] = []

    def end(self, db: Db, sids: list[str]) -> None:
        db.after_commit(lambda: self.sids.extend(sids))


class FakeRestrictions:
    """Remembers who was shut out of something, once that is committed."""

    def __init__(self) -> None:
        self.users: list[str] = []

    def note(self, db: Db, user: str) -> None:
        db.after_commit(lambda: self.users.append(user))


def acts(notifier: Notifier | None = None, queue: TaskQueue | None = None) -> Acts:
    """What moderators do, in a service that sends no mail."""
    told: Any = notifier or Notifier(), queue or Tasks(), FakeRevocation(), FakeRestrictions()
    return Acts(*told, mails=None, reference="")


INVITES: dict[str, Any] = {"require_invite": False, "invited_by": "anyone", "per_hour": 0}
"""The options of PartyInvites, without limits."""


class ApiCase(StoreCase):
    async def refused(self, act: Awaitable[Any]) -> Problem:
        """The problem that a handler raises."""
        try:
            await act
        except Problem as problem:
            return problem
        self.fail("nothing was raised")

    async def statuses(self, *acts: Awaitable[Any]) -> list[str]:
        """The outcomes of handlers that are called at once: "done" or the problem's code."""

        async def outcome(act: Awaitable[Any]) -> str:
            try:
                await act
            except Problem as problem:
                return problem.code
            return "done"

        begun = [Deferred.fromCoroutine(outcome(act)) for act in acts]
        return [await each for each in begun]
