"""Design challenges: their families and jobs."""

from contentsvc.api.challenges.definitions import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.api.content.types_and_platforms import ContentTypes
from contentsvc.app.context import Context, Installed
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.http.operations import Family
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs import challenges as jobs
from contentsvc.jobs.challenges import ChallengeCloser
from contentsvc.store.challenges import closing

ABOUT = "Design challenges, their entries, and the rewards."
FAMILIES = (
    Family("challenges", Challenges),
    Family("challenges", Entries),
    Family("challenges", Rewards),
)


def install(context: Context) -> Installed:
    """Install them."""
    db = context.db
    types = ContentTypes(context.reactor, db, context.settings.types)
    closer = Job(
        "close challenges",
        jobs.EVERY,
        ChallengeCloser(db, context.queue).run,
        Bell(context.reactor),
        queue="due challenges",
        waits=closing.WAITING,
    )
    return Installed(
        [Challenges(db, context.queue, context.claims, types), Entries(db), Rewards(db)], [closer]
    )
