"""`contentsvc service add`: an account for a program."""

import hashlib
import time

from tests.command.test_cli import CommandCase

DAY = 24 * 3600


class ServiceTests(CommandCase):
    def account(self) -> tuple:
        """The only account."""
        (found,) = self.sql("select id::text, name, scopes, expires from service_accounts")
        return found

    def test_add(self) -> None:
        """It prints an id and a secret, and nothing else; the database has its hash."""
        said = self.good("service", "add", "Game server", "--scope", "progress", "curate")
        id, secret = said.split(" ")
        self.assertRegex(secret, r"\Acsvc_[A-Za-z0-9_-]{43}\n\Z")
        self.assertEqual(self.account(), (id, "Game server", ["curate", "progress"], None))
        digest = hashlib.sha256(secret.strip().encode()).hexdigest()
        found = self.sql("select account_id::text, encode(hash, 'hex') from service_secrets")
        self.assertEqual(found, [(id, digest)])

    def test_expires(self) -> None:
        """It ends after so many days; a scope may be said each by itself."""
        before = int(time.time())
        words = ["--scope", "events", "--scope", "notify", "--expires", "30"]
        self.good("service", "add", "bot", *words)
        _, _, scopes, expires = self.account()
        self.assertEqual(scopes, ["events", "notify"])
        self.assertTrue(before + 30 * DAY <= expires <= int(time.time()) + 30 * DAY)

    def test_refused(self) -> None:
        """A bad name, scope or number of days is refused, and a name that is taken."""
        add, scope = ("service", "add"), ("--scope", "events")
        self.refused("--scope", *add, "bot")
        self.refused("administer", *add, "bot", "--scope", "administer")
        for name in ("", " ", "x" * 65, "a\0b"):
            self.refused("1 to 64 characters", *add, name, *scope)
        for days in ("0", "-1", "36501"):
            self.refused("number of days", *add, "bot", *scope, "--expires", days)
        self.refused("--expires", *add, "bot", *scope, "--expires", "soon")
        self.good(*add, "bot", *scope)
        self.refused("another service account", *add, "Bot", *scope)
