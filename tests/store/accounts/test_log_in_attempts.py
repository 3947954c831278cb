"""Failed log-ins: counted by account and address and by address, forgotten with their window."""

from contentsvc.db.database import Database
from contentsvc.store.accounts import log_in_attempts
from tests.support.databases import StoreCase, guid, together

MOST, OF_ADDRESS, WINDOW = 3, 8, 900
NIL = "00000000-0000-0000-0000-000000000000"


class FailureCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from failed_log_ins")
        self.account, self.address = guid(), guid()

    async def wait(self, account: str = "", address: str = "", db: Database | None = None) -> int:
        """How long to wait before a try."""
        return await self.act(log_in_attempts.wait, account, address, db)

    async def fail_once(
        self, account: str = "", address: str = "", db: Database | None = None
    ) -> int:
        """A wrong password, and how long to wait for having come too late with it."""
        return await self.act(log_in_attempts.failed, account, address, db)

    async def succeed(self, account: str = "", address: str = "") -> int:
        """A right one, likewise."""
        return await self.act(log_in_attempts.succeeded, account, address, None)

    async def act(self, statement, account: str, address: str, db: Database | None) -> int:
        at = account or self.account, address or self.address
        return await statement(db or self.db, *at, MOST, OF_ADDRESS, WINDOW)

    def counted(self, account: str = "", address: str = "") -> int:
        """The failures that are counted."""
        rows = self.sql(
            "select failures from failed_log_ins where account = %s and address = %s",
            account or self.account,
            address or self.address,
        )
        return rows[0][0] if rows else 0

    def age(self, seconds: int) -> None:
        """Have all windows begun so much earlier."""
        self.sql("update failed_log_ins set since = since - make_interval(secs => %s)", seconds)

    def assert_waits(self, wait: int, most: int = WINDOW) -> None:
        """Assert that it is about so long."""
        self.assertTrue(most - 60 < wait <= most, wait)


class PairTests(FailureCase):
    """An account from an address."""

    async def test_limit(self) -> None:
        """After so many wrong passwords there is a wait, at most as long as the window."""
        for expected in range(MOST):
            self.assertEqual((self.counted(), await self.wait()), (expected, 0))
            self.assertEqual(await self.fail_once(), 0)
        self.assert_waits(await self.wait())

    async def test_others(self) -> None:
        """Neither the account from elsewhere nor another from there has to wait."""
        for _ in range(MOST):
            await self.fail_once()
        self.assertEqual(await self.wait(address=guid()), 0)
        self.assertEqual(await self.wait(account=guid()), 0)

    async def test_exact(self) -> None:
        """The wait is what is left of the window, in whole seconds upwards."""
        for _ in range(MOST):
            await self.fail_once()
        self.sql("update failed_log_ins set since = clock_timestamp() - interval '899.5 s'")
        self.assertEqual(await self.wait(), 1)

    async def test_at_once(self) -> None:
        """Of many at once, by two processes, only so many count; the others are told to wait."""
        other = await self.pool()
        acts = [self.fail_once(db=db) for _ in range(25) for db in (self.db, other)]
        waits = sorted(await together(*acts))
        self.assertEqual(waits[:MOST], [0] * MOST)
        for wait in waits[MOST:]:
            self.assert_waits(wait)
        self.assertEqual(self.counted(NIL), MOST)

    async def test_window(self) -> None:
        """When the window is over there is no wait, and the next failure begins a new one."""
        for _ in range(MOST):
            await self.fail_once()
        self.age(WINDOW)
        self.assertEqual(await self.wait(), 0)
        self.assertEqual(await self.fail_once(), 0)
        self.assertEqual((self.counted(), self.counted(NIL), await self.wait()), (1, 1, 0))

    async def test_window_stays(self) -> None:
        """Further failures within the window do not prolong it."""
        await self.fail_once()
        self.age(800)
        for _ in range(MOST):
            await self.fail_once()
        self.assert_waits(await self.wait(), 100)

    async def test_clock_set_back(self) -> None:
        """Failures from before the server's clock was set back lock nobody out for longer."""
        for _ in range(MOST):
            await self.fail_once()
        self.age(-3600)
        self.assertEqual(await self.wait(), 0)
        self.assertEqual((await self.fail_once(), self.counted()), (0, 1))

    async def test_success(self) -> None:
        """A right password forgets the wrong ones of its pair, and no others."""
        elsewhere = guid()
        for address in (elsewhere, elsewhere, self.address, self.address):
            await self.fail_once(address=address)
        self.assertEqual(await self.succeed(), 0)
        self.assertEqual((self.counted(), self.counted(address=elsewhere)), (0, 2))
        self.assertEqual(self.counted(NIL), 2)
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
            self.sql("delete from failed_log_ins")
            for _ in range(MOST - 1):
                await self.fail_once()
            wait, *_ = await together(self.succeed(), *(self.fail_once() for _ in range(6)))
            told = self.sql("select failures from failed_log_ins where account = %s", NIL)[0][0]
            # So many were told that they were wrong before it, and so many since.
            self.assertTrue(told == MOST if wait else told <= MOST - 1 + MOST, (wait, told))


class AddressTests(FailureCase):
    """All accounts from an address."""

    async def fill(self) -> None:
        """Reach its limit."""
        for _ in range(OF_ADDRESS):
            self.assertEqual(await self.fail_once(guid()), 0)

    async def test_limit(self) -> None:
        """After so many wrong passwords for any accounts, all of them wait, from there only."""
        await self.fill()
        self.assert_waits(await self.wait(guid()))
        self.assert_waits(await self.fail_once(guid()))
        self.assert_waits(await self.succeed(guid()))
        self.assertEqual(await self.wait(address=guid()), 0)

    async def test_at_once(self) -> None:
        """Of many at once only so many are told."""
        waits = sorted(await together(*(self.fail_once(guid()) for _ in range(20))))
        self.assertEqual(waits[:OF_ADDRESS], [0] * OF_ADDRESS)
        self.assertTrue(all(waits[OF_ADDRESS:]), waits)

    async def test_success(self) -> None:
        """A right password does not forget those of the address."""
        for _ in range(OF_ADDRESS - 1):
            await self.fail_once(guid())
        await self.fail_once()
        await self.succeed(guid())
        self.assert_waits(await self.wait())


class ForgetTests(FailureCase):
    async def test_forget(self) -> None:
        """An account is forgotten at all addresses."""
        ann, other = await self.user(), guid()
        for address in (self.address, guid()):
            for account in (ann, other):
                await self.fail_once(account, address)
        await log_in_attempts.forget(self.db, ann)
        rows = self.sql("select distinct account::text from failed_log_ins")
        self.assertCountEqual(rows, [(NIL,), (other,)])

    async def test_expire(self) -> None:
        """Those whose window is over are removed, a few at a time, more than a failure adds."""
        for _ in range(OF_ADDRESS):
            await self.fail_once(guid(), guid())
        self.age(WINDOW)
        await self.fail_once()
        await log_in_attempts.expire(self.db, WINDOW)
        self.assertEqual(self.sql("select count(*) from failed_log_ins"), [(8,)])
        await log_in_attempts.expire(self.db, WINDOW)
        rows = self.sql("select account::text from failed_log_ins order by 1")
        self.assertEqual(rows, [(NIL,), (self.account,)])

    async def test_expire_at_once(self) -> None:
        """Several at once wait neither for each other nor for who counts."""
        for _ in range(40):
            await self.fail_once(guid(), guid())
        self.age(WINDOW)
        acts = [(log_in_attempts.expire(self.db, WINDOW), self.fail_once()) for _ in range(8)]
        await together(*(act for pair in acts for act in pair))
        self.assertEqual(self.counted(), 8)
