"""The limits on wrong passwords: whom they hit, and whom not."""

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.framework.db.database import Database
from contentsvc.framework.identity.subject import InvalidSubjectToken, Verifiers
from contentsvc.store.accounts import log_in_attempts
from contentsvc.tokens import Key, Keys, Tokens
from tests.api.support import ApiCase, Caller
from tests.framework.identity.fakes import ADA, BAD, GOOD, KIND, UNKNOWN_KEY, FakeVerifier
from tests.support.databases import guid
from tests.support.deferreds import together

HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
RIGHT = "right"


class Checked:
    """Stands for api.passwords: finds RIGHT right, and remembers for whom it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def verify(self, encoded: str | None, password: str, who: str) -> bool:
        self.asked.append(who)
        return encoded is not None and password == RIGHT


class Overtaken(Checked):
    """Finds a password right, while ten others are found wrong."""

    def __init__(self, db: Database, user: str, address: str) -> None:
        super().__init__()
        self._at = db, user, address

    async def verify(self, encoded: str | None, password: str, who: str) -> bool:
        for _ in range(10):
            await log_in_attempts.failed(*self._at, 100)
        return True


class GuardTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        self.checked = Checked()
        self.tokens = Tokens(Keys([Key("k", b"k" * 32)]), None)
        self.auth = self.make()
        self.name = f"u{guid()[:8]}"
        self.ann = await self.user(self.name)

    def make(self, db: Database | None = None, checked: Checked | None = None) -> Authenticator:
        """A process's auth."""
        checks = checked or self.checked
        limits = {"most_of_address": 25, "mails_of_address": 2}
        return Authenticator(db or self.db, checks, self.tokens, Verifiers(), **limits)

    async def log_in(
        self,
        password: str = "wrong",
        *,
        name: str | None = None,
        at: str = HOME,
        auth: Authenticator | None = None,
    ) -> str:
        """The outcome of a log-in: "in", "wrong", or "too_many_attempts"."""
        call = Caller(address=at)

        async def act() -> None:
            if await (auth or self.auth).by_name(call, name or self.name, password) is None:
                self.assertEqual(call.notes, ["failed-log-in"])
                raise LookupError

        try:
            (status,) = await self.statuses(act())
        except LookupError:
            return "wrong"
        self.assertEqual(call.notes, [] if status == "done" else ["failed-log-in"])
        return "in" if status == "done" else status

    async def fail_often(self, times: int = 10, **more: str) -> None:
        """So many wrong passwords."""
        for _ in range(times):
            self.assertEqual(await self.log_in(**more), "wrong")

    async def test_limit(self) -> None:
        """After ten wrong passwords even the right one waits, and costs no hash; when the time is
        over it is good, and the wrong ones are forgotten."""
        await self.fail_often()
        problem = await self.refused(self.auth.by_name(Caller(address=HOME), self.name, RIGHT))
        self.assertEqual((problem.status, problem.oauth), (429, "slow_down"))
        self.assertTrue(840 < int(problem.headers["Retry-After"]) <= 900)
        self.assertEqual(len(self.checked.asked), 10)
        self.sql("update rate_limits set expires = expires - interval '900 s'")
        self.assertEqual(await self.log_in(RIGHT), "in")
        rows = self.sql("select * from rate_limits where account = %s", self.ann)
        self.assertEqual(rows, [])

    async def test_stranger(self) -> None:
        """A stranger locks the owner out of neither a log-in nor a change of password."""
        await self.fail_often(at=ELSEWHERE)
        self.assertEqual(await self.log_in(RIGHT), "in")
        found = await self.auth.by_id(Caller(self.ann, address=HOME), self.ann, RIGHT)
        self.assertEqual(found.id, self.ann)
        self.assertEqual(await self.log_in(RIGHT, at=ELSEWHERE), "too_many_attempts")

    async def test_names(self) -> None:
        """Name, address of mail and id are one account, in any case."""
        names = (self.name, self.name.upper(), f"{self.name}@example.com")
        for name in names * 3:
            self.assertEqual(await self.log_in(name=name), "wrong")
        call = Caller(self.ann, address=HOME)
        self.assertIsNone(await self.auth.by_id(call, self.ann, "wrong"))
        self.assertEqual(call.notes, ["failed-log-in"])
        for name in names:
            self.assertEqual(await self.log_in(RIGHT, name=name), "too_many_attempts")
        problem = await self.refused(self.auth.by_id(call, self.ann, RIGHT))
        self.assertEqual(problem.code, "too_many_attempts")

    async def test_unknown(self) -> None:
        """An unknown name is limited as any other, in any case, and costs a hash as any other."""
        for name in ("Nobody Ä", "nobody Ä") * 5:
            self.assertEqual(await self.log_in(name=name), "wrong")
        self.assertEqual(await self.log_in(name="NOBODY Ä"), "too_many_attempts")
        self.assertEqual(await self.log_in(name="nobody ä"), "wrong")
        self.assertEqual(len(self.checked.asked), 11)

    async def test_stored(self) -> None:
        """Neither what was given as a name nor an address is stored, nor a plain hash of it."""
        await self.log_in(name="hunter2")
        other = Tokens(Keys([Key("k", b"x" * 32)]), None).pseudonym
        accounts = {row[0] for row in self.sql("select account::text from rate_limits")}
        self.assertIn(self.tokens.pseudonym("name hunter2"), accounts)
        self.assertNotIn(other("name hunter2"), accounts)

    async def test_address(self) -> None:
        """From one address there are so many wrong passwords over all accounts; a right one does
        not begin that anew, and nobody elsewhere waits."""
        for n in range(24):
            self.assertEqual(await self.log_in(name=f"nobody{n}"), "wrong")
        self.assertEqual(await self.log_in(RIGHT), "in")
        self.assertEqual(await self.log_in(), "wrong")
        self.assertEqual(await self.log_in(RIGHT), "too_many_attempts")
        self.assertEqual(await self.log_in(RIGHT, at=ELSEWHERE), "in")

    async def test_no_address(self) -> None:
        """Those whose address is not known do not share a limit, but of each account."""
        for at in ("unix", "-"):
            for n in range(30):
                self.assertEqual(await self.log_in(name=f"nobody{n}", at=at), "wrong")
            await self.fail_often(at=at)
            self.assertEqual(await self.log_in(at=at), "too_many_attempts")

    async def test_no_limit(self) -> None:
        """0 stands for none."""
        limits = {"most_of_address": 0, "mails_of_address": 0}
        auth = Authenticator(self.db, self.checked, self.tokens, Verifiers(), **limits)
        for n in range(30):
            self.assertEqual(await self.log_in(name=f"nobody{n}", auth=auth), "wrong")

    async def test_at_once(self) -> None:
        """Of fifty guesses at once, at two processes, ten are told that they were wrong."""
        other = self.make(await self.pool())
        found = await together(
            *(self.log_in(auth=auth) for _ in range(25) for auth in (self.auth, other))
        )
        self.assertEqual(sorted(found), ["too_many_attempts"] * 40 + ["wrong"] * 10)

    async def test_guessed_late(self) -> None:
        """Nor is the right one told, if ten wrong ones came while it was checked."""
        address = self.tokens.pseudonym(f"address {HOME}")
        auth = self.make(checked=Overtaken(self.db, self.ann, address))
        problem = await self.refused(auth.by_name(Caller(address=HOME), self.name, RIGHT))
        self.assertEqual(problem.code, "too_many_attempts")
        self.assertTrue(0 < int(problem.headers["Retry-After"]) <= 900)

    async def test_hashed_for(self) -> None:
        """Hashing is shared out by address."""
        await self.log_in(at=ELSEWHERE)
        self.assertEqual(self.checked.asked, [ELSEWHERE])


class SubjectTests(ApiCase):
    """Tokens of other services. The address may fail three times."""

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        tokens = Tokens(Keys([Key("k", b"k" * 32)]), None)
        verifiers = Verifiers([FakeVerifier()])
        limits = {"most_of_address": 3, "mails_of_address": 3}
        self.auth = Authenticator(self.db, Checked(), tokens, verifiers, **limits)

    async def present(self, token: str, at: str = HOME) -> str:
        """The outcome of presenting this token."""
        try:
            (status,) = await self.statuses(self.auth.subject(Caller(address=at), token, KIND))
        except InvalidSubjectToken:
            return "refused"
        return status

    async def test_good(self) -> None:
        """A good token gives its account."""
        self.assertEqual(await self.auth.subject(Caller(), GOOD, KIND), ADA)

    async def test_limit(self) -> None:
        """Bad tokens count as failed log-ins of their address, and of no other."""
        for _ in range(3):
            self.assertEqual(await self.present(BAD), "refused")
        self.assertEqual(await self.present(GOOD), "too_many_attempts")
        self.assertEqual(await self.present(GOOD, at=ELSEWHERE), "done")

    async def test_unknown_key(self) -> None:
        """A token whose key is not known does not count."""
        for _ in range(4):
            self.assertEqual(await self.present(UNKNOWN_KEY), "refused")
        self.assertEqual(await self.present(GOOD), "done")

    async def test_together_with_passwords(self) -> None:
        """Wrong passwords of an address and its bad tokens count together."""
        for _ in range(2):
            await self.present(BAD)
        call = Caller(address=HOME)
        self.assertIsNone(await self.auth.by_name(call, "nobody-is-called-so", "wrong"))
        self.assertEqual(await self.present(GOOD), "too_many_attempts")

    async def test_note(self) -> None:
        """The line of the log says that it was a failed log-in."""
        call = Caller(address=HOME)
        with self.assertRaises(InvalidSubjectToken):
            await self.auth.subject(call, BAD, KIND)
        self.assertEqual(call.notes, ["failed-log-in"])
