"""`contentsvc maintenance`: what it accepts, and what it says."""

from datetime import UTC, datetime

from tests.command.test_cli import CommandCase


class MaintenanceTests(CommandCase):
    def rows(self) -> list[tuple[object, ...]]:
        return self.sql("select until, message, reads from maintenance")

    def test_on(self) -> None:
        """It says until when, in UTC, and `status` says it too."""
        said = ("--until", "2999-01-01T02:00:00+01:00", "--message", "Back \u202esoon")
        self.assertEqual(
            self.good("maintenance", "on", *said),
            "All requests of players are refused within two seconds, until 2999-01-01 01:00:00 "
            "UTC.\n",
        )
        until = datetime(2999, 1, 1, 1, tzinfo=UTC)
        self.assertEqual(self.rows(), [(until, "Back \u202esoon", False)])
        self.assertRegex(
            self.good("status"),
            r"Maintenance: +on since .* UTC until 2999-01-01 01:00:00 UTC: Back \\u202esoon\n",
        )

    def test_reads(self) -> None:
        """With --reads only writes are refused; without --until it lasts until `off`."""
        self.assertEqual(
            self.good("maintenance", "on", "--reads"),
            "Requests of players that write are refused within two seconds, until contentsvc "
            "maintenance off.\n",
        )
        self.assertEqual(self.rows(), [(None, None, True)])
        self.assertIn(", reads are answered\n", self.good("status"))

    def test_off(self) -> None:
        """It opens a closed service, and says so of an open one."""
        self.good("maintenance", "on")
        self.assertIn("opens within two seconds", self.good("maintenance", "off"))
        self.assertIn("was not closed", self.good("maintenance", "off"))
        self.assertEqual(self.rows(), [])

    def test_times(self) -> None:
        """Times of ISO 8601 are read, without an offset as UTC."""
        for text in ("2999-01-01", "2999-01-01T00:00:00Z", "29990101T0200+0200", "2999-W01-2"):
            said = self.good("maintenance", "on", "--until", text)
            self.assertIn("until 2999-01-01 00:00:00 UTC", said, text)

    def test_wrong(self) -> None:
        """Other times, those that have passed and long messages are refused in one line."""
        for words, reason in (
            (("--until", "soon"), "write a time of ISO 8601"),
            (("--until", "9999-12-31T23:00:00-14:00"), "write a time of ISO 8601"),
            (("--until", "2020-01-01"), "this time has passed"),
            (("--message", "x" * 1025), "at most 1024 characters"),
            (("--message", "\udcff"), "UTF-8 text"),
        ):
            self.refused(reason, "maintenance", "on", *words)
        self.assertEqual(self.rows(), [])
