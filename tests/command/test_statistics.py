"""`contentsvc statistics`: a table of days."""

from datetime import UTC, datetime, timedelta

from tests.command.test_cli import CommandCase


class StatisticsTests(CommandCase):
    def test_csv(self) -> None:
        """The last 366 days, with a header; today is the last."""
        self.add("ada")
        header, *days = self.good("statistics", "--csv").splitlines()
        self.assertEqual(
            header,
            "day,registered,guests,active,deleted,published,revised,comments,messages,ratings,"
            "downloads,bytes",
        )
        today = datetime.now(UTC).date()
        self.assertEqual((len(days), days[-1]), (366, f"{today},1,0,0,0,0,0,0,0,0,0,0"))
        self.assertTrue(days[0].startswith(str(today - timedelta(days=365))))

    def test_days(self) -> None:
        """Or those that are named."""
        said = self.good("statistics", "--csv", "--from", "2024-02-28", "--to", "2024-03-01")
        self.assertEqual(len(said.splitlines()), 4)

    def test_wrong(self) -> None:
        """Days that there are not, and no form at all, are refused in one line."""
        self.refused("write a day", "statistics", "--csv", "--from", "2025-02-29")
        self.refused(
            "after --to", "statistics", "--csv", "--from", "2025-02-02", "--to", "2025-01-01"
        )
        self.refused("--csv", "statistics")
