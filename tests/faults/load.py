"""Senders, authors and sockets, and a book of what each was told."""

from collections import Counter
from random import Random
from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Received, Subscription, Unreachable
from contentsvc.wire.notifications import ContentPublished, Debug, DebugNotify
from tests.faults.publishing import publish

LATEST = 10.0
"""Seconds from the answer 204 to the last socket."""
BEGUN = 10.0
"""Seconds after the death of a process until another tells what that one had to tell many."""


def text_of(notification: object) -> str:
    """The text of a Debug notification, the content that was published, the kind of any other."""
    match notification:
        case Debug(text=text):
            return text
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
        self.subscription: Subscription = client.notifications.listen(
            self._received, resume=0, on_missed=lambda code, _: self.missed.append(code)
        )

    def _received(self, received: Received) -> None:
        self.got.append((received.seq, text_of(received.notification), reactor.seconds()))

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
        self.answers: Counter[str] = Counter()
        self._sending: list[Deferred[None]] = []
        self._stopping = False

    def read(self, client: Client, name: str) -> Reader:
        """Have one more socket."""
        self.accepted.setdefault(client.user, {})
        self.unknown.setdefault(client.user, set())
        self.readers.append(Reader(client, name))
        return self.readers[-1]

    def send(self, client: Client, name: str) -> None:
        """Have one more sender."""
        self._sending.append(Deferred.fromCoroutine(self._send(client, name)))

    async def publish(self, client: Client, times: int, every: float) -> None:
        """Have one more author, whom the users of all readers follow. What they publish, so often,
        is told to all of these."""
        for reader in self.readers:
            await reader.client.social.follow(client.user)
        self._sending.append(Deferred.fromCoroutine(self._publish(client, times, every)))

    async def stop(self) -> None:
        """No more is sent; done when every sender has its last answer."""
        self._stopping = True
        await gatherResults(self._sending, consumeErrors=True)

    async def _send(self, client: Client, name: str) -> None:
        count, users, random = 0, list(self.accepted), Random(f"{self._seed} {name}")
        while not self._stopping:
            count += 1
            user, text = random.choice(users), f"{name}-{count}"
            try:
                await client.debug.notify(DebugNotify(recipient=user, text=text))
            except ApiError as error:
                self.answers[error.code] += 1
                self.unknown[user].add(text)
            except Unreachable:
                self.answers["none"] += 1
                self.unknown[user].add(text)
            else:
                self.answers["204"] += 1
                self.accepted[user][text] = reactor.seconds()
            await deferLater(reactor, random.uniform(0, 0.04))

    async def _publish(self, client: Client, times: int, every: float) -> None:
        for _ in range(times):
            if self._stopping:
                break
            content = str(uuid4())
            text = f"published {content}"
            # What comes of it may come before the answer does.
            for unknown in self.unknown.values():
                unknown.add(text)
            try:
                await publish(client, content)
            except ApiError as error:
                self.answers[error.code] += 1
            except Unreachable:
                self.answers["none"] += 1
            else:
                self.answers["published"] += 1
                for accepted in self.accepted.values():
                    accepted[text] = reactor.seconds() + BEGUN
            await deferLater(reactor, every)

    def complete(self) -> bool:
        """Whether every socket was handed all that was accepted."""
        return all(
            self.accepted[reader.client.user].keys() <= set(reader.texts)
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

    async def _wrong(self, reader: Reader) -> list[str]:
        user, found = reader.client.user, []
        accepted = self.accepted[user]
        lost = sorted(accepted.keys() - set(reader.texts))
        strange = sorted(set(reader.texts) - accepted.keys() - self.unknown[user])
        twice = [text for text, count in Counter(reader.texts).items() if count > 1]
        late = [
            f"{text} by {at - accepted[text]:.1f} s"
            for _, text, at in reader.got
            if text in accepted and at - accepted[text] > LATEST
        ]
        if reader.seqs != list(range(1, len(reader.seqs) + 1)):
            found.append(f"out of order: {reader.seqs}")
        listed = [text_of(each) for each in (await reader.client.notifications.all()).items]
        if listed[: len(reader.texts)] != reader.texts:
            found.append("the list is another than what was pushed")
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
        ):
            if texts:
                found.append(f"{what}: {texts[:5]}")
        return [f"{reader.name}: {problem}" for problem in found]
