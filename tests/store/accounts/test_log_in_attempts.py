"""Failed log-ins: counted by account and address and by address."""

from contentsvc.framework.db.database import Database
from contentsvc.store.accounts import log_in_attempts
from contentsvc.store.rate_limits import LOG_INS, LOG_INS_OF_ADDRESS
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

MOST, OF_ADDRESS = LOG_INS.most, 15


class FailureCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        self.account, self.address = guid(), guid()

    async def wait(self, account: str = "", address: str = "") -> int:
        """How long to wait before a try."""
        return await self.act(log_in_attempts.wait, account, address)

    async def fail_once(
        self, account: str = "", address: str = "", db: Database | None = None
    ) -> int:
        """A wrong password, and how long to wait for having come too late with it."""
        return await self.act(log_in_attempts.failed, account, address, db)

    async def succeed(self, account: str = "", address: str = "") -> int:
        """A right one, likewise."""
        return await self.act(log_in_attempts.succeeded, account, address)

    async def act(self, statement, account: str, address: str, db: Database | None = None) -> int:
        try:
            async with (db or self.db).transaction() as tx:
                at = account or self.account, address or self.address
                wait = await statement(tx, *at, OF_ADDRESS)
                if wait:
                    raise LookupError
        except LookupError:
            pass
        return wait

    def counted(self, account: str = "") -> int:
        """The failures that are counted for the account."""
        rows = self.sql(
            "select count(*) from rate_limits where account = %s", account or self.account
        )
        return int(rows[0][0])

    def of_address(self) -> int:
        """The failures that are counted for addresses."""
        rows = self.sql("select count(*) from rate_limits where name = %s", LOG_INS_OF_ADDRESS.name)
        return int(rows[0][0])

    def assert_waits(self, wait: int) -> None:
        """Assert that it is about so long as the span."""
        self.assertTrue(LOG_INS.span - 60 < wait <= LOG_INS.span, wait)


class PairTests(FailureCase):
    """An account from an address."""

    async def test_others(self) -> None:
        """Neither the account from elsewhere nor another from there has to wait."""
        for expected in range(MOST):
            self.assertEqual((self.counted(), await self.wait()), (expected, 0))
            await self.fail_once()
        self.assert_waits(await self.wait())
        self.assertEqual(await self.wait(address=guid()), 0)
        self.assertEqual(await self.wait(account=guid()), 0)

    async def test_above(self) -> None:
        """An attempt above the limit learns nothing, so it does not count for the address."""
        for _ in range(MOST + 3):
            last = await self.fail_once()
        self.assert_waits(last)
        self.assertEqual(self.of_address(), MOST)

    async def test_success(self) -> None:
        """A right password forgets the wrong ones of its pair, and no others."""
        elsewhere = guid()
        for address in (elsewhere, elsewhere, self.address, self.address):
            await self.fail_once(address=address)
        self.assertEqual(await self.succeed(), 0)
        self.assertEqual((self.counted(), self.of_address()), (2, 4))
        self.assertEqual(await self.succeed(address=elsewhere), 0)
        self.assertEqual(self.counted(), 0)
        self.assertEqual(await self.succeed(guid()), 0)

    async def test_late_success(self) -> None:
        """A right one waits and forgets nothing where as many as may be failed meanwhile."""
        for _ in range(MOST):
            await self.fail_once()
        self.assert_waits(await self.succeed())
        self.assertEqual(self.counted(), MOST)

    async def test_success_amid(self) -> None:
        """A right one among wrong ones at once either waits or begins the count anew."""
        for _ in range(10):
            self.sql("delete from rate_limits")
            for _ in range(MOST - 1):
                await self.fail_once()
            wait, *_ = await together(self.succeed(), *(self.fail_once() for _ in range(4)))
            # So many were told that they were wrong before it, and so many since.
            counted = self.counted()
            self.assertTrue(counted == MOST if wait else counted <= 4, (wait, counted))


class AddressTests(FailureCase):
    """All accounts from an address."""

    async def fill(self) -> None:
        """Reach its limit."""
        for _ in range(OF_ADDRESS):
            self.assertEqual(await self.fail_once(guid()), 0)

    async def test_limit(self) -> None:
        """After so many wrong passwords for any accounts, all of them wait, from there only; and
        nothing more counts."""
        await self.fill()
        self.assert_waits(await self.wait(guid()))
        self.assert_waits(await self.fail_once())
        self.assert_waits(await self.succeed(guid()))
        self.assertEqual(self.counted(), 0)
        self.assertEqual(await self.wait(address=guid()), 0)


class ForgetTests(FailureCase):
    async def test_forget(self) -> None:
        """An account is forgotten at all addresses."""
        ann, other = await self.user(), guid()
        for address in (self.address, guid()):
            for account in (ann, other):
                await self.fail_once(account, address)
        await log_in_attempts.forget(self.db, ann)
        self.assertEqual((self.counted(ann), self.counted(other), self.of_address()), (0, 2, 4))
