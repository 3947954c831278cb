"""Design challenges: spec §4.17, and reading them."""

import msgspec

from contentsvc.api.errors import ChallengeNotFound
from contentsvc.db.query import Db
from contentsvc.store import challenges
from contentsvc.web.allow import ADMIN, ANYONE
from contentsvc.web.call import Call
from contentsvc.web.reply import Created
from contentsvc.web.route import route
from contentsvc.wire.challenges import Challenge, ChallengeCreate, Reward

_reward = msgspec.json.Decoder(Reward)


class Challenges:
    """Design challenges and their rewards."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @route("POST", "/design-challenges", allow=ADMIN)
    async def create(self, call: Call, body: ChallengeCreate) -> Created:
        """Create a design challenge (spec §4.17)."""
        challenge = await challenges.create(
            self._db,
            body.name,
            body.ordinal,
            body.description,
            body.theme,
            msgspec.json.encode(body.win).decode(),
            msgspec.json.encode(body.participate).decode(),
        )
        return Created(f"/api/v1/design-challenges/{challenge}")

    @route("GET", "/design-challenges", allow=ANYONE)
    async def all(self, call: Call) -> list[Challenge]:
        """List all design challenges, in the order of their ordinals."""
        return [_challenge(row) for row in await challenges.all(self._db)]

    @route("GET", "/design-challenges/<guid:challenge>", allow=ANYONE, raises=(ChallengeNotFound,))
    async def get(self, call: Call, challenge: str) -> Challenge:
        """Get one design challenge."""
        row = await challenges.get(self._db, challenge)
        if row is None:
            raise ChallengeNotFound()
        return _challenge(row)


def _challenge(row: challenges.Row) -> Challenge:
    return Challenge(
        id=row.id,
        name=row.name,
        ordinal=row.ordinal,
        description=row.description,
        theme=row.theme,
        win=_reward.decode(row.win),
        participate=_reward.decode(row.participate),
    )
