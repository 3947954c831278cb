"""Log-in and renewal, where time decides."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import Clock

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.credentials import Accounts
from contentsvc.api.accounts.oauth import OAuth
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.roles import ROLES
from contentsvc.store.accounts import credentials, sessions
from contentsvc.store.moderation import bans
from contentsvc.tokens import Key, Keys, MailTokens, Tokens
from contentsvc.wire.accounts import PasswordChange, Registration
from contentsvc.wire.oauth import Revoked, RevokeForm, TokenAnswer, TokenForm
from tests.api.support import ApiCase, Caller, FakeRevocation
from tests.support.databases import guid
from tests.support.deferreds import together

PASSWORD = "a long password"


class AccountCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        self.passwords = passwords = Passwords(reactor)
        passwords.threads.start()
        self.addCleanup(passwords.threads.stop)
        self.clock = Clock()
        keys = Keys([Key("k", b"k" * 32)])
        self.tokens = Tokens(keys, self.clock)
        self.revocation = FakeRevocation()
        self.auth = auth = Authenticator(
            self.db,
            passwords,
            self.tokens,
            Verifiers(),
            most_of_address=100,
            mails_of_address=100,
        )
        self.mail_tokens = MailTokens(keys)
        self.oauth = OAuth(self.db, auth, self.tokens, self.revocation, self.mail_tokens)
        parts = (self.db, passwords, auth, self.revocation, self.mail_tokens, None)
        self.accounts = Accounts(*parts, registration=True)
        self.name = f"u{guid()[:8]}"
        sent = Registration(username=self.name, email=f"{self.name}@x", password=PASSWORD)
        created = await self.accounts.register_user(Caller(), sent)
        self.ann = created.path.rpartition("/")[2]

    async def log_in(self, password: str = PASSWORD) -> TokenAnswer:
        """A log-in by name."""
        form = TokenForm("password", username=self.name, password=password)
        return await self.oauth.create_token(Caller(), form)

    async def renew(self, token: str) -> TokenAnswer:
        """A renewal."""
        return await self.oauth.create_token(
            Caller(), TokenForm("refresh_token", refresh_token=token)
        )

    def later(self, seconds: int) -> None:
        """Have spent tokens been spent so much earlier."""
        self.sql("update refresh_tokens set spent = spent - make_interval(secs => %s)", seconds)


class RenewTests(AccountCase):
    async def test_within_grace(self) -> None:
        """A refresh token that comes again within 30 s was sent twice: all get one successor."""
        first = await self.log_in()
        found = await together(*(self.renew(first.refresh_token) for _ in range(8)))
        found.append(await self.renew(first.refresh_token))
        (successor,) = {answer.refresh_token for answer in found}
        self.assertEqual(len({self.tokens.verify(one.access_token).session for one in found}), 1)
        stored = self.sql("select 1 from refresh_tokens")
        self.assertNotEqual((await self.renew(successor)).refresh_token, successor)
        self.assertEqual(len(self.sql("select 1 from refresh_tokens")), len(stored) + 1)
        self.assertEqual(self.revocation.sids, [])

    async def test_two_processes(self) -> None:
        """Whichever processes are asked, the successor is the same."""
        given = self.auth, self.tokens, self.revocation, self.mail_tokens
        other = OAuth(await self.pool(), *given)
        first = (await self.log_in()).refresh_token
        form = TokenForm("refresh_token", refresh_token=first)
        acts = [
            each
            for _ in range(4)
            for each in (self.renew(first), other.create_token(Caller(), form))
        ]
        self.assertEqual(len({answer.refresh_token for answer in await together(*acts)}), 1)

    async def test_not_derived_alone(self) -> None:
        """Nobody can tell a successor from the token, nor from what is stored."""
        first = (await self.log_in()).refresh_token
        second = await self.renew(first)
        session = self.tokens.verify(second.access_token).session
        ((salt,),) = self.sql(
            "select salt from refresh_tokens where session_id = %s and spent is not null", session
        )
        for key in (b"", bytes(salt)):
            for text in (b"", hashlib.sha256(first.encode()).digest()):
                guess = hmac.digest(key, text, "sha256")
                guessed = urlsafe_b64encode(guess).decode().rstrip("=")
                self.assertNotEqual(guessed, second.refresh_token)
        self.sql("update refresh_tokens set spent = null, salt = null where salt is not null")
        self.assertNotEqual((await self.renew(first)).refresh_token, second.refresh_token)

    async def test_after_the_successor(self) -> None:
        """One that comes again after its successor was used is somebody else's: the session
        ends, within 30 s too."""
        first = await self.log_in()
        second = await self.renew(first.refresh_token)
        third = await self.renew(second.refresh_token)
        problem = await self.refused(self.renew(first.refresh_token))
        self.assertEqual((problem.status, problem.oauth), (400, "invalid_grant"))
        self.assertEqual(self.revocation.sids, [self.tokens.verify(first.access_token).session])
        self.assertEqual((await self.refused(self.renew(third.refresh_token))).status, 400)

    async def test_salt_has_gone(self) -> None:
        """One whose salt has gone comes too late, although the clock was set back meanwhile: the
        session ends."""
        first = await self.log_in()
        await self.renew(first.refresh_token)
        self.sql("update refresh_tokens set salt = null")
        problem = await self.refused(self.renew(first.refresh_token))
        self.assertEqual((problem.status, problem.oauth), (400, "invalid_grant"))
        self.assertEqual(self.revocation.sids, [self.tokens.verify(first.access_token).session])

    async def test_stolen(self) -> None:
        """One that comes again later ends its whole session, successors included."""
        first = await self.log_in()
        second = await self.renew(first.refresh_token)
        self.later(31)
        call, form = Caller(), TokenForm("refresh_token", refresh_token=first.refresh_token)
        problem = await self.refused(self.oauth.create_token(call, form))
        self.assertEqual((problem.status, problem.oauth), (400, "invalid_grant"))
        self.assertEqual(call.notes, ["refresh-token-reused"])
        session = self.tokens.verify(first.access_token).session
        self.assertEqual(self.revocation.sids, [session])
        self.assertIn(session, await sessions.revoked(self.db, 60))
        self.assertEqual((await self.refused(self.renew(second.refresh_token))).status, 400)

    async def test_other_sessions(self) -> None:
        """The user's other sessions go on."""
        other = await self.log_in()
        first = await self.log_in()
        await self.renew(first.refresh_token)
        self.later(31)
        await self.refused(self.renew(first.refresh_token))
        await self.renew(other.refresh_token)

    async def test_expired(self) -> None:
        """One that has expired is refused, and nothing else happens."""
        first = await self.log_in()
        self.sql("update refresh_tokens set expires = now()")
        self.assertEqual((await self.refused(self.renew(first.refresh_token))).status, 400)
        self.assertEqual(self.revocation.sids, [])

    async def test_new_role(self) -> None:
        """A renewal brings the role of now."""
        first = await self.log_in()
        self.sql("update users set role = 'admin' where id = %s", self.ann)
        second = await self.renew(first.refresh_token)
        self.assertEqual(self.tokens.verify(first.access_token).permissions, frozenset())
        self.assertEqual(self.tokens.verify(second.access_token).permissions, ROLES["admin"])


class Overtaken:
    """Finds a password right that has been changed meanwhile."""

    def __init__(self, user: str) -> None:
        self._found = credentials.Credentials(user, "the old one's hash", False)

    async def by_name(self, call: Caller, name: str, password: str) -> credentials.Credentials:
        return self._found

    by_id = by_name


class LogInTests(AccountCase):
    async def test_banned(self) -> None:
        """Only who knows the password is told of the ban, and until when."""
        await bans.put(self.db, None, self.ann, "rude", 4_000_000_000)
        self.assertEqual((await self.refused(self.log_in("wrong password"))).status, 400)
        problem = await self.refused(self.log_in())
        self.assertEqual((problem.status, problem.code), (403, "account_banned"))
        self.assertIn("2096-10-02 07:06:40 UTC: rude", problem.detail)


class EndTests(AccountCase):
    async def test_revoke(self) -> None:
        """Either token ends the session, a spent refresh token too; what is unknown is no error."""
        for n in range(3):
            first = await self.log_in()
            await self.renew(first.refresh_token)
            token = (first.access_token, first.refresh_token, first.refresh_token)[n]
            session = self.tokens.verify(first.access_token).session
            self.assertEqual(await self.oauth.revoke_token(None, RevokeForm(token)), Revoked())
            self.assertEqual(self.revocation.sids[n:], [session])
        await self.oauth.revoke_token(None, RevokeForm("unknown"))
        self.assertEqual(len(self.revocation.sids), 3)

    async def test_overtaken(self) -> None:
        """A log-in whose password is changed while it is checked is refused, as is a change."""
        call, change = Caller(self.ann), PasswordChange(current=PASSWORD, new="another password")
        auth: Any = Overtaken(self.ann)
        oauth = OAuth(self.db, auth, self.tokens, self.revocation, self.mail_tokens)
        form = TokenForm("password", username=self.name, password=PASSWORD)
        self.assertEqual(
            (await self.refused(oauth.create_token(Caller(), form))).code, "invalid_grant"
        )
        self.assertEqual(self.sql("select * from sessions where user_id = %s", self.ann), [])
        parts = (self.db, self.passwords, auth, self.revocation, self.accounts.tokens, None)
        accounts_ = Accounts(*parts, registration=True)
        problem = await self.refused(accounts_.change_password(call, self.ann, change))
        self.assertEqual((problem.code, self.revocation.sids), ("wrong_password", []))

    async def test_at_once(self) -> None:
        """However log-ins and a new password fall together, no session of the old one goes on."""
        for old, new in ((PASSWORD, "second password"), ("second password", "third password")):
            call, change = Caller(self.ann, session=guid()), PasswordChange(current=old, new=new)
            await self.statuses(
                *(self.log_in(old) for _ in range(4)),
                self.accounts.change_password(call, self.ann, change),
                *(self.log_in(old) for _ in range(4)),
            )
            self.assertEqual(await sessions.of_user(self.db, self.ann, guid()), [])
