"""The families of design challenges."""

from contentsvc.api.challenges.definitions import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.api.content.types import ContentTypes
from contentsvc.api.context import Context
from contentsvc.framework.http.operations import Family

ABOUT = "Design challenges, their entries, and the rewards."
FAMILIES = (
    Family("challenges", Challenges),
    Family("challenges", Entries),
    Family("challenges", Rewards),
)


def install(context: Context) -> list[object]:
    """Make the families."""
    db = context.db
    types = ContentTypes(context.clock, db, context.settings.content_types)
    return [Challenges(db, context.queue, context.claims, types), Entries(db), Rewards(db)]
