"""Exact JSON shapes: what every object of the service has, and nothing more.

A shape is a type (exactly that type: true is no int), a pattern for a whole string, a set of the
allowed values, a dict of members ("name?" may be absent), a one-element list for arrays, a tuple
of alternatives, or a predicate.
"""

from __future__ import annotations

import re
from typing import Any

GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
CONTENT_TYPES = {"game", "asset", "avatar_box", "gameplay_box", "scene_box"}


def instant(value: Any) -> bool:
    """A Unix timestamp in whole seconds."""
    return type(value) is int and 1_600_000_000 < value < 10_000_000_000


def full_hour(value: Any) -> bool:
    """A Unix timestamp on a full hour."""
    return instant(value) and value % 3_600 == 0


def unit(value: Any) -> bool:
    """A JSON number between 0 and 1."""
    return type(value) in (int, float) and 0 <= value <= 1


PROFILE = {"profile?": str}
USER_INFO = {
    "id": GUID,
    "username": str,
    "avatar": (str, None),
    "emblem": (GUID, None),
    "profile?": str,
}
ROLE = {"player", "curator", "moderator", "admin"}
USER = {
    "role": ROLE,
    "id": GUID,
    "username": str,
    "email": str,
    "emailVerified": bool,
    "avatar": (str, None),
    "emblem": (GUID, None),
    "fullProfile": PROFILE,
    "publicProfile": PROFILE,
    "guest": bool,
    "terms": ({"version": str, "accepted": int}, None),
}
LEGAL = {
    "contacts": dict,
    "terms": ({"version": str, "url": str}, None),
    "notices": (str, None),
}
ANNOUNCEMENT = {
    "id": GUID,
    "title": str,
    "text": str,
    "level": {"info", "warning"},
    "from": (int, None),
    "until": (int, None),
}
ME = {
    "kind": {"user"},
    "id": GUID,
    "username": str,
    "guest": bool,
    "role": ROLE,
    "permissions": [{"curate", "moderate", "administer", "events", "notify", "users.read"}],
}
SERVICE_ME = {"kind": {"service"}, "id": GUID, "name": str, "scopes": [str]}
SERVICE_ACCOUNT = {
    "id": GUID,
    "name": str,
    "scopes": [str],
    "created": instant,
    "expires": (int, None),
    "lastUsed": (int, None),
    "secrets": [{"id": GUID, "created": instant}],
}
SERVICE_SECRET = {"id": GUID, "value": re.compile("csvc_[A-Za-z0-9_-]{43}")}
SERVICE_TOKEN = {"access_token": str, "token_type": {"Bearer"}, "expires_in": int, "scope": str}
FRIEND = {"user": USER_INFO, "since": instant}
FRIEND_REQUEST = {
    "user": USER_INFO,
    "direction": {"incoming", "outgoing"},
    "created": instant,
}
PARTY_INVITE = {"sender": USER_INFO, "party": GUID, "created": instant}
USER_PAGE = {"items": [USER_INFO], "page": int, "pageSize": int, "total": int}
SUGGESTION = {"q": (str, None)}
TAG_COUNT = {"tag": str, "group": (str, None), "count": int}
CONTENT_INFO = {
    "id": GUID,
    "listingId": int,
    "revisionId": GUID,
    "authorId": GUID,
    "authorUsername": str,
    "authorAvatar": str,
    "authorEmblem": (GUID, None),
    "type": CONTENT_TYPES,
    "status": {"active", "suspended", "deleted"},
    "name": str,
    "thumbnailUri": str,
    "featured": bool,
    "rating": unit,
    "created": instant,
    "comments": int,
    "counts": {
        **dict.fromkeys(("plays", "players", "completions"), int),
        **dict.fromkeys(("downloads", "subscribers", "favourites"), int),
    },
    "votes": {"up": int, "down": int},
    "visibility": {"public", "unlisted", "friends", "private"},
    "attributes": dict,
}
CONTENT_NAME = {"name": str, "since": instant, "by": (dict, None)}
TESTER = {"user": USER_INFO, "since": instant}
MEMBER = TESTER | {"accepted": bool}
MEMBERSHIP = {
    "content": CONTENT_INFO,
    "role": {"tester", "editor"},
    "accepted": bool,
    "since": instant,
}
ENTITY_REFERENCE = {"entityId": GUID, "revisionId": GUID}
ENTITY = ENTITY_REFERENCE | {"path": str}
PACKAGE = {"id": GUID, "win64?": str, "osx64?": str, "linux64?": str}
PARTS = {
    "entity": ENTITY,
    "originating": [ENTITY],
    "using": [ENTITY],
    "packages": [PACKAGE],
}
REVISION_HEAD = {"id": GUID, "version": str, "description": str, "created": instant}
REVISION = REVISION_HEAD | PARTS | {"requires": (dict, None)}
REVISION_ITEM = REVISION_HEAD | {"current": bool, "gone?": bool}
CONTENT = (
    CONTENT_INFO
    | PARTS
    | {
        "description": str,
        "screenshotUris": [str],
        "tags": [str],
        "updated": instant,
        "revision": REVISION_HEAD,
        "requires": (dict, None),
        "commentCount": int,
        "commentsLocked": bool,
    }
)
PRECHECK = {
    "needed": [ENTITY_REFERENCE],
    "neededPackages": [GUID],
    "problems": [lambda problem: type(problem) is dict and {"code", "detail"} <= set(problem)],
}
COMMENT = {
    "id": int,
    "parentId": (int, None),
    "authorId": GUID,
    "body": str,
    "created": instant,
    "updated": instant,
    "deleted": bool,
}
ANSWERED_PAGE = {
    **{"page": int, "pageSize": int, "count": int, "total": int},
    "items": [COMMENT | {"replies": int}],
}
"""A page of the newest comments, or of a parent."""
USER_COMMENT = {"content": GUID, "comment": COMMENT}
COMMENT_PAGE = {"page": int, "pageSize": int, "count": int, "total": int, "items": [COMMENT]}
_NOTIFICATION = {"id": GUID, "created": instant, "read": bool}
DEBUG = _NOTIFICATION | {"kind": {"Debug"}, "text": str}
SENDER = _NOTIFICATION | {
    "kind": {"FriendRequest", "FriendConfirm", "NewFollower"},
    "sender": GUID,
}
PARTY = _NOTIFICATION | {
    "kind": {"PartyInvite", "PartyInviteAccept", "PartyInviteDecline"},
    "sender": GUID,
    "party": GUID,
}
MODERATION = _NOTIFICATION | {
    "kind": {"ContentSuspended", "ContentRestored"},
    "content": GUID,
    "reason": str,
    "decision": (GUID, None),
}
WARNING = _NOTIFICATION | {"kind": {"AccountWarning"}, "reason": str, "decision": GUID}
DECIDED = {
    "kind": {"content", "comment", "user", "file", "message"},
    "id": str,
    "content?": GUID,
    "user?": GUID,
}
DECISION_TAKEN = _NOTIFICATION | {
    "kind": {"DecisionTaken"},
    "decision": GUID,
    "action": {"lock_comments", "clear_profile", "ban", "restrict", "block_file", "remove"},
    "subject": DECIDED,
}
DECISION_REVERSED = _NOTIFICATION | {
    "kind": {"DecisionReversed"},
    "decision": GUID,
    "reason": str,
}
CONTENT_PUBLISHED = _NOTIFICATION | {"kind": {"ContentPublished"}, "author": GUID, "content": GUID}
REVISION_PUBLISHED = _NOTIFICATION | {
    "kind": {"RevisionPublished"},
    "author": GUID,
    "content": GUID,
    "revision": GUID,
}
DEPENDENCY_STATUS = _NOTIFICATION | {
    "kind": {"DependencyStatus"},
    "dependency": GUID,
    "status": {"active", "suspended", "deleted"},
    "content": GUID,
    "contents": int,
}
SUBSCRIPTION_UPDATED = _NOTIFICATION | {
    "kind": {"SubscriptionUpdated"},
    "content": GUID,
    "revision": GUID,
}
GUEST_INVITED = _NOTIFICATION | {
    "kind": {"TesterInvited", "MemberInvited"},
    "content": GUID,
    "sender": GUID,
}
CHALLENGE_OUTCOME = _NOTIFICATION | {
    "kind": {"ChallengeWon", "ChallengeParticipated"},
    "challenge": GUID,
    "content": GUID,
}
FRIEND_MESSAGE = _NOTIFICATION | {
    "kind": {"FriendMessage"},
    "sender": GUID,
    "text": str,
    "message": GUID,
    "removed": bool,
}
COMMENTED = _NOTIFICATION | {
    "kind": {"CommentOnContent", "CommentReply"},
    "sender": GUID,
    "content": GUID,
    "comment": int,
}
APPEAL_DECIDED = _NOTIFICATION | {
    "kind": {"AppealDecided"},
    "outcome": {"confirmed", "reversed"},
    "reason": str,
    "decision?": GUID,
    "subject?": {
        "kind": {"content", "comment", "user", "collection", "file"},
        "id": str,
        "content?": GUID,
    },
}
COMMENT_REMOVED = _NOTIFICATION | {
    "kind": {"CommentRemoved"},
    "content": GUID,
    "comment": int,
    "reason": str,
    "decision": (GUID, None),
}
REPORTED = {
    "kind": {"content", "comment", "user", "collection", "file", "message"},
    "id": (str, int),
    "content?": GUID,
    "user?": GUID,
}
REPORT_RESOLVED = _NOTIFICATION | {
    "kind": {"ReportResolved"},
    "subject": REPORTED,
    "outcome": {"upheld", "dismissed"},
}
STUDIO = _NOTIFICATION | {"kind": {"Studio"}, "topic": str, "data": dict, "expires?": int}
DELETED = {"id": GUID, "kind": {"Deleted"}, "created": instant, "read": lambda read: read is True}
"""What the socket replays of a deleted notification; REST never shows it."""
NOTIFICATION = (
    FRIEND_MESSAGE,
    REPORT_RESOLVED,
    STUDIO,
    DEBUG,
    SENDER,
    PARTY,
    MODERATION,
    WARNING,
    DECISION_TAKEN,
    DECISION_REVERSED,
    APPEAL_DECIDED,
    CONTENT_PUBLISHED,
    REVISION_PUBLISHED,
    GUEST_INVITED,
    DEPENDENCY_STATUS,
    SUBSCRIPTION_UPDATED,
    CHALLENGE_OUTCOME,
    COMMENTED,
    COMMENT_REMOVED,
)
MESSAGE = {"id": GUID, "sender": GUID, "text": str, "created": instant, "removed": bool}
CONVERSATION = {"user": USER_INFO, "last": MESSAGE}
NOTIFICATION_STATE = {"newest": int, "oldest": int, "unread": int}
NOTIFICATION_SETTINGS = {"muted": [str]}
REPORT_REASONS = {"spam", "abuse", "sexual", "violence", "copyright", "cheating", "other"}
NOTICE_REASONS = {"illegal", "intimate", "child", "copyright", "trademark", "personal"}
STATE = {"open", "upheld", "dismissed"}
RECEIPT = {"id": GUID, "token": re.compile("notice-[A-Za-z0-9_-]{48}")}
NOTICE_APPEAL = {
    "id": GUID,
    "state": {"open", "confirmed", "reversed"},
    "reason": (str, None),
}
NOTICE = {
    "id": GUID,
    "state": STATE,
    "created": instant,
    "due": int,
    "subjects": [
        {
            "kind": {"content", "comment", "user", "file", "message"},
            "id": str,
            "state": STATE,
            "content?": GUID,
            "user?": GUID,
            "url?": str,
            "appeal?": NOTICE_APPEAL,
            "appealUntil?": int,
        }
    ],
    "redress": (str, None),
    "appeal?": NOTICE_APPEAL,
    "appealUntil?": int,
    "reason?": NOTICE_REASONS,
    "explanation?": str,
    "law?": (str, None),
    "name?": (str, None),
    "email?": (str, None),
    "signature?": (str, None),
}
QUEUED = {
    "subject": REPORTED,
    "reports": int,
    "notices": int,
    "due": int,
    "reasons": lambda reasons: (
        type(reasons) is dict
        and set(reasons) <= REPORT_REASONS | NOTICE_REASONS
        and all(type(count) is int and count > 0 for count in reasons.values())
    ),
    "first": instant,
    "last": instant,
    "upTo": (str, int),
    "author": (USER_INFO, None),
    "excerpt": (str, None),
    "thumbnailUri": (str, None),
}
REPORT = {
    "id": (str, int),
    "reporter": (GUID, None),
    "notice": (GUID, None),
    "reason": REPORT_REASONS | NOTICE_REASONS,
    "text": (str, None),
    "evidence": dict,
    "created": instant,
    "state": {"open", "upheld", "dismissed"},
}
BAN = {"reason": str, "until": (int, None)}
IDENTITY = {"id": GUID, "issuer": str, "subject": str, "linked": instant}
STAFF_MEMBER = {"user": USER_INFO, "role": ROLE, "since": instant}
IDENTITY_OWNER = {"user": USER_INFO, "linked": instant}
MODERATED_USER = {
    "user": USER_INFO,
    "email": (str, None),
    "emailVerified": bool,
    "role": ROLE,
    "guest": bool,
    "created": instant,
    "ban": (BAN, None),
    "sessions": int,
    "identities": ([IDENTITY], None),
}
COLLECTION = {
    "id": GUID,
    "owner": USER_INFO,
    "name": str,
    "description": str,
    "public": bool,
    "items": int,
    "updated": instant,
    "kind": {"favourites", "collection"},
}
HOLD = {
    "kind": {"content", "user", "file"},
    "id": str,
    "reason": str,
    "until": int,
    "by": GUID,
    "created": instant,
    "state": {"copying", "kept", "failed"},
    "bytes": int,
    "escalations": [
        {
            "id": GUID,
            "to": str,
            "reference": str,
            "at": int,
            "note": str,
            "by": GUID,
            "created": instant,
        }
    ],
}
ACTION = {
    "id": GUID,
    "admin": GUID,
    "adminKind": {"user", "service", "operator"},
    "action": str,
    "subject": {
        "kind": {
            *("content", "comment", "user", "collection", "challenge", "file"),
            *("announcement", "notification", "service_account", "message"),
        },
        "id": str,
    },
    "reason": str,
    "created": instant,
    "decision": (GUID, None),
    "counts?": dict,
}
PROGRESS = {"key": str, "value": dict, "timestamp": instant, "version": int}
REWARD = {
    "achievement": {
        "key": str,
        "name": str,
        "description": str,
        "visibilityStart": (int, None),
        "visibilityStop": (int, None),
    },
    "emblem": {
        "id": GUID,
        "name": str,
        "description": str,
        "image": str,
        "color": re.compile("#[0-9a-fA-F]{6}"),
    },
}
CHALLENGE = {
    "id": GUID,
    "name": str,
    "ordinal": int,
    "description": str,
    "theme": str,
    "win": REWARD,
    "participate": REWARD,
    "opens": (int, None),
    "closes": (int, None),
    "types": ([CONTENT_TYPES], None),
    "judging": {"admins", "votes"},
    "state": {"upcoming", "open", "judging", "closed"},
    "entries": int,
    "winners": [GUID],
}
ACHIEVEMENT = {
    "key": str,
    "name": str,
    "description": str,
    "earned": instant,
    "challenge": GUID,
}
EMBLEM = {
    "id": GUID,
    "name": str,
    "description": str,
    "image": str,
    "color": re.compile("#[0-9a-fA-F]{6}"),
    "earned": instant,
    "challenge": GUID,
}
FILE = {
    "sha256": re.compile("[0-9a-f]{64}"),
    "path": re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}(\.png|\.jpg|\.webp)?"),
    "upload": (
        None,
        {
            "method": {"PUT"},
            "url": re.compile(r"https?://\S+"),
            "headers": lambda headers: (
                type(headers) is dict and all(type(value) is str for value in headers.values())
            ),
            "expires": instant,
        },
    ),
}
STORAGE = {
    "files": {"local", "s3"},
    "mediaUrl": re.compile(r"https?://\S+"),
    "mediaTypes": [str],
    "imageWidths": [int],
    "limits": {
        **{"fileBytes": int, "imageBytes": int, "userBytes": int},
        **{"imageSide": int, "imagePixels": int},
    },
}
USER_STORAGE = {"used": int, "limit": int, "pending": int}
CONTENT_FILE = {
    "path": re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}"),
    "use": {"entity", "package"},
    "sha256": re.compile("[0-9a-f]{64}"),
    "size": int,
    "mediaType": {"application/octet-stream"},
    "url": (str, None),
    "expires": (full_hour, None),
    "platform": ({"win64", "osx64", "linux64"}, None),
    "name": (str, None),
}
LABEL = {"en": str, "de": str}
NAMED = {"name": str, "label": LABEL}
SERVICE = {
    "name": str,
    "platforms": [NAMED],
    "types": [NAMED],
    "tagGroups": [
        {
            "key": str,
            "label": LABEL,
            "tags": [NAMED],
            "types": ([str], None),
            "most": (int, None),
            "staff": bool,
        }
    ],
    "freeTags": bool,
    "guests": bool,
    "guestsMay": [str],
    "registration": bool,
    "issuers": [{"issuer": str, "name": str, "clientId": str}],
    "markup": {"markdown", "none"},
    "links": [{"label": LABEL, "url": str}],
    "mail": bool,
    "unsendMinutes": int,
}
CONNECTION = {"socketUrl": re.compile(r"wss?://[^/?#]+/socket"), "accessToken": str}
TOKENS = {
    "access_token": str,
    "token_type": {"Bearer"},
    "expires_in": int,
    "refresh_token": str,
    "userId": GUID,
}
HELLO = {
    "type": {"hello"},
    "seq": int,
    "id": (GUID, None),
    "unread": int,
    "heartbeat": (int, float),
}
PUSHED = {"type": {"notification"}, "seq": int, "notification": (*NOTIFICATION, DELETED)}
NOTIFYING = {
    "id": GUID,
    "topic": str,
    "created": instant,
    "by": GUID,
    "state": {"telling", "done", "stopped"},
    "told": int,
    "muted": int,
    "failed": int,
}
LIBRARY = {"revision": (GUID, None), "state": {"active", "unavailable", "gone"}}
SUBSCRIPTION = LIBRARY | {
    "id": GUID,
    "content": (CONTENT_INFO, None),
    "since": instant,
    "pin": (GUID, None),
}
ANNOUNCED = {"type": {"announcements"}, "within": int}
STATE = {"type": {"state"}, "seq": int, "unread": int}
SOCKET_ERROR = {"type": {"error"}, "code": str, "detail": str}
LOG_CHANGED = {
    "type": {"error"},
    "code": {"log_changed"},
    "detail": str,
    "seq": int,
    "id": (GUID, None),
}
GOODBYE = {"type": {"goodbye"}, "reason": str, "retryAfter": (int, float)}


def mismatch(value: Any, shape: Any, at: str = "") -> str | None:
    """Where and how `value` differs from `shape`; None if it does not."""
    if isinstance(shape, dict):
        return _mismatch_members(value, shape, at)
    if isinstance(shape, list):
        if type(value) is not list:
            return f"{at or '/'}: {value!r} is no array"
        found = (mismatch(item, shape[0], f"{at}/{n}") for n, item in enumerate(value))
        return next((problem for problem in found if problem), None)
    if isinstance(shape, tuple):
        problems = [mismatch(value, one, at) for one in shape]
        return None if None in problems else " and ".join(map(str, problems))
    if _fits(value, shape):
        return None
    return f"{at or '/'}: {value!r} is not {getattr(shape, '__name__', shape)}"


def _fits(value: Any, shape: Any) -> bool:
    if shape is None:
        return value is None
    if isinstance(shape, type):
        return type(value) is shape
    if isinstance(shape, re.Pattern):
        return type(value) is str and shape.fullmatch(value) is not None
    if isinstance(shape, set):
        return type(value) is str and value in shape
    return bool(shape(value))


def _mismatch_members(value: Any, shape: dict[str, Any], at: str) -> str | None:
    if type(value) is not dict:
        return f"{at or '/'}: {value!r} is no object"
    members = {name.removesuffix("?"): inner for name, inner in shape.items()}
    missing = {name for name in shape if not name.endswith("?")} - set(value)
    if missing or set(value) - set(members):
        extra = sorted(set(value) - set(members))
        return f"{at or '/'}: missing {sorted(missing)}, unexpected {extra}{_place(shape)}"
    found = (mismatch(value[name], members[name], f"{at}/{name}") for name in value)
    return next((problem for problem in found if problem), None)


def _place(shape: dict[str, Any]) -> str:
    """Where to say so, if the specification does."""
    names = [name for name, one in globals().items() if one is shape]
    return f" (the shape {names[0]} of tests/spec/shapes.py)" if names else ""


_DECISION = {
    "id": GUID,
    "action": {
        *("suspend", "remove", "lock_comments", "clear_profile", "warn", "ban", "restrict"),
        "block_file",
    },
    "subject": DECIDED,
    "user": (GUID, None),
    "what": ([{"publish", "comment", "message", "rate", "report"}], None),
    "ground": {
        "basis": {"terms", "illegal"},
        "reference": str,
        "explanation": str,
        "category": (str, None),
        "source": {"own", "report", "trusted", "order"},
        "notice": (GUID, None),
        "automated": {"no", "detected", "decided"},
    },
    "created": instant,
    "until": (int, None),
    "facts": (dict, None),
    "replaced": (GUID, None),
    "territory": {"everywhere"},
    "appeals": [{"id": GUID, "state": {"open", "confirmed", "reversed"}}],
}
DECISION = _DECISION | {
    "by": GUID,
    "reversed": ({"by": GUID, "reason": str, "created": instant}, None),
}
USER_DECISION = _DECISION | {
    "reversed": ({"reason": str, "created": instant}, None),
    "appealUntil": instant,
    "redress": str,
}
APPEAL = {
    "id": GUID,
    "from": {"author", "reporter", "notifier"},
    "decision": (GUID, None),
    "subject": {
        "kind": {"content", "comment", "user", "collection", "file", "message"},
        "id": str,
        "content?": GUID,
        "user?": GUID,
    },
    "user": (USER_INFO, None),
    "notice": (GUID, None),
    "text": str,
    "created": instant,
    "state": {"open", "confirmed", "reversed"},
    "answer": ({"by": GUID, "reason": str, "created": instant}, None),
}
