"""FAMILIES: the operations that there are. Everything that lists them reads this table."""

from contentsvc.api.accounts import families as accounts
from contentsvc.api.accounts.accounts import Accounts
from contentsvc.api.accounts.deletion import Departures
from contentsvc.api.accounts.emails import Emails
from contentsvc.api.accounts.identities import Identities
from contentsvc.api.accounts.oauth import OAuth
from contentsvc.api.accounts.sessions import Sessions
from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges import families as challenges
from contentsvc.api.challenges.challenges import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.api.content import families as content
from contentsvc.api.content.comments import Comments
from contentsvc.api.content.content import Content
from contentsvc.api.content.dependents import Dependents
from contentsvc.api.content.precheck import UploadPrecheck
from contentsvc.api.content.ratings import Ratings
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.content.search import Search
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.api.errors import FilesExternal
from contentsvc.api.files import families as files
from contentsvc.api.files.downloads import Downloads
from contentsvc.api.files.files import Files
from contentsvc.api.health import Health
from contentsvc.api.moderation import families as moderation
from contentsvc.api.moderation.audit_log import Actions
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.moderation.reports import Reports
from contentsvc.api.notifications import families as notifications
from contentsvc.api.notifications.debug import DebugTools
from contentsvc.api.notifications.notifications import Notifications
from contentsvc.api.progress import families as progress
from contentsvc.api.progress.progress import Progress
from contentsvc.api.social import families as social
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.api.social.social import Social
from contentsvc.web.operations import Family, mirrored, table

FAMILIES = (
    Family("users", Users),
    Family("social", Social),
    Family("friends", Friends),
    Family("messages", Messages),
    Family("precheck", UploadPrecheck),
    Family("content", Content),
    Family("revisions", Revisions),
    Family("withdrawal", Withdrawal),
    Family("dependents", Dependents),
    Family("search", Search),
    Family("files", Files, absent=FilesExternal),
    Family("downloads", Downloads, absent=FilesExternal),
    Family("comments", Comments),
    Family("ratings", Ratings),
    Family("notifications", Notifications),
    Family("progress", Progress),
    Family("challenges", Challenges),
    Family("entries", Entries),
    Family("rewards", Rewards),
    Family("sessions", Sessions),
    Family("accounts", Accounts),
    Family("departures", Departures),
    Family("emails", Emails),
    Family("identities", Identities),
    Family("bans", Bans),
    Family("actions", Actions),
    Family("reports", Reports),
    Family("debug", DebugTools),
    Family("oauth", OAuth, ""),
    Family("health", Health, ""),
)
DOMAINS = (
    accounts,
    content,
    files,
    social,
    notifications,
    progress,
    challenges,
    moderation,
)
"""Each has an `install`, which makes its families."""

OPERATIONS = table(FAMILIES)
MIRRORED = mirrored(OPERATIONS, "/api/v1/user", "/methods/v1/user")
"""The same handlers below a second prefix, which a sample of the specification has (spec §9)."""
