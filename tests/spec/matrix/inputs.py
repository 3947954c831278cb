"""What the bodies and queries of the operations may have, written by hand: a kind for each member,
with its limits, and for each parameter what fits and what does not."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.spec.data import guid
from tests.spec.matrix.kinds import (
    Attributes,
    Audience,
    Boolean,
    Form,
    Integer,
    Items,
    Kind,
    Mapped,
    Members,
    OneOf,
    OrNull,
    Reached,
    Text,
)

SAFE = 2**53
BAD_PATHS = ("/a", "a/", "a//b", "./a", "a/../b", "a\\b", "a\tb")
KINDS = (
    *("FriendRequest", "FriendConfirm", "FriendMessage", "NewFollower", "Debug", "PartyInvite"),
    *("PartyInviteAccept", "PartyInviteDecline", "ContentSuspended", "ContentRestored"),
    *("ContentPublished", "RevisionPublished", "DependencyStatus", "ChallengeWon"),
    *("TesterInvited", "MemberInvited"),
    *("ChallengeParticipated", "CommentOnContent", "CommentReply", "CommentRemoved"),
    *("AccountWarning", "ReportResolved", "Studio", "SubscriptionUpdated"),
)
MUTED = Form(
    lambda: secrets.choice([*KINDS, f"Studio:{secrets.token_hex(32)}"]),
    ("", "debug", "Deleted", "Studio:", "Studio:A", f"Studio:{'x' * 65}", "Debug:x"),
    upper=False,
)


def _email(length: int) -> str:
    local = secrets.token_hex(length)[: max(length - 2, 0)]
    return local[:60] + "@" + "b" * (length - 1 - len(local[:60]))


BAD_USERNAMES = ("a b", "umläut", "a/b", "at@sign", "line\n")
BAD_GUIDS = ("nobody", "7", "", "0" * 32, "{00000000-0000-0000-0000-000000000000}")
GUID = Form(guid, BAD_GUIDS)
OF_PATH = Form(guid, BAD_GUIDS, upper=False)
"""A GUID that must be that of the path."""
TEXT = Text(0, 65_536, make=lambda length: "x" * length)
LINE, LONG = Text(0, 1024), Text(1, 4096)
REASON = Text(0, 4096)
SCOPES = ("curate", "moderate", "events", "notify", "users.read", "progress", "plays")
NAME = Text(1, 256, (" ", "\u200b", "\u3164 "))
TITLE = Text(1, 1024, (" ", "\u200b"))
PATH = Text(1, 1024, BAD_PATHS)
EMAIL = Text(3, 254, ("abc", "a@", "@", "@b.c", "a b@c", "a@b@c"), _email, 40)
PASSWORD, SENT_PASSWORD = Text(8, 128), Text(0, 128)
FREE = Text()
SECONDS = OrNull(Integer(-SAFE, SAFE))
DIGEST = Form(
    lambda: secrets.token_hex(32), ("", "0" * 63, "0" * 65, "g" * 64, "A" * 64), upper=False
)
BAD_NAMES = (" ", "\u200b", ".", "..", "a/b", "a\\b", "a\nb", "a\x85b", "\u202ea", "a\u2069")
# Short ones: 4,096 packages must fit into a body.
FILE_NAME = OrNull(Text(1, 255, BAD_NAMES, lambda length: "x" * length, 1))
ENTITY = Members({"entityId": GUID, "revisionId": GUID, "path": PATH, "name?": FILE_NAME})
REFERENCE = Members({"entityId": GUID, "revisionId": GUID})
PACKAGE = Members(
    {"id": GUID, "win64?": PATH, "osx64?": PATH, "linux64?": PATH, "name?": FILE_NAME}
)
TYPES = ("game", "asset", "avatar_box", "gameplay_box", "scene_box")
VISIBILITY = OneOf(("public", "unlisted", "friends", "private"))
BAD_VERSIONS = ("", "x", "1.", ".1", "1.2.3.4.5", "-1", "2147483648", "1,2", " 1")
GAME_VERSION = Form(lambda: "1.4.2", BAD_VERSIONS, upper=False)
FEATURE = Form(lambda: secrets.token_hex(16), ("", "A", "a b", "ä", "x" * 33), upper=False)
PLATFORMS = OneOf(("win64", "osx64", "linux64"))
REQUIRES = Members(
    {
        "game?": Members({"min?": GAME_VERSION, "max?": GAME_VERSION}),
        "platforms?": Items(PLATFORMS, 32, 1),
        "features?": Items(FEATURE, 32, 1),
    }
)
PUBLISHED: dict[str, Kind] = {
    "revisionId": GUID,
    "revisionDescription": TEXT,
    "version": FREE,
    "entity": ENTITY,
    "originating": Items(ENTITY, 4096),
    "using": Items(REFERENCE, 4096),
    "packagesOriginating?": Items(PACKAGE, 4096),
    "packagesUsing?": Items(GUID, 4096),
    "requires?": OrNull(REQUIRES),
}
NEW: dict[str, Any] = {"using": [], "packagesUsing": []}
"""Nothing that would have to be there already."""
TAGS = Items(Text(1, 64), 64)
DESCRIBED: dict[str, Kind] = {
    "description": TEXT,
    "screenshotUris": Items(PATH, 64, 1),
    "tags?": TAGS,
    "attributes?": Attributes(),
}
PROFILE = Members({"profile?": TEXT})
ACHIEVEMENT = Members(
    {
        "key": Text(1, 256),
        "name": TITLE,
        "description": TEXT,
        "visibilityStart?": SECONDS,
        "visibilityStop?": SECONDS,
    },
    {"visibilityStart": None, "visibilityStop": None},
)
COLOR = Form(lambda: "#00ffcc", ("", "00ffcc", "#00ffc", "#00ffcg", "#00ffcc0"))
THEN = Form(lambda: "/library", ("", "library", "//a.example", "/\\a.example"))
EMBLEM = Members({"name": TITLE, "description": TEXT, "image": PATH, "color": COLOR})
REWARD = Members({"achievement": ACHIEVEMENT, "emblem": EMBLEM})
CHALLENGE = Members(
    {
        "name": NAME,
        "ordinal": Integer(-(2**31), 2**31 - 1),
        "description": TEXT,
        "theme": LINE,
        "win": REWARD,
        "participate": REWARD,
        "opens?": SECONDS,
        "closes?": SECONDS,
        "types?": OrNull(Items(OneOf(TYPES), 64, 1)),
        "judging?": OneOf(("admins", "votes")),
    },
    {"opens": None, "closes": None, "types": None},
)
_DECISIONS = (
    *("warn", "suspend", "remove", "lock_comments", "clear_profile", "ban", "restrict"),
    "block_file",
)
BLANK = (" ", "\u200b")
TARGET = Members(
    {
        "kind?": OrNull(OneOf(("comment", "content", "file", "message", "user"))),
        "id?": OrNull(Text(1, 64)),
        "content?": OrNull(GUID),
        "user?": OrNull(GUID),
        "url?": OrNull(Text(1, 2048)),
    },
    {"url": None},
)
"""What a notice is about, which nothing is: then none is filed."""
NOTICED = ("child", "illegal", "intimate", "copyright", "trademark", "personal")
REASONS = OneOf(("spam", "abuse", "sexual", "violence", "copyright", "cheating", "other"))
REPORTED = ("content", "comment", "user", "collection", "message")
REPORT: dict[str, Kind] = {"reason": REASONS, "text?": REASON}
PARTY = Members({"party": GUID})
BY_PASSWORD: dict[str, Kind] = {"password": SENT_PASSWORD}
BY_SUBJECT: dict[str, Kind] = {"subject_token": FREE, "subject_token_type": FREE}
BY_PROOF: dict[str, Kind] = {"proof_token": FREE, "proof_token_type": FREE}
FILE = Members(
    {
        "use": OneOf(("entity", "package", "screenshot", "avatar", "emblem")),
        "sha256": DIGEST,
        "size": Integer(1, SAFE),
        "mediaType?": OrNull(Text(0, 256)),
    },
    {"mediaType": None},
)

NOTICE: dict[str, Kind] = {
    "id": GUID,
    "topic": Form(lambda: secrets.token_hex(32), ("", "A", "a b", "a/b", "x" * 65), upper=False),
    "data": Mapped(),
    "expires?": SECONDS,
}

EVENTS = (
    *("UserRegistered", "GuestBecameUser", "UserDeleted", "UserBanned", "BanLifted", "RoleChanged"),
    "UserRenamed",
    *("ContentPublished", "RevisionPublished", "ContentChanged", "ContentStatus"),
    "ContentVisibility",
    *("CommentPosted", "CommentRemoved", "FileStored", "ReportOpened", "ReportResolved"),
    *("NoticeFiled", "DecisionTaken", "DecisionReversed", "AppealOpened"),
    *("ChallengeEntered", "ChallengeClosed", "WebhookDisabled"),
)
BAD_URLS = (
    *("", "hook", "/hook", "//hook.invalid/", "https:", "https://", "https:///hook"),
    *("https://hook.invalid:0/", "https://hook.invalid:65536/", "https://hook.invalid:x/"),
    *("https://hook.invalid:/", "https://ho ok.invalid/", "https://höok.invalid/"),
    *(
        "https://ho%6fk.invalid/",
        "https://hook.invalid\\x/",
        "https://[::1/",
        " https://a.invalid",
    ),
)

USERNAME = Text(3, 32, BAD_USERNAMES, lambda n: secrets.token_hex(n)[:n], 16)

ACCOUNT = {"username": USERNAME, "email": EMAIL, "password": PASSWORD}

BODIES: dict[str, tuple[Members, ...]] = {
    # accounts
    "registerUser": (Members(ACCOUNT | {"terms?": OrNull(Text(1, 64))}, {"terms": None}),),
    "acceptTerms": (Members({"version": Text(1, 64)}),),
    "setUsername": (Members({"username": USERNAME}),),
    "putAccount": (Members(ACCOUNT),),
    "verifyEmail": (Members({"token": FREE}),),
    "requestPasswordReset": (Members({"email": EMAIL}),),
    "resetPassword": (Members({"token": FREE, "new": PASSWORD}),),
    "deleteUser": (Members(BY_PASSWORD), Members(BY_SUBJECT, told_by="subject_token")),
    "updateUser": (
        Members(
            {
                "avatar": OrNull(PATH),
                "emblem": OrNull(GUID),
                "fullProfile": PROFILE,
                "publicProfile": PROFILE,
                "reason?": REASON,
            },
            {"emblem": None},
        ),
    ),
    "changeEmail": (
        Members({"email": EMAIL} | BY_PASSWORD),
        Members(BY_SUBJECT | {"email": EMAIL}, told_by="subject_token"),
    ),
    "linkIdentity": (
        Members(BY_SUBJECT | BY_PASSWORD, told_by="password"),
        Members(BY_SUBJECT | BY_PROOF),
        Members(BY_SUBJECT | {"username?": OrNull(USERNAME)}),
    ),
    "unlinkIdentity": (Members(BY_PASSWORD), Members(BY_PROOF)),
    "changePassword": (Members({"current": SENT_PASSWORD, "new": PASSWORD}),),
    "putServiceAccount": (
        Members(
            {
                "name": Text(1, 64, (" ", "\u200b"), lambda n: secrets.token_hex(n)[:n], 40),
                "scopes": Items(OneOf(SCOPES), 64, 1),
                "expires?": OrNull(Integer(0, 253_402_300_799)),
            },
            {"expires": None},
        ),
    ),
    "connectSession": (Members({"client": OneOf(("game", "portal"))}),),
    "createPortalCode": (Members({"then?": OrNull(THEN)}),),
    # content
    "checkUpload": (
        Members(
            {
                "contentId": GUID,
                "operation": OneOf(("create", "update")),
                "dependencies": Items(
                    Members({"entityId": GUID, "revisionId": GUID, "path?": OrNull(PATH)}), 4096
                ),
                "packages": Items(GUID, 4096),
                "entity?": OrNull(REFERENCE),
                "tags?": OrNull(TAGS),
                "type?": OrNull(OneOf(TYPES)),
            }
        ),
    ),
    "putContent": (
        Members(
            PUBLISHED | {"name": NAME, "type": OneOf(TYPES), "visibility?": VISIBILITY} | DESCRIBED,
            NEW,
        ),
        Members({"revisionId?": OrNull(GUID)} | DESCRIBED),
    ),
    "publishRevision": (Members(PUBLISHED, NEW),),
    "putRequires": (Members({"requires": OrNull(REQUIRES)}),),
    "setCurrentRevision": (Members({"revisionId": GUID}),),
    "createComment": (
        Members(
            {"body": LONG, "parentId?": OrNull(Integer(1, 2**63 - 1)), "writeId?": OrNull(GUID)},
            {"parentId": None},
        ),
    ),
    "updateComment": (Members({"body": LONG}),),
    "setCommentsLocked": (Members({"locked": Boolean(), "reason?": REASON}),),
    "setContentName": (Members({"name": NAME}),),
    "setContentVisibility": (Members({"visibility": VISIBILITY}),),
    "setContentFeatured": (Members({"featured": Boolean()}),),
    "setStaffTags": (Members({"tags": TAGS}),),
    "setContentStatus": (Members({"status": OneOf(("active", "suspended")), "reason?": REASON}),),
    "reportPlay": (
        Members(
            {
                "id": GUID,
                "content": GUID,
                "revision?": OrNull(GUID),
                "seconds?": Integer(0, 86_400),
                "completed?": Boolean(),
            },
            {"revision": None},
        ),
    ),
    "putCollection": (
        Members(
            {"name": Text(1, 128, (" ", "\u200b")), "description?": REASON, "public": Boolean()}
        ),
        Members({"public": Boolean()}),
    ),
    "putCollectionItem": (Members({"before?": OrNull(GUID)}, {"before": None}),),
    "putRating": (
        Members(
            {
                "value": OneOf(("1", "0")),
                "accountId?": OrNull(OF_PATH),
                "contentId?": OrNull(OF_PATH),
            },
            {"accountId": None, "contentId": None},
        ),
    ),
    "putSubscription": (Members({"pin?": OrNull(GUID)}, {"pin": None}),),
    # files
    "blockFile": (Members({"reason": LINE, "preserve?": Boolean()}, {"preserve": False}),),
    "announceFiles": (Members({"files": Items(FILE, 1000, 1)}),),
    # social
    "sendPartyInvite": (PARTY,),
    "acceptPartyInvite": (PARTY,),
    "declinePartyInvite": (PARTY,),
    "sendMessage": (Members({"text": LONG, "id?": OrNull(GUID)}),),
    # notifications
    "sendDebugNotification": (Members({"recipient": GUID, "text": REASON}),),
    "markNotificationsRead": (Members({"upTo": Reached()}),),
    "setNotificationSettings": (Members({"muted": Items(MUTED, 256)}, {"muted": []}),),
    "updateNotification": (Members({"read": Boolean()}),),
    "sendStudioNotification": (
        Members(NOTICE | {"to": Items(GUID, 1000, 1)}, {"expires": None}),
        Members(NOTICE | {"audience": Audience()}, {"expires": None}, told_by="audience"),
    ),
    "putAnnouncement": (
        Members(
            {
                "title": Text(1, 128, (" ", "\u200b")),
                "text": REASON,
                "level": OneOf(("info", "warning")),
                "from?": SECONDS,
                "until?": SECONDS,
            },
            {"from": None, "until": None},
        ),
    ),
    # events
    "putWebhook": (
        Members(
            {
                "url": Form(lambda: "https://hook.invalid/", BAD_URLS, upper=False),
                "kinds": OrNull(Items(OneOf(EVENTS), 64, 1)),
                "enabled": Boolean(),
            }
        ),
    ),
    # progress
    **dict.fromkeys(
        ("putProgress", "putProgressByKey"),
        (
            Members(
                {
                    "value": Mapped(),
                    "version?": OrNull(Integer(0, SAFE)),
                    "writeId?": OrNull(GUID),
                },
                {"version": None},
            ),
        ),
    ),
    # challenges
    "createChallenge": (CHALLENGE,),
    "replaceChallenge": (CHALLENGE,),
    "closeChallenge": (Members({"winners": Items(GUID, 1000)}, {"winners": []}),),
    # moderation
    "reportContent": (Members(REPORT),),
    "reportCollection": (Members(REPORT),),
    "reportComment": (Members(REPORT),),
    "reportUser": (Members(REPORT | {"messages?": Items(GUID, 20)}, {"messages": []}),),
    "resolveReports": (
        Members({"outcome": OneOf(("upheld", "dismissed")), "upTo": GUID, "note?": REASON}),
    ),
    "banUser": (
        Members({"reason": LONG, "until?": OrNull(Integer(0, 253_402_300_799))}, {"until": None}),
    ),
    "warnUser": (Members({"reason": LONG, "id?": OrNull(GUID)}),),
    "createDecision": (
        Members(
            {
                "id": GUID,
                "action": OneOf(_DECISIONS),
                "subject": Members(
                    {
                        "kind": OneOf(("user", "content", "comment", "file", "message")),
                        "id": Form(guid, ("", "x" * 65), upper=False),
                        "content?": OrNull(GUID),
                        "user?": OrNull(GUID),
                    },
                    {"content": None, "user": None},
                ),
                "ground": Members(
                    {
                        "basis": OneOf(("terms", "illegal")),
                        "reference": Text(1, 500),
                        "explanation": LONG,
                        "category?": OrNull(Text(1, 64)),
                        "source": OneOf(("own", "report", "trusted", "order")),
                        "notice?": OrNull(GUID),
                        "automated": OneOf(("no", "detected", "decided")),
                    },
                ),
                "until?": OrNull(Integer(0, 253_402_300_799)),
                "what?": OrNull(
                    Items(OneOf(("publish", "comment", "message", "rate", "report")), 5, 1)
                ),
                "upTo?": OrNull(GUID),
            },
            {"what": None, "until": None, "upTo": None},
        ),
    ),
    "reverseDecision": (Members({"reason": LONG}),),
    **dict.fromkeys(("appealDecision", "appealReport", "appealNotice"), (Members({"text": LONG}),)),
    "decideAppeal": (Members({"outcome": OneOf(("confirmed", "reversed")), "reason": LONG}),),
    "createNotice": (
        Members(
            {
                "subjects": Items(TARGET, 20, 1),
                "reason": OneOf(NOTICED),
                "explanation": Text(1, 4096, BLANK, lambda length: "x" * length),
                "goodFaith": Boolean(usual=True),
                "law?": OrNull(Text(0, 500)),
                "name?": OrNull(Text(1, 200, BLANK)),
                "email?": OrNull(EMAIL),
                "signature?": OrNull(Text(1, 200, BLANK)),
            }
        ),
    ),
    "putHold": (Members({"reason": LONG, "until?": SECONDS}, {"until": None}),),
    "putEscalation": (
        Members(
            {
                "to": Text(1, 256, BLANK),
                "reference": Text(0, 256),
                "at": Integer(0, 253_402_300_799),
                "note?": REASON,
            }
        ),
    ),
    "setUserEmail": (Members({"email": EMAIL, "reason": LONG}),),
    "clearUser": (
        Members(
            {"what": Items(OneOf(("content", "comments", "collections")), 3, 1), "reason": LONG}
        ),
    ),
    "setUserRole": (Members({"role": OneOf(("player", "curator", "moderator", "admin"))}),),
}
"""The forms of each operation's JSON body."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query: values that fit, and values that do not."""

    fits: tuple[str, ...]
    bad: tuple[str, ...]
    required: bool = False


def _number(least: int, most: int) -> Parameter:
    beyond = (str(least - 1), str(most + 1), "1" + "0" * 30)
    return Parameter((str(least), str(most)), (*beyond, "", "x", "1.5", "1e1", "null", " 1"))


def _one_of(*values: str) -> Parameter:
    return Parameter(values, ("", "none of them", values[0].upper(), f"{values[0]},{values[0]}"))


NIL = "00000000-0000-0000-0000-000000000000"
CURSOR = Parameter((), ("", "x", "-", "'", "\0", "1" + "0" * 60))
PAGED = {"limit": _number(1, 200), "after": CURSOR}
BY_PAGE = _number(0, 2**31 - 1)
BAD_LISTS = ("", ",", f"{NIL},", "nobody", ",".join([NIL] * 101))
IDS = Parameter((NIL, f"{NIL},{NIL}", ",".join([NIL] * 100)), BAD_LISTS)
CATEGORY = Parameter(("all", "game", "game,asset"), ("", "games", "game,", "Game", "all,game"))
MANY_TAGS = ",".join(map(str, range(64)))
BAD_SECONDS = ("", "x", "nan", "inf", "Infinity", "null", "true", "1" * 400)
BAD_PLACES = ("", "x", "-1", "1.5", "null", "\u0663", "1" * 65)
BAD_TEXT = ("a\0",)
BAD_KEYS = ("", "x" * 257, *BAD_TEXT)
BAD_DAYS = ("", "today", "2025-02-29", "2025-1-1", "2025-01-01T00:00Z", "0000-01-01", "-2025-01-01")
ONE_GUID = Parameter((NIL,), ("", "nobody", f"{NIL}0"))
PLATFORM = _one_of("win64", "osx64", "linux64")
BY_KEY = Parameter((), ("", "x"))
"""It has keys, which other tests send."""
CLIENT = {
    "game": Parameter(("1", "1.4.2", "01.0.0.2147483647"), BAD_VERSIONS),
    "platform": PLATFORM,
    "features": Parameter(("", "vr", "vr,mods.x"), (",", "vr,", "A", "a b", "x" * 33)),
}
QUERIES: dict[str, dict[str, Parameter]] = {
    **dict.fromkeys(("getContent", "getLibrary", "getSubscription"), CLIENT),
    "listSubscriptions": PAGED | CLIENT,
    "listContent": PAGED
    | CLIENT
    | {
        "q": Parameter(("castle", " x "), ("", " ", *BAD_TEXT)),
        "attr": BY_KEY,
        "category": CATEGORY,
        "tags": Parameter(("a", MANY_TAGS), ("", ",", "a,", f"{MANY_TAGS},x")),
        "author": ONE_GUID,
        "featured": Parameter(("true", "false"), ("", "1", "TRUE", "null", "yes")),
        "ids": IDS,
        "sort": Parameter(("newest", "top", "trending", "updated"), ("", "oldest", "Top")),
        "status": Parameter(("active",), BAD_TEXT),
    },
    "getSuggestion": {
        "q": Parameter(("castle", " x "), ("", " ", "x" * 257, *BAD_TEXT), required=True)
    },
    "listTags": PAGED
    | {
        "q": Parameter(("castle", " x "), ("", " ", "x" * 65, *BAD_TEXT)),
        "group": Parameter(("genre", "x" * 32), ("", "A", "a,b", "x" * 33)),
    },
    "listComments": {
        "size": _number(1, 200),
        "page": BY_PAGE,
        "order": _one_of("oldest", "newest"),
        "parent": Parameter(
            ("none", "1", "9" * 18), ("", "None", "0", "-1", "01", "1.5", NIL, "9" * 19)
        ),
    },
    "deleteComment": {"reason": Parameter(("", "x" * 4096), ("x" * 4097, *BAD_TEXT))},
    "listContentFiles": {"platform": PLATFORM},
    "listRevisionFiles": {"platform": PLATFORM},
    "listCollections": PAGED | {"content": ONE_GUID},
    "listChallengeEntries": PAGED | {"sort": _one_of("newest", "top")},
    "listDecisions": PAGED
    | {
        "user": ONE_GUID,
        "subject": Parameter((NIL, "1", "0" * 64), ("", "x", "0" * 65, f"{NIL}0")),
        "action": _one_of(*_DECISIONS),
        "open": Parameter(("true", "false"), ("", "1", "TRUE", "null", "yes")),
    },
    "listUserDecisions": PAGED,
    "listAppeals": PAGED
    | {
        "state": _one_of("open", "confirmed", "reversed"),
        "from": _one_of("author", "reporter", "notifier"),
    },
    "listHolds": PAGED | {"kind": _one_of("content", "user", "file")},
    "listModerationActions": PAGED
    | {
        "subject": Parameter((NIL, "1", "0" * 64), ("", "x", "0" * 65, f"{NIL}0")),
        "admin": ONE_GUID,
        "action": Parameter(
            ("user_banned", "user_banned,ban_lifted", "all"), ("", "x", "user_banned,", "banned")
        ),
        "kind": _one_of("user", "content", "service_account"),
        "adminKind": _one_of("user", "service", "operator"),
    },
    "listEvents": {
        "after": Parameter(("0",), ("", "-1", "x", "1.5", str(2**63))),
        "kinds": Parameter(("CommentPosted", "UserBanned,BanLifted", "all"), ("", "x")),
        "limit": Parameter(("1", "1000"), ("", "0", "1001", "x")),
        "wait": Parameter(("0", "1"), ("", "-1", "31", "x")),
    },
    "listModeratedUsers": {
        "email": Parameter(("nobody@example.com", "x" * 254), ("", "x" * 255, *BAD_TEXT)),
        "name": Parameter(("nobody", "x" * 32), ("", "x" * 33, *BAD_TEXT)),
    },
    "listIdentityOwners": {
        "issuer": Parameter(("steam", "x" * 512), ("", "x" * 513, *BAD_TEXT), required=True),
        "subject": Parameter(("1", "x" * 255), ("", "x" * 256, *BAD_TEXT), required=True),
    },
    "listContentStatistics": {
        "from": Parameter(("2024-02-28",), (*BAD_DAYS, "2024-03-01"), required=True),
        "to": Parameter(("2024-02-29",), BAD_DAYS, required=True),
    },
    "listStatistics": {
        "from": Parameter((str(datetime.now(UTC).date()),), BAD_DAYS),
        "to": Parameter(("2024-02-29", "0001-01-01", "9999-12-31"), BAD_DAYS),
    },
    "listReportedSubjects": PAGED
    | {
        "kind": _one_of(*REPORTED),
        "reason": _one_of(*REASONS.values),
        "sort": _one_of("reports", "due"),
    },
    "listReports": PAGED | {"user": ONE_GUID},
    "resolveReports": {"user": ONE_GUID},
    "listUsers": {"ids": Parameter(IDS.fits, IDS.bad, required=True)},
    "searchUsers": {
        "q": Parameter(("abc", "x" * 64), ("", "ab", " ab ", "x" * 65, "ab\0c"), required=True),
        "pageSize": _number(10, 200),
        "page": BY_PAGE,
    },
    "listUserContent": PAGED
    | CLIENT
    | {"attr": BY_KEY, "category": CATEGORY, "status": Parameter(("active",), BAD_TEXT)},
    "listNotifications": PAGED
    | {
        "since": Parameter(
            ("0", "-1", "1.5", "1e9"),
            BAD_SECONDS,
        )
    },
    "listAnnouncements": PAGED
    | {"all": Parameter(("true", "false"), ("", "1", "TRUE", "null", "yes"))},
    "listStudioNotifications": PAGED
    | {"data": Parameter(("true", "false"), ("", "1", "TRUE", "null", "yes"))},
    "clearNotifications": {"upTo": Parameter(("0", NIL), BAD_PLACES, required=True)},
    "listFriendRequests": PAGED | {"direction": _one_of("incoming", "outgoing")},
    "listProgress": {
        "prefix": Parameter(("", "x" * 256), ("x" * 257, *BAD_TEXT)),
        "key": Parameter(("a/b", "../b", "x" * 256), BAD_KEYS),
    },
    "putProgressByKey": {
        "key": Parameter(
            ("a/b", "a..b/...", "x" * 256), (*BAD_KEYS, "..", "../b", "a\\..\\b"), required=True
        )
    },
    "deleteProgress": {"version": _number(0, SAFE)},
    "deleteProgressByKey": {
        "version": _number(0, SAFE),
        "key": Parameter(("a/b", "../b", "x" * 256), BAD_KEYS, required=True),
    },
    **dict.fromkeys(
        (
            *(
                "listCollectionItems",
                "listDependents",
                "listContentRevisions",
                "listAchievements",
            ),
            *("listServiceAccounts", "listWebhooks"),
            *("listEmblems", "listBlockedUsers", "listDeletedContent", "listFollowers"),
            *("listFollowing", "listFriends", "listIdentities", "listMessages"),
            *("listTesters", "listMembers", "listMemberships", "listContentNames"),
            *("listConversations", "listPartyInvites", "listUserComments", "listStaff"),
        ),
        PAGED,
    ),
}
"""The parameters of each operation's query."""
