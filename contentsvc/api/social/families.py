"""The families of follows, friends, parties and messages."""

from contentsvc.api.context import Context
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.api.social.social import Social
from contentsvc.web.operations import Family

ABOUT = "Following, friends, messages and parties."
FAMILIES = (
    Family("social", Social),
    Family("social", Friends),
    Family("social", Messages),
)


def install(context: Context) -> list[object]:
    """Make the families."""
    settings, db, notifier = context.settings, context.db, context.notifier
    return [
        Social(
            db,
            notifier,
            require_invite=settings.require_party_invite,
            invited_by=settings.party_invites,
            follows_per_day=settings.follows_per_day,
            invites_per_hour=settings.invites_per_hour,
        ),
        Friends(db, notifier, requests_per_day=settings.friend_requests_per_day),
        Messages(db, notifier, per_minute=settings.messages_per_minute),
    ]
