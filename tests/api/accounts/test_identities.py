"""Accounts elsewhere, where several requests come at once."""

import json
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.identities import Identities
from contentsvc.api.accounts.oauth import OAuth
from contentsvc.api.accounts.usernames import ReservedNames
from contentsvc.api.errors import translate
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.maintenance import Announced, Maintenance
from contentsvc.framework.identity.subject import IdentityUnavailable, Verifiers
from contentsvc.store.accounts import credentials, identities, mails
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.rate_limits import LINKS
from contentsvc.tokens import Key, Keys, MailTokens, Tokens
from contentsvc.wire.base import Part
from contentsvc.wire.oauth import EXCHANGE, TokenAnswer, TokenForm
from tests.api.support import ApiCase, Caller, FakeRevocation
from tests.framework.identity.fakes import ADA, AWAY, BAD, GOOD, KIND, UNKNOWN_KEY, FakeVerifier
from tests.support.databases import guid
from tests.support.deferreds import together

WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class SlowPasswords:
    """Takes the hash itself for the password."""

    async def verify(self, encoded: str | None, password: str, client: str) -> bool:
        await deferLater(reactor, 0)
        return encoded == password


def either(body: dict[str, str]) -> Either[Any]:
    """A body, as a handler gets it."""
    return Either(json.dumps(body).encode(), None)


class IdentityCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        keys = Keys([Key("k", b"k" * 32)])
        tokens = Tokens(keys, self)
        auth = Authenticator(
            self.db,
            SlowPasswords(),
            tokens,
            Verifiers([FakeVerifier()]),
            most_of_address=100,
            mails_of_address=0,
        )
        self.oauth = OAuth(self.db, auth, tokens, FakeRevocation(), MailTokens(keys))
        self.identities = Identities(self.db, auth, FakeRevocation(), Mails(lambda: None))
        self.proofs: dict[str, str] = {}

    def seconds(self) -> float:
        """The clock of the tokens."""
        return 1_800_000_000.0

    async def exchange(self, token: str) -> TokenAnswer:
        """The tokens for this one."""
        form = TokenForm(EXCHANGE, subject_token=token, subject_token_type=KIND)
        return await self.oauth.create_token(Caller(), form)

    async def joined(self) -> str:
        """A new user without a password, whose proof is known."""
        token = f"{GOOD}/{guid()}"
        user = (await self.exchange(token)).userId
        self.proofs[user] = token
        return user

    def proof(self, user: str, **given: str) -> dict[str, str]:
        """What proves who the user is, if nothing else is given."""
        if given:
            return given
        token = self.proofs.get(user)
        if token is None:
            return {"password": "-"}
        return {"proof_token": token, "proof_token_type": KIND}

    async def link(self, user: str, token: str, **given: str) -> None:
        """Link an account elsewhere to a user."""
        body = {"subject_token": token, "subject_token_type": KIND, **self.proof(user, **given)}
        await self.identities.link_identity(Caller(user), user, either(body))

    async def unlink(self, user: str, identity: str, **given: str) -> None:
        """Take a link away."""
        body = either(self.proof(user, **given))
        await self.identities.unlink_identity(Caller(user), user, identity, body)

    async def ids(self, user: str) -> list[str]:
        """The ids of a user's identities."""
        listed = await self.identities.list_identities(Caller(user), user, Part())
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

    async def test_maintenance(self) -> None:
        """During maintenance an exchange makes no user, and who is there logs in."""
        user = await self.joined()
        closed = Maintenance(Clock())
        closed.set(Announced(None, None, reads=True, left=None))
        self.oauth.maintenance = closed
        self.assertEqual((await self.exchange(self.proofs[user])).userId, user)
        new = f"{GOOD}/n{guid()[:8]}"
        self.assertEqual(await self.statuses(self.exchange(new)), ["maintenance"])
        closed.set(None)
        await self.exchange(new)

    async def test_reserved(self) -> None:
        """Nobody is given a name that is reserved."""
        word = f"n{guid()[:8]}"
        self.oauth.reserved = ReservedNames([word])
        for end in ("", "."):
            user = (await self.exchange(f"{GOOD}/{word}{end}")).userId
            ((name,),) = self.sql("select username from users where id = %s", user)
            self.assertRegex(name, "^player-[0-9]{4}")

    async def test_same_name_at_once(self) -> None:
        """Of several accounts elsewhere that propose one name at once, whatever its case, one gets
        it, and the others get names that are made up."""
        name = f"ann{guid()[:8]}"
        tokens = [f"{GOOD}/{each}" for each in (name, name.upper(), name.capitalize())]
        answers = await together(*map(self.exchange, tokens))
        users = [each.userId for each in answers]
        self.assertEqual(len(set(users)), 3)
        found = self.sql("select username from users where id = any(%s::uuid[])", users)
        made_up = [username for (username,) in found if username.startswith("player-")]
        self.assertEqual(len(made_up), 2)

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
    async def with_two(self) -> str:
        """A user without a password who has two identities."""
        user = await self.joined()
        await self.link(user, f"{GOOD}/{guid()}")
        return user

    async def test_last_two_at_once(self) -> None:
        """Of two deletions at once, of the last two, one is refused."""
        for _ in range(5):
            user = await self.with_two()
            first, second = await self.ids(user)
            outcomes = await self.statuses(self.unlink(user, first), self.unlink(user, second))
            # The one that was deleted may have been the other's proof.
            self.assertIn(sorted(outcomes), (["done", "last_identity"], ["done", "wrong_password"]))
            self.assertEqual(len(await self.ids(user)), 1)

    async def test_same_at_once(self) -> None:
        """A deletion that is asked for several times at once, with the token of what is deleted, is
        done for all."""
        for _ in range(5):
            user = await self.with_two()
            first = (await self.ids(user))[-1]
            outcomes = await self.statuses(*(self.unlink(user, first) for _ in range(4)))
            self.assertEqual(outcomes, ["done"] * 4)

    async def test_password_comes(self) -> None:
        """A deletion that waits for a reset sees the password that it has set: a token is no proof
        any more."""
        user = await self.joined()
        (identity,) = await self.ids(user)
        async with self.db.transaction() as tx:
            self.assertTrue(await credentials.set_password(tx, user, None, "-"))
            deleting = Deferred.fromCoroutine(self.statuses(self.unlink(user, identity)))
            while not self.sql(WAITING):
                self.assertNoResult(deleting)
                await deferLater(reactor, 0)
        self.assertEqual(await deleting, ["wrong_password"])
        del self.proofs[user]
        await self.unlink(user, identity)
        self.assertEqual(await self.ids(user), [])

    async def test_no_user(self) -> None:
        """The session of a user who has just gone has ended, or they are 404."""
        gone = guid()
        self.assertEqual(await self.statuses(self.unlink(gone, guid())), ["user_not_found"])
        self.assertEqual(
            await self.statuses(self.link(gone, f"{GOOD}/{guid()}")), ["invalid_token"]
        )


class ProofTests(IdentityCase):
    """Who may link and unlink."""

    def age(self, identity: str, days: float) -> None:
        """So many days ago it was linked."""
        self.sql(
            "update identities set linked = now() - make_interval(secs => %s) where id = %s",
            *(days * 24 * 3600, identity),
        )

    async def codes(self, user: str, **given: str) -> list[str]:
        """What becomes of a link and of an unlink with this proof."""
        await self.link(user, f"{GOOD}/{guid()}")
        (newest, *_) = await self.ids(user)
        return await self.statuses(
            self.link(user, f"{GOOD}/{guid()}", **given), self.unlink(user, newest, **given)
        )

    async def test_wrong(self) -> None:
        """A wrong password, no password, and tokens that prove nothing are refused, and change
        nothing."""
        ann, ben = await self.user(), await self.joined()
        for user in (ann, ben):
            wrong: list[dict[str, str]] = [
                {"password": "wrong"},
                {"proof_token": BAD, "proof_token_type": KIND},
                {"proof_token": f"{GOOD}/{guid()}", "proof_token_type": KIND},
                {"proof_token": self.proofs[ben], "proof_token_type": "urn:x"},
                {"proof_token": "x" * 20_000, "proof_token_type": KIND},
            ]
            wrong += [self.proof(ben if user == ann else ann)]
            for given in wrong:
                before = len(await self.ids(user)) + 1
                self.assertEqual(await self.codes(user, **given), ["wrong_password"] * 2, given)
                self.assertEqual(len(await self.ids(user)), before)

    async def test_repeat(self) -> None:
        """What changes nothing needs no proof: what is linked here already, and an unknown id."""
        user, token = await self.joined(), f"{GOOD}/{guid()}"
        await self.link(user, token)
        for given in ({"other": ""}, {"password": "wrong"}):
            self.assertEqual(await self.statuses(self.link(user, token, **given)), ["done"])
            self.assertEqual(await self.statuses(self.unlink(user, guid(), **given)), ["done"])
        self.assertEqual(len(await self.ids(user)), 2)

    async def test_young(self) -> None:
        """One that was linked logs in at once, and proves nothing for 3 days."""
        user, token = await self.joined(), f"{GOOD}/{guid()}"
        await self.link(user, token)
        self.assertEqual((await self.exchange(token)).userId, user)
        newest, _ = await self.ids(user)
        given = {"proof_token": token, "proof_token_type": KIND}
        for days, outcome in ((0.0, "wrong_password"), (2.99, "wrong_password"), (3.0, "done")):
            self.age(newest, days)
            done = await self.statuses(self.link(user, f"{GOOD}/{guid()}", **given))
            self.assertEqual(done, [outcome], days)

    async def test_linked_again(self) -> None:
        """The one that the user was made with, unlinked and linked again, is like any other."""
        user = await self.with_old()
        (_, first) = await self.ids(user)
        old = {"proof_token": self.old, "proof_token_type": KIND}
        await self.unlink(user, first)
        await self.link(user, self.proofs[user], **old)
        again = await self.statuses(self.link(user, f"{GOOD}/{guid()}"))
        self.assertEqual(again, ["wrong_password"])
        self.age((await self.ids(user))[0], 3)
        self.assertEqual(await self.statuses(self.link(user, f"{GOOD}/{guid()}")), ["done"])

    async def with_old(self) -> str:
        """A user without a password, to whom `old` was linked 3 days ago."""
        user, self.old = await self.joined(), f"{GOOD}/{guid()}"
        await self.link(user, self.old)
        self.age((await self.ids(user))[0], 3)
        return user

    async def test_from_the_future(self) -> None:
        """One that was linked before the clock was set back is no proof."""
        user = await self.with_old()
        self.age((await self.ids(user))[0], -10)
        given = {"proof_token": self.old, "proof_token_type": KIND}
        done = await self.statuses(self.link(user, f"{GOOD}/{guid()}", **given))
        self.assertEqual(done, ["wrong_password"])

    async def test_before(self) -> None:
        """A user whom a release before has made is proved by the account elsewhere that made
        it."""
        subject = guid()
        ((user,),) = self.sql(
            """with joined as (insert into users (username) values (%s) returning id)
               insert into identities (user_id, issuer, subject)
               select id, %s, %s from joined returning user_id""",
            *(f"u{subject[:8]}", ADA.issuer, subject),
        )
        self.proofs[user] = f"{GOOD}/{subject}"
        self.assertEqual(await self.statuses(self.link(user, f"{GOOD}/{guid()}")), ["done"])

    async def test_password_set(self) -> None:
        """Once there is a password, it is the proof, and no token is."""
        user = await self.joined()
        self.sql("update users set password_hash = '-' where id = %s", user)
        self.assertEqual(await self.codes_of(user, "-"), ["done", "done"])
        token = {"proof_token": self.proofs[user], "proof_token_type": KIND}
        refused = await self.statuses(self.link(user, f"{GOOD}/{guid()}", **token))
        self.assertEqual(refused, ["wrong_password"])

    async def codes_of(self, user: str, password: str) -> list[str]:
        """What becomes of a link and of an unlink with this password."""
        linked = await self.statuses(self.link(user, f"{GOOD}/{guid()}", password=password))
        (newest, *_) = await self.ids(user)
        return linked + await self.statuses(self.unlink(user, newest, password=password))

    async def test_unlinked_meanwhile(self) -> None:
        """A token is no proof any more once its account is unlinked, though it was checked
        before."""
        user = await self.with_old()
        newest, _ = await self.ids(user)
        given = {"proof_token": self.old, "proof_token_type": KIND}
        async with self.db.transaction() as tx:
            await mails.lock(tx, user)
            linking = self.statuses(self.link(user, f"{GOOD}/{guid()}", **given))
            waiting = Deferred.fromCoroutine(linking)
            while not self.sql(WAITING):
                self.assertNoResult(waiting)
                await deferLater(reactor, 0)
            await identities.unlink(tx, user, newest)
        self.assertEqual(await waiting, ["wrong_password"])

    async def test_password_changed_meanwhile(self) -> None:
        """Nor is a password that was changed while it was checked."""
        user = await self.user()
        async with self.db.transaction() as tx:
            await credentials.set_password(tx, user, "-", "other")
            waiting = Deferred.fromCoroutine(self.statuses(self.link(user, f"{GOOD}/{guid()}")))
            while not self.sql(WAITING):
                self.assertNoResult(waiting)
                await deferLater(reactor, 0)
        self.assertEqual(await waiting, ["wrong_password"])


class TellingTests(IdentityCase):
    """Mails about links."""

    def told(self, user: str) -> list[tuple[str, str, str]]:
        """The purpose, the address and the issuers of the mails to a user, in their order."""
        return self.sql(
            "select purpose, email, issuers from mails where user_id = %s order by created", user
        )

    async def test_told(self) -> None:
        """The confirmed address is told of what is linked and unlinked, and not of repeats and
        refusals."""
        ann, token = await self.user(), f"{GOOD}/{guid()}"
        self.sql("update users set email = id || '@x', email_confirmed = true where id = %s", ann)
        for _ in range(2):
            await self.link(ann, token)
        await self.statuses(
            self.link(ann, f"{GOOD}/{guid()}", password="wrong"), self.link(ann, BAD)
        )
        (identity,) = await self.ids(ann)
        for _ in range(2):
            await self.unlink(ann, identity)
        email = f"{ann}@x"
        self.assertEqual(
            self.told(ann), [("linked", email, ADA.issuer), ("unlinked", email, ADA.issuer)]
        )

    async def test_limit(self) -> None:
        """After 20 such mails in an hour nothing is linked or unlinked, so that none is missing."""
        ann = await self.user()
        self.sql("update users set email = id || '@x', email_confirmed = true where id = %s", ann)
        for _ in range(LINKS.most):
            await self.link(ann, f"{GOOD}/{guid()}")
        (newest, *_) = await self.ids(ann)
        refused = await self.statuses(
            self.link(ann, f"{GOOD}/{guid()}"), self.unlink(ann, newest), self.unlink(ann, guid())
        )
        self.assertEqual(refused, ["too_many_requests", "too_many_requests", "done"])
        self.assertEqual((len(await self.ids(ann)), len(self.told(ann))), (LINKS.most, LINKS.most))

    async def test_unconfirmed(self) -> None:
        """Nobody else is told: an address that nobody has confirmed may be a stranger's."""
        ann = await self.user()
        self.sql("update users set email = id || '@x' where id = %s", ann)
        await self.link(ann, f"{GOOD}/{guid()}")
        self.assertEqual(self.told(ann), [])
        self.assertEqual(self.told(await self.joined()), [])


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
