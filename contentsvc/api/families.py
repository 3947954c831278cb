"""FAMILIES: the operations that there are. Everything that lists them reads this table."""

from contentsvc.api.accounts import Accounts
from contentsvc.api.actions import Actions
from contentsvc.api.bans import Bans
from contentsvc.api.challenges import Challenges
from contentsvc.api.comments import Comments
from contentsvc.api.content import Content
from contentsvc.api.debug import DebugTools
from contentsvc.api.departures import Departures
from contentsvc.api.dependents import Dependents
from contentsvc.api.downloads import Downloads
from contentsvc.api.emails import Emails
from contentsvc.api.entries import Entries
from contentsvc.api.files import Files
from contentsvc.api.friends import Friends
from contentsvc.api.health import Health
from contentsvc.api.identities import Identities
from contentsvc.api.messages import Messages
from contentsvc.api.notifications import Notifications
from contentsvc.api.oauth import OAuth
from contentsvc.api.precheck import UploadPrecheck
from contentsvc.api.progress import Progress
from contentsvc.api.ratings import Ratings
from contentsvc.api.reports import Reports
from contentsvc.api.revisions import Revisions
from contentsvc.api.rewards import Rewards
from contentsvc.api.search import Search
from contentsvc.api.sessions import Sessions
from contentsvc.api.social import Social
from contentsvc.api.users import Users
from contentsvc.api.withdrawal import Withdrawal
from contentsvc.web.table import Family, mirrored, table

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
    Family("files", Files),
    Family("downloads", Downloads),
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

OPERATIONS = table(FAMILIES)
MIRRORED = mirrored(OPERATIONS, "/api/v1/user", "/methods/v1/user")
"""The same handlers below a second prefix, which a sample of the specification has (spec §9)."""
