"""`contentsvc legal log`: lines of JSON."""

import json
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import psycopg2

from tests.command.test_cli import CommandCase

DECISION = """
    insert into decisions (id, action, subject_kind, subject, basis, reference, explanation, source,
                           automated, moderator, service, created)
    select gen_random_uuid(), 'warn', 'user', gen_random_uuid(), 'terms', '§ 1', 'x', 'own', 'no',
           gen_random_uuid(), false, %s::timestamptz + make_interval(secs => n)
    from generate_series(1, %s) n
"""


class LegalTests(CommandCase):
    def sql(self, statement: str, *given: Any) -> None:
        """Run a statement."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute(statement, given)
            connection.commit()

    def log(self, first: str, last: str) -> list[dict[str, Any]]:
        """What it prints."""
        said = self.good("legal", "log", "--from", first, "--to", last)
        return [json.loads(line) for line in said.splitlines()]

    def test_lines(self) -> None:
        """Each line is an object with type, id and created, in the order of these; more than one
        part has. Each month of these days is there, once, with the users who had a session."""
        self.sql(DECISION, "2026-01-31T23:50:00Z", 1500)
        self.sql(
            "insert into tallies values ('2026-01-31', 'month', 2), ('2026-02-01', 'month', 1)"
        )
        found = self.log("2026-01-15", "2026-03-01")
        self.assertEqual([one["created"] for one in found], sorted(one["created"] for one in found))
        kinds = [one["type"] for one in found]
        self.assertEqual(kinds.count("decision"), 1500)
        self.assertEqual(len({one["id"] for one in found}), 1503)
        months = [(one["id"], one["users"]) for one in found if one["type"] == "month"]
        self.assertEqual(months, [("2026-01", 2), ("2026-02", 1), ("2026-03", 0)])
        self.assertEqual((kinds[0], kinds[-1]), ("month", "month"))

    def test_nothing(self) -> None:
        """Where nothing was decided there are months alone."""
        today = str(datetime.now(UTC).date())
        (found,) = self.log(today, today)
        self.assertEqual((found["type"], found["id"], found["users"]), ("month", today[:7], 0))

    def test_wrong(self) -> None:
        """Days that there are not, the wrong order, and a day too few are refused in one line."""
        self.refused("write a day", "legal", "log", "--from", "2025-02-29", "--to", "2025-03-01")
        days = "--from", "2025-02-02", "--to", "2025-02-01"
        self.refused("after --to", "legal", "log", *days)
        self.refused("--to", "legal", "log", "--from", "2025-02-02")
