"""Deletions of accounts that meet each other, other writes, or the end of their process."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.deletion import AccountDeletion
from contentsvc.api.errors import UserNotFound
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.reply import Pieces
from contentsvc.framework.identity.subject import Subject, Verifiers
from contentsvc.store.accounts import identities, users
from contentsvc.store.accounts.deletion import AT_ONCE, REVISIONS
from contentsvc.store.files import storage
from tests.api.accounts.test_accounts import PASSWORD, AccountCase
from tests.api.accounts.test_identities import WAITING
from tests.api.support import Caller, Tasks
from tests.support.databases import guid
from tests.support.steps import work_off

TYPE = "urn:ietf:params:oauth:token-type:id_token"


class Verifier:
    """Takes the name of the account elsewhere as its token."""

    types = (TYPE,)

    async def verify(self, token: str, token_type: str) -> Subject:
        return Subject("issuer", token, None)


def proof(text: str) -> Either[Any]:
    """A body."""
    return Either(text.encode(), None)


RIGHT = proof(f'{{"password":"{PASSWORD}"}}')


class DepartureCase(AccountCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        verifiers = Verifiers([Verifier()])
        limits = {"most_of_address": 100, "mails_of_address": 100}
        self.auth = Authenticator(self.db, self.passwords, self.tokens, verifiers, **limits)
        self.tasks = Tasks()
        self.clock = Clock()
        self.family = AccountDeletion(self.db, self.auth, self.revocation, self.tasks, self.clock)

    async def leave(self, body: Either[Any] = RIGHT) -> None:
        """Delete Ann's account."""
        await self.family.delete_user(Caller(self.ann), self.ann, body)

    def count(self, what: str, *args: object) -> int:
        """How many rows there are."""
        ((found,),) = self.sql(f"select count(*) from {what}", *args)
        return int(found)


class ProofTests(DepartureCase):
    async def test_at_once(self) -> None:
        """Of several requests at once, one deletes the account, and the others find it gone, which
        is no failed log-in."""
        found = await self.statuses(*(self.leave() for _ in range(4)))
        self.assertEqual(sorted(found), ["done", *["invalid_token"] * 3])
        self.assertEqual(self.count("rate_limits where account = %s", self.ann), 0)

    async def linked(self, subject: str, user: str) -> None:
        """Link an account elsewhere."""
        self.sql(
            """insert into identities (user_id, issuer, subject, linked)
               values (%s, 'issuer', %s, now() - interval '3 days')""",
            *(user, subject),
        )
        self.assertEqual(await identities.owner(self.db, "issuer", subject), user)

    def subject(self, token: str) -> Either[Any]:
        """A body with a token of another service."""
        return proof(f'{{"subject_token":"{token}","subject_token_type":"{TYPE}"}}')

    async def test_unlinked_meanwhile(self) -> None:
        """The token of an account elsewhere that is unlinked while it is checked deletes
        nothing."""
        self.sql("update users set password_hash = null where id = %s", self.ann)
        mine = guid()
        await self.linked(mine, self.ann)
        async with self.db.transaction() as tx:
            await users.lock(tx, self.ann)
            leaving = Deferred.fromCoroutine(self.statuses(self.leave(self.subject(mine))))
            while not self.sql(WAITING):
                self.assertFalse(leaving.called)
                await deferLater(reactor, 0)
            await identities.unlink_doubtful(tx, self.ann)
        self.assertEqual(await leaving, ["wrong_password"])
        self.assertEqual(self.count("users where id = %s", self.ann), 1)


class ExportTests(DepartureCase):
    async def test_deleted_meanwhile(self) -> None:
        """The export of an account that is deleted meanwhile has no end that makes it look
        whole."""
        export = await self.export()
        self.assertIn(b'"account"', await export.more())
        await self.leave()
        with self.assertRaises(UserNotFound):
            while await export.more():
                pass

    async def test_end(self) -> None:
        """The export of an account that stays has its end."""
        export = await self.export()
        while await export.more():
            pass
        self.assertEqual(await export.more(), b"")

    async def export(self, caller: Caller | None = None) -> Pieces[Any]:
        """One that is allowed, and has begun."""
        export = await self.family.export_user(caller or Caller(self.ann), self.ann)
        assert export.begin is not None
        await export.begin()
        return export

    def pass_by(self, seconds: int) -> None:
        """So much time passes."""
        self.clock.advance(seconds)
        self.sql(f"update rate_limits set expires = expires - interval '{seconds} seconds'")

    async def test_one_at_a_time(self) -> None:
        """While one is read there is no other, however long that takes; when it has ended, or its
        client has gone, there is."""
        export = await self.export()
        self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])
        for _ in range(3):
            self.pass_by(40)
            await export.more()
            self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])
        while await export.more():
            pass
        caller = Caller(self.ann)
        await self.export(caller)
        await caller.leaving[0]()
        await self.export()

    async def test_lapses(self) -> None:
        """One whose process has died is over after a minute."""
        await self.export()
        self.pass_by(60)
        await self.export()

    async def test_place_lost(self) -> None:
        """One whose reader has stopped for a minute, and another has begun, breaks off, and leaves
        the other its place."""
        caller = Caller(self.ann)
        stopped = await self.export(caller)
        self.pass_by(60)
        await self.export()
        self.assertEqual(await self.statuses(stopped.more()), ["too_many_requests"])
        await caller.leaving[0]()
        self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])

    async def test_place_again(self) -> None:
        """One whose reader has stopped for a minute goes on if there is no other."""
        stopped = await self.export()
        self.pass_by(60)
        while await stopped.more():
            self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])
        await self.export()

    async def test_a_day(self) -> None:
        """Only so many a day, and those that were refused do not count."""
        self.family.exports_per_day = 2
        for _ in range(2):
            export = await self.export()
            self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])
            while await export.more():
                pass
        self.assertEqual(await self.statuses(self.export()), ["too_many_requests"])
        self.assertEqual(self.count("rate_limits where subject = %s", self.ann), 2)

    async def test_known(self) -> None:
        """Its head, or an answer without a body, counts for nothing."""
        for _ in range(3):
            await self.family.export_user(Caller(self.ann), self.ann)
        self.assertEqual(self.count("rate_limits where subject = %s", self.ann), 0)


class VotesTests(DepartureCase):
    async def test_at_once(self) -> None:
        """Votes and comments are counted no more in the moment in which their user leaves."""
        game = await self.content(await self.user())
        self.vote(game)
        self.remark(game)
        await self.leave()
        counts = "select up, down, live_comments from contents where id = %s"
        self.assertEqual(self.sql(counts, game), [(0, 0, 0)])

    async def test_many(self) -> None:
        """Those of who has voted and commented very much are counted no more afterwards."""
        bob = await self.user()
        await self.content(bob)
        self.sql(
            """insert into contents (id, revision_id, author_id, type, name, description,
                                     screenshots, tags, comments, live_comments)
               select gen_random_uuid(), revision_id, author_id, type, name, description,
                      screenshots, tags, 1, 1
               from contents, generate_series(1, %s) where author_id = %s""",
            *(2 * AT_ONCE + 10, bob),
        )
        self.sql(
            """with voted as (
                   insert into ratings (user_id, content_id, up)
                   select %s, id, true from contents where author_id = %s and comments = 1
               )
               insert into comments (content_id, ordinal, author_id, body, created, updated)
               select id, 1, %s, 'Well made', now(), now()
               from contents where author_id = %s and comments = 1""",
            *(self.ann, bob, self.ann, bob),
        )
        counted = "contents where author_id = %s and (up > 0 or live_comments > 0)"
        self.assertEqual(self.count(counted, bob), 2 * AT_ONCE + 10)
        await self.leave()
        # At once are some of each, which may be of the same content or not.
        self.assertLessEqual(self.count(counted, bob), AT_ONCE + 10)
        self.assertGreater(self.count(counted, bob), 0)
        await work_off(self.db)
        self.assertEqual(self.count(counted, bob), 0)

    async def test_meanwhile(self) -> None:
        """A vote that is cast while its user leaves is not counted either."""
        game = await self.content(await self.user())
        async with self.db.transaction() as tx:
            await storage.lock(tx, self.ann)
            leaving = Deferred.fromCoroutine(self.leave())
            while not self.sql(WAITING):
                self.assertFalse(leaving.called)
                await deferLater(reactor, 0)
            self.vote(game)
        await leaving
        self.assertEqual(self.sql("select up from contents where id = %s", game), [(0,)])

    def vote(self, content: str) -> None:
        """Ann votes for a content."""
        self.sql(
            "insert into ratings (user_id, content_id, up) values (%s, %s, true)",
            *(self.ann, content),
        )

    def remark(self, content: str) -> None:
        """Ann comments on a content."""
        self.sql(
            """with counted as (
                   update contents set comments = comments + 1, live_comments = live_comments + 1
                   where id = %s returning id, comments
               )
               insert into comments (content_id, ordinal, author_id, body, created, updated)
               select id, comments, %s, 'Well made', now(), now() from counted""",
            *(content, self.ann),
        )


class RestTests(DepartureCase):
    async def test_failed_log_ins(self) -> None:
        """The failed log-ins that were counted for the account are forgotten with it."""
        elsewhere = Caller(address="203.0.113.9")
        self.assertIsNone(await self.auth.by_name(elsewhere, self.name, "wrong"))
        self.assertEqual(self.count("rate_limits where account = %s", self.ann), 1)
        await self.leave()
        self.assertEqual(self.count("rate_limits where account = %s", self.ann), 0)

    async def test_later(self) -> None:
        """What the request leaves, the runner deletes, and no content is pending then."""
        games = [await self.content(self.ann) for _ in range(3)]
        await self.leave()
        self.assertEqual(self.tasks.woken, 1)
        self.assertEqual(self.count("users where id = %s", self.ann), 0)
        self.assertEqual(self.count("departures where user_id = %s and pending", self.ann), 1)
        self.assertEqual(self.count("contents where id = any(%s::uuid[]) and deleted", games), 0)
        await work_off(self.db)
        self.assertEqual(self.count("contents where id = any(%s::uuid[]) and deleted", games), 3)
        self.assertEqual(self.count("departures where user_id = %s and pending", self.ann), 0)
        self.assertEqual(self.count("tasks"), 0)

    async def test_files(self) -> None:
        """The collector looks at all files that the user has sent."""
        digest = (guid() + guid()).replace("-", "")
        path = f"{digest[:2]}/{digest}"
        self.sql("insert into files (path, size, stored, due) values (%s, 1, true, null)", path)
        self.sql("insert into user_files values (%s, %s, 1, true)", self.ann, path)
        await self.leave()
        await work_off(self.db)
        self.assertEqual(self.count("user_files where path = %s", path), 0)
        self.assertEqual(self.count("files where path = %s and due <= now()", path), 1)

    async def test_nothing(self) -> None:
        """Who has made no content leaves nothing that is pending."""
        await self.leave()
        self.assertEqual(self.count("departures where pending"), 0)

    async def test_texts(self) -> None:
        """The texts of content with more revisions than a batch has all go, and no others'."""
        mine, other = await self.content(self.ann), await self.content(await self.user())
        for game in (mine, other):
            self.sql(
                "insert into revisions (id, content_id, ordinal, version, description, entity_id,"
                " entity_revision)"
                " select gen_random_uuid(), %s, n, '1', 'notes', entity_id, entity_revision"
                " from revisions, generate_series(2, %s) n where content_id = %s",
                *(game, 2 * REVISIONS, game),
            )
        await self.leave()
        await work_off(self.db)
        left = "revisions where content_id = %s and version <> '' and description <> ''"
        self.assertEqual(self.count(left, mine), 0)
        self.assertEqual(self.count(left, other), 2 * REVISIONS)
        self.assertEqual(self.count("contents where id = %s and name = 'Castle'", other), 1)
        self.assertEqual(self.count("documents where content_id = %s and not stale", mine), 1)
