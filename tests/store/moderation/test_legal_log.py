"""The log of decisions, appeals and notices: its order, its parts, and what it has of each."""

from typing import Any

from msgspec import json

from contentsvc.store.moderation import decisions, legal_log, notices
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.store.moderation.legal_log import Entry, Place
from contentsvc.wire.decisions import GroundBody
from tests.support.databases import StoreCase, guid

FIRST = 1_767_225_600_000_000
"""The first moment of 2026, in microseconds."""
GROUND = GroundBody(
    basis="illegal",
    reference="Art. 5",
    explanation="It says Ann Smith",
    category="insult",
    source="report",
    automated="no",
)


class LogCase(StoreCase):
    """What was decided, of which the log has all."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.moderator = guid(), guid()

    def at(self, table: str, id: str, created: str) -> None:
        """Say when it was."""
        self.sql(f"update {table} set created = %s where id = %s", created, id)

    async def decide(self, created: str, subject: Subject | None = None, **more: Any) -> str:
        """A decision, about Ann unless another subject is given."""
        id, about = guid(), subject or Subject("user", self.ann, None, self.ann)
        async with self.db.transaction() as tx:
            new = New(id, "warn", about, GROUND, '{"username": "ann"}', **more)
            await decisions.take(tx, self.moderator, False, new)
        self.at("decisions", id, created)
        return id

    def appeal(self, created: str, decision: str) -> str:
        """An appeal of Ann's."""
        ((id,),) = self.sql(
            """insert into appeals (party, decision, subject_kind, subject, user_id, text, created)
               values ('author', %s, 'user', %s, %s, 'I never did', %s) returning id""",
            *(decision, self.ann, self.ann, created),
        )
        return str(id)

    async def notice(self, created: str) -> str:
        """A notice of Ann and of a message of hers."""
        about = ["user", "message"], [self.ann, guid()], [None, None], [None, self.ann]
        sent = "illegal", "She sells stolen goods", "§ 259", "Mira", "mira@example.com", None
        async with self.db.transaction() as tx:
            texts = ["{}", "{}"], [None, "[]"]
            id = await notices.file(tx, *sent, *about, [None, None], *texts)
        self.at("notices", id, created)
        return id

    async def read(self, last: str = "2026-12-31", most: int = 1000) -> list[Entry]:
        """All of the log from 2026 on, so many at once."""
        found: list[Entry] = []
        place = Place(FIRST, 0, "")
        while part := await legal_log.page(self.db, place, last, most):
            found += part
            place = part[-1].place
        return found

    async def lines(self, **more: Any) -> list[dict[str, Any]]:
        """What it says."""
        return [json.decode(entry.line) for entry in await self.read(**more)]


class LogTests(LogCase):
    async def test_order(self) -> None:
        """It has what began on these days, both included, in this order, in parts of whatever
        size; of one moment too."""
        await self.decide("2025-12-31T23:59:59.999999Z")
        one = await self.decide("2026-01-01T00:00:00Z")
        three = await self.notice("2026-02-01T00:00:00.000002Z")
        two = self.appeal("2026-02-01T00:00:00.000001Z", one)
        four = sorted([await self.decide("2026-03-01T12:00:00Z") for _ in range(3)])
        five = self.appeal("2026-03-01T12:00:00Z", four[0])
        six = await self.decide("2026-12-31T23:59:59.999999Z")
        await self.decide("2027-01-01T00:00:00Z")
        expected = [one, two, three, *four, five, six]
        for most in (1, 2, 3, 1000):
            self.assertEqual([entry.id for entry in await self.read(most=most)], expected, most)

    async def test_decision(self) -> None:
        """A decision has its ground and no explanation; of a message its sender."""
        message = Subject("message", guid(), None, self.ann)
        id = await self.decide("2026-02-01T00:00:01Z", message, until=4_000_000_000)
        (found,) = await self.lines()
        expected = {
            "type": "decision",
            "id": id,
            "created": 1_769_904_001,
            "action": "warn",
            "subject": {"kind": "message", "id": message.id, "user": self.ann},
            "user": self.ann,
            "what": None,
            "basis": "illegal",
            "reference": "Art. 5",
            "category": "insult",
            "source": "report",
            "notice": None,
            "automated": "no",
            "until": 4_000_000_000,
            "reversed": None,
            "replaced": None,
            "territory": "everywhere",
        }
        self.assertEqual(found, expected)

    async def test_replaced(self) -> None:
        """It says what became of it."""
        one, two = [await self.decide(f"2026-02-0{day}T00:00:00Z") for day in (1, 2)]
        known = await decisions.known(self.db, two)
        assert known is not None
        async with self.db.transaction() as tx:
            given = self.moderator, False, known.number, known.about
            await decisions.reverse(tx, *given, "a mistake")
        first, second = await self.lines()
        self.assertEqual((first["id"], first["replaced"], first["reversed"]), (one, two, None))
        self.assertIsInstance(second["reversed"], int)

    async def test_appeal(self) -> None:
        """An appeal has who appeals against what, its state, and no text."""
        decision = await self.decide("2026-01-01T00:00:00Z")
        id = self.appeal("2026-02-01T00:00:01Z", decision)
        (_, found) = await self.lines()
        expected = {
            "type": "appeal",
            "id": id,
            "created": 1_769_904_001,
            "from": "author",
            "decision": decision,
            "notice": None,
            "subject": {"kind": "user", "id": self.ann},
            "user": self.ann,
            "state": "open",
            "decided": None,
        }
        self.assertEqual(found, expected)

    async def test_notice(self) -> None:
        """A notice has its subjects with what was decided of each, and nothing of who has sent
        it; it is open while one of them is."""
        id = await self.notice("2026-02-01T00:00:01Z")
        (found,) = await self.lines()
        due = found.pop("due")
        self.assertIsInstance(due, int)
        user, message = found.pop("subjects")
        expected = {"type": "notice", "id": id, "created": 1_769_904_001, "reason": "illegal"}
        self.assertEqual(found, expected | {"state": "open", "decided": None})
        self.assertEqual(user, {"kind": "user", "id": self.ann, "state": "open", "decided": None})
        self.assertEqual((message["kind"], message["user"]), ("message", self.ann))
        self.sql(
            "update notice_subjects set outcome = 'dismissed', decided = now() where place = 1"
        )
        (found,) = await self.lines()
        self.assertEqual((found["state"], found["decided"]), ("open", None))
        self.assertEqual([one["state"] for one in found["subjects"]], ["dismissed", "open"])
        self.sql("update notice_subjects set outcome = 'upheld', decided = now() where place = 2")
        (found,) = await self.lines()
        self.assertEqual(found["state"], "upheld")
        self.assertIsInstance(found["decided"], int)

    async def test_nobody(self) -> None:
        """No word of a player's, of a notifier's or of the explanation is in it."""
        await self.decide("2026-01-01T00:00:00Z")
        self.appeal("2026-01-01T00:00:01Z", guid())
        await self.notice("2026-02-01T00:00:00Z")
        said = " ".join(entry.line for entry in await self.read())
        for word in ("Smith", "never", "stolen", "259", "Mira", "mira@", '"ann"'):
            self.assertNotIn(word, said)
