"""What a device is to fetch and to remove, against a service in memory."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import (
    ApiError,
    Change,
    FileStore,
    Library,
    NotSignedIn,
    SubscriptionEnded,
    Unreachable,
)
from tests.client.fakes import ANN, World, lost

PATH = f"/api/v1/user/{ANN}/subscriptions/state"
A, B, C, D = (f"00000000-0000-4000-8000-00000000000{n}" for n in "1234")
R1, R2 = (f"00000000-0000-4000-8000-0000000000f{n}" for n in "12")
GONE: dict[str, Any] = {"revision": None, "state": "gone"}
UNAVAILABLE: dict[str, Any] = {"revision": None, "state": "unavailable"}


def active(revision: str | None) -> dict[str, Any]:
    return {"revision": revision, "state": "active"}


class Kept:
    """A store in memory. It can be full."""

    def __init__(self) -> None:
        self.text: str | None = None
        self.is_full = False

    def read(self) -> str | None:
        return self.text

    def write(self, text: str) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.text = text


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.store = Kept()
        self.restart()

    def restart(self) -> None:
        """A new process with the same store."""
        self.world = World().signed_in()
        self.agent, self.clock = self.world.agent, self.world.clock
        self.changes: list[Change] = []

    def library(self, **options: Any) -> Library:
        return self.world.client.library(self.store, **options)

    async def loop(self, library: Library, most: int = 100) -> None:
        """Handle so many changes, and die with the next."""
        async for change in library:
            self.changes.append(change)
            if len(self.changes) > most:
                return

    def run_loop(self, library: Library | None = None, most: int = 100) -> Deferred[None]:
        return Deferred.fromCoroutine(self.loop(library or self.library(), most))

    def says(self, map: dict[str, Any], etag: str = "") -> None:
        self.agent.then(200, map, ETag=etag or f'W/"{sorted(map.items())}"')

    def synced(self, map: dict[str, Any], *expected: Change) -> None:
        """What a new process is given for this map."""
        self.restart()
        self.says(map)
        self.successResultOf(self.run_loop())
        self.assertEqual(self.changes, list(expected))

    def knowns(self) -> Sequence[str | None]:
        """The ETags that were sent along."""
        return [asked.known for asked in self.agent.asked if asked.path == PATH]


def fetch(content: str, revision: str = R1) -> Change:
    return Change("fetch", content, revision)


def remove(content: str, revision: str | None = R1) -> Change:
    return Change("remove", content, revision)


class ChangeTests(Case):
    def test_changes(self) -> None:
        """What is new is fetched, what has gone is removed first, and what is there stays."""
        self.synced({A: active(R1), B: active(R1)}, fetch(A), fetch(B))
        self.synced({B: active(R2), C: active(R1)}, remove(A), fetch(B, R2), fetch(C))
        self.synced({B: active(R2), C: active(R1)})

    def test_query(self) -> None:
        """What the device has goes along."""
        self.says({})
        library = self.library(game="1.4.2", platform="win64", features=["vr", "mods"])
        self.successResultOf(self.run_loop(library))
        asked = {"game": "1.4.2", "platform": "win64", "features": "vr,mods"}
        self.assertEqual((self.agent.last.path, self.agent.last.query), (PATH, asked))

    def test_states(self) -> None:
        """What is unavailable, or has no revision that fits, stays; what is gone goes."""
        self.synced({A: active(R1), B: active(R1), C: active(R1)}, fetch(A), fetch(B), fetch(C))
        rest = {A: UNAVAILABLE, B: GONE, C: active(None), D: UNAVAILABLE}
        self.synced(rest, remove(B))
        self.synced({A: active(R1), C: active(R2)}, fetch(C, R2))

    def test_etag(self) -> None:
        """The ETag of a map of which all was handled is sent by the next process."""
        self.says({A: active(R1)}, 'W/"1"')
        self.successResultOf(self.run_loop())
        self.restart()
        self.agent.then(304)
        self.successResultOf(self.run_loop())
        self.assertEqual((self.knowns(), self.changes), (['W/"1"'], []))

    def test_unhandled(self) -> None:
        """What was given and not handled is given again, and no ETag is sent until then."""
        self.says({A: active(R1), B: active(R1)}, 'W/"1"')
        self.successResultOf(self.run_loop(most=1))
        self.synced({A: active(R1), B: active(R1)}, fetch(B))
        self.assertEqual(self.knowns(), [None])

    def test_died(self) -> None:
        """Who died in the middle gets again what was there before, and what has gone is removed."""
        self.synced({A: active(R1)}, fetch(A))
        self.restart()
        self.says({A: active(R2), B: active(R1)})
        self.successResultOf(self.run_loop(most=0))
        self.assertEqual(self.changes, [fetch(A, R2)])
        self.synced({A: active(R1)}, fetch(A))
        self.restart()
        self.says({})
        self.successResultOf(self.run_loop(most=0))
        self.assertEqual(self.changes, [remove(A)])
        self.synced({}, remove(A, None))

    def test_restore(self) -> None:
        """After a restore of the service the device follows it back."""
        self.synced({A: active(R2), B: active(R1)}, fetch(A, R2), fetch(B))
        self.synced({A: active(R1)}, remove(B), fetch(A))

    def test_users(self) -> None:
        """What another user keeps is not this one's."""
        self.synced({A: active(R1)}, fetch(A))
        self.store.text = (self.store.text or "").replace(ANN, D)
        self.synced({A: active(R1)}, fetch(A))

    def test_torn(self) -> None:
        """A store with something else is one without anything."""
        for text in ("{torn", "[]", '{"x": 1}'):
            self.store.text = text
            self.synced({A: active(R1)}, fetch(A))

    def test_confirm(self) -> None:
        """With `confirm`, `done` says what was handled, with the change itself."""
        self.says({A: active(R1), B: active(R1)})
        library = self.library(confirm=True)
        self.successResultOf(self.run_loop(library))
        library.done(self.changes[1])
        library.done(Change("fetch", A, R1))
        self.synced({A: active(R1), B: active(R1)}, fetch(A))

    def test_forget(self) -> None:
        """What is forgotten is given again."""
        self.synced({A: active(R1), B: active(R1)}, fetch(A), fetch(B))
        self.library().forget(B)
        self.assertEqual(self.library().have, {A: R1, B: ""})
        self.synced({A: active(R1), B: active(R1)}, fetch(B))


class TroubleTests(Case):
    def test_errors(self) -> None:
        """Without a map nothing is given, and nothing is forgotten."""
        self.synced({A: active(R1)}, fetch(A))
        for status, body in ((500, b"{}"), (200, b"<html>"), (200, b"[]"), (200, b"null")):
            self.restart()
            self.agent.then(status, body)
            self.failureResultOf(self.run_loop(), ApiError)
        self.synced({A: active(R1)})

    def test_no_ids(self) -> None:
        """A map with what is no id, or an id in upper case, is refused: it may become a name."""
        for content, revision in (("../x", R1), (A, "/etc"), (A, R1.upper()), (f"{A}\n", R1)):
            self.restart()
            self.says({content: active(revision)})
            self.failureResultOf(self.run_loop(), ApiError)
            self.assertEqual(self.changes, [])

    def test_nobody(self) -> None:
        """Who is not logged in gets an error."""
        self.world = World()
        self.failureResultOf(self.run_loop(), NotSignedIn)

    def test_full(self) -> None:
        """Where the store is full, nothing is given, and the loop can be begun again."""
        self.store.is_full = True
        library = self.library()
        self.says({A: active(R1)})
        self.failureResultOf(self.run_loop(library), OSError)
        self.assertEqual(self.changes, [])
        self.store.is_full = False
        self.says({A: active(R1)})
        self.successResultOf(self.run_loop(library))
        self.assertEqual(self.changes, [fetch(A)])

    def test_file(self) -> None:
        """A file keeps it, whole or not at all, and follows no link."""
        folder = Path(self.enterContext(TemporaryDirectory()))
        other = folder / "other"
        other.write_text("mine")
        (folder / "kept.json.new").symlink_to(other)
        store = FileStore(folder / "kept.json")
        self.assertIsNone(store.read())
        store.write("one")
        store.write("two")
        self.assertEqual((store.read(), other.read_text()), ("two", "mine"))
        self.assertEqual({each.name for each in folder.iterdir()}, {"kept.json", "other"})


class LiveTests(Case):
    def connected(self) -> Library:
        self.agent.then(200, {"socketUrl": "ws://service/socket", "accessToken": "socket"})
        self.subscription = self.world.client.notifications.listen(lambda got: None)
        library = self.library(live=self.subscription)
        self.says({}, 'W/"0"')
        self.looping = self.run_loop(library)
        self.says({}, 'W/"0"')
        self.world.socket.hello(0)
        return library

    def test_looks(self) -> None:
        """It looks again with each hello, and when the socket says that it may be another."""
        self.connected()
        self.says({A: active(R1)}, 'W/"1"')
        self.world.socket.say(type="library")
        self.assertEqual(self.changes, [fetch(A)])
        self.assertEqual(self.knowns(), [None, 'W/"0"', 'W/"0"'])
        self.assertNoResult(self.looping)

    def test_unreachable(self) -> None:
        """While the service cannot be reached it asks again."""
        self.connected()
        for _ in range(20):
            self.agent.then_fail(lost())
        self.agent.then(503, {"code": "unavailable"})
        self.says({A: active(R1)}, 'W/"1"')
        self.world.socket.say(type="library")
        for _ in range(600):
            self.clock.advance(1)
            self.world.socket.ping()
        self.assertEqual(self.changes, [fetch(A)])

    def test_stopped(self) -> None:
        """It ends when the subscription is stopped, also while it waits for the service."""
        self.connected()
        self.agent.then(503, {"code": "unavailable"}, Retry_After="25")
        self.world.socket.say(type="library")
        stopping = Deferred.fromCoroutine(self.subscription.stop())
        self.world.socket.end(1000)
        self.successResultOf(stopping)
        self.successResultOf(self.looping)

    def test_ended(self) -> None:
        """It raises what has ended the subscription."""
        self.connected()
        self.world.socket.end(4410, "too many")
        self.failureResultOf(self.looping, SubscriptionEnded)

    def test_one_look(self) -> None:
        """Without a subscription no answer is an error after the client's own repeats."""
        for _ in range(20):
            self.agent.then_fail(lost())
        looping = self.run_loop()
        self.clock.pump([1.0] * 60)
        self.failureResultOf(looping, Unreachable)
