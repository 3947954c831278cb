"""The memory of what admins did: moderation#actions."""

from functools import partial

import psycopg2

from contentsvc.store.moderation import audit_log
from tests.support.databases import StoreCase, guid, together


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


class WarningTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.admin, self.user_id = guid(), await self.user()

    async def warn(self, id: str | None, user: str | None = None) -> bool | None:
        """Warn the user, or another."""
        return await audit_log.warn(self.db, self.admin, False, user or self.user_id, "rude", id)

    async def test_at_once(self) -> None:
        """Of several at once with one id, one warns."""
        id = guid()
        warned = await together(*(self.warn(id) for _ in range(6)))
        self.assertEqual(sorted(warned), [False] * 5 + [True])
