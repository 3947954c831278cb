"""Senders, authors and sockets, and a book of what each was told."""

from collections import Counter
from collections.abc import Awaitable, Callable
from random import Random
from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Received, State, Subscription, Unreachable
from contentsvc.wire.notifications import (
    ContentPublished,
    Debug,
    DebugNotify,
    Deleted,
    FriendConfirm,
    FriendMessage,
    FriendRequest,
)
from tests.faults.publishing import publish

LATEST = 10.0
"""Seconds from the answer 204 to the last socket."""
BEGUN = 10.0
"""Seconds after the death of a process until another tells what that one had to tell many."""


def text_of(notification: object) -> str:
    """The text of a Debug notification or a message, the content that was published, the kind of
    any other."""
    match notification:
        case Debug(text=text) | FriendMessage(text=text):
            return text
        case Deleted(id=id):
            return f"Deleted {id}"
        case FriendRequest(sender=sender) | FriendConfirm(sender=sender):
            return f"{type(notification).__name__} {sender}"
        case ContentPublished(content=content):
            return f"published {content}"
    return type(notification).__name__


class Reader:
    """One subscription of a user, and all it was handed."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name
        self.got: list[tuple[int, str, float]] = []
        self.missed: list[str] = []
        self.states: list[State] = []
        self._unread: set[int] = set()
        self.subscription: Subscription = client.notifications.listen(
            self._received,
            resume=0,
            on_missed=lambda code, _: self.missed.append(code),
            on_state=self._told,
        )

    def _received(self, received: Received) -> None:
        self.got.append((received.seq, text_of(received.notification), reactor.seconds()))
        at = self.states[-1].seq if self.states else 0
        if received.seq > at and not received.notification.read:
            self._unread.add(received.seq)

    def _told(self, state: State) -> None:
        self.states.append(state)
        self._unread = {seq for seq in self._unread if seq > state.seq}

    @property
    def badge(self) -> int:
        """How many are unread, as docs/interface/socket.md says that a client finds out."""
        return self.states[-1].unread + len(self._unread) if self.states else -1

    @property
    def seqs(self) -> list[int]:
        return [seq for seq, _, _ in self.got]

    @property
    def texts(self) -> list[str]:
        return [text for _, text, _ in self.got]


class Load:
    """Readers of several users, senders that write to them at random, and authors whom they
    follow."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.readers: list[Reader] = []
        self.accepted: dict[str, dict[str, float]] = {}
        """By user: the texts that were answered with 204, and when."""
        self.unknown: dict[str, set[str]] = {}
        """By user: those that may or may not have been stored."""
        self.gone: dict[str, str] = {}
        """The texts of the notifications, by id, that somebody has tried to delete."""
        self.deleted: set[str] = set()
        """The ids of those that are deleted for certain."""
        self.answers: Counter[str] = Counter()
        self._sending: list[Deferred[None]] = []
        self.stopping = False

    def read(self, client: Client, name: str) -> Reader:
        """Have one more socket."""
        self.accepted.setdefault(client.user, {})
        self.unknown.setdefault(client.user, set())
        self.readers.append(Reader(client, name))
        return self.readers[-1]

    def send(self, client: Client, name: str) -> None:
        """Have one more sender."""
        self.begin(lambda: self._send(client, name))

    def begin(self, act: Callable[[], Awaitable[None]]) -> None:
        """Have something done until the load stops."""

        async def run() -> None:
            await act()

        self._sending.append(Deferred.fromCoroutine(run()))

    def expect(self, user: str, text: str) -> None:
        """This may be told to the user."""
        self.unknown.setdefault(user, set()).add(text)

    def accept(self, user: str, text: str) -> None:
        """This was told to the user."""
        self.accepted[user][text] = reactor.seconds()

    def failed(self, error: ApiError | Unreachable) -> None:
        """Count a request that had no success."""
        self.answers[error.code if isinstance(error, ApiError) else "none"] += 1

    def texts(self, reader: Reader) -> list[str]:
        """What the reader was handed, with the texts of what was deleted before it came."""
        return [
            self.gone.get(text.removeprefix("Deleted "), text)
            if text.startswith("Deleted ")
            else text
            for text in reader.texts
        ]

    async def publish(self, client: Client, times: int, every: float) -> None:
        """Have one more author, whom the users of all readers follow. What they publish, so often,
        is told to all of these."""
        for reader in self.readers:
            await reader.client.social.follow(client.user)
        self.begin(lambda: self._publish(client, times, every))

    async def stop(self) -> None:
        """No more is sent; done when every sender has its last answer."""
        self.stopping = True
        await gatherResults(self._sending, consumeErrors=True)

    async def _send(self, client: Client, name: str) -> None:
        count, users, random = 0, list(self.accepted), Random(f"{self._seed} {name}")
        while not self.stopping:
            count += 1
            user, text = random.choice(users), f"{name}-{count}"
            try:
                await client.debug.send_notification(DebugNotify(recipient=user, text=text))
            except (ApiError, Unreachable) as error:
                self.failed(error)
                self.expect(user, text)
            else:
                self.answers["204"] += 1
                self.accept(user, text)
            await deferLater(reactor, random.uniform(0, 0.04))

    async def _publish(self, client: Client, times: int, every: float) -> None:
        for _ in range(times):
            if self.stopping:
                break
            content = str(uuid4())
            text = f"published {content}"
            # What comes of it may come before the answer does.
            for unknown in self.unknown.values():
                unknown.add(text)
            try:
                await publish(client, content)
            except (ApiError, Unreachable) as error:
                self.failed(error)
            else:
                self.answers["published"] += 1
                for accepted in self.accepted.values():
                    accepted[text] = reactor.seconds() + BEGUN
            await deferLater(reactor, every)

    def complete(self) -> bool:
        """Whether every socket was handed all that was accepted."""
        return all(
            self.accepted[reader.client.user].keys() <= set(self.texts(reader))
            for reader in self.readers
        )

    def latest(self) -> float:
        """The longest that anything took from its answer to a socket, in seconds."""
        return max(
            at - self.accepted[reader.client.user].get(text, at)
            for reader in self.readers
            for _, text, at in reader.got
        )

    async def problems(self) -> list[str]:
        """The faults in the end: lost, repeated, out of order, late, or not in the log."""
        return [problem for reader in self.readers for problem in await self._wrong(reader)]

    async def unsettled(self) -> list[str]:
        """The sockets whose number of unread notifications is not the service's."""
        found = []
        for reader in self.readers:
            now = await reader.client.notifications.get_state()
            if reader.badge != now.unread:
                last = reader.states[-3:]
                found.append(f"{reader.name}: {reader.badge} by {last}, the service says {now}")
        return found

    async def _wrong(self, reader: Reader) -> list[str]:
        user, found = reader.client.user, []
        accepted, texts = self.accepted[user], self.texts(reader)
        lost = sorted(accepted.keys() - set(texts))
        strange = sorted(set(texts) - accepted.keys() - self.unknown[user])
        twice = [text for text, count in Counter(texts).items() if count > 1]
        late = [
            f"{text} by {at - accepted[text]:.1f} s"
            for _, text, at in reader.got
            if text in accepted and at - accepted[text] > LATEST
        ]
        wrong = (n for n, seq in enumerate(reader.seqs) if seq != n + 1)
        if (first := next(wrong, None)) is not None:
            start = max(0, first - 3)
            found.append(f"out of order: {reader.seqs[start : first + 4]} from {start + 1} on")
        listed = await self._listed(reader)
        there = set(listed.values())
        if [text for text in texts if text in there] != list(listed.values())[: len(texts)]:
            found.append("the list is another than what was pushed")
        hidden = [text for text in texts if text not in there]
        without = sorted(set(hidden) - set(self.gone.values()))
        shown = sorted(listed.keys() & self.deleted)
        stream = reader.subscription
        if stream.repeats or stream.gaps:
            # The client hides them; the service must not have them.
            found.append(f"{stream.repeats} repeats and {stream.gaps} gaps on the socket")
        for what, texts in (
            ("lost", lost),
            ("never sent", strange),
            ("twice", twice),
            ("late", late),
            ("missed", reader.missed),
            ("not in the list", without),
            ("in the list although deleted", shown),
        ):
            if texts:
                found.append(f"{what}: {texts[:5]}")
        return [f"{reader.name}: {problem}" for problem in found]

    async def _listed(self, reader: Reader) -> dict[str, str]:
        """The texts of the user's list, by id, in their order."""
        there = (await reader.client.notifications.list()).items
        return {str(each.id): text_of(each) for each in there}

    async def replayed(self, reader: Reader) -> list[str]:
        """The faults of a socket that was opened in the end and read everything: it must have all
        of the list, and all others as deleted."""
        listed = await self._listed(reader)
        raw = [text.removeprefix("Deleted ") for text in reader.texts]
        expected = list(listed.values())
        got = [text for text in reader.texts if not text.startswith("Deleted ")]
        found = [] if got == expected else [f"replay has {len(got)} of {len(expected)}"]
        unknown = [id for text, id in zip(reader.texts, raw, strict=True) if text != id]
        strange = sorted(set(unknown) - self.gone.keys())
        return found + ([f"deleted by nobody: {strange[:5]}"] if strange else [])
