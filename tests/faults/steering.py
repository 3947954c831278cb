"""Users who mark and delete their notifications, and friends who write to each other, at random."""

from collections import Counter
from collections.abc import Callable
from random import Random
from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.wire.notifications import (
    DeleteUpTo,
    NotificationQuery,
    ReadChange,
    ReadUpTo,
)
from contentsvc.wire.social import MessageCreate
from tests.faults.load import Load, text_of

NEWEST = 50
"""Notifications that a user looks at, the oldest that are left."""
MARKS, DELETIONS = ("mark", "mark up to", "mark number"), ("delete", "delete up to")


class Steering:
    """What is done beside a Load. It ends with the load."""

    def __init__(self, load: Load, seed: int) -> None:
        self._load = load
        self._seed = seed
        self.done: Counter[str] = Counter()
        """The acts that were answered with success, and how many notifications were deleted."""

    def steer(self, client: Client) -> None:
        """Let one of the users with a socket mark and delete."""
        random = Random(f"{self._seed} {client.user}")
        self._load.begin(lambda: self._steer(client, random))

    async def befriend(self, one: Client, other: Client) -> None:
        """Let these two write to each other."""
        for asker, asked in ((one, other), (other, one)):
            self._load.expect(asked.user, f"FriendRequest {asker.user}")
            self._load.expect(asked.user, f"FriendConfirm {asker.user}")
            await asker.friends.add(asked.user)
        for sender, recipient in ((one, other), (other, one)):
            self._write(sender, recipient.user, Random(f"{self._seed} to {recipient.user}"))

    def _write(self, sender: Client, recipient: str, random: Random) -> None:
        async def write(stopping: Callable[[], bool]) -> None:
            count = 0
            while not stopping():
                count += 1
                text = f"message {sender.user} {recipient} {count}"
                self._load.expect(recipient, text)
                try:
                    # With an id of its own it is repeated until there is an answer.
                    body = MessageCreate(text=text, id=str(uuid4()))
                    await sender.messages.send(recipient, body)
                except (ApiError, Unreachable) as error:
                    self._load.failed(error)
                else:
                    self.done["message"] += 1
                    self._load.accept(recipient, text)
                await deferLater(reactor, random.uniform(0, 0.3))

        self._load.begin(lambda: write(lambda: self._load.stopping))

    async def _steer(self, client: Client, random: Random) -> None:
        while not self._load.stopping:
            await deferLater(reactor, random.uniform(0.2, 1.0))
            try:
                there = (await client.notifications.list(NotificationQuery(limit=NEWEST))).items
                if there:
                    place = random.randrange(len(there))
                    texts = [text_of(each) for each in there]
                    ids = [str(each.id) for each in there]
                    await self._act(client, random, place, ids, texts)
            except (ApiError, Unreachable) as error:
                self._load.failed(error)

    async def _act(
        self, client: Client, random: Random, place: int, ids: list[str], texts: list[str]
    ) -> None:
        act = random.choice((*MARKS, *DELETIONS))
        path = client.notifications
        if act == "mark":
            await path.update(ids[place], ReadChange(read=random.random() < 0.6))
        elif act == "mark up to":
            await path.mark_read(ReadUpTo(up_to=ids[place]))
        elif act == "mark number":
            await path.mark_read(ReadUpTo(up_to=random.randrange(place + 1)))
        else:
            first = place if act == "delete" else 0
            gone = dict(zip(ids[first : place + 1], texts[first : place + 1], strict=True))
            # It may be done although no answer comes.
            self._load.gone |= gone
            if act == "delete":
                await path.delete(ids[place])
            else:
                await path.clear(DeleteUpTo(up_to=ids[place]))
            self._load.deleted |= gone.keys()
            self.done["deleted"] += len(gone)
        self.done[act] += 1
