"""Tickets of Steam, with a fake of its web API's answers."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.identity.fetch import FetchError
from contentsvc.framework.identity.steam import MOST_AT_ONCE, TICKET, Steam, SteamSettings
from contentsvc.framework.identity.subject import IdentityUnavailable, InvalidSubjectToken, Subject

SETTINGS = SteamSettings(480, "our service", "SECRETKEY", "https://steam.example")
PLAYER = "76561197960287930"
OK = {
    "result": "OK",
    "steamid": PLAYER,
    "ownersteamid": "76561197960287931",
    "vacbanned": True,
    "publisherbanned": False,
}


class Fetched:
    """Stands for Fetch. `answer` is what it gives, or fails with."""

    def __init__(self) -> None:
        self.answer: Any = {"response": {"params": OK}}
        self.asked: list[tuple[str, Any]] = []

    async def json(self, url: str, headers: Any = None) -> Any:
        self.asked.append((url, headers))
        if isinstance(self.answer, Deferred):
            await self.answer
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class SteamTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.fetched = Fetched()
        self.steam = Steam(self.fetched, SETTINGS)

    def verify(self, ticket: str = "14AB") -> Deferred[Subject]:
        return Deferred.fromCoroutine(self.steam.verify(ticket, TICKET))

    def fails(self, kind: type[Exception], ticket: str = "14AB") -> str:
        """Why the ticket is not taken."""
        return str(self.failureResultOf(self.verify(ticket), kind).value)

    def test_good(self) -> None:
        """The subject is the player, not the owner of a game that a family shares."""
        self.assertEqual(self.successResultOf(self.verify()), Subject("steam", PLAYER, None))

    def test_asked(self) -> None:
        """Steam is asked for the game and for tickets made for this service; the key is in a
        header."""
        self.successResultOf(self.verify())
        ((url, headers),) = self.fetched.asked
        parts = urlsplit(url)
        self.assertEqual(parts.path, "/ISteamUserAuth/AuthenticateUserTicket/v1/")
        self.assertEqual(
            parse_qs(parts.query),
            {"appid": ["480"], "ticket": ["14AB"], "identity": ["our service"]},
        )
        self.assertEqual(headers, {"x-webapi-key": "SECRETKEY"})

    def test_form(self) -> None:
        """What cannot be a ticket never reaches Steam."""
        for ticket in ("", "1", "xy", "14AB&x=1", "14 AB", "14AB\n", "ab" * 2561):
            self.fails(InvalidSubjectToken, ticket)
        self.assertEqual(self.fetched.asked, [])

    def test_refused(self) -> None:
        """A ticket that Steam does not take is refused, and so are those whom the publisher has
        banned."""
        for answer in (
            {"error": {"errorcode": 101, "errordesc": "Invalid ticket"}},
            {"error": {"errorcode": 3, "errordesc": "Invalid parameter"}},
            {"params": {**OK, "result": "Denied"}},
            {"params": {**OK, "publisherbanned": True}},
        ):
            self.fetched.answer = {"response": answer}
            self.fails(InvalidSubjectToken)

    def test_away(self) -> None:
        """Where Steam does not answer, or not as it should, nobody can say."""
        for answer in (
            FetchError("the answer is 403"),
            {},
            [],
            {"response": {}},
            {"response": {"params": {}}},
            {"response": {"params": {**OK, "steamid": 7}}},
            {"response": {"params": {**OK, "steamid": "x"}}},
            {"response": {"params": {**OK, "publisherbanned": "no"}}},
        ):
            self.fetched.answer = answer
            self.fails(IdentityUnavailable)

    def test_log(self) -> None:
        """The log says once why, until it works again; it has neither key nor ticket."""
        with capturedLogs() as logs:
            for answer in (FetchError("away"), FetchError("away"), {"response": {"params": OK}}):
                self.fetched.answer = answer
                self.verify().addErrback(lambda failure: None)
            self.fetched.answer = FetchError("away")
            self.fails(IdentityUnavailable)
        lines = [event for event in logs if "reason" in event]
        self.assertEqual(len(lines), 2)
        self.assertNotIn("SECRETKEY", str(logs))
        self.assertNotIn("14AB", str(logs))

    def test_many(self) -> None:
        """Only so many tickets are asked for at once."""
        self.fetched.answer = gate = Deferred()
        asking = [self.verify() for _ in range(MOST_AT_ONCE)]
        self.fails(IdentityUnavailable)
        self.assertEqual(len(self.fetched.asked), MOST_AT_ONCE)
        self.fetched.answer = {"response": {"params": OK}}
        gate.callback(None)
        for each in asking:
            self.successResultOf(each)
        self.successResultOf(self.verify())
