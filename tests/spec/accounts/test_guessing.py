"""Wrong passwords from several addresses: spec §5."""

from tests.spec.client import Response
from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon, shared, until

HOME, STRANGER = "192.0.2.1", "198.51.100.7"
LIMITS = {"TRUSTED_PROXIES": "127.0.0.1", "FAILED_LOG_INS_PER_ADDRESS": "15"}


class GuessingTests(SpecCase):
    """As a proxy passes them on."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("guessing", lambda: Daemon(environ=LIMITS)))

    async def log_in(self, name: str, password: str, at: str) -> Response:
        """The answer to a log-in from an address."""
        form = {"grant_type": "password", "username": name, "password": password}
        return await self.post("/oauth/token", data=form, headers={"X-Forwarded-For": at})

    async def guess(self, name: str, at: str, times: int = 10) -> None:
        """So many wrong passwords, and what follows."""
        for _ in range(times):
            self.assertEqual(400, (await self.log_in(name, "wrong password", at)).status)
        limited = await self.log_in(name, "wrong password", at)
        self.assertEqual((429, "slow_down"), (limited.status, limited.json()["error"]))
        self.assertTrue(840 < int(limited.header("Retry-After") or 0) <= 900)

    async def change(self, user: User, current: str, at: str) -> Response:
        """The answer to a change of the password to the same from an address."""
        body = {"current": current, "new": user.password}
        headers = {"X-Forwarded-For": at}
        return await self.put(f"user/{user.id}/password", body, by=user, headers=headers)

    async def test_stranger(self):
        """choices: a stranger locks the owner out of neither log-in nor change of password."""
        user = await self.user()
        await self.guess(user.username, STRANGER)
        self.assertEqual(429, (await self.log_in(user.username, user.password, STRANGER)).status)
        self.problem(await self.change(user, user.password, STRANGER), 429, "too_many_attempts")
        self.assertEqual(200, (await self.log_in(user.username, user.password, HOME)).status)
        self.assertEqual(204, (await self.change(user, user.password, HOME)).status)

    async def test_change(self):
        """choices: wrong passwords at a change count as those at a log-in."""
        user = await self.user()
        for _ in range(10):
            self.problem(await self.change(user, "wrong", "192.0.2.2"), 403, "wrong_password")
        self.assertEqual(429, (await self.log_in(user.email, user.password, "192.0.2.2")).status)

    async def test_unknown(self):
        """choices: an unknown name has the same answers, and the same limits."""
        await self.guess("nobody-at-all", "192.0.2.3")

    async def test_success(self):
        """choices: a log-in that succeeds starts its count anew, and not that of the address."""
        user, at = await self.user(), "192.0.2.4"
        for _ in range(9):
            await self.log_in(user.username, "wrong password", at)
        self.assertEqual(200, (await self.log_in(user.username, user.password, at)).status)
        await self.guess(user.username, at, times=6)
        self.assertEqual(429, (await self.log_in("nobody-at-all", "wrong password", at)).status)

    async def test_network(self):
        """choices: an IPv6 address counts with all of its /64."""
        user = await self.user()
        for n in range(10):
            await self.log_in(user.username, "wrong password", f"2001:db8::{n}")
        for at, expected in (("2001:db8::ff:ff", 429), ("2001:db8:0:1::1", 200)):
            self.assertEqual(expected, (await self.log_in(user.username, user.password, at)).status)

    async def test_log(self):
        """operating: the line of a failed log-in says so, and from where, but not whose."""
        user, at = await self.user(), "192.0.2.6"
        failed = await self.log_in(user.username, "a wrong password", at)
        good = await self.log_in(user.username, user.password, at)
        # The line of a request is written just after its answer.
        last = good.header("X-Request-Id") or ""
        await until(lambda: last in self.daemon.output(), 10, "the last line")
        lines = {
            answer: [line for line in self.daemon.output().splitlines() if number in line]
            for answer, number in ((a, a.header("X-Request-Id") or "") for a in (failed, good))
        }
        (line,), (other,) = lines[failed], lines[good]
        self.assertIn("POST /oauth/token 400 ", line)
        self.assertIn(f"client={at} ", line)
        self.assertTrue(line.endswith(" failed-log-in"), line)
        self.assertNotIn("failed-log-in", other)
        for word in (user.username, "a wrong password"):
            self.assertNotIn(word, line)
