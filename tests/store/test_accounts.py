"""Accounts: unique names, and the limit on wrong passwords."""

from contentsvc.store import accounts
from contentsvc.store.errors import Refused
from tests.store.support import StoreCase, guid, together

MOST, WINDOW = 3, 900


class RegisterTests(StoreCase):
    async def register(self, name: str, email: str) -> str:
        """What becomes of a registration: "made" or the constraint that refused it."""
        try:
            await accounts.register(self.db, name, email, "-", False)
        except Refused as refused:
            return refused.constraint
        return "made"

    async def test_unique(self) -> None:
        """A name or address is taken whatever the case."""
        self.assertEqual(await self.register("Bob", "bob@example.com"), "made")
        self.assertEqual(await self.register("bOB", "other@example.com"), "users_username")
        self.assertEqual(await self.register("other", "BOB@Example.com"), "users_email")
        self.assertEqual(await self.register("bob_", "bob_@example.com"), "made")

    async def test_at_once(self) -> None:
        """Of several at once one has the name."""
        acts = [self.register("eve", f"eve{n}@example.com") for n in range(8)]
        self.assertEqual(sorted(await together(*acts)), ["made"] + ["users_username"] * 7)

    async def test_as_written(self) -> None:
        """Name and address are kept as they were written."""
        await self.register("McFly", "McFly@Example.com")
        rows = self.sql("select username, email from users where username_key = 'mcfly'")
        self.assertEqual(rows, [("McFly", "McFly@Example.com")])

    async def test_case_beyond_ascii(self) -> None:
        """An address's case beyond ASCII matters, whatever the server's locale."""
        self.assertEqual(await self.register("one", "ä@example.com"), "made")
        self.assertEqual(await self.register("two", "Ä@example.com"), "made")


class LogInTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.name = f"u{guid()[:8]}"
        self.ann = await self.user(self.name)

    async def credentials(self, name: str | None = None) -> accounts.Credentials | None:
        """What a log-in under this name is checked against."""
        return await accounts.credentials(self.db, name or self.name, MOST, WINDOW)

    async def fail_once(self) -> int:
        """A wrong password, and how long to wait after it."""
        return await accounts.failed(self.db, self.ann, MOST, WINDOW)

    def failures(self) -> int:
        """The wrong passwords that are counted."""
        rows = self.sql("select failures from login_failures where user_id = %s", self.ann)
        return rows[0][0] if rows else 0

    async def test_names(self) -> None:
        """An account is found by name, by address, in any case, and by id."""
        for name in (self.name, self.name.upper(), f"{self.name}@Example.com"):
            self.assertEqual((await self.credentials(name)).id, self.ann)
        found = await accounts.credentials_of(self.db, self.ann, MOST, WINDOW)
        self.assertEqual(found, await self.credentials())
        self.assertIsNone(await self.credentials("nobody"))
        self.assertIsNone(await accounts.credentials_of(self.db, guid(), MOST, WINDOW))

    async def test_name_before_address(self) -> None:
        """Where one's name is another's address, the name goes first."""
        other = await accounts.register(self.db, "x@y", f"{guid()}@example.com", "-", False)
        await accounts.register(self.db, f"n{guid()[:8]}", "X@Y", "-", False)
        self.assertEqual((await self.credentials("x@y")).id, other)

    async def test_limit(self) -> None:
        """After so many wrong passwords there is a wait, at most as long as the window."""
        for expected in range(MOST):
            self.assertEqual((self.failures(), (await self.credentials()).wait), (expected, 0))
            await self.fail_once()
        found = await self.credentials()
        self.assertTrue(WINDOW - 60 < found.wait <= WINDOW, found.wait)

    async def test_at_once(self) -> None:
        """Wrong passwords at once are counted each, and those above the limit are told to wait."""
        waits = sorted(await together(*(self.fail_once() for _ in range(20))))
        self.assertEqual(self.failures(), 20)
        self.assertEqual(waits[:MOST], [0] * MOST)
        self.assertTrue(all(WINDOW - 60 < wait <= WINDOW for wait in waits[MOST:]), waits)

    async def test_window(self) -> None:
        """When the window is over there is no wait, and the next one begins a new window."""
        for _ in range(MOST):
            await self.fail_once()
        self.sql(
            "update login_failures set since = since - make_interval(secs => %s)"
            " where user_id = %s",
            WINDOW,
            self.ann,
        )
        self.assertEqual((await self.credentials()).wait, 0)
        self.assertEqual(await self.fail_once(), 0)
        self.assertEqual((self.failures(), (await self.credentials()).wait), (1, 0))

    async def test_window_stays(self) -> None:
        """Further failures within the window do not prolong it."""
        await self.fail_once()
        self.sql("update login_failures set since = since - interval '800 s'")
        for _ in range(MOST):
            await self.fail_once()
        self.assertTrue(0 < (await self.credentials()).wait <= 100)

    async def test_success(self) -> None:
        """A right password forgets the wrong ones."""
        self.assertEqual(await accounts.succeeded(self.db, self.ann, MOST, WINDOW), 0)
        for _ in range(MOST - 1):
            await self.fail_once()
        self.assertEqual(await accounts.succeeded(self.db, self.ann, MOST, WINDOW), 0)
        self.assertEqual(self.failures(), 0)

    async def test_late_success(self) -> None:
        """A right password waits and forgets nothing where too many wrong ones came meanwhile."""
        for _ in range(MOST):
            await self.fail_once()
        wait = await accounts.succeeded(self.db, self.ann, MOST, WINDOW)
        self.assertTrue(WINDOW - 60 < wait <= WINDOW, wait)
        self.assertEqual(self.failures(), MOST)

    async def test_of_others(self) -> None:
        """Another's failures do not count."""
        other = await self.user()
        for _ in range(MOST):
            await accounts.failed(self.db, other, MOST, WINDOW)
        self.assertEqual((await self.credentials()).wait, 0)

    async def test_password(self) -> None:
        """A new hash replaces the old, if that is still the one."""
        old = (await self.credentials()).password_hash
        changes = (accounts.set_password(self.db, self.ann, old, new) for new in ("new", "newer"))
        self.assertCountEqual(await together(*changes), [True, None])
        self.assertIn((await self.credentials()).password_hash, ("new", "newer"))
