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

TAGS = {
    "accounts": "Users, log-ins, addresses, sessions, and the end of an account.",
    "content": "Publishing, revising, finding, rating and commenting on content.",
    "files": "The files of content: uploads, downloads, and the storage that they take.",
    "social": "Following, friends, messages and parties.",
    "notifications": "What happened to a user: the log, its flags, and what is muted.",
    "progress": "Data that a game keeps for its players.",
    "challenges": "Design challenges, their entries, and the rewards.",
    "moderation": "Reports, bans, warnings, and what admins did.",
    "service": "Whether the service can do its work.",
}
"""What clients find operations by: the domains, and what each has."""
FAMILIES = (
    Family("accounts", Users),
    Family("accounts", Sessions),
    Family("accounts", Accounts),
    Family("accounts", Departures),
    Family("accounts", Emails),
    Family("accounts", Identities),
    Family("accounts", OAuth, ""),
    Family("content", UploadPrecheck),
    Family("content", Content),
    Family("content", Revisions),
    Family("content", Withdrawal),
    Family("content", Dependents),
    Family("content", Search),
    Family("content", Comments),
    Family("content", Ratings),
    Family("files", Files, absent=FilesExternal),
    Family("files", Downloads, absent=FilesExternal),
    Family("social", Social),
    Family("social", Friends),
    Family("social", Messages),
    Family("notifications", Notifications),
    Family("notifications", DebugTools),
    Family("progress", Progress),
    Family("challenges", Challenges),
    Family("challenges", Entries),
    Family("challenges", Rewards),
    Family("moderation", Bans),
    Family("moderation", Actions),
    Family("moderation", Reports),
    Family("service", Health, ""),
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
