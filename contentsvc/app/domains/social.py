"""The families of follows, friends, parties and messages."""

from contentsvc.api.social.follows import Follows
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.api.social.party_invites import PartyInvites
from contentsvc.app.context import Context, Installed
from contentsvc.framework.http.operations import Family
from contentsvc.jobs import retention

ABOUT = "Following, friends, messages and parties."
FAMILIES = (
    Family("social", Follows),
    Family("social", PartyInvites),
    Family("social", Friends),
    Family("social", Messages),
)


def install(context: Context) -> Installed:
    """Install them."""
    settings, db, notifier = context.settings, context.db, context.notifier
    families = [
        Follows(db, notifier, settings.follows_per_day),
        PartyInvites(
            db,
            notifier,
            settings.require_party_invite,
            settings.party_invites,
            settings.invites_per_hour,
        ),
        Friends(db, notifier, requests_per_day=settings.friend_requests_per_day),
        Messages(
            db,
            notifier,
            per_minute=settings.messages_per_minute,
            unsend_minutes=settings.unsend_minutes,
        ),
    ]
    return Installed(families, retention.of_social(db))
