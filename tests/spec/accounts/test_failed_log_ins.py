"""The limits of failed log-ins, with their real numbers: accounts#tokens, Failed log-ins.

They hold over both workers. `X-Forwarded-For` is as a trusted proxy sends it.
"""

from __future__ import annotations

from tests.spec.accounts.base import AccountsCase, somewhere
from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.support.daemon import until


class LimitTests(AccountsCase):
    """POST /oauth/token with wrong passwords."""

    async def from_(self, at: str, user: User | str, password: str = "wrong password") -> Response:
        """A log-in from an address."""
        username = user if isinstance(user, str) else user.username
        return await self.try_log_in(username, password, headers={"X-Forwarded-For": at})

    def slow(self, response: Response) -> None:
        """Assert that it was refused unseen."""
        self.refused(response, "slow_down", 429)
        self.assertTrue(840 < int(response.header("Retry-After") or 0) <= 900)

    async def test_pair(self):
        """Of one account and one address 10 in 15 minutes are taken; the owner logs in, and
        changes the password, from elsewhere."""
        user, at, home = await self.user(), somewhere(), somewhere()
        for _ in range(10):
            self.refused(await self.from_(at, user), "invalid_grant")
        self.slow(await self.from_(at, user, user.password))
        self.assertEqual(200, (await self.from_(home, user, user.password)).status)
        self.slow(await self.from_(at, user, user.password))
        path, body = f"user/{user.id}/password", {"current": user.password, "new": user.password}
        response = await self.put(path, body, by=user, headers={"X-Forwarded-For": at})
        self.problem(response, 429, "too_many_attempts")
        await self.put(path, body, by=user, headers={"X-Forwarded-For": home}, expect=204)

    async def test_unknown(self):
        """An unknown name has the same answers, and the same limits."""
        nobody, at = name(), somewhere()
        for _ in range(10):
            self.refused(await self.from_(at, nobody), "invalid_grant")
        self.slow(await self.from_(at, nobody))

    async def test_name_or_address(self):
        """An account is one, by name or by address, in whatever case."""
        user, at = await self.user(), somewhere()
        for n in range(10):
            one = (user.username, user.email, user.username.upper(), user.email.upper())[n % 4]
            self.refused(await self.from_(at, one), "invalid_grant")
        for one in (user.username, user.email):
            self.slow(await self.from_(at, one, user.password))

    async def test_address(self):
        """Of one address 100 in 15 minutes are taken over all accounts, and a success does not
        start them anew; other addresses are not concerned."""
        user, at = await self.user(), somewhere()
        for n in range(20):
            names = [name(f"n{n}")] * 5
            got = await self.together(*(self.from_(at, one) for one in names))
            for one in got:
                self.refused(one, "invalid_grant")
            if n == 18:
                self.assertEqual(200, (await self.from_(at, user, user.password)).status)
        self.slow(await self.from_(at, user, user.password))
        self.slow(await self.from_(at, name()))
        self.assertEqual(200, (await self.from_(somewhere(), user, user.password)).status)

    async def test_network(self):
        """An IPv6 address counts with all of its /64."""
        user, net = await self.user(), f"2001:db8:{guid()[:4]}"
        for n in range(10):
            self.refused(await self.from_(f"{net}::{n}", user), "invalid_grant")
        self.slow(await self.from_(f"{net}::ff:ff", user, user.password))
        self.assertEqual(200, (await self.from_(f"{net}:1::1", user, user.password)).status)

    async def test_at_once(self):
        """Of 20 at once no more than 10 are looked at."""
        user, at = await self.user(), somewhere()
        got = await self.together(*(self.from_(at, user) for _ in range(20)))
        self.assertEqual([400] * 10 + [429] * 10, sorted(one.status for one in got))

    async def test_success(self):
        """A success starts anew only its own account and address."""
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
        """Of X-Forwarded-For the rightmost address that is no trusted proxy counts."""
        user, at = await self.user(), somewhere()
        for n in range(10):
            forwarded = (f"{somewhere()}, {at}", f"{at}, 127.0.0.1", f"x, {at},127.0.0.1")[n % 3]
            self.refused(await self.from_(forwarded, user), "invalid_grant")
        self.slow(await self.from_(at, user, user.password))
        got = await self.from_(f"{at}, {somewhere()}", user, user.password)
        self.assertEqual(200, got.status)

    async def test_operations(self):
        """A wrong password in any operation counts: after 10 neither it nor a log-in takes the
        right one, and nothing has changed."""
        for operation in (self.password, self.email, self.deletion, self.identity):
            user, self.at = await self.user(), somewhere()
            for _ in range(10):
                self.problem(await operation(user, "wrong password"), 403, "wrong_password")
            limited = await operation(user, user.password)
            self.problem(limited, 429, "too_many_attempts")
            self.assertGreater(int(limited.header("Retry-After") or 0), 0)
            self.slow(await self.from_(self.at, user, user.password))
            await self.goes_on(user)

    async def password(self, user: User, password: str) -> Response:
        """A change of the password."""
        body = {"current": password, "new": "another password"}
        return await self.put(f"user/{user.id}/password", body, by=user)

    async def email(self, user: User, password: str) -> Response:
        """A change of the address."""
        return await self.change(user, self.fresh(), password)

    async def deletion(self, user: User, password: str) -> Response:
        """A deletion of the account."""
        return await self.leave(user, None, password=password)

    async def identity(self, user: User, password: str) -> Response:
        """A link to an account elsewhere."""
        return await self.link(user, self.issuer().token(guid()), proof={"password": password})

    async def test_exchange(self):
        """Who is locked out comes in by a linked account, which needs no password."""
        user, token = await self.user(), self.issuer().token(guid())
        await self.link(user, token, expect=204)
        for _ in range(10):
            await self.from_(self.at, user)
        self.slow(await self.from_(self.at, user, user.password))
        got = await self.exchange(token, expect=200)
        self.assertEqual(user.id, got.json()["userId"])

    async def test_log(self):
        """The line of a failed log-in says so, and from where, but not whose."""
        user, at = await self.user(), somewhere()
        failed = await self.from_(at, user, "a wrong password")
        good = await self.from_(at, user, user.password)
        found = []
        for answer in (failed, good):
            number = answer.header("X-Request-Id") or ""
            # The line of a request is written just after its answer.
            await until(lambda number=number: number in self.daemon.output(), 10, "the line")
            (line,) = [one for one in self.daemon.output().splitlines() if number in one]
            found.append(line)
        line, other = found
        self.assertIn("POST /oauth/token 400 ", line)
        self.assertIn(f"client={at} ", line)
        self.assertTrue(line.endswith(" failed-log-in"), line)
        self.assertNotIn("failed-log-in", other)
        for word in (user.username, "a wrong password"):
            self.assertNotIn(word, line)
