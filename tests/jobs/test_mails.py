"""Sending mails, and their texts."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.database import Database
from contentsvc.framework.mail.errors import Away, NotTaken, PutOff
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_runners import FAREWELL, EffectRunner
from contentsvc.jobs import mails as module
from contentsvc.jobs.mails import (
    EACH,
    FIRST_PAUSE,
    GIVE_UP_AFTER,
    LAST_PAUSE,
    LEASE,
    MAIL_TEXTS,
    MOST_TEXT_BYTES,
    MailCounts,
    MailForm,
    MailSender,
    TextsError,
    load_texts,
)
from contentsvc.store.accounts import mails
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.rate_limits import RESETS
from contentsvc.store.tasks import SendMail
from tests.jobs.mortal import Death, Process
from tests.support.databases import StoreCase
from tests.support.deferreds import together
from tests.support.lines import logged_by

FORM = MailForm(
    "no-reply@studio.example", "", load_texts(None), "https://portal.example/", "Skyforge"
)
Reply = Callable[[str], Exception | None]


class FakeServer:
    """Takes mails. `reply` says what becomes of one to an address. With `slow`, each mail waits for
    `slow` to fire."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Any]] = []
        self.reply: Reply = lambda recipient: None
        self.away = False
        self.connected = 0
        self.open = 0
        self.slow: Deferred[None] | None = None

    async def connect(self) -> FakeSession:
        if self.away:
            raise Away("The mail server cannot be reached")
        self.connected += 1
        self.open += 1
        return FakeSession(self)

    def to(self) -> list[str]:
        """The recipients of the mails that were taken."""
        return [recipient for recipient, _ in self.taken]


class FakeSession:
    """A connection to it."""

    lost = False

    def __init__(self, server: FakeServer) -> None:
        self._server = server

    async def send(self, sender: str, recipient: str, message: bytes) -> None:
        if self._server.slow is not None:
            await self._server.slow
        error = self._server.reply(recipient)
        if error is not None:
            raise error
        self._server.taken.append((recipient, message_from_bytes(message, policy=policy.default)))

    async def quit(self) -> None:
        self._server.open -= 1


class MailsCase(StoreCase):
    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.mail_server = FakeServer()
        self.counts = MailCounts()
        self.sending = self.process(self.db)
        self.rung = 0
        self.queue = Mails(self.ring)
        self.logged = logged_by(module, self)  # type: ignore[arg-type]

    def ring(self) -> None:
        """The bell of the job."""
        self.rung += 1

    def process(self, db: Database) -> EffectRunner:
        """One more process's job."""
        sender = MailSender(
            Clock(),
            db,
            self.mail_server,
            FORM,
            lambda purpose, id: f"{purpose}-{id}",
            lambda decision, user: f"appeal-{decision}-{user}",
            self.counts,
        )
        return EffectRunner(self.clock, db, sender.kind)

    def address(self, user: str) -> str:
        """A user's address."""
        ((email,),) = self.sql("select email from users where id = %s", user)
        return str(email)

    async def put(self, purpose: str = "confirm") -> str:
        """A mail to a new user, whose address is given back."""
        user = await self.user()
        email = self.address(user)
        await self.queue.put(self.db, purpose, user, email)  # type: ignore[arg-type]
        return email

    def later(self, seconds: float) -> None:
        """So much time has passed for all mails."""
        passed = "%s * interval '1 second'"
        self.sql(
            f"update tasks set due = due - {passed}, created = created - {passed}", *[seconds] * 2
        )
        self.sql("update mails set created = created - %s * interval '1 second'", seconds)
        self.sql("update rate_limits set expires = expires - %s * interval '1 second'", seconds)

    def waiting(self) -> list[tuple[Any, ...]]:
        """Those that wait: tries, seconds until the next, failure."""
        return self.sql(
            """select tries, round(extract(epoch from due - clock_timestamp()))::integer, failure
               from tasks order by created"""
        )

    async def working(self) -> None:
        """Let a job under way go on."""
        await task_queue.due(self.db, "SendMail", 1, 0)

    def begun(self) -> bool:
        """Whether a process is at one."""
        return self.sql("select id from tasks where lease is not null") != []


class SendingTests(MailsCase):
    def assertNoResult(self, begun: Deferred[None]) -> None:
        """It has not ended."""
        self.assertFalse(begun.called)

    async def test_sent(self) -> None:
        """Each mail is sent once, over one connection, which is ended then."""
        emails = [await self.put() for _ in range(EACH)]
        self.assertEqual(self.rung, EACH)
        self.assertEqual(await self.sending.run(), 0.0)
        self.assertIsNone(await self.sending.run())
        self.assertEqual(self.mail_server.to(), emails)
        self.assertEqual((self.mail_server.connected, self.mail_server.open), (1, 0))
        self.assertEqual(self.waiting(), [])
        self.assertEqual(self.counts, MailCounts(sent=EACH))

    async def test_at_once(self) -> None:
        """Many go over several connections, and several processes share them: none is sent
        twice."""
        emails = [await self.put() for _ in range(8 * EACH)]
        other = self.process(await self.pool())
        await together(self.sending.run(), other.run())
        self.assertCountEqual(self.mail_server.to(), emails)
        self.assertGreater(self.mail_server.connected, 2)

    async def test_no_transaction(self) -> None:
        """While the server takes its time, no connection of the database is held."""
        await self.put()
        self.mail_server.slow = Deferred()
        run = Deferred.fromCoroutine(self.sending.run())
        while not self.begun():
            await together(self.working())
        ((held,),) = self.sql(
            """select count(*) from pg_stat_activity
               where datname = current_database() and state like 'idle in transaction%%'"""
        )
        self.assertEqual(held, 0)
        self.mail_server.slow.callback(None)
        await run

    async def test_link(self) -> None:
        """A mail has the link with its token, which is good from then on; a notice has none."""
        email = await self.put()
        ((id,),) = self.sql("select id from mails")
        self.assertIsNone(await mails.link(self.db, id, ["confirm"]))
        await self.sending.run()
        ((_, message),) = self.mail_server.taken
        self.assertIn(f"https://portal.example/?token=confirm-{id}", message.get_content())
        link = await mails.link(self.db, id, ["confirm"])
        assert link is not None
        self.assertEqual((link.email, link.purpose), (email, "confirm"))
        await self.put("changed")
        await self.sending.run()
        self.assertNotIn("token", self.mail_server.taken[1][1].get_content())

    async def linked(self, user: str, issuer: str, kept: str) -> None:
        """An account of this issuer is linked to a user."""
        self.sql(
            """insert into identities (user_id, issuer, subject, kept)
               values (%s, %s, gen_random_uuid(), %s)""",
            *(user, issuer, kept),
        )

    def texts(self) -> list[str]:
        """The texts of the mails that were taken."""
        taken = (message.get_content() for _, message in self.mail_server.taken)
        return [text.replace("\r\n", "\n") for text in taken]

    async def test_issuers(self) -> None:
        """A mail about links names the issuer, and those of all that is linked now. It has no token
        and no name."""
        user = await self.user("evil.example")
        email = self.address(user)
        await self.queue.put(self.db, "unlinked", user, email, "https://b\nhttps://c")
        await self.sending.run()
        for issuer in ("steam", "https://a", "https://a"):
            await self.linked(user, issuer, "no")
        await self.queue.put(self.db, "linked", user, email, "https://a")
        await self.sending.run()
        first, second = self.texts()
        self.assertIn("\nhttps://b, https://c\n", first)
        self.assertIn("linked to yours: -\n", first)
        self.assertIn("\nhttps://a\n", second)
        self.assertIn("linked to yours: https://a (2), steam\n", second)
        for text in (first, second):
            self.assertNotIn("token", text)
            self.assertNotIn("evil.example", text)

    async def test_staying(self) -> None:
        """A mail to set a password names the issuers of what stays linked, and not of what goes."""
        user = await self.user()
        for issuer, kept in (("https://stays", "yes"), ("https://goes", "no")):
            await self.linked(user, issuer, kept)
        self.sql(
            """insert into identities (user_id, issuer, subject, linked)
               select id, 'https://first', id, created from users where id = %s""",
            user,
        )
        await self.queue.put(self.db, "reset", None, self.address(user))
        await self.sending.run()
        (text,) = self.texts()
        self.assertIn("\nhttps://first, https://stays\n", text)
        self.assertNotIn("https://goes", text)

    async def test_away(self) -> None:
        """A server that is away costs the mails nothing: they are sent when it is back."""
        email = await self.put()
        self.mail_server.away = True
        for _ in range(3):
            await self.assertFailure(Deferred.fromCoroutine(self.sending.run()), Away)
        self.assertEqual(self.waiting()[0][::2], (0, None))
        self.mail_server.away = False
        await self.sending.run()
        self.assertEqual(self.mail_server.to(), [email])

    async def test_bad_settings(self) -> None:
        """A server that refuses the sender keeps no mail from being tried again."""
        email = await self.put()
        self.mail_server.reply = lambda recipient: Away("refuses the sender")
        await self.assertFailure(Deferred.fromCoroutine(self.sending.run()), Away)
        self.mail_server.reply = lambda recipient: None
        self.later(FIRST_PAUSE)
        await self.sending.run()
        self.assertEqual(self.mail_server.to(), [email])

    async def test_put_off(self) -> None:
        """A mail that is put off waits, longer each time, and holds up no other."""
        late = await self.put()
        self.mail_server.reply = lambda to: PutOff("451 4.2.1") if to == late else None
        expected = FIRST_PAUSE
        for tries in range(1, 12):
            other = await self.put()
            await self.sending.run()
            self.assertEqual(self.mail_server.to()[-1], other)
            ((tried, pause, failure),) = self.waiting()
            self.assertEqual((tried, failure), (tries, "451 4.2.1"))
            self.assertTrue(expected / 2 < pause <= expected, pause)
            self.later(expected)
            expected = min(2 * expected, LAST_PAUSE)
        self.mail_server.reply = lambda to: None
        await self.sending.run()
        self.assertEqual(self.mail_server.to()[-1], late)
        self.assertEqual((self.counts.put_off, self.waiting()), (11, []))

    async def test_refused(self) -> None:
        """A mail that is refused is given up. The log names the user, not the address."""
        email = await self.put()
        self.mail_server.reply = lambda to: NotTaken("550 5.1.1")
        await self.sending.run()
        self.assertEqual((self.waiting(), self.counts.refused), ([], 1))
        ((user, id),) = self.sql("select user_id, id from mails")
        self.assertEqual(
            self.logged, [f"Could not send a mail (confirm) to user {user}: 550 5.1.1"]
        )
        self.assertIsNone(await mails.link(self.db, id, ["confirm"]))
        self.assertNotIn(email, self.logged[0])

    async def test_given_up(self) -> None:
        """A mail that has waited for days is given up."""
        await self.put()
        self.later(GIVE_UP_AFTER + 60)
        await self.sending.run()
        self.assertEqual((self.waiting(), self.mail_server.to()), ([], []))
        self.assertIn("too long", self.logged[0])

    async def test_odd_address(self) -> None:
        """An address to which no mail can be sent gets none."""
        user = await self.user()
        await self.queue.put(self.db, "confirm", user, "a>b@example.com")
        await self.sending.run()
        self.assertEqual((self.waiting(), self.mail_server.to()), ([], []))
        self.assertEqual(len(self.logged), 1)

    async def test_clock(self) -> None:
        """A mail that waits for a time beyond any pause was put off before the clock was set
        back."""
        email = await self.put()
        self.sql("update tasks set due = now() + interval '1 day'")
        later = await self.put()
        await self.sending.run()
        self.assertEqual(self.mail_server.to(), [later, email])

    async def test_stop(self) -> None:
        """A process that stops waits for the mail under way, which is not sent again, and begins no
        other."""
        first, second = [await self.put() for _ in range(2)]
        self.mail_server.slow = Deferred()
        run = Deferred.fromCoroutine(self.sending.run())
        while not self.begun():
            await self.working()
        stop = Deferred.fromCoroutine(self.sending.stop())
        await self.working()
        self.assertNoResult(stop)
        self.mail_server.slow.callback(None)
        await stop
        await run
        self.assertEqual(self.mail_server.to(), [first])
        self.assertEqual([tries for tries, *_ in self.waiting()], [0])
        self.assertIsNone(await self.sending.stop())
        await self.process(self.db).run()
        self.assertEqual(self.mail_server.to(), [first, second])

    async def test_stop_late(self) -> None:
        """It does not wait for long."""
        await self.put()
        self.mail_server.slow = Deferred()
        run = Deferred.fromCoroutine(self.sending.run())
        while not self.begun():
            await self.working()
        stop = Deferred.fromCoroutine(self.sending.stop())
        self.clock.advance(FAREWELL)
        await stop
        self.mail_server.slow.callback(None)
        await run

    async def test_user_gone(self) -> None:
        """Who has left gets no mail."""
        await self.put()
        self.sql("delete from users")
        await self.sending.run()
        self.assertEqual(self.mail_server.to(), [])


class ResetTests(MailsCase):
    async def test_unknown(self) -> None:
        """Of an address that nobody has, nothing is left."""
        await self.queue.put(self.db, "reset", None, "nobody@example.com")
        await self.sending.run()
        self.assertEqual((self.mail_server.to(), self.sql("select id from mails")), ([], []))

    async def test_most(self) -> None:
        """An account gets only so many in an hour, and then again."""
        email = self.address(await self.user())
        for _ in range(RESETS.most + 2):
            await self.queue.put(self.db, "reset", None, email)
        await self.sending.run()
        await self.sending.run()
        self.assertEqual(len(self.mail_server.taken), RESETS.most)
        self.later(3600)
        await self.queue.put(self.db, "reset", None, email)
        await self.sending.run()
        self.assertEqual(len(self.mail_server.taken), RESETS.most + 1)

    async def test_same_token(self) -> None:
        """A mail that is sent again has the same token, and the hour begins anew."""
        email = self.address(await self.user())
        await self.queue.put(self.db, "reset", None, email)
        await self.sending.run()
        ((id,),) = self.sql("update mails set expires = now() returning id")
        await task_queue.put(self.db, SendMail(mail=id))
        await self.sending.run()
        first, second = [message for _, message in self.mail_server.taken]
        self.assertEqual(first.get_content(), second.get_content())
        self.assertEqual(first["Message-ID"], second["Message-ID"])
        ((left,),) = self.sql("select extract(epoch from expires - now())::float8 from mails")
        self.assertGreater(left, 3500)


class DeathTests(MailsCase):
    async def test_deaths(self) -> None:
        """A process that dies, or loses the database, at any statement loses no mail. It is sent
        twice only if that comes after the server has taken it and before this is noted."""
        twice = set()
        for what in ("lost", "dead"):
            for nth in range(1, 6):
                for when in ("before", "after"):
                    email = await self.put()
                    self.mail_server.taken.clear()
                    process = Process(self.url, lambda db: self.process(db).run)
                    self.addCleanup(process.db.stop)
                    death = Death(nth, when, what)  # type: ignore[arg-type]
                    await process.batch(death)
                    self.later(LEASE)
                    while await self.sending.run() is not None:
                        pass
                    self.assertIn(self.mail_server.to(), ([email], [email] * 2), str(death))
                    if len(self.mail_server.taken) == 2:
                        twice.add((nth, when))
        self.assertEqual(twice, {(5, "before")})


VALUES = {
    "username": "ann",
    "email": "ann@example.com",
    "service": "Skyforge",
    "link": "https://x?token=t",
    "issuer": "https://id.example",
    "linked": "steam",
    "redress": "You can appeal.",
    "reason": "He has sold votes.",
    "reference": "clause 7b",
    "until": "until 2031-05-06 07:08 UTC",
}


class TextsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def write(self, name: str, text: str | bytes) -> None:
        """A file of the operator's."""
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)

    def refused(self, words: str) -> None:
        """Assert one line with these words."""
        with self.assertRaises(TextsError) as caught:
            load_texts(self.folder)
        said = str(caught.exception)
        self.assertIn(words, said)
        self.assertNotIn("\n", said)

    def test_ours(self) -> None:
        """Ours have all that they need, and no line that a mail would break."""
        for name, text in load_texts(None).items():
            subject, body = text.fill(VALUES)
            self.assertTrue(subject)
            self.assertIn("Skyforge", body)
            known = name not in {"confirm", "change"} and "username" in MAIL_TEXTS[name]
            self.assertEqual(known, "ann" in body, name)
            for word in VALUES.keys() - {"username", "email", "service"}:
                self.assertEqual(word in MAIL_TEXTS[name], VALUES[word] in body, (name, word))
            self.assertEqual("link" in MAIL_TEXTS[name], VALUES["link"] in body.splitlines())
            self.assertTrue(body.isascii())

    def test_own(self) -> None:
        """An operator's file replaces ours; the others stay."""
        self.write("reset.txt", "\ufeffSubject: Für $username\r\n\r\nKosten: 5 $$\r\n$link\r\n")
        self.write("README", "nothing to see here")
        found = load_texts(self.folder)
        self.assertEqual(
            found["reset"].fill(VALUES), ("Für ann", "Kosten: 5 $\nhttps://x?token=t\n")
        )
        self.assertEqual(found["confirm"].fill(VALUES), load_texts(None)["confirm"].fill(VALUES))

    def test_wrong(self) -> None:
        """A file that cannot be used is named, with the reason."""
        for text, words in (
            ("Hello\n\n$link", "Subject"),
            ("", "Subject"),
            ("Subject:\n\n$link", "Subject"),
            ("Subject: a\x07\n\n$link", "Subject"),
            ("Subject: a\n\n$name $link", "$name"),
            ("Subject: $nobody\n\n$link", "$nobody"),
            ("Subject: a\n\n$5 $link", "$$"),
            ("Subject: a\n\nno way", "$link"),
            (b"Subject: a\n\n\xff$link", "UTF-8"),
            ("Subject: a\n\n$link" + "x" * MOST_TEXT_BYTES, "64 KiB"),
        ):
            self.write("reset.txt", text)
            self.refused(words)
            self.refused("reset.txt")

    def test_unknown(self) -> None:
        """A text that there is not is a slip of the pen."""
        self.write("rest.txt", "Subject: a\n\n$link")
        self.refused("no such text")

    def test_unreadable(self) -> None:
        """So is a folder that is none, and a file that cannot be read."""
        (self.folder / "reset.txt").mkdir()
        self.refused("reset.txt")
        self.folder = self.folder / "none"
        self.refused("none")
