"""The limits of failed log-ins, with their real numbers: the last point of extensions §8."""

from __future__ import annotations

import secrets

from tests.spec.accounts.base import AccountsCase
from tests.spec.client import Response
from tests.spec.data import User, name


def somewhere() -> str:
    """An address of another client."""
    return "10." + ".".join(str(secrets.randbelow(254) + 1) for _ in range(3))


class LimitTests(AccountsCase):
    """Over both workers; `X-Forwarded-For` as a trusted proxy sends it."""

    async def from_(self, at: str, user: User | str, password: str = "wrong password") -> Response:
        """A log-in from an address."""
        username = user if isinstance(user, str) else user.username
        return await self.try_log_in(username, password, headers={"X-Forwarded-For": at})

    def slow(self, response: Response) -> None:
        """Assert that it was refused unseen."""
        self.refused(response, "slow_down", 429)
        self.assertTrue(800 < int(response.header("Retry-After") or 0) <= 900)

    async def test_pair(self):
        """§8: 10 in 15 minutes for an account and an address; the owner comes in from elsewhere."""
        user, at = await self.user(), somewhere()
        for _ in range(10):
            self.refused(await self.from_(at, user), "invalid_grant")
        self.slow(await self.from_(at, user, user.password))
        self.assertEqual(200, (await self.from_(somewhere(), user, user.password)).status)
        self.slow(await self.from_(at, user, user.password))

    async def test_name_or_address(self):
        """§8: an account is one, by name or by address, in whatever case."""
        user, at = await self.user(), somewhere()
        for n in range(10):
            one = (user.username, user.email, user.username.upper(), user.email.upper())[n % 4]
            self.refused(await self.from_(at, one), "invalid_grant")
        for one in (user.username, user.email):
            self.slow(await self.from_(at, one, user.password))

    async def test_address(self):
        """§8: 100 in 15 minutes for an address over all accounts; others are not concerned."""
        user, at = await self.user(), somewhere()
        for n in range(20):
            names = [name(f"n{n}")] * 5
            got = await self.together(*(self.from_(at, one) for one in names))
            for one in got:
                self.refused(one, "invalid_grant")
        self.slow(await self.from_(at, user, user.password))
        self.slow(await self.from_(at, name()))
        self.assertEqual(200, (await self.from_(somewhere(), user, user.password)).status)

    async def test_at_once(self):
        """§8: of 20 at once no more than ten are looked at."""
        user, at = await self.user(), somewhere()
        got = await self.together(*(self.from_(at, user) for _ in range(20)))
        self.assertEqual([400] * 10 + [429] * 10, sorted(one.status for one in got))

    async def test_success(self):
        """§8: a success starts anew only its own pair."""
        user, other, at = await self.user(), await self.user(), somewhere()
        for _ in range(9):
            await self.from_(at, user)
            await self.from_(at, other)
        self.assertEqual(200, (await self.from_(at, user, user.password)).status)
        for _ in range(10):
            self.refused(await self.from_(at, user), "invalid_grant")
        self.slow(await self.from_(at, user))
        self.refused(await self.from_(at, other), "invalid_grant")
        self.slow(await self.from_(at, other))

    async def test_rightmost(self):
        """§8: of X-Forwarded-For the rightmost address that is no trusted proxy counts."""
        user, at = await self.user(), somewhere()
        for n in range(10):
            forwarded = (f"{somewhere()}, {at}", f"{at}, 127.0.0.1", f"x, {at},127.0.0.1")[n % 3]
            self.refused(await self.from_(forwarded, user), "invalid_grant")
        self.slow(await self.from_(at, user, user.password))
        self.assertEqual(
            200, (await self.from_(f"{at}, {somewhere()}", user, user.password)).status
        )

    async def test_exchange(self):
        """choices: who is locked out comes in by a linked account, which needs no password."""
        user, at = await self.user(), self.at
        token = self.issuer().token(sub=name())
        await self.link(user, token, expect=204)
        for _ in range(10):
            await self.from_(at, user)
        self.slow(await self.from_(at, user, user.password))
        got = await self.exchange(token, expect=200)
        self.assertEqual(user.id, got.json()["userId"])
