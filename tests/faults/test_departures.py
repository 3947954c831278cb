"""A process is killed while it deletes what a user has left."""

from contextlib import closing
from typing import Any

import psycopg2

from contentsvc.wire.accounts import PasswordProof
from tests.faults.case import PASSWORD, FaultCase, hold

CONTENTS = 200
"""More than a process deletes while it is being killed."""


class DepartureTests(FaultCase):
    def sql(self, statement: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with closing(psycopg2.connect(self.database)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, args)
                return cursor.fetchall() if cursor.description else []

    def left(self) -> int:
        """How much content is not deleted."""
        ((found,),) = self.sql("select count(*) from contents where not deleted")
        return int(found)

    async def test_killed(self) -> None:
        """Another process deletes what the killed one has not."""
        service = await self.daemon()
        ann = await self.client(service, patience=0)
        self.sql(
            "insert into contents (id, revision_id, author_id, type, name, description,"
            " screenshots, tags) select gen_random_uuid(), gen_random_uuid(), %s, 'game', 'Castle',"
            " 'A castle to storm', '{a.png}', '{}' from generate_series(1, %s)",
            *(ann.user, CONTENTS),
        )
        await ann.departures.delete(PasswordProof(password=PASSWORD))
        await hold(lambda: self.left() < CONTENTS, "it begins")
        await service.kill()
        self.assertEqual(self.sql("select count(*) from users"), [(0,)])
        self.assertGreater(self.left(), 0)
        await self.daemon()
        await hold(lambda: not self.sql("select 1 from tasks"), "it ends", 100)
        self.assertEqual(self.left(), 0)
        self.no_failures()
