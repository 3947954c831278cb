"""The errors that operations name: one code per cause, the same wherever it shows."""

import math

from contentsvc.db.errors import BadValue, Refused, Unavailable
from contentsvc.passwords import Busy
from contentsvc.tokens import InvalidToken
from contentsvc.web import errors as web
from contentsvc.web.errors import Problem, named

UserNotFound = named(404, "user_not_found", "There is no such user.")
ContentNotFound = named(404, "content_not_found", "There is no such content.")
RevisionNotFound = named(404, "revision_not_found", "The content has no such revision.")
CommentNotFound = named(404, "comment_not_found", "The content has no such comment.")
CursorExpired = named(
    400, "cursor_expired", "Notifications after this one are no longer kept: begin without `after`."
)
NotificationNotFound = named(404, "notification_not_found", "There is no such notification.")
ProgressNotFound = named(404, "progress_not_found", "There is no data at this key.")
ChallengeNotFound = named(404, "challenge_not_found", "There is no such design challenge.")
InviteNotFound = named(404, "party_invite_not_found", "There is no such party invite.")

UsernameTaken = named(409, "username_taken", "Another user has this name.")
EmailTaken = named(409, "email_taken", "Another user has this e-mail address.")
RegistrationClosed = named(403, "registration_closed", "Registration is closed.")
TooManyAttempts = named(429, "too_many_attempts", "Too many failed log-ins.", oauth="slow_down")
TooManyRequests = named(
    429, "too_many_requests", "You have done this too often; Retry-After says when to go on."
)
InvalidGrant = named(
    400, "invalid_grant", "The username, password or refresh token is wrong.", oauth="invalid_grant"
)
WrongPassword = named(403, "wrong_password", "This is not the present password.")
AccountBanned = named(403, "account_banned", "The account is banned.", oauth="account_banned")
SessionNotFound = named(404, "session_not_found", "You have no such session.")
CannotBanSelf = named(422, "cannot_ban_self", "An admin cannot ban themself.")
UnsupportedGrant = named(
    400,
    "unsupported_grant_type",
    "grant_type must be password or refresh_token.",
    oauth="unsupported_grant_type",
)

ContentExists = named(409, "content_exists", "There is a content with this id.")
RevisionExists = named(409, "revision_exists", "There is a revision with this id.")
RevisionNotPublished = named(
    409,
    "revision_not_published",
    "The content exists and has no revision with this revisionId; nothing was changed.",
)
EntityConflict = named(409, "entity_conflict", "The entity revision has another path.")
PackageConflict = named(409, "package_conflict", "The package exists with other paths.")
UnknownReference = named(422, "unknown_reference", "Nothing with these ids was registered.")
SuspendedDependency = named(422, "suspended_dependency", "A dependency's content is suspended.")
PlatformMissing = named(
    422, "package_platform_missing", "A package lacks a platform that this service requires."
)
UnknownParent = named(422, "unknown_parent", "The content has no such parent comment.")
ProgressConflict = named(409, "progress_conflict", "Another version stands at this key.")
QuotaExceeded = named(403, "quota_exceeded", "This would be over your quota.")
CommentDeleted = named(409, "comment_deleted", "The comment has been deleted.")
CannotFollowSelf = named(422, "cannot_follow_self", "A user cannot follow themself.")

CONSTRAINTS: dict[str, type[Problem]] = {
    "users_username": UsernameTaken,
    "users_email": EmailTaken,
    "contents_id": ContentExists,
    "revisions_id": RevisionExists,
    "comments_parent": UnknownParent,
    "bans_user": UserNotFound,
    "follows_followed": UserNotFound,
    "party_invites_sender": UserNotFound,
    "party_invites_recipient": UserNotFound,
    "notification_counters_user": UserNotFound,
}
"""What it means that the database refused."""

_BUSY = {"hashing": "Too many log-ins at once."}
"""What a client is told of a cause that it can do something about."""


def translate(error: Exception) -> Problem | None:
    """The problem that an exception from the layers below means, if it means one."""
    if isinstance(error, Refused) and error.constraint in CONSTRAINTS:
        return CONSTRAINTS[error.constraint]()
    if isinstance(error, Unavailable | Busy):
        return web.Unavailable(_BUSY.get(error.cause), cause=error.cause)
    if isinstance(error, MemoryError):
        return web.Unavailable(cause="memory")
    if isinstance(error, BadValue):
        return web.InvalidBody(f"The database cannot hold a value: {error}.")
    if isinstance(error, InvalidToken):
        return web.BadToken(str(error))
    return None


def retry_after(seconds: float) -> dict[str, str]:
    """The header, in whole seconds."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
