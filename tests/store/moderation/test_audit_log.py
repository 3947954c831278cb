"""The memory of what admins did: moderation#actions."""

from collections.abc import Sequence
from functools import partial

import psycopg2

from contentsvc.store.fragments import Numbered
from contentsvc.store.moderation import audit_log
from contentsvc.wire.moderation import ACTS, SUBJECT_KINDS, Act, AuditLogEntry, SubjectKind
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class KeptTests(StoreCase):
    def refused(self, statement: str) -> None:
        """Assert that the database does not run this statement."""
        with self.assertRaisesRegex(psycopg2.Error, "Nothing changes or deletes"):
            self.sql(statement)

    async def test_kept(self) -> None:
        """No statement changes or deletes an act, one of all rows neither."""
        await audit_log.record(self.db, guid(), False, "user_banned", "user", guid(), "rude")
        before = self.sql("select * from moderation_actions")
        self.refused("update moderation_actions set reason = ''")
        self.refused("delete from moderation_actions")
        self.refused("truncate moderation_actions")
        self.assertEqual(self.sql("select * from moderation_actions"), before)

    async def test_user_goes(self) -> None:
        """An act stays when the admin and the subject are gone."""
        admin, user = await self.user(), await self.user()
        await audit_log.record(self.db, admin, False, "user_warned", "user", user, "rude")
        self.sql("delete from users where id in (%s, %s)", admin, user)
        (row,) = await audit_log.of_subject(self.db, user, None, 10)
        self.assertEqual((row.item.admin, row.item.subject.id), (admin, user))


class ListTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob, self.cid, self.dan = (guid() for _ in range(4))
        for admin, subject in (
            (self.ann, self.cid),
            (self.bob, self.cid),
            (self.ann, self.dan),
            (self.ann, self.cid),
        ):
            await audit_log.record(self.db, admin, False, "user_changed", "user", subject, "")

    async def test_parts(self) -> None:
        """Each list goes on before a number."""
        for read in (
            partial(audit_log.all, self.db),
            partial(audit_log.of_subject, self.db, self.cid),
            partial(audit_log.by_admin, self.db, self.ann),
            partial(audit_log.of_subject_by_admin, self.db, self.cid, self.ann),
        ):
            first, second = await read(None, 2)
            self.assertEqual(await read(None, 1), [first])
            self.assertEqual(await read(first.number, 1), [second])


class KindTests(StoreCase):
    """Lists of what was done, by action, kind of subject and who acted."""

    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bot, self.castle, self.fort = (guid() for _ in range(4))
        nobody = audit_log.OPERATOR
        acts: list[tuple[tuple[str, bool], Act, SubjectKind, str]] = [
            ((self.ann, False), "report_upheld", "content", self.castle),
            ((self.bot, True), "report_upheld", "user", self.fort),
            (nobody, "user_cleared", "user", self.fort),
            ((self.ann, False), "user_warned", "user", self.fort),
            ((self.bot, True), "report_upheld", "content", self.castle),
            ((self.ann, False), "report_dismissed", "content", self.castle),
        ]
        ((first,),) = self.sql("select coalesce(max(number), 0) from moderation_actions")
        for actor, action, kind, subject in acts:
            await audit_log.record(self.db, *actor, action, kind, subject, "")
        rows = self.sql("select number from moderation_actions where number > %s order by 1", first)
        self.numbers = [number for (number,) in rows]

    def places(self, rows: Sequence[Numbered[AuditLogEntry]]) -> list[int]:
        """Which of the acts there are, by their places."""
        return [self.numbers.index(row.number) for row in rows if row.number in self.numbers]

    async def test_each(self) -> None:
        """Each of the three has its own, newest first, and all of them together."""
        every, either = (ACTS, SUBJECT_KINDS), [False, True]
        upheld = ["report_upheld"]
        for given, expected in (
            ((upheld, SUBJECT_KINDS, either, False), [4, 1, 0]),
            (([*upheld, "user_warned"], SUBJECT_KINDS, either, False), [4, 3, 1, 0]),
            ((ACTS, ["content"], either, False), [5, 4, 0]),
            ((*every, [True], False), [4, 1]),
            ((*every, [False], True), [5, 3, 0]),
            ((upheld, ["content"], [True], False), [4]),
            ((upheld, ["challenge"], either, False), []),
        ):
            rows = await audit_log.of_kinds(self.db, *given, None, 200)
            self.assertEqual(self.places(rows), expected, given)

    async def test_of_admin(self) -> None:
        """So it is of what one admin did, the operator too."""
        for admin, actions, services, expected in (
            (self.ann, ACTS, [False, True], [5, 3, 0]),
            (self.ann, ["report_upheld", "report_dismissed"], [False], [5, 0]),
            (self.ann, ACTS, [True], []),
            (self.bot, ACTS, [True], [4, 1]),
            (audit_log.OPERATOR[0], ["user_cleared"], [False], [2]),
        ):
            given = admin, actions, SUBJECT_KINDS, services
            rows = await audit_log.of_kinds_by_admin(self.db, *given, None, 200)
            self.assertEqual(self.places(rows), expected, given)

    async def test_of_subject(self) -> None:
        """And of what was done to one subject."""
        for admin, actions, services, people, expected in (
            (None, ACTS, [False, True], False, [3, 2, 1]),
            (None, ACTS, [False], True, [3]),
            (None, ["user_cleared"], [False, True], False, [2]),
            (self.bot, ACTS, [False, True], False, [1]),
        ):
            given = self.fort, admin, actions, SUBJECT_KINDS, services, people
            rows = await audit_log.of_kinds_of_subject(self.db, *given, None, 200)
            self.assertEqual(self.places(rows), expected, given)

    async def test_parts(self) -> None:
        """Each list goes on before a number."""
        every = ACTS, SUBJECT_KINDS, [False, True]
        for read in (
            partial(audit_log.of_kinds, self.db, *every, False),
            partial(audit_log.of_kinds_by_admin, self.db, self.ann, *every),
            partial(audit_log.of_kinds_of_subject, self.db, self.castle, None, *every, False),
        ):
            first, second = await read(None, 2)
            self.assertEqual(await read(first.number, 1), [second])


class WarningTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.admin, self.user_id = guid(), await self.user()

    async def warn(self, id: str | None, user: str | None = None) -> bool | None:
        """Warn the user, or another."""
        return await audit_log.warn(
            self.db, self.admin, False, user or self.user_id, "rude", id, None
        )

    async def test_at_once(self) -> None:
        """Of several at once with one id, one warns."""
        id = guid()
        warned = await together(*(self.warn(id) for _ in range(6)))
        self.assertEqual(sorted(warned), [False] * 5 + [True])
