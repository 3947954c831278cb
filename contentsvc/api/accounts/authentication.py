"""Checking passwords and the tokens of other services, with limits on failures."""

from collections.abc import Callable

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import TooManyAttempts, account_deleted, retry_after
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.proxies import UNIX, UNKNOWN
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.subject import InvalidSubjectToken, Subject, Verifiers
from contentsvc.store import rate_limits
from contentsvc.store.accounts import credentials, log_in_attempts
from contentsvc.store.rate_limits import GUESTS, LOG_INS_OF_ADDRESS, MAIL_REQUESTS
from contentsvc.tokens import Tokens


def _ignored(cause: str) -> None:
    pass


class Authenticator(Struct):
    """Checks passwords and tokens of other services, and limits failures and the mails that an
    address may ask for.

    One limit is for each account from each address, so that a stranger locks nobody out. The other,
    `most_of_address`, is for each address over all accounts; 0 means none, as for
    `mails_of_address`. The database stores pseudonyms of names and addresses, which `tokens` makes.
    Tokens of other services, which `verifiers` verify, cannot be guessed: they only count for the
    address. `failed` counts a failure by its cause: "password" and "token" for a wrong one, "limit"
    for one that was refused unchecked.
    """

    db: Database
    passwords: Passwords
    tokens: Tokens
    verifiers: Verifiers
    most_of_address: int
    mails_of_address: int
    failed: Callable[[str], object] = _ignored

    async def by_name(self, call: Call, name: str, password: str) -> credentials.Credentials | None:
        """The account of this name or e-mail, if the password is right. Raises TooManyAttempts."""
        found = await credentials.by_name(self.db, name)
        if found is not None:
            return await self._check(call, found.id, found, password)
        # As in the database, the case of A to Z does not matter.
        key = name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        return await self._check(call, self.tokens.pseudonym(f"name {key}"), None, password)

    async def by_id(self, call: Call, user: str, password: str) -> credentials.Credentials | None:
        """The account of the caller, who has this id, if the password is right. Raises
        TooManyAttempts, and BadToken if the account has just been deleted: that is no failure."""
        found = required(await credentials.by_id(self.db, user), account_deleted)
        return await self._check(call, user, found, password)

    async def subject(self, call: Call, token: str, token_type: str) -> Subject:
        """The account elsewhere that this token of another service proves. Raises
        InvalidSubjectToken, IdentityUnavailable, TooManyAttempts."""
        counted = LOG_INS_OF_ADDRESS, *self._address(call)
        self._refuse(call, await rate_limits.look(self.db, *counted))
        try:
            return await self.verifiers.verify(token, token_type)
        except InvalidSubjectToken as error:
            self.failed("token")
            call.note("failed-log-in")
            if error.counts:
                await rate_limits.take(self.db, *counted)
            raise

    def _address(self, call: Call) -> tuple[str, int]:
        """The pseudonym of the client's address, and how many failed log-ins it may have."""
        limited = call.network not in {UNIX, UNKNOWN}
        subject = self.tokens.pseudonym(f"address {call.network}")
        return subject, self.most_of_address if limited else 0

    async def guest_wait(self, tx: Db, call: Call, most: int) -> int:
        """Count a new guest, of whom the client's address may make `most`. Gives the seconds to
        wait instead, if there were too many."""
        if call.network in {UNIX, UNKNOWN}:
            return 0
        address = self.tokens.pseudonym(f"address {call.network}")
        return await rate_limits.take(tx, GUESTS, address, most)

    async def mail(self, db: Db, call: Call) -> None:
        """Count a request for a mail, whoever is to get it. Raises TooManyRequests if there were
        too many from the client's address."""
        check_wait(await self.mail_wait(db, call))

    async def mail_wait(self, db: Db, call: Call) -> int:
        """The same, but gives the seconds to wait; 0 if it may be sent."""
        if call.network in {UNIX, UNKNOWN}:
            return 0
        address = self.tokens.pseudonym(f"address {call.network}")
        return await rate_limits.take(db, MAIL_REQUESTS, address, self.mails_of_address)

    async def _check(
        self, call: Call, account: str, found: credentials.Credentials | None, password: str
    ) -> credentials.Credentials | None:
        counted = account, *self._address(call)
        self._refuse(call, await log_in_attempts.wait(self.db, *counted))
        encoded = None if found is None else found.password_hash
        right = await self.passwords.verify(encoded, password, call.network)
        # Of many guesses at once, only as many as allowed may learn whether they are right.
        count = log_in_attempts.succeeded if right else log_in_attempts.failed
        async with self.db.transaction() as tx:
            self._refuse(call, await count(tx, *counted))
        if not right:
            self.failed("password")
            call.note("failed-log-in")
        return found if right else None

    def _refuse(self, call: Call, wait: int) -> None:
        if wait > 0:
            self.failed("limit")
            call.note("failed-log-in")
            raise TooManyAttempts(headers=retry_after(wait))
