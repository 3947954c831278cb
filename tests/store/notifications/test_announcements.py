"""Which announcements are those of now (studio#announcements), by a clock of the test's own."""

from contentsvc.store.notifications import announcements
from tests.support.databases import StoreCase, guid

SECOND = 1_795_000_000


class NowTests(StoreCase):
    own = True
    # The session's own clock is found before that of Postgres.
    options = "-c search_path=clocks,pg_catalog,public"

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("create schema if not exists clocks")

    async def titles(self, moment: float) -> list[str]:
        """What is announced at a moment, the newest first."""
        self.sql(
            "create or replace function clocks.clock_timestamp() returns timestamptz"
            f" language sql stable as 'select to_timestamp({moment})'"
        )
        return [row.item.title for row in await announcements.current(self.db, None, 10)]

    async def test_bounds(self) -> None:
        """It is announced from the first second until just before the last one, to the part of a
        second."""
        await announcements.put(self.db, guid(), "now", "", "info", SECOND, SECOND + 2)
        shown = {
            moment: await self.titles(SECOND + moment)
            for moment in (-0.6, -0.1, 0, 0.4, 0.6, 1.4, 1.6, 1.99, 2, 2.4)
        }
        self.assertEqual(
            [moment for moment, titles in shown.items() if titles], [0, 0.4, 0.6, 1.4, 1.6, 1.99]
        )
