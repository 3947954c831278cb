"""The notifier: stored first, pushed after the commit."""

from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.notifier import Notifier
from contentsvc.wire.notifications import AnyNotification, Debug, PartyInviteAccept
from tests.push.fakes import Commits, Listener, delays

ANN = "00000000-0000-0000-0000-00000000000a"
BOB = "00000000-0000-0000-0000-00000000000b"


class FakeTransaction(Commits):
    """A transaction that gives the row it was asked to insert, and commits when told to."""

    def __init__(self) -> None:
        self.inserted: list[tuple[Any, ...]] = []
        self.rows: list[tuple[Any, ...]] = []
        super().__init__()

    async def run(self, statement: object, args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        self.inserted.append(args)
        return self.rows or [(args[0], len(self.inserted), ANN, 1000, None)]


class NotifierTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.listener = Listener()
        self.notifier = Notifier(self.listener, self.listener, delays())
        self.transaction = FakeTransaction()

    def send(self, notification: Any) -> None:
        sent = self.notifier.send(self.transaction, ANN, notification)
        self.successResultOf(Deferred.fromCoroutine(sent))

    def test_stored(self) -> None:
        """A row stores the kind and its own members, without the members that the row has as
        columns."""
        self.send(PartyInviteAccept(sender=BOB, party=ANN))
        ((recipient, kind, data),) = self.transaction.inserted
        self.assertEqual((recipient, kind), (ANN, "PartyInviteAccept"))
        self.assertEqual(
            json.decode(data), {"kind": "PartyInviteAccept", "sender": BOB, "party": ANN}
        )

    def test_every_kind(self) -> None:
        """Each kind there is can be sent, under its own name."""
        kinds = AnyNotification.__args__
        for kind in kinds:
            members = dict.fromkeys(kind.__struct_fields__, ANN)
            self.send(kind(**members | {"created": 1, "read": False}))
        self.assertEqual(
            [kind for _, kind, _ in self.transaction.inserted], [kind.__name__ for kind in kinds]
        )

    def test_after_commit(self) -> None:
        """The hub and the relay hear of it once the transaction has committed, not before."""
        self.send(Debug(text="hi"))
        self.assertEqual((self.listener.delivered, self.listener.announced), ([], []))
        self.transaction.commit()
        self.assertEqual([row.seq for row in self.listener.delivered], [1])
        self.assertEqual(self.listener.announced, [(ANN, 1)])

    def test_rolled_back(self) -> None:
        """A notification that is rolled back is never pushed."""
        self.send(Debug(text="hi"))
        self.assertEqual(self.listener.delivered, [])

    def send_many(self, *given: tuple[str, Any]) -> None:
        sent = self.notifier.send_many(self.transaction, given)
        self.successResultOf(Deferred.fromCoroutine(sent))

    def test_many(self) -> None:
        """Several are stored by one statement, and pushed when that has committed."""
        self.transaction.rows = [(2, BOB, 7, ANN, 1000, None), (1, ANN, 3, BOB, 1000, ANN)]
        self.send_many((ANN, Debug(text="hi")), (BOB, PartyInviteAccept(sender=ANN, party=ANN)))
        ((recipients, kinds, _),) = self.transaction.inserted
        self.assertEqual(recipients, f'{{"{ANN}","{BOB}"}}')
        self.assertEqual(kinds, '{"Debug","PartyInviteAccept"}')
        self.assertEqual(self.listener.delivered, [])
        self.transaction.commit()
        self.assertEqual(self.listener.announced, [(BOB, 7), (ANN, 3)])
        kinds_of = {row.user_id: json.decode(row.data)["kind"] for row in self.listener.delivered}
        self.assertEqual(kinds_of, {ANN: "Debug", BOB: "PartyInviteAccept"})

    def test_none(self) -> None:
        """Without recipients nothing is done."""
        self.send_many()
        self.assertEqual(self.transaction.inserted, [])
