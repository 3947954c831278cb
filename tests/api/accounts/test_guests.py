"""Guests, where something else is done with their log-ins at once."""

import secrets
from collections.abc import Awaitable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.accounts.guests import FullAccounts
from contentsvc.api.accounts.oauth import digest
from contentsvc.framework.db.errors import Refused
from contentsvc.store.accounts import guests, sessions
from contentsvc.wire.accounts import CLIENT, FullAccount
from contentsvc.wire.oauth import GUEST, TokenAnswer, TokenForm
from tests.api.accounts.test_identities import WAITING, IdentityCase, either
from tests.api.support import Caller, FakeRevocation
from tests.framework.identity.fakes import GOOD, KIND
from tests.support.databases import guid


class FastPasswords:
    """Takes the password itself for its hash."""

    async def hash(self, password: str, client: str) -> str:
        return password


class RenewalTests(IdentityCase):
    """What comes while a guest renews a log-in waits for the renewal, and in no circle."""

    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.oauth.guests_per_address = 0
        self.oauth.per_user = 1
        self.revocation = self.identities.revocation = FakeRevocation()
        passwords: Any = FastPasswords()
        self.accounts = FullAccounts(
            self.db, passwords, self.identities.auth, self.revocation, None, True
        )
        self.secret = secrets.token_urlsafe(48)
        self.answer = await self.enter()
        self.guest = self.answer.userId
        self.sql("update guest_secrets set seen = now() - interval '1 day'")

    async def enter(self) -> TokenAnswer:
        """The tokens for the secret."""
        return await self.oauth.create_token(Caller(), TokenForm(GUEST, secret=self.secret))

    async def become(self, username: str) -> None:
        """Become a full account with a password."""
        body = FullAccount(username, f"{username}@example.com", "correct horse")
        await self.accounts.put_account(self.caller(), self.guest, body)

    async def join(self, username: str) -> None:
        """Become a full account with an account elsewhere."""
        body = {"subject_token": f"{GOOD}/{guid()}", "subject_token_type": KIND}
        body["username"] = username
        await self.identities.link_identity(self.caller(), self.guest, either(body))

    def caller(self) -> Caller:
        """The guest, with a log-in that is not the one that is renewed."""
        caller = Caller(self.guest, session=guid())
        caller.guest = True
        return caller

    async def meanwhile(self, act: Awaitable[TokenAnswer | None]) -> None:
        """Assert that this waits for a renewal, and is done when that is."""
        old = digest(self.answer.refresh_token or "")
        async with self.db.transaction() as tx:
            token = await sessions.presented(tx, old)
            assert token is not None
            await sessions.rotate(
                tx, old, token.session_id, digest(guid()), 60, secrets.token_hex(32), CLIENT
            )
            acting = Deferred.fromCoroutine(self.statuses(act))
            while not self.sql(WAITING):
                self.assertNoResult(acting)
                await deferLater(reactor, 0)
            await guests.see(tx, token.user_id)
        self.assertEqual(await acting, ["done"])

    async def test_password(self) -> None:
        """A guest becomes a full account with a password."""
        await self.meanwhile(self.become(f"n{guid()[:8]}"))

    async def test_identity(self) -> None:
        """A guest becomes a full account with an account elsewhere."""
        await self.meanwhile(self.join(f"n{guid()[:8]}"))

    async def test_log_in(self) -> None:
        """A guest logs in elsewhere, where a user has one log-in at a time."""
        await self.meanwhile(self.enter())

    async def test_refused(self) -> None:
        """A guest that cannot become a full account keeps all log-ins."""
        taken = f"n{guid()[:8]}"
        await self.user(taken)
        for act in (self.become, self.join):
            with self.assertRaises(Refused):
                await act(taken)
        self.assertEqual(self.revocation.sids, [])
        ended = "select count(*) from sessions where user_id = %s and revoked is not null"
        self.assertEqual(self.sql(ended, self.guest), [(0,)])
