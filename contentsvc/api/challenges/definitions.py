"""Design challenges: challenges#definition."""

from functools import partial

import msgspec
from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.content.types_and_platforms import ContentTypes
from contentsvc.api.errors import (
    ChallengeClosed,
    ChallengeHasEntries,
    ChallengeNotFound,
    ChallengeNotOpen,
    FileInvalid,
    FileMissing,
    ImageHasMetadata,
    UnknownEntry,
)
from contentsvc.api.files.references import FileReferences
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Created
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import CURATE
from contentsvc.store.challenges import closing, definitions
from contentsvc.store.moderation import audit_log
from contentsvc.store.tasks import ChallengeClosed as Closed
from contentsvc.wire.challenges import Challenge, ChallengeClose, ChallengeCreate, Emblem, Reward
from contentsvc.wire.moderation import Act


class _StoredEmblem(Emblem):
    id: str = ""


class _StoredReward(Reward):
    emblem: _StoredEmblem


_stored = msgspec.json.Decoder(_StoredReward)


class Challenges(Struct):
    """Design challenges and their rewards. Without `claims` no image is a file of the service's
    own."""

    db: Database
    queue: TaskQueue
    claims: FileReferences | None
    types: ContentTypes

    @route(
        "POST",
        "/design-challenges",
        allow=CURATE,
        raises=(FileMissing, FileInvalid, ImageHasMetadata),
    )
    async def create_challenge(self, call: Call, body: ChallengeCreate) -> Created:
        """Create a design challenge (challenges#definition)."""
        self._check(body)
        async with self.db.transaction() as tx:
            challenge = await definitions.create(tx, body)
            await self._claim(tx, call, challenge, [], body)
            await self._note(tx, call, "challenge_created", challenge)
        return Created(f"/api/v1/design-challenges/{challenge}")

    @route("GET", "/design-challenges", allow=ANYONE)
    async def list_challenges(self, call: Call) -> list[Challenge]:
        """List all design challenges, in the order of their ordinals."""
        return [_challenge(row) for row in await definitions.all(self.db, *call.viewer)]

    @route("GET", "/design-challenges/<guid:challenge>", allow=ANYONE, raises=(ChallengeNotFound,))
    async def get_challenge(self, call: Call, challenge: str) -> Challenge:
        """Get one design challenge."""
        row = required(await definitions.get(self.db, challenge, *call.viewer), ChallengeNotFound)
        return _challenge(row)

    @route(
        "PUT",
        "/design-challenges/<guid:challenge>",
        allow=CURATE,
        heeds="/design-challenges/<guid:challenge>",
        raises=(ChallengeNotFound, ChallengeClosed, FileMissing, FileInvalid, ImageHasMetadata),
    )
    async def replace_challenge(self, call: Call, challenge: str, body: ChallengeCreate) -> None:
        """Replace the definition of a design challenge that is not closed. Its entries and the ids
        of its emblems stay."""
        self._check(body)
        async with self.db.transaction() as tx:
            before = await definitions.images(tx, challenge)
            if before is not None:
                await call.unchanged(tx, partial(audit_log.last, tx, "challenge", challenge))
            replaced = await definitions.replace(tx, challenge, body)
            if before is None or replaced is None:
                raise ChallengeNotFound()
            if not replaced.may:
                raise ChallengeClosed()
            await self._claim(tx, call, challenge, before, body)
            if replaced.differs:
                await self._note(tx, call, "challenge_changed", challenge)

    def _check(self, body: ChallengeCreate) -> None:
        _check(body)
        self.types.check_all("/types", body.types or ())

    async def _note(self, tx: Db, call: Call, act: Act, challenge: str) -> None:
        await audit_log.record(tx, *call.actor, act, "challenge", challenge, "")

    async def _claim(
        self, tx: Db, call: Call, challenge: str, old: list[str], body: ChallengeCreate
    ) -> None:
        if self.claims is None:
            return
        new = [body.win.emblem.image, body.participate.emblem.image]
        await self.claims.replace(
            tx, "challenge", challenge, caller=call.user, owner=None, old=old, new=new
        )

    @route(
        "DELETE",
        "/design-challenges/<guid:challenge>",
        allow=CURATE,
        raises=(ChallengeNotFound, ChallengeHasEntries),
    )
    async def delete_challenge(self, call: Call, challenge: str) -> None:
        """Delete a design challenge that has no entries. Hidden entries count too."""
        async with self.db.transaction() as tx:
            if await definitions.lock(tx, challenge) is None:
                raise ChallengeNotFound()
            if not await definitions.delete(tx, challenge):
                raise ChallengeHasEntries()
            await self._note(tx, call, "challenge_deleted", challenge)

    @route(
        "POST",
        "/design-challenges/<guid:challenge>/close",
        allow=CURATE,
        raises=(ChallengeNotFound, ChallengeNotOpen, ChallengeClosed, UnknownEntry),
    )
    async def close_challenge(self, call: Call, challenge: str, body: ChallengeClose) -> None:
        """Close a design challenge that is open or judged, with these winners. Their authors, and
        all others who have taken part, get their rewards and are notified."""
        async with self.db.transaction() as tx:
            locked = required(await definitions.lock(tx, challenge), ChallengeNotFound)
            if locked.state == "closed":
                if set(locked.winners) == set(body.winners):
                    return
                raise ChallengeClosed()
            if locked.state == "upcoming":
                raise ChallengeNotOpen()
            unknown = await closing.close(tx, call.user, challenge, body.winners)
            if unknown:
                raise UnknownEntry(entries=unknown)
            await self._note(tx, call, "challenge_closed", challenge)
            await self.queue.put(tx, Closed(challenge=challenge))


def _check(body: ChallengeCreate) -> None:
    """Raises InvalidBody."""
    if body.opens is not None and body.closes is not None and body.closes <= body.opens:
        raise at_pointer("/closes", "This must be later than `opens`.")


def _challenge(row: definitions.ChallengeRow) -> Challenge:
    fields = row._asdict()
    for reward in ("win", "participate"):
        fields[reward] = _reward(fields[reward], fields.pop(f"{reward}_emblem"))
    return Challenge(**fields)


def _reward(stored: str, emblem: str) -> Reward:
    """A reward with the id of its emblem."""
    reward = _stored.decode(stored)
    reward.emblem.id = emblem
    return reward
