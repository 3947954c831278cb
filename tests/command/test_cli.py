"""The `contentsvc` command against a real Postgres, its own or an embedded one."""

import contextlib
import io
import json
import os
import sys
import time
from contextlib import closing
from functools import cache
from pathlib import Path

import psycopg2
import treq
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import LoopingCall
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.command.demo.world import WORLD, id_of
from contentsvc.framework.identity.passwords import HASHER
from contentsvc.roles import ROLES
from contentsvc.store.fragments import NIL
from contentsvc.store.migrate import migrate
from contentsvc.store.schema_definition import names
from contentsvc.tokens import Keys, Tokens
from tests.command.here import Done, status_of
from tests.framework.postgres.servers import postmaster
from tests.support import postgres
from tests.support.daemon import Daemon, script, until

PASSWORD = "open sesame"
NOWHERE = "postgresql://127.0.0.1:1/none"


@cache
def migrated() -> str:
    """A database with the schema, to copy."""
    url = postgres.database(postgres.embedded())
    migrate(url)
    return url


class Clock:
    """The same clock as the command's."""

    seconds = staticmethod(time.time)


class CommandCase(SynchronousTestCase):
    """Commands on a database of their own, in this process."""

    template = True

    def setUp(self) -> None:
        self.url = postgres.database(postgres.embedded(), migrated() if self.template else None)
        self.addCleanup(postgres.drop, self.url)
        self.folder = postgres.new_folder()
        self.keys = Keys.load_or_generate(self.folder / "keys")
        self.storage = ["--database", self.url, "--secret-file", str(self.folder / "keys")]

    def command(self, *words: str, given: bytes = b"", **environ: str) -> Done:
        """Run it with `given` on standard input, and CONTENTSVC_… variables."""
        kept = {name: v for name, v in os.environ.items() if not name.startswith("CONTENTSVC_")}
        kept |= {f"CONTENTSVC_{name.upper()}": value for name, value in environ.items()}
        self.patch(os, "environ", kept)
        self.patch(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = status_of(words)
        return Done(status, out.getvalue(), err.getvalue())

    def good(self, *words: str, given: bytes = b"") -> str:
        """The output of a command that must succeed."""
        done = self.command(*words, *self.storage, given=given)
        self.assertEqual((done.status, done.err), (0, ""))
        return done.out

    def refused(self, expected: str, *words: str, given: bytes = b"") -> None:
        """Assert exit status 1 and one line on standard error with this in it."""
        done = self.command(*words, *self.storage, given=given)
        self.assertEqual((done.status, done.out), (1, ""))
        self.assertRegex(done.err, r"\Acontentsvc[ a-z]*: .*\n\Z")
        self.assertIn(expected, done.err)

    def add(self, name: str, *flags: str, password: str = PASSWORD) -> str:
        """Add a user."""
        words = ["user", "add", name, "--email", f"{name}@example.com", "--password-stdin"]
        return self.good(*words, *flags, given=f"{password}\n".encode())

    def sql(self, statement: str) -> list[tuple]:
        """The rows of a statement on a connection of its own."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


class MigrateTests(CommandCase):
    template = False

    def test_migrate(self) -> None:
        """migrate applies the schema and says what that was."""
        self.assertIn(", ".join(names()), self.good("migrate"))
        self.assertEqual(self.sql("select count(*) from users"), [(0,)])

    def test_again(self) -> None:
        """migrate on a current schema changes nothing and says so."""
        self.good("migrate")
        self.assertEqual(self.good("migrate"), "The schema is up to date.\n")

    def test_first_use(self) -> None:
        """Any other command applies the schema first."""
        self.add("ada")
        self.assertEqual(self.sql("select username from users"), [("ada",)])


class UserTests(CommandCase):
    def test_add(self) -> None:
        """user add makes a user with this password, who is no admin, and says the id."""
        said = self.add("ada")
        ((user, email, encoded, role),) = self.sql(
            "select id, email, password_hash, role from users"
        )
        self.assertEqual((email, role), ("ada@example.com", "player"))
        self.assertTrue(HASHER.verify(encoded, PASSWORD))
        self.assertIn(user, said)

    def test_add_admin(self) -> None:
        """--admin makes the user an admin."""
        self.add("ada", "--admin")
        self.assertEqual(self.sql("select role from users"), [("admin",)])

    def test_password_line(self) -> None:
        """The password is the first line of standard input, blanks and all, in UTF-8."""
        words = ["user", "add", "ada", "--email", "ada@example.com", "--password-stdin"]
        self.good(*words, given="  ☕ and milk \r\nnot this".encode())
        ((encoded,),) = self.sql("select password_hash from users")
        self.assertTrue(HASHER.verify(encoded, "  ☕ and milk "))

    def test_taken(self) -> None:
        """A name or an address that another user has is refused, whatever its case."""
        self.add("ada")
        words = ["user", "add", "--password-stdin", "--email"]
        given = PASSWORD.encode()
        self.refused("name ADA", *words, "new@example.com", "ADA", given=given)
        self.refused("e-mail", *words, "ADA@example.com", "new", given=given)
        self.assertEqual(self.sql("select count(*) from users"), [(1,)])

    def test_bad_values(self) -> None:
        """A name, an address or a password that registration would refuse is refused here."""
        for expected, name, email, given in (
            ("username", "a", "a@b", PASSWORD),
            ("username", "a d a", "a@b", PASSWORD),
            ("username", "\udcff\udcfe\udcfd", "a@b", PASSWORD),
            ("e-mail", "ada", "nowhere", PASSWORD),
            ("e-mail", "ada", "a\udcff@b", PASSWORD),
            ("password", "ada", "a@b", "short"),
            ("password", "ada", "a@b", ""),
            ("password", "ada", "a@b", "x" * 129),
            ("password", "ada", "a@b", "12345678\0"),
        ):
            words = ["user", "add", name, "--email", email, "--password-stdin"]
            self.refused(expected, *words, given=given.encode())
        words = ["user", "add", "ada", "--email", "a@b", "--password-stdin"]
        self.refused("UTF-8", *words, given=b"\xff" * 10)
        self.assertEqual(self.sql("select count(*) from users"), [(0,)])

    def test_no_terminal(self) -> None:
        """Without a terminal and --password-stdin there is nobody to ask."""
        self.refused("--password-stdin", "user", "add", "ada", "--email", "a@b")

    def roles(self) -> list[tuple[str]]:
        """Those of all users, by their names."""
        return self.sql("select role from users order by username")

    def test_promote(self) -> None:
        """user promote makes an admin, by a name in any case."""
        self.add("ada")
        self.add("ben")
        self.good("user", "promote", "ADA")
        self.assertEqual(self.roles(), [("admin",), ("player",)])

    def test_roles(self) -> None:
        """user promote gives the role that is named, and user demote takes it. Both end all
        sessions, and say so where nothing changes."""
        self.add("ada")
        for words in (["promote", "ada", "--role", "moderator"], ["demote", "ada"]):
            self.good("token", "ada")
            self.assertIn("end within seconds", self.good("user", *words))
            self.assertEqual(self.sql("select id from sessions where revoked is null"), [])
            self.good("token", "ada")
            self.assertIn("already", self.good("user", *words))
            self.assertEqual(len(self.sql("select id from sessions where revoked is null")), 1)
            self.sql("update sessions set revoked = now()")
        self.refused("--help", "user", "promote", "ada", "--role", "player")

    def test_role_events(self) -> None:
        """A role that changed is an event, of nobody; one that was there already is none, and none
        is written where events are off."""
        self.add("ada")
        for words in (["promote", "ada"], ["promote", "ada"], ["demote", "ada"]):
            self.good("user", *words)
        noted = "select actor, data from new_events where kind = 'RoleChanged' order by id"
        expected = [(None, '{"role":"admin"}'), (None, '{"role":"player"}')]
        self.assertEqual(self.sql(noted), expected)
        done = self.command("user", "promote", "ada", *self.storage, events="off")
        self.assertEqual(done.status, 0)
        self.assertEqual(self.sql(noted), expected)

    def test_promote_nobody(self) -> None:
        """user promote of a name that nobody has is refused."""
        self.refused("no user ada", "user", "promote", "ada")

    def test_export(self) -> None:
        """user export prints all that is held of a user."""
        self.add("ada")
        found = json.loads(self.good("user", "export", "ADA"))
        self.assertEqual(found["account"]["email"], "ada@example.com")
        self.assertEqual(found["messages"], [])

    def test_delete(self) -> None:
        """user delete needs --yes, and then deletes the account. The name stays taken."""
        self.add("ada")
        self.refused("--yes", "user", "delete", "ada")
        self.good("user", "delete", "ada", "--yes")
        self.assertEqual(self.sql("select count(*) from users"), [(0,)])
        kinds = self.sql("select kind from tasks order by kind")
        self.assertEqual(kinds, [("AuthorLeft",), ("Departure",)])
        words = ["user", "add", "Ada", "--email", "ada@example.com", "--password-stdin"]
        self.refused("name Ada", *words, given=PASSWORD.encode())

    def test_delete_address(self) -> None:
        """user delete keeps a digest of the address, with --free-address none. user add gives the
        address to a new user."""
        kept = "select count(*) from departures where email is not null"
        for name in ("ada", "ben"):
            self.add(name)
        self.good("user", "delete", "ben", "--yes", "--free-address")
        self.assertEqual(self.sql(kept), [(0,)])
        self.good("user", "delete", "ada", "--yes")
        self.assertEqual(self.sql(kept), [(1,)])
        words = ["user", "add", "eve", "--email", "ADA@example.com", "--password-stdin"]
        self.good(*words, given=PASSWORD.encode())
        self.assertEqual(self.sql(kept), [(0,)])


class TokenTests(CommandCase):
    def test_token(self) -> None:
        """token prints a good access token of a new session, and nothing else."""
        self.add("ada")
        printed = self.good("token", "ada")
        self.assertRegex(printed, r"\A[\w.-]+\n\Z")
        caller = Tokens(self.keys, Clock()).verify(printed.strip())
        self.assertEqual(
            [(caller.user, caller.session)], self.sql("select user_id, id from sessions")
        )
        self.assertEqual(caller.permissions, frozenset())

    def test_role(self) -> None:
        """A moderator's token says so."""
        self.add("ada")
        self.good("user", "promote", "ada", "--role", "moderator")
        token = self.good("token", "ada").strip()
        self.assertEqual(Tokens(self.keys, Clock()).verify(token).permissions, ROLES["moderator"])

    def test_admin(self) -> None:
        """An admin's account is refused, as an admin would be over HTTP; it says what to do."""
        self.add("ada", "--admin")
        self.refused("contentsvc user password ada", "token", "ada")
        self.assertEqual(self.sql("select count(*) from sessions"), [(0,)])
        self.assertEqual(self.sql("select count(*) from moderation_actions"), [(0,)])

    def test_noted(self) -> None:
        """It is in the list of what admins did, by nobody of the service."""
        self.add("ada")
        self.good("token", "ADA")
        rows = self.sql(
            """select a.admin::text, service, action, subject_kind, subject = u.id::text, reason
               from moderation_actions a, users u"""
        )
        self.assertEqual(rows, [(NIL, False, "token_issued", "user", True, "")])

    def test_nobody(self) -> None:
        """A name that nobody has is refused."""
        self.refused("no user ada", "token", "ada")

    def test_banned(self) -> None:
        """A banned user gets no token."""
        self.add("ada")
        self.sql("insert into bans (user_id, reason) select id, 'rude' from users")
        self.refused("ada is banned", "token", "ada")
        self.assertEqual(self.sql("select count(*) from sessions"), [(0,)])


class OptionTests(CommandCase):
    def test_before_and_after(self) -> None:
        """The options may stand before the subcommand, behind it, or one here and one there."""
        self.add("ada")
        database, secret = self.storage[:2], self.storage[2:]
        for words in (
            [*database, *secret, "user", "promote", "ada"],
            [*database, "user", *secret, "promote", "ada"],
            ["user", "promote", *database, "ada", *secret],
        ):
            self.assertEqual(self.command(*words).status, 0, words)

    def test_environment_and_file(self) -> None:
        """The environment and a configuration file are read as the daemon reads them."""
        config = self.folder / "contentsvc.toml"
        config.write_text(f'database = "{NOWHERE}"\nsecret_file = "{self.folder}/keys"\n')
        done = self.command("migrate", config=str(config), database=self.url)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertEqual(self.command("--config", str(config), "migrate").status, 1)

    def test_usage(self) -> None:
        """A wrong command line is one line too, and status 1."""
        for words in ([], ["user"], ["dance"], ["token"], ["user", "add", "ada"]):
            self.refused("--help", *words)

    def test_unreachable(self) -> None:
        """A database that cannot be reached is one line."""
        self.storage[1] = NOWHERE
        for words in (["migrate"], ["token", "ada"], ["demo"]):
            self.refused("connection", *words)

    def test_secret_file(self) -> None:
        """With a database, a secret file must be named, and be there for a token."""
        self.storage[3] = str(self.folder / "missing")
        self.refused("missing", "token", "ada")
        del self.storage[2:]
        self.refused("secret_file", "token", "ada")

    def test_no_embedded(self) -> None:
        """token and promote make no database where there is none: the folder must be wrong."""
        self.storage = ["--data-dir", str(self.folder / "var")]
        self.refused("data_dir", "token", "ada")
        self.refused("data_dir", "user", "promote", "ada")
        self.assertFalse((self.folder / "var").exists())


class Terminal(ProcessProtocol):
    """The command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.ended: Deferred[int] = Deferred()
        self.said = b""
        command = [script("contentsvc"), *words]
        reactor.spawnProcess(self, command[0], command, env=dict(os.environ), usePTY=True)

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        self.said += data

    def processEnded(self, reason) -> None:
        self.ended.callback(reason.value.exitCode)

    async def answer(self, question: bytes, text: str) -> None:
        """Wait for the question and type."""
        await until(lambda: question in self.said, 20, f"{question!r} in {self.said!r}")
        self.transport.write(text.encode() + b"\n")


class TerminalTests(TestCase):
    def setUp(self) -> None:
        self.url = postgres.database(postgres.embedded(), migrated())
        self.addCleanup(postgres.drop, self.url)
        keys = postgres.new_folder() / "keys"
        Keys.load_or_generate(keys)
        self.words = ["user", "add", "ada", "--email", "ada@example.com", "--database", self.url]
        self.words += ["--secret-file", str(keys)]

    async def test_asked_twice(self):
        """In a terminal the password is asked for twice, and not shown."""
        terminal = Terminal(*self.words)
        await terminal.answer(b"Password: ", PASSWORD)
        await terminal.answer(b"Once more: ", PASSWORD)
        self.assertEqual(await terminal.ended, 0)
        self.assertNotIn(PASSWORD.encode(), terminal.said)
        self.assertIn(b"Added user ada", terminal.said)

    async def test_differ(self):
        """Two different passwords are refused."""
        terminal = Terminal(*self.words)
        await terminal.answer(b"Password: ", PASSWORD)
        await terminal.answer(b"Once more: ", PASSWORD + "!")
        self.assertEqual(await terminal.ended, 1)
        self.assertIn(b"differ", terminal.said)


class EmbeddedTests(TestCase):
    """The command and the daemon on one embedded Postgres."""

    timeout = 300.0

    async def test_before_and_while(self):
        """Users can be added, and their tokens are good, before the daemon's first start and
        while it runs; the command ends no server but its own."""
        daemon = Daemon()
        self.addCleanup(lambda: Deferred.fromCoroutine(daemon.stop()))
        data_dir = Path(daemon.data_dir)
        await daemon.add_user("ada", PASSWORD)
        early = (await daemon.command("token", "ada")).strip()
        self.assertIsNone(postmaster(data_dir))
        await daemon.start()
        server = postmaster(data_dir)
        await daemon.add_user("ben", PASSWORD)
        late = (await daemon.command("token", "ben")).strip()
        await daemon.command("demo")
        self.assertEqual(postmaster(data_dir), server)
        tokens = Tokens(Keys.load(daemon.secret_file), Clock())
        for token in (early, late):
            found = await self.get(daemon, f"user/{tokens.verify(token).user}", token)
            self.assertIn(found["username"], ("ada", "ben"))
        tower = await self.get(daemon, f"content/{id_of('tower')}")
        expected = {"up": len(WORLD["contents"]["tower"]["up"]), "down": 0}
        self.assertEqual(tower["votes"], expected)

    async def test_told_of_demo(self):
        """The daemon tells those in the demo of what was published, withdrawn and decided there."""
        daemon = Daemon()
        self.addCleanup(lambda: Deferred.fromCoroutine(daemon.stop()))
        await daemon.command("demo")
        await daemon.start()
        token = (await daemon.command("token", "kestrel")).strip()
        user = Tokens(Keys.load(daemon.secret_file), Clock()).verify(token).user
        written = {"AccountWarning", "CommentOnContent", "CommentRemoved"}
        written |= {"CommentReply", "ContentRestored", "ContentSuspended", "FriendConfirm"}
        written |= {"FriendMessage"}
        told: list[str] = []

        async def look() -> None:
            found = await self.get(daemon, f"user/{user}/notifications", token)
            told[:] = [each["kind"] for each in found if each["kind"] not in written]

        looking = LoopingCall(lambda: Deferred.fromCoroutine(look()))
        done = looking.start(0.2)
        wanted = ["ChallengeParticipated", "ContentPublished", "ContentPublished"]
        wanted += ["DecisionTaken", "DependencyStatus", "ReportResolved"]
        wanted += ["RevisionPublished", "RevisionPublished"]
        try:
            await until(lambda: sorted(told) == wanted, 60, f"told {wanted}")
        finally:
            looking.stop()
            await done

    async def get(self, daemon: Daemon, path: str, token: str | None = None) -> dict:
        """The JSON of a GET."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"{daemon.url}/api/v1/{path}"
        response = await treq.get(url, headers=headers, persistent=False)
        self.assertEqual(response.code, 200)
        return await response.json()
