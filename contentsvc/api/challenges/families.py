"""The families of design challenges."""

from contentsvc.api.challenges.challenges import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.api.context import Context


def install(context: Context) -> list[object]:
    """Make the families."""
    db = context.db
    return [Challenges(db, context.outbox, context.claims), Entries(db), Rewards(db)]
