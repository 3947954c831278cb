"""Accounts elsewhere, where several requests come at once."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.errors import UserNotFound, translate
from contentsvc.api.guard import Guard
from contentsvc.api.identities import Identities
from contentsvc.api.oauth import OAuth
from contentsvc.db.errors import Refused
from contentsvc.identity.subject import IdentityUnavailable, Verifiers
from contentsvc.store import accounts, identities
from contentsvc.tokens import Key, Keys, Tokens
from contentsvc.wire.accounts import EXCHANGE, SubjectProof, TokenAnswer, TokenForm
from contentsvc.wire.base import Part
from tests.api.support import ApiCase, Caller, Endings
from tests.identity.fakes import AWAY, BAD, GOOD, KIND, UNKNOWN_KEY, FakeVerifier
from tests.support.databases import guid, together

WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class IdentityCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from failed_log_ins")
        tokens = Tokens(Keys([Key("k", b"k" * 32)]), self)
        guard = Guard(
            self.db,
            None,
            tokens,
            Verifiers([FakeVerifier()]),
            most_of_address=100,
            mails_of_address=0,
        )
        self.oauth = OAuth(self.db, guard, tokens, Endings())
        self.identities = Identities(self.db, guard)

    def seconds(self) -> float:
        """The clock of the tokens."""
        return 1_800_000_000.0

    async def exchange(self, token: str) -> TokenAnswer:
        """The tokens for this one."""
        form = TokenForm(EXCHANGE, subject_token=token, subject_token_type=KIND)
        return await self.oauth.token(Caller(), form)

    async def link(self, user: str, token: str) -> None:
        """Link an account elsewhere to a user."""
        await self.identities.link(Caller(user), user, SubjectProof(token, KIND))

    async def ids(self, user: str) -> list[str]:
        """The ids of a user's identities."""
        listed = await self.identities.all(Caller(user), user, Part())
        return [each.id for each in listed.items]


class ExchangeTests(IdentityCase):
    async def test_at_once(self) -> None:
        """Of many first exchanges at once one makes the user, and all get a session."""
        name = f"n{guid()[:8]}"
        answers = await together(*(self.exchange(f"{GOOD}/{name}") for _ in range(8)))
        self.assertEqual(len({each.userId for each in answers}), 1)
        ((count,),) = self.sql("select count(*) from users where username like %s", f"{name}%")
        self.assertEqual(count, 1)
        ((count,),) = self.sql(
            "select count(*) from sessions where user_id = %s", answers[0].userId
        )
        self.assertEqual(count, 8)

    async def test_same_name_at_once(self) -> None:
        """Several accounts elsewhere that propose one name at once get names of their own."""
        name = f"n{guid()[:8]}"
        await self.user(name)
        tokens = [f"{GOOD}/{name}{end}" for end in ("!", "?", "+", "*", "")]
        answers = await together(*map(self.exchange, tokens))
        self.assertEqual(len({each.userId for each in answers}), 5)
        found = self.sql("select username from users where username like %s", f"{name}%")
        self.assertEqual(len(found), 6)

    async def test_outcomes(self) -> None:
        """Every refusal has its code. Where nobody can say, it is no refusal."""
        outcomes = [
            await self.statuses(self.exchange(token)) for token in (BAD, UNKNOWN_KEY, "x" * 20_000)
        ]
        self.assertEqual(outcomes, [["invalid_subject_token"]] * 3)
        with self.assertRaises(IdentityUnavailable):
            await self.exchange(AWAY)
        problem = translate(IdentityUnavailable())
        self.assertEqual((problem.status, problem.cause), (503, "identity"))


class UnlinkTests(IdentityCase):
    async def joined(self) -> str:
        """A user without a password who has two identities."""
        user = (await self.exchange(f"{GOOD}/{guid()}")).userId
        await self.link(user, f"{GOOD}/{guid()}")
        return user

    def unlink(self, user: str, identity: str):
        return self.identities.unlink(Caller(user), user, identity)

    async def test_last_two_at_once(self) -> None:
        """Of two deletions at once, of the last two, one is refused."""
        for _ in range(5):
            user = await self.joined()
            first, second = await self.ids(user)
            outcomes = await self.statuses(self.unlink(user, first), self.unlink(user, second))
            self.assertEqual(sorted(outcomes), ["done", "last_identity"])
            self.assertEqual(len(await self.ids(user)), 1)

    async def test_password_comes(self) -> None:
        """A deletion that waits for a reset sees the password that it has set."""
        user = (await self.exchange(f"{GOOD}/{guid()}")).userId
        (identity,) = await self.ids(user)
        async with self.db.transaction() as tx:
            self.assertTrue(await accounts.set_password(tx, user, None, "-"))
            deleting = Deferred.fromCoroutine(self.statuses(self.unlink(user, identity)))
            while not self.sql(WAITING):
                self.assertNoResult(deleting)
                await deferLater(reactor, 0)
        self.assertEqual(await deleting, ["done"])
        self.assertEqual(await self.ids(user), [])

    async def test_no_user(self) -> None:
        """A user who has just gone is 404, to link too."""
        gone = guid()
        self.assertEqual(await self.statuses(self.unlink(gone, guid())), ["user_not_found"])
        with self.assertRaises(Refused) as raised:
            await self.link(gone, f"{GOOD}/{guid()}")
        self.assertIsInstance(translate(raised.exception), UserNotFound)


class LinkTests(IdentityCase):
    async def test_at_once(self) -> None:
        """Of two users who link one account elsewhere at once, one succeeds; a repeat does too."""
        ann, ben, token = await self.user(), await self.user(), f"{GOOD}/{guid()}"
        outcomes = await self.statuses(*(self.link(user, token) for user in (ann, ann, ben, ben)))
        self.assertEqual(sorted(outcomes), ["done", "done", "identity_taken", "identity_taken"])
        self.assertEqual(len(await self.ids(ann)) + len(await self.ids(ben)), 1)

    async def test_link_and_first_exchange(self) -> None:
        """A link and a first exchange at once: the account elsewhere is one user's."""
        ann, subject = await self.user(), guid()
        token = f"{GOOD}/{subject}"
        linking = self.statuses(self.link(ann, token))
        answer, outcomes = await together(self.exchange(token), linking)
        owner = await identities.owner(self.db, "https://id.example", subject)
        self.assertEqual(owner, answer.userId)
        self.assertEqual(outcomes, ["done"] if owner == ann else ["identity_taken"])
