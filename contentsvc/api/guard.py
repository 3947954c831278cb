"""Checks passwords, and limits the wrong ones."""

from typing import Final

from contentsvc.api.errors import TooManyAttempts, retry_after
from contentsvc.db.query import Db
from contentsvc.passwords import Passwords
from contentsvc.store import accounts, failures
from contentsvc.tokens import Tokens
from contentsvc.web.call import Call
from contentsvc.web.proxies import UNIX, UNKNOWN

MOST: Final = 10
"""Failed log-ins of an account from one address."""
WINDOW: Final = 15 * 60
"""Seconds within which so many may fail."""
_NO_LIMIT = 2**31 - 1


class Guard:
    """Checks passwords, and limits the wrong ones: of each account from each address, so that a
    stranger locks nobody out, and of all accounts from each.

    Neither names nor addresses are stored, but what `tokens` have for them. `most_of_address` is a
    number, 0 for none.
    """

    def __init__(
        self,
        db: Db,
        passwords: Passwords,
        tokens: Tokens,
        *,
        most_of_address: int,
    ) -> None:
        self._db = db
        self._passwords = passwords
        self._tokens = tokens
        self._most_of_address = most_of_address or _NO_LIMIT

    async def by_name(self, call: Call, name: str, password: str) -> accounts.Credentials | None:
        """The account of this name or e-mail, if it is the password. Raises TooManyAttempts."""
        found = await accounts.credentials(self._db, name)
        if found is not None:
            return await self._check(call, found.id, found, password)
        # As the database has it: the case of A to Z does not matter.
        key = name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        return await self._check(call, self._tokens.pseudonym(f"name {key}"), None, password)

    async def by_id(self, call: Call, user: str, password: str) -> accounts.Credentials | None:
        """The account of this id, if it is the password. Raises TooManyAttempts."""
        found = await accounts.credentials_of(self._db, user)
        return await self._check(call, user, found, password)

    async def _check(
        self, call: Call, account: str, found: accounts.Credentials | None, password: str
    ) -> accounts.Credentials | None:
        address = call.network
        of_address = _NO_LIMIT if address in {UNIX, UNKNOWN} else self._most_of_address
        counted = (account, self._tokens.pseudonym(f"address {address}"), MOST, of_address, WINDOW)
        self._refuse(call, await failures.wait(self._db, *counted))
        encoded = None if found is None else found.password_hash
        right = await self._passwords.verify(encoded, password, address)
        if not right:
            await failures.expire(self._db, WINDOW)
        # Of many guesses at once only the first may learn whether they were right.
        count = failures.succeeded if right else failures.failed
        self._refuse(call, await count(self._db, *counted))
        if not right:
            call.note("failed-log-in")
        return found if right else None

    def _refuse(self, call: Call, wait: int) -> None:
        if wait > 0:
            call.note("failed-log-in")
            raise TooManyAttempts(headers=retry_after(wait))
