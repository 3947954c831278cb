"""The errors of the operations. Each cause has one code, the same everywhere."""

import math
from typing import Annotated, Any, Final

from msgspec import Meta

from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.http import errors as web
from contentsvc.framework.http.errors import BodyFault, Problem, named
from contentsvc.framework.identity.passwords import Busy
from contentsvc.framework.identity.subject import IdentityUnavailable
from contentsvc.tokens import InvalidToken
from contentsvc.wire.base import Id, Seconds, described
from contentsvc.wire.content import EntityReference
from contentsvc.wire.files import ByteCount
from contentsvc.wire.oauth import GRANTS
from contentsvc.wire.progress import VersionNumber

_QUOTA = Annotated[int, described("the quota: bytes, files, keys or what else `detail` says")]
_USED = Annotated[int, described("how much of it is used")]

UserNotFound = named(404, "user_not_found", "There is no such user.")
ContentNotFound = named(404, "content_not_found", "There is no such content.")
RevisionNotFound = named(404, "revision_not_found", "The content has no such revision.")
CommentNotFound = named(404, "comment_not_found", "The content has no such comment.")
CursorExpired = named(
    400,
    "cursor_expired",
    "Some notifications after this position are no longer kept. Read the list without `after`.",
)
NotificationNotFound = named(404, "notification_not_found", "There is no such notification.")
MessageNotFound = named(404, "message_not_found", "There is no such message.")
UnknownVersion = named(422, "unknown_version", "This is not the present version of the terms.")
NoticeNotFound = named(404, "notice_not_found", "There is no such notice.")
UnknownSubject = named(
    422,
    "unknown_subject",
    "Some of these subjects do not exist.",
    subjects=Annotated[
        list[Annotated[int, described("its place in the list: the first is 0", bits=32)]],
        described("which of them"),
    ],
)
NotMutable = named(
    422, "not_mutable", "Some of these kinds of notifications cannot be muted.", kinds=list[str]
)
UnknownTags = named(
    422,
    "unknown_tags",
    "Content cannot have these tags: no group has them that content of this type may choose from.",
    tags=list[str],
)
StaffTag = named(422, "staff_tag", "Only curators give content these tags.", tags=list[str])
TooManyTags = named(
    422,
    "too_many_tags",
    "Content cannot have so many tags of this group.",
    group=Annotated[str, Meta(description="the key of the group")],
    most=Annotated[int, described("the most tags of the group")],
)
UnknownUser = named(422, "unknown_user", "Some of these users do not exist.", users=list[Id])
UnknownChallenge = named(422, "unknown_challenge", "There is no such design challenge.")
NotSubscribed = named(404, "not_subscribed", "The user does not keep this content.")
ProgressNotFound = named(404, "progress_not_found", "There is no data at this key.")
FilesExternal = named(
    404,
    "files_external",
    "This service takes no files: its setting `files` is `external`. Its operator can set it to "
    "`local` or `s3`.",
)
ChallengeNotFound = named(404, "challenge_not_found", "There is no such design challenge.")
CollectionNotFound = named(404, "collection_not_found", "There is no such collection.")
CollectionExists = named(
    409, "collection_exists", "Another user has a collection with this id: make up another one."
)
CollectionKept = named(
    409, "collection_kept", "Everybody has favourites: they cannot be deleted, only made private."
)
UnknownItem = named(
    422, "unknown_item", "The collection has no such item before which this one could come."
)
DecisionNotFound = named(404, "decision_not_found", "There is no such decision.")
DecisionExists = named(
    409, "decision_exists", "There is another decision with this id, of another action or subject."
)
NothingChanged = named(
    409,
    "nothing_changed",
    "The subject is so already, and no decision about that stands which this one could replace.",
)
ReportNotFound = named(404, "report_not_found", "There is no such report.")
FileNotFound = named(
    404, "file_not_found", "The service has no bytes of this digest, or they are blocked."
)
HoldNotFound = named(404, "hold_not_found", "Nothing of this kind with this id is held.")
HoldCopying = named(
    409,
    "hold_copying",
    "The record of what is held is still being copied. Retry-After says when to try again.",
)
TooManyEscalations = named(
    409,
    "too_many_escalations",
    "The hold has as many escalations as it may have.",
    limit=Annotated[int, described("how many it may have")],
)
AnnouncementNotFound = named(404, "announcement_not_found", "There is no such announcement.")
WebhookNotFound = named(404, "webhook_not_found", "There is no such webhook.")
WebhookWithoutSecret = named(
    409,
    "webhook_without_secret",
    "The webhook has no secret yet, so nothing is sent to it. Make one first.",
)
UrlNotAllowed = named(
    422, "url_not_allowed", "No webhook may have this URL: it must be a public one with https."
)
InviteNotFound = named(404, "party_invite_not_found", "There is no such party invite.")

UsernameTaken = named(409, "username_taken", "Another user has this name.")
EmailTaken = named(409, "email_taken", "Another user has this e-mail address.")
AddressNotMailable = named(
    422,
    "address_not_mailable",
    "No mail can be sent to this address. Before the @ there may be letters without accents, "
    "digits, most signs, and single dots between them; more only where the service's mail server "
    "knows SMTPUTF8.",
)
RegistrationClosed = named(
    403, "registration_closed", "This service does not accept registrations."
)
NotReady = named(503, "not_ready", "The service is not ready: see reasons.", reasons=list[str])
TooManyAttempts = named(
    429,
    "too_many_attempts",
    "There were too many failed log-ins. Retry-After says when to try again.",
    oauth="slow_down",
)
TooManyRequests = web.TooManyRequests
TooManyGuests = named(
    429,
    "too_many_guests",
    "There were too many new guests from this address. Retry-After says when to try again.",
    oauth="slow_down",
)
GuestAccount = web.GuestAccount
TermsRequired = web.TermsRequired
NotAGuest = named(
    409, "not_a_guest", "This is a full account already. Its settings change name and address."
)
InvalidGrant = named(
    400,
    "invalid_grant",
    "The username or password is wrong, or the refresh token is not valid.",
    oauth="invalid_grant",
)
InvalidClient = named(
    401,
    "invalid_client",
    "The client id or the secret is wrong, or the service account has expired.",
    oauth="invalid_client",
)
InvalidScope = named(
    400,
    "invalid_scope",
    "The service account has not got all of these scopes.",
    oauth="invalid_scope",
)
ServiceAccountNotFound = named(
    404, "service_account_not_found", "There is no such service account."
)
NameTaken = named(409, "name_taken", "Another service account has this name.")
IdTaken = named(409, "id_taken", "This is the id of a user: make up another one.")
TooManySecrets = named(
    409, "too_many_secrets", "The service account has two secrets. Delete one first."
)
TooManyWebhooks = named(409, "too_many_webhooks", "There are 100 webhooks. Delete one first.")
NoPortalSession = named(
    401,
    "no_portal_session",
    "There is no cookie of a log-in, or there are several: log in.",
    oauth="invalid_grant",
)
InvalidSubjectToken = named(
    400, "invalid_subject_token", "The subject_token proves no account of another service."
)
InvalidTarget = named(
    400,
    "invalid_target",
    "The tokens of this service are for this service alone: leave resource and audience out.",
    oauth="invalid_target",
)
IdentityTaken = named(
    409, "identity_taken", "This account of another service is linked to another user."
)
LastIdentity = named(
    409,
    "last_identity",
    "You could not log in any more: the account has no password and no other identity. A password "
    "reset gives it a password.",
)
WrongPassword = named(403, "wrong_password", "This is not your current password.")
InvalidMailedToken = named(
    400,
    "invalid_token",
    "The link is not valid, was used before, or its time is over. Ask for another mail.",
)
MailUnavailable = named(503, "mail_unavailable", "This service sends no mail.")
AccountBanned = named(
    403,
    "account_banned",
    "The account is banned.",
    oauth="account_banned",
    reason=str,
    until=Annotated[Seconds | None, described("when it ends; null without an end")],
    decision=Annotated[
        Id | None, described("the decision; null of a ban from before there were any")
    ],
    user=Annotated[Id, described("who is banned")],
    appealToken=Annotated[
        str | None,
        described(
            "a secret: the bearer token that reads the decision, and appeals against it; null once "
            "that is over",
            examples=["appeal-…"],
        ),
    ],
)
BanNotFound = named(404, "ban_not_found", "The user is not banned.")
SessionNotFound = named(404, "session_not_found", "You have no such session.")
AppealNotFound = named(404, "appeal_not_found", "There is no such appeal.")
AppealExists = named(409, "appeal_exists", "You have appealed already, with another text.")
AppealClosed = named(
    409, "appeal_closed", "The time is over in which this could be appealed: see `appealUntil`."
)
NotAppealable = named(
    409,
    "not_appealable",
    "There is nothing to appeal against: it is a warning, was reversed or upheld, or is open.",
)
AppealDecided = named(409, "appeal_decided", "The appeal has been answered already, otherwise.")
OwnDecision = named(
    403,
    "own_decision",
    "You have decided this yourself, or appealed: somebody else must answer the appeal.",
)
LastAdmin = named(409, "last_admin", "No other admin would be left who is not banned.")
ProtectedUser = named(
    403, "protected_user", "The user's role is yours or a higher one: ask somebody above both."
)
CannotBanSelf = named(422, "cannot_ban_self", "You cannot ban yourself.")
UnsupportedGrant = named(
    400,
    "unsupported_grant_type",
    f"grant_type must be one of {', '.join(GRANTS)}.",
    oauth="unsupported_grant_type",
)

ContentExists = named(409, "content_exists", "Content with this id already exists.")
RevisionExists = named(409, "revision_exists", "Other content has a revision with this id.")
RevisionNotPublished = named(
    409,
    "revision_not_published",
    "The content exists, but has no revision with this revisionId. Nothing has changed. To publish "
    "a revision, use POST /api/v1/content/{contentId}/revisions.",
)
ContentDeleted = named(
    409, "content_deleted", "The content is deleted. Its author can restore it for 30 days."
)
ContentPurged = named(
    409,
    "content_purged",
    "The content has been deleted for 30 days and has given up its files. It cannot be restored.",
)
RevisionCurrent = named(
    409,
    "revision_current",
    "The content shows this revision. Choose another one first.",
)
RevisionGone = named(
    409, "revision_gone", "The revision has been deleted, so the content cannot show it."
)
EntityOwnedByOther = named(
    403,
    "entity_owned_by_other",
    "The core entity is the core of another author's content. Use it in `using`, with a core of "
    "your own.",
    entities=list[EntityReference],
)
EntityConflict = named(
    409,
    "entity_conflict",
    "An entity revision is already registered with another path.",
    entities=list[EntityReference],
)
PackageConflict = named(
    409,
    "package_conflict",
    "A package is already registered with other paths.",
    packages=list[Id],
)
UnknownReference = named(
    422,
    "unknown_reference",
    "Some of the entities or packages are not registered.",
    entities=list[EntityReference],
    packages=list[Id],
)
SuspendedDependency = named(
    422,
    "suspended_dependency",
    "A dependency belongs to content that is suspended.",
    entities=list[EntityReference],
    packages=list[Id],
)
DeletedDependency = named(
    422,
    "deleted_dependency",
    "A dependency belongs to content that its author has deleted.",
    entities=list[EntityReference],
    packages=list[Id],
)
NotPublic = named(
    422,
    "not_public",
    "The content is not public, or a dependency belongs to another author's content that is not.",
    entities=list[EntityReference],
    packages=list[Id],
)
PlatformMissing = named(
    422,
    "package_platform_missing",
    "A package lacks a platform that this service requires.",
    packages=list[Id],
    platforms=list[str],
)
FileMissing = named(
    422,
    "file_missing",
    "Some files are not there, or you have not sent them. POST /api/v1/uploads says for each file "
    "whether it is there, and how to send it.",
    paths=list[str],
)
FileInvalid = named(
    422,
    "file_invalid",
    "Some files are no images of the type of their paths, or are too large.",
    paths=list[str],
)
ImageHasMetadata = named(
    422,
    "image_has_metadata",
    "Some images have metadata, which this service does not take, such as where they were taken. "
    "Send them without it.",
    paths=list[str],
    errors=list[BodyFault],
)
UnknownParent = named(422, "unknown_parent", "The content has no comment with this parentId.")
ProgressConflict = named(
    409,
    "progress_conflict",
    "The key now has another version.",
    value=dict[str, Any] | None,
    version=VersionNumber,
    timestamp=Seconds | None,
)
QuotaExceeded = named(
    403,
    "quota_exceeded",
    "This write would exceed your quota.",
    limit=_QUOTA,
    used=_USED,
    errors=list[BodyFault],
)
FileBlocked = named(
    403, "file_blocked", "An admin has blocked some of the files.", errors=list[BodyFault]
)
MediaTypeNotAllowed = named(
    422,
    "media_type_not_allowed",
    "Some of the files are of a media type that this service does not take.",
    errors=list[BodyFault],
)
FileTooLarge = named(
    422,
    "file_too_large",
    "Some of the files are too large.",
    limit=ByteCount,
    errors=list[BodyFault],
)
StorageUnavailable = named(
    503,
    "storage_unavailable",
    "The file store cannot be used at the moment. Retry-After says when to try again.",
    errors=list[BodyFault],
)
ChallengeClosed = named(409, "challenge_closed", "The design challenge is closed.")
ChallengeNotOpen = named(
    409, "challenge_not_open", "The design challenge is not open for this at the moment."
)
ContentNotActive = named(
    409, "content_not_active", "The content is suspended or deleted, so it cannot enter."
)
TypeNotAllowed = named(
    422,
    "type_not_allowed",
    "Content of this type cannot enter the design challenge. It takes these types.",
    types=list[str],
)
EmblemNotEarned = named(
    422, "emblem_not_earned", "This emblem is a reward, and the user has not earned it."
)
UnknownEntry = named(
    422,
    "unknown_entry",
    "Some of the winners are no entries of the design challenge that everybody can see.",
    entries=list[Id],
)
ChallengeHasEntries = named(
    409, "challenge_has_entries", "The design challenge has entries. Hidden entries count too."
)
CommentDeleted = named(409, "comment_deleted", "A deleted comment cannot be changed.")
CommentsLocked = named(403, "comments_locked", "The comments on this content are locked.")
NotFriends = named(403, "not_friends", "You are not friends with this user.")
TooLate = named(
    409, "too_late", "The message is older than the time for which its sender can take it away."
)
Blocked = named(403, "blocked", "One of you has blocked the other.")
CannotFollowSelf = named(422, "cannot_follow_self", "You cannot follow yourself.")
CannotFriendSelf = named(422, "cannot_friend_self", "You cannot be your own friend.")
CannotInviteSelf = named(422, "cannot_invite_self", "You cannot invite yourself.")
InvitationNotFound = named(
    404, "invitation_not_found", "The author has not invited you to be a member of this content."
)
CannotBlockSelf = named(422, "cannot_block_self", "You cannot block yourself.")
CannotReportSelf = named(
    422, "cannot_report_self", "You cannot report yourself, or what you have made."
)
UnknownMessage = named(
    422,
    "unknown_message",
    "You have not received some of these messages from this user.",
    messages=list[Id],
)

CONSTRAINTS: dict[str, type[Problem]] = {
    "users_username": UsernameTaken,
    "users_email": EmailTaken,
    "contents_id": ContentExists,
    "revisions_id": RevisionExists,
    "comments_parent": UnknownParent,
    "bans_user": UserNotFound,
    "decisions_id": DecisionExists,
    "collections_owner": UserNotFound,
    "content_players_user": UserNotFound,
    "pairs_lesser": UserNotFound,
    "pairs_greater": UserNotFound,
    "follows_followed": UserNotFound,
    "party_invites_sender": UserNotFound,
    "party_invites_recipient": UserNotFound,
    "notification_counters_user": UserNotFound,
    "identities_user": UserNotFound,
    "service_accounts_name": NameTaken,
}
"""The problem for each constraint with which the database refuses."""

OF_CALLER: frozenset[str] = frozenset(
    (
        *("contents_author", "comments_author", "ratings_voter", "revisions_publisher_id_fkey"),
        *("progress_user_id_fkey", "progress_usage_user_id_fkey"),
        *("follows_follower_fkey", "subscriptions_user"),
    )
)
"""The constraints that refuse what is written for a caller who has just deleted their account: this
process has not heard yet that the session has ended."""
OF_OWNER: Final = "storage_user_id_fkey"
"""The constraint that refuses files for such a user. It may be an admin who publishes for them."""

_BUSY = {
    "hashing": "Too many people log in or register at once. Try again.",
    "identity": "The service that must verify the token does not answer at the moment. Try again.",
}
"""Details for causes that a client can do something about."""


def translate(error: Exception) -> Problem | None:
    """The problem for an exception of the layers below, if there is one."""
    if isinstance(error, Refused):
        return _refused(error.constraint)
    if isinstance(error, Unavailable | Busy | IdentityUnavailable):
        return _unavailable(error.cause)
    if isinstance(error, MemoryError):
        return web.Unavailable(cause="memory")
    if isinstance(error, BadValue):
        return web.InvalidBody(f"The database cannot store a value of this body: {error}.")
    if isinstance(error, InvalidToken):
        return web.BadToken(str(error))
    return None


def _unavailable(cause: str) -> Problem:
    if cause == "restoring":
        return web.Restoring()
    return web.Unavailable(_BUSY.get(cause), cause=cause)


def account_deleted() -> Problem:
    """Why the caller is refused who has just deleted their account: the session has ended."""
    return web.bad_token("The account has been deleted.")


def _refused(constraint: str) -> Problem | None:
    if constraint in OF_CALLER:
        return account_deleted()
    if constraint == OF_OWNER:
        return web.Unavailable(cause="lock")
    return CONSTRAINTS[constraint]() if constraint in CONSTRAINTS else None


def retry_after(seconds: float) -> dict[str, str]:
    """The header Retry-After, in whole seconds."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
