"""A daemon is killed while guests are made, and while they become full accounts."""

from random import Random
from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Unreachable, guest_secret
from contentsvc.wire.accounts import Registration
from contentsvc.wire.progress import ProgressBody
from tests.faults.case import PASSWORD, FaultCase
from tests.support.daemon import Daemon

SEED = 7
PLAYERS, KILLS = 12, 4
LATE = 90.0
"""Seconds in which everybody comes through."""


class Player:
    """Somebody who plays as a guest, and then keeps the account: each step is sent until it is
    answered, and half of the steps twice at once, with different names."""

    def __init__(self, service: Daemon, number: int, random: Random) -> None:
        self.service, self.number, self.random = service, number, random
        self.secret = guest_secret()
        self.names = [f"player{number}a", f"player{number}b"]
        self.ids: set[str] = set()
        self.answers: dict[str, str] = {}

    async def until(self, step: Any) -> Any:
        """What a step gives in the end. A daemon that is away is asked again."""
        deadline = reactor.seconds() + LATE
        while True:
            try:
                return await step()
            except (Unreachable, ApiError) as error:
                if isinstance(error, ApiError) and error.status < 500:
                    raise
                if reactor.seconds() > deadline:
                    raise
            await deferLater(reactor, self.random.random() * 0.1)

    async def play(self) -> None:
        """All of it."""
        client = Client(reactor, self.service.url, patience=0)
        try:
            for _ in range(3):
                await self.until(lambda: client.log_in_as_guest(self.secret))
                self.ids.add(client.user)
            body = ProgressBody(value={"player": self.number})
            await self.until(lambda: client.progress.put("save", body))
            names = self.names[: 1 + self.number % 2]
            await gatherResults([Deferred.fromCoroutine(self.keep(client, one)) for one in names])
        finally:
            await client.close()

    async def keep(self, client: Client, name: str) -> None:
        """Become a full account of this name."""
        email = f"{name}@example.com"
        body = Registration(username=name, email=email, password=PASSWORD)
        try:
            await self.until(lambda: client.accounts.put_account(body))
            self.answers[name] = ""
        except ApiError as error:
            self.answers[name] = error.code


class GuestTests(FaultCase):
    timeout = LATE * 3

    async def test_killed(self) -> None:
        """Nothing is lost, whenever it is killed: each secret makes one guest, who becomes one full
        account, of one of the names that were asked for, with all that the guest had."""
        random = Random(SEED)
        service = await self.daemon("--guests", "yes", "--guests-per-address", "0")
        players = [Player(service, number, random) for number in range(PLAYERS)]
        playing = gatherResults([Deferred.fromCoroutine(each.play()) for each in players])
        for _ in range(KILLS):
            await deferLater(reactor, 0.1 + random.random())
            await service.kill()
            await service.start(service.port)
        await playing
        for player in players:
            await self.kept(service, player)
        self.no_failures()

    async def kept(self, service: Daemon, player: Player) -> None:
        """Assert that a player has one account, with all."""
        self.assertEqual(1, len(player.ids), player.ids)
        (kept,) = [name for name, code in player.answers.items() if not code]
        client = Client(reactor, service.url)
        self.addCleanup(client.close)
        await client.log_in(kept, PASSWORD)
        self.assertEqual({client.user}, player.ids)
        record = await client.users.get()
        self.assertEqual((False, kept), (record.guest, record.username))
        saved = await client.progress.get("save")
        self.assertEqual({"player": player.number}, json.decode(saved.value))
        for other in {*player.answers} - {kept}:
            await self.refused(client.log_in(other, PASSWORD))
        await self.refused(client.log_in_as_guest(player.secret))

    async def refused(self, calling: Any) -> None:
        """Assert that a log-in is refused."""
        error = await self.assertFailure(Deferred.fromCoroutine(calling), ApiError)
        self.assertEqual("invalid_grant", error.code)
