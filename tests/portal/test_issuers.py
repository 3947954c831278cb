"""Log-ins on the portal with accounts elsewhere."""

from __future__ import annotations

from typing import ClassVar

from playwright.sync_api import expect
from twisted.internet import reactor
from twisted.internet.threads import blockingCallFromThread

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, name
from tests.support import daemon
from tests.support.issuers import PageIssuer, page_file

AWAY = "Studio does not answer. Try again in a moment."
DENIED = "You are not logged in: Studio says that it was cancelled."
FOREIGN = "This log-in did not start here, or was used before. Start again."
LATE = "The log-in at Studio took too long, or was used before. Start again."


def press(person: Person, issuer: str = "Studio") -> None:
    """Press the button of an issuer."""
    person.press(f"Log in with {issuer}")


def refused(person: Person, text: str) -> None:
    """Assert that nobody is logged in, and that the page says why, at an address without the
    answer."""
    expect(person.main.get_by_role("alert")).to_have_text(text)
    person.left()
    address = person.page.url
    assert not any(word in address for word in ("code=", "state=", "error=")), address


class IssuersCase(WalkCase):
    """A daemon with two issuers, as whom each test logs in somebody new."""

    apart = True
    issuers: ClassVar[tuple[PageIssuer, ...]] = ()

    async def connect(self) -> None:
        self.own_daemon()
        for issuer in self.issuers:
            issuer.back()
        self.use(await daemon.shared("portal-issuers", self.make))
        self.studio, self.guild = self.issuers
        for issuer in self.issuers:
            self.addCleanup(issuer.stop)
            issuer.subject = name("player")
            issuer.answered.clear()
            issuer.claimed.clear()
            issuer.begun.clear()
            issuer.brought.clear()

    @classmethod
    def make(cls) -> daemon.Daemon:
        """The daemon, and the issuers, which are there during the tests."""
        IssuersCase.issuers = (PageIssuer("Studio"), PageIssuer("Guild"))
        return daemon.Daemon(environ={"ISSUERS": str(page_file(*IssuersCase.issuers))})


class RoundTripTests(IssuersCase):
    async def test_log_in(self) -> None:
        """A player logs in with an account elsewhere, and is led back."""
        user = await self.user()

        def journey(ada: Person) -> None:
            self.there_and_back(ada)
            self.then(ada)
            ada.log_out()
            self.denied(ada, user)

        await self.walk(journey)

    @step
    def there_and_back(self, ada: Person) -> None:
        """The button leads to the issuer and back to `then`, logged in; a reload keeps it."""
        ada.go("/log-in?then=%2Fbrowse%3Fq%3Dtower")
        press(ada)
        ada.arrive("/browse?q=tower")
        ada.page.reload()
        ada.arrive("/browse?q=tower")
        ada.page.get_by_text(self.studio.subject).first.wait_for()
        (begun,), (brought,) = self.studio.begun, self.studio.brought
        self.assertEqual("first", begun["at"])
        self.assertEqual(("code", "S256"), (begun["response_type"], begun["code_challenge_method"]))
        self.assertTrue(begun["redirect_uri"].endswith("/log-in"), begun)
        self.assertEqual("openid profile", begun["scope"])
        secrets = {
            begun["state"],
            begun["nonce"],
            begun["code_challenge"],
            brought["code_verifier"],
        }
        self.assertEqual([43] * 4, [len(secret) for secret in secrets])

    @step
    def then(self, ada: Person) -> None:
        """A `then` that leads elsewhere leads to `/`."""
        for then in ("https://evil.example/", "//evil.example/", "/%5Cevil.example"):
            with self.step(f"then={then}"):
                ada.go(f"/log-in?then={then}")
                press(ada, "Guild")
                ada.arrive()

    @step
    def denied(self, ada: Person, user: User) -> None:
        """A refusal of the issuer is said in words, in both languages; then name and password lead
        to `then`."""
        self.studio.brought.clear()
        self.studio.answered = {
            "code": None,
            "error": "access_denied",
            "error_description": "Call this number.",
        }
        ada.go("/log-in?then=/browse")
        press(ada)
        refused(ada, DENIED)
        ada.page.evaluate("localStorage.setItem('contentsvc.language', 'de')")
        ada.page.reload()
        ada.press("Mit Studio anmelden")
        expect(ada.main.get_by_role("alert")).to_contain_text("Studio meldet einen Abbruch")
        ada.page.evaluate("localStorage.setItem('contentsvc.language', 'en')")
        ada.page.reload()
        expect(ada.main.get_by_role("alert")).to_have_count(0)
        ada.fill(Username=user.username, Password=user.password)
        ada.press("Log in")
        ada.arrive("/browse")
        self.assertEqual([], self.studio.brought)

    async def test_policy(self) -> None:
        """Pages may ask the issuers' token endpoints, and nothing else of theirs."""
        headers = {"Accept": "text/html"}
        found = await self.request("GET", "/log-in?code=x", headers=headers, expect=200)
        policy = found.header("Content-Security-Policy") or ""
        (rule,) = (rule for rule in policy.split("; ") if rule.startswith("connect-src"))
        self.assertEqual(f"connect-src 'self' {self.studio.url} {self.guild.url}", rule)


class AttackTests(IssuersCase):
    async def test_answers(self) -> None:
        """Answers that were not asked for, were used, or are of somebody else log nobody in."""

        def journey(ada: Person) -> None:
            self.foreign(ada)
            self.wrong(ada)
            self.replayed(ada)

        await self.walk(journey)

    @step
    def foreign(self, ada: Person) -> None:
        """An answer that was not asked for brings its code nowhere."""
        for more in ("", "&state=", "&state=x", "&state=null", f"&state=x&iss={self.studio.url}"):
            with self.step(f"code=stolen{more}"):
                ada.go(f"/log-in?code=stolen{more}")
                refused(ada, FOREIGN)
        ada.go("/log-in?error=server_error&error_description=Call%20this%20number.")
        refused(ada, FOREIGN)
        self.assertEqual([], self.studio.brought)

    @step
    def wrong(self, ada: Person) -> None:
        """An answer is refused that has another state, is of another issuer, does not say of whom
        it is, or brings a token of another log-in or issuer, or a code that is not known."""
        cases: list[tuple[dict[str, str | None], dict[str, str], str, int]] = [
            ({"state": "x" * 43}, {}, FOREIGN, 0),
            ({"iss": self.guild.url}, {}, FOREIGN, 0),
            ({"iss": None}, {}, FOREIGN, 0),
            ({}, {"nonce": "x" * 43}, FOREIGN, 1),
            ({}, {"iss": self.guild.url}, FOREIGN, 1),
            ({"code": "another"}, {}, LATE, 1),
        ]
        for answered, claimed, text, brought in cases:
            with self.step(f"answered {answered}, claimed {claimed}"):
                self.studio.answered, self.studio.claimed = answered, claimed
                self.studio.brought.clear()
                ada.go("/log-in")
                press(ada)
                refused(ada, text)
                self.assertEqual(brought, len(self.studio.brought), text)
                if text == LATE:
                    ada.spare("status of 400")

    @step
    def replayed(self, ada: Person) -> None:
        """An answer that was used is refused when it comes again."""
        self.studio.answered, self.studio.claimed = {}, {}
        self.studio.brought.clear()
        answers: list[str] = []
        ada.page.on("request", lambda request: answers.append(request.url))
        ada.go("/log-in")
        press(ada)
        ada.arrive()
        (answer,) = (url for url in answers if "code=" in url and url.startswith(ada.base))
        ada.log_out()
        ada.page.goto(answer)
        refused(ada, FOREIGN)
        self.assertEqual(1, len(self.studio.brought))


class AwayTests(WalkCase):
    """A daemon that starts while its issuer is away."""

    apart = True

    async def connect(self) -> None:
        self.own_daemon()
        self.issuer = PageIssuer()
        self.issuer.subject = name("player")
        await self.issuer.stop()
        self.addCleanup(self.issuer.stop)
        service = daemon.Daemon(environ={"ISSUERS": str(page_file(self.issuer))})
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_away(self) -> None:
        """/log-in is as ever while the issuer is away, and afterwards."""
        user = await self.user()

        def journey(ada: Person) -> None:
            with self.step("/log-in says that the issuer is away"):
                ada.go("/log-in")
                press(ada)
                refused(ada, AWAY)
            with self.step("When the issuer is back, its button works"):
                blockingCallFromThread(reactor, self.issuer.back)
                press(ada)
                ada.arrive()
            with self.step("A name and a password lead in as ever"):
                ada.log_out()
                ada.log_in(user)

        await self.walk(journey)
