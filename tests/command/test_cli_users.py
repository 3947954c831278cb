"""The commands that change existing users."""

from uuid import uuid4

from msgspec import json

from contentsvc.framework.identity.passwords import HASHER
from contentsvc.tokens import Tokens
from tests.command.test_cli import PASSWORD, Clock, CommandCase

LONGER = "a longer password"
WORDS = "user", "password", "ada", "--password-stdin"


class DemoteTests(CommandCase):
    def test_demote(self) -> None:
        """user demote ends the sessions that were an admin's, and the next one is none."""
        self.add("ada", "--admin")
        self.add("ben", "--admin")
        self.sql("insert into sessions (user_id) select id from users where username = 'ada'")
        self.good("user", "demote", "ADA")
        rows = self.sql("select username, role from users order by username")
        self.assertEqual(rows, [("ada", "player"), ("ben", "admin")])
        self.assertEqual(self.sql("select count(*) from sessions where revoked is null"), [(0,)])
        token = self.good("token", "ada").strip()
        self.assertEqual(Tokens(self.keys, Clock()).verify(token).permissions, frozenset())

    def test_nobody(self) -> None:
        """A name that nobody has is refused."""
        self.refused("no user ada", "user", "demote", "ada")


class PasswordTests(CommandCase):
    def test_password(self) -> None:
        """user password replaces the password, ends all sessions and lifts a lock of log-in."""
        self.add("ada")
        self.good("token", "ada")
        for address in (uuid4(), uuid4()):
            self.sql(
                f"""insert into rate_limits (name, subject, expires, account)
                    select 'log_ins', '{address}', now() + interval '1 minute', id from users"""
            )
        self.good(*WORDS, given=f"{LONGER}\n".encode())
        ((encoded,),) = self.sql("select password_hash from users")
        self.assertTrue(HASHER.verify(encoded, LONGER))
        self.assertEqual(self.sql("select count(*) from sessions where revoked is null"), [(0,)])
        self.assertEqual(self.sql("select count(*) from rate_limits"), [(0,)])

    def test_typed(self) -> None:
        """Blanks around names and addresses are left out, and a byte order mark before the password
        is not a part of it, which is kept in NFC."""
        words = ["user", "add", " ada\u00a0", "--email", " ada@example.com ", "--password-stdin"]
        given = "\ufeffpa\u0308ssword\r\n".encode()
        self.good(*words, given=given)
        self.good("user", "promote", "ada@example.com ")
        ((name, email, encoded),) = self.sql("select username, email, password_hash from users")
        self.assertEqual((name, email), ("ada", "ada@example.com"))
        self.assertTrue(HASHER.verify(encoded, "p\u00e4ssword"))
        self.good(*WORDS, given="\ufeffe\u0301 and more\n".encode())
        ((encoded,),) = self.sql("select password_hash from users")
        self.assertTrue(HASHER.verify(encoded, "\u00e9 and more"))

    def test_noted(self) -> None:
        """Who knows the password can act as the user: it is in the list of what admins did."""
        self.add("ada", "--admin")
        self.good(*WORDS, given=f"{LONGER}\n".encode())
        rows = self.sql("select action, subject_kind, reason from moderation_actions")
        self.assertEqual(rows, [("password_set", "user", "")])

    def test_links(self) -> None:
        """It ends the links in mails that set a password, or change the address."""
        self.add("ada")
        for purpose in ("reset", "change", "confirm"):
            values = f"select '{purpose}', id, 'x' from users"
            self.sql(f"insert into mails (purpose, user_id, email) {values}")
        self.good(*WORDS, given=f"{LONGER}\n".encode())
        left = self.sql("select purpose from mails where not ended")
        self.assertEqual(left, [("confirm",)])

    def test_bad_password(self) -> None:
        """One that no registration would take is refused, and changes nothing."""
        self.add("ada")
        self.refused("8 to 128", *WORDS, given=b"short\n")
        ((encoded,),) = self.sql("select password_hash from users")
        self.assertTrue(HASHER.verify(encoded, PASSWORD))

    def test_nobody(self) -> None:
        """A name that nobody has is refused."""
        self.refused("no user ada", *WORDS, given=f"{LONGER}\n".encode())


class KeysTests(CommandCase):
    def test_secret_file_of_others(self) -> None:
        """A secret file that others may read is refused, and named."""
        (self.folder / "keys").chmod(0o640)
        self.refused(f"{self.folder}/keys: users other than its owner", "token", "ada")


class ClearTests(CommandCase):
    def test_clear(self) -> None:
        """user clear has the daemon take away what is named, each once and in one order."""
        id = self.add("ada").split()[-1].rstrip(".")
        printed = self.good(
            *("user", "clear", "ADA", "--reason", "spam"),
            *("--what", "comments", "content,comments"),
        )
        self.assertIn("content, comments", printed)
        ((task,),) = self.sql("select task from tasks where kind = 'UserClearance'")
        found = json.decode(task)
        expected = {"user": id, "what": ["content", "comments"], "reason": "spam", "admin": None}
        self.assertEqual(found | expected, found)

    def test_bad_words(self) -> None:
        """What is no word of the operation is refused, and so is an empty reason."""
        self.add("ada")
        for what, reason in (("likes", "spam"), (",", "spam"), ("content", "")):
            words = "user", "clear", "ada", "--what", what, "--reason", reason
            self.refused("content, comments, collections", *words)
        self.refused("--what", "user", "clear", "ada", "--reason", "spam")
        self.assertEqual(self.sql("select count(*) from tasks"), [(0,)])

    def test_admin(self) -> None:
        """An admin's account is refused, as an admin would be over HTTP; it says what to do."""
        self.add("ada", "--admin")
        words = "user", "clear", "ada", "--what", "content", "--reason", "spam"
        self.refused("contentsvc user demote ada", *words)
        self.assertEqual(self.sql("select count(*) from tasks"), [(0,)])
