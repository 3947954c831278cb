"""Every operation by its id: who gets past, and what an id that nothing has is answered with.

It is written by hand, from the specification: a table that is made of the service's own could not
show that one to be wrong. Method and path are from /openapi.json.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple


class Who(NamedTuple):
    """For whom an operation is: the callers who get past and those who do not, "" without a token.
    `by_row`: only a row of the database tells, after the body is read."""

    allowed: tuple[str, ...]
    refused: tuple[str, ...] = ()
    by_row: bool = False


ANYONE = Who(("", "stranger", "admin"))
SIGNED_IN = Who(("stranger", "admin"), ("",))
SELF = Who(("owner",), ("", "stranger", "curator", "moderator", "admin"))
SELF_OR_MODERATE = Who(("owner", "moderator", "admin"), ("", "stranger", "curator"))
CURATE = Who(("curator", "moderator", "admin"), ("", "stranger", "owner"))
MODERATE = Who(("moderator", "admin"), ("", "stranger", "owner", "curator"))
ADMIN = Who(("admin",), ("", "stranger", "owner", "curator", "moderator"))
AUTHOR = SELF._replace(by_row=True)
AUTHOR_OR_CURATE = Who(("owner", "curator", "moderator", "admin"), ("", "stranger"), True)
AUTHOR_OR_MODERATE = SELF_OR_MODERATE._replace(by_row=True)
AUTHOR_OR_ADMIN = Who(("owner", "admin"), ("", "stranger", "curator", "moderator"), True)


class Operation(NamedTuple):
    """`unknown` has the code of the problem for each id of the path that nothing has, "" where that
    is no error. `past` are problems that only come behind all checks: this service sends no mail.
    `guests` is the word of the setting `guests_may` without which guests are refused; "" if they
    need none: each write of users that needs no permission says so.
    """

    id: str
    who: Who
    unknown: Mapping[str, str] = {}
    past: tuple[str, ...] = ()
    guests: str | None = None


USER = {"userId": "user_not_found"}
OTHER = {"otherId": "user_not_found"}
FRIEND = {"friendUserId": "user_not_found"}
CONTENT = {"contentId": "content_not_found"}
REVISION = CONTENT | {"revisionId": "revision_not_found"}
COMMENT = {"contentId": "comment_not_found", "commentId": "comment_not_found"}
CHALLENGE = {"challengeId": "challenge_not_found"}
ACCOUNT = {"accountId": "service_account_not_found"}
COLLECTION = {"collectionId": "collection_not_found"}
HELD = {"kind": "hold_not_found", "id": "hold_not_found"}
REPORTED = {"kind": "report_not_found", "id": "report_not_found"}

ACCOUNTS = (
    Operation("listUsers", ANYONE),
    Operation("registerUser", ANYONE, guests=""),
    Operation("verifyEmail", ANYONE, {}, ("invalid_token",), guests=""),
    Operation("requestPasswordReset", ANYONE, {}, ("mail_unavailable",), guests=""),
    Operation("resetPassword", ANYONE, {}, ("invalid_token",), guests=""),
    Operation("searchUsers", ANYONE),
    Operation("deleteUser", SELF),
    Operation("getMe", SIGNED_IN),
    Operation("listIssuers", ANYONE),
    Operation("getService", ANYONE),
    Operation("getLegal", ANYONE),
    Operation("listServiceAccounts", ADMIN),
    Operation("getServiceAccount", ADMIN, ACCOUNT),
    Operation("putServiceAccount", ADMIN, {"accountId": ""}),
    Operation("deleteServiceAccount", ADMIN, {"accountId": ""}),
    Operation("createServiceSecret", ADMIN, ACCOUNT),
    Operation("deleteServiceSecret", ADMIN, {"accountId": "", "secretId": ""}),
    Operation("getUser", SELF),
    Operation("updateUser", SELF_OR_MODERATE, USER, guests="publish"),
    Operation("setUsername", SELF_OR_MODERATE, USER, guests=""),
    Operation("acceptTerms", SELF, {}, ("unknown_version",), guests=""),
    Operation("putAccount", SELF, {}, ("not_a_guest",), guests=""),
    Operation("changeEmail", SELF, {}, ("mail_unavailable",), guests=""),
    Operation("requestEmailVerification", SELF, {}, ("mail_unavailable",), guests=""),
    Operation("exportUser", SELF),
    Operation("listIdentities", SELF),
    Operation("linkIdentity", SELF, {}, ("invalid_subject_token",), guests=""),
    Operation("unlinkIdentity", SELF, {"identityId": ""}),
    Operation("getUserInfo", ANYONE, USER),
    Operation("changePassword", SELF, guests=""),
    Operation("endOtherSessions", SELF),
    Operation("listSessions", SELF),
    Operation("endSession", SELF, {"sessionId": "session_not_found"}),
    Operation("connectSession", SIGNED_IN, guests=""),
    Operation("createPortalCode", SELF, guests=""),
    Operation("revokeToken", ANYONE),
    Operation("createToken", ANYONE),
    Operation("checkLiveness", ANYONE),
    Operation("checkReadiness", ANYONE),
)
CONTENTS = (
    Operation("listContent", ANYONE),
    Operation("getSuggestion", ANYONE),
    Operation("listTags", ANYONE),
    Operation("checkUpload", SIGNED_IN, guests="publish"),
    Operation("deleteContent", AUTHOR, CONTENT),
    Operation("getContent", ANYONE, CONTENT),
    Operation("putContent", AUTHOR_OR_ADMIN, guests="publish"),
    Operation("listComments", ANYONE, CONTENT),
    Operation("createComment", SIGNED_IN, CONTENT, guests="comment"),
    Operation("setCommentsLocked", AUTHOR_OR_MODERATE, CONTENT, guests="publish"),
    Operation("deleteComment", AUTHOR_OR_MODERATE, COMMENT),
    Operation("getComment", ANYONE, COMMENT),
    Operation("updateComment", AUTHOR, COMMENT, guests="comment"),
    Operation("listDependents", ANYONE, CONTENT),
    Operation("setContentFeatured", CURATE, CONTENT),
    Operation("setStaffTags", CURATE, CONTENT),
    Operation("restoreContent", AUTHOR_OR_ADMIN, CONTENT, guests="publish"),
    Operation("listContentRevisions", ANYONE, CONTENT),
    Operation("publishRevision", AUTHOR_OR_ADMIN, CONTENT, guests="publish"),
    Operation("setCurrentRevision", AUTHOR_OR_ADMIN, CONTENT, guests="publish"),
    Operation("getRevision", ANYONE, REVISION),
    Operation("deleteRevision", AUTHOR, REVISION),
    Operation("setContentStatus", MODERATE, CONTENT),
    Operation("setContentVisibility", AUTHOR_OR_ADMIN, CONTENT, guests="publish"),
    Operation("setContentName", AUTHOR_OR_ADMIN, CONTENT, guests="publish"),
    Operation("listContentNames", AUTHOR_OR_MODERATE, CONTENT),
    Operation("addTester", AUTHOR, CONTENT | OTHER, guests="publish"),
    Operation("removeTester", AUTHOR, CONTENT | {"otherId": ""}),
    Operation("listTesters", AUTHOR, CONTENT),
    Operation("putMember", AUTHOR, CONTENT | OTHER, guests="publish"),
    Operation("removeMember", AUTHOR, CONTENT | {"otherId": ""}),
    Operation("listMembers", ANYONE, CONTENT),
    Operation("listMemberships", SELF),
    Operation("listUserContent", ANYONE, USER),
    Operation("listDeletedContent", SELF_OR_MODERATE, USER),
    Operation("putRequires", AUTHOR_OR_ADMIN, REVISION, guests="publish"),
    Operation("putRating", SELF, CONTENT, guests="rate"),
    Operation("deleteRating", SELF, CONTENT),
    Operation("getRatings", SELF),
    Operation("putSubscription", SELF, CONTENT, guests=""),
    Operation("deleteSubscription", SELF, {"contentId": ""}),
    Operation("getSubscription", SELF, {"contentId": "not_subscribed"}),
    Operation("listSubscriptions", SELF),
    Operation("getLibrary", SELF),
    Operation("listContentStatistics", AUTHOR_OR_ADMIN, CONTENT),
    Operation("reportPlay", SELF, guests=""),
    Operation("listCollections", ANYONE, USER),
    Operation("putCollection", SELF, {"collectionId": ""}, guests=""),
    Operation("deleteCollection", SELF_OR_MODERATE, USER | {"collectionId": ""}),
    Operation("getCollection", ANYONE, COLLECTION),
    Operation("listCollectionItems", ANYONE, COLLECTION),
    Operation("putCollectionItem", SELF, COLLECTION | CONTENT, guests=""),
    Operation("deleteCollectionItem", SELF, {"collectionId": "", "contentId": ""}),
)
FILES = (
    Operation("listContentFiles", ANYONE, CONTENT),
    Operation("listRevisionFiles", ANYONE, REVISION),
    Operation("blockFile", MODERATE, {"sha256": ""}),
    Operation("unblockFile", MODERATE, {"sha256": ""}),
    Operation("getStorage", ANYONE),
    Operation("announceFiles", SIGNED_IN, guests="publish"),
    Operation("getUserStorage", SELF),
)
SOCIAL = (
    Operation("listBlockedUsers", SELF),
    Operation("unblockUser", SELF, OTHER),
    Operation("blockUser", SELF, OTHER, guests=""),
    Operation("listFollowers", SELF),
    Operation("listFollowing", SELF),
    Operation("unfollowUser", SELF, OTHER),
    Operation("followUser", SELF, OTHER, guests="follow"),
    Operation("listFriendRequests", SELF),
    Operation("sendPartyInvite", SELF, FRIEND, guests="message"),
    Operation("acceptPartyInvite", SELF, FRIEND, guests="message"),
    Operation("declinePartyInvite", SELF, FRIEND, guests="message"),
    Operation("removeFriend", SELF, OTHER),
    Operation("addFriend", SELF, OTHER, guests="message"),
    Operation("listMessages", SELF, OTHER),
    Operation("sendMessage", SELF, OTHER, guests="message"),
    Operation("getMessage", SELF, OTHER | {"messageId": "message_not_found"}),
    Operation("unsendMessage", SELF, OTHER | {"messageId": ""}),
    Operation("listFriends", SELF),
    Operation("listConversations", SELF),
    Operation("listPartyInvites", SELF),
)
NOTIFICATIONS = (
    Operation("listAnnouncements", ANYONE),
    Operation("getAnnouncement", ANYONE, {"announcementId": "announcement_not_found"}),
    Operation("putAnnouncement", CURATE, {"announcementId": ""}),
    Operation("deleteAnnouncement", CURATE, {"announcementId": ""}),
    Operation("listStudioNotifications", ADMIN),
    Operation("sendStudioNotification", ADMIN, {}, ("unknown_user",)),
    Operation("stopStudioNotification", ADMIN, {"notificationId": ""}),
    Operation("getStudioNotification", ADMIN, {"notificationId": "notification_not_found"}),
    Operation("sendDebugNotification", SIGNED_IN, guests=""),
    Operation("clearNotifications", SELF),
    Operation("listNotifications", SELF),
    Operation("markNotificationsRead", SELF, guests=""),
    Operation("getNotificationSettings", SELF),
    Operation("setNotificationSettings", SELF, guests=""),
    Operation("getNotificationState", SELF),
    Operation("deleteNotification", SELF, {"notificationId": ""}),
    Operation("updateNotification", SELF, {"notificationId": "notification_not_found"}, guests=""),
)
PROGRESS = (
    Operation("listProgress", SELF),
    Operation("deleteProgress", SELF, {"key": ""}),
    Operation("getProgress", SELF, {"key": "progress_not_found"}),
    Operation("putProgress", SELF, {"key": ""}, guests=""),
    Operation("putProgressByKey", SELF, guests=""),
    Operation("deleteProgressByKey", SELF),
)
CHALLENGES = (
    Operation("listChallenges", ANYONE),
    Operation("createChallenge", CURATE),
    Operation("deleteChallenge", CURATE, CHALLENGE),
    Operation("getChallenge", ANYONE, CHALLENGE),
    Operation("replaceChallenge", CURATE, CHALLENGE),
    Operation("closeChallenge", CURATE, CHALLENGE),
    Operation("listChallengeEntries", ANYONE, CHALLENGE),
    Operation("leaveChallenge", AUTHOR_OR_CURATE, CHALLENGE | CONTENT),
    Operation("enterChallenge", AUTHOR, CHALLENGE | CONTENT, guests="publish"),
    Operation("listAchievements", ANYONE, USER),
    Operation("listEmblems", ANYONE, USER),
    Operation("revokeRewards", CURATE, USER | {"challengeId": ""}),
)
MODERATION = (
    Operation("reportContent", SIGNED_IN, CONTENT, guests=""),
    Operation("reportComment", SIGNED_IN, COMMENT, guests=""),
    Operation("reportUser", SIGNED_IN, USER, guests=""),
    Operation("reportCollection", SIGNED_IN, COLLECTION, guests=""),
    Operation("listModerationActions", MODERATE),
    Operation("listReportedSubjects", MODERATE),
    Operation("createNotice", ANYONE, {}, ("unknown_subject",), guests=""),
    Operation("getNotice", MODERATE, {"noticeId": "notice_not_found"}),
    Operation("listReports", MODERATE, REPORTED),
    Operation("resolveReports", MODERATE, REPORTED),
    Operation("unbanUser", MODERATE, USER),
    Operation("getBan", MODERATE, USER),
    Operation("listEvents", ADMIN),
    Operation("listWebhooks", ADMIN),
    Operation("putWebhook", ADMIN, {"webhookId": ""}),
    Operation("deleteWebhook", ADMIN, {"webhookId": ""}),
    Operation("getWebhook", ADMIN, {"webhookId": "webhook_not_found"}),
    Operation("createWebhookSecret", ADMIN, {"webhookId": "webhook_not_found"}),
    Operation("sendWebhookTest", ADMIN, {"webhookId": "webhook_not_found"}),
    Operation("listModeratedUsers", MODERATE),
    Operation("getModeratedUser", MODERATE, USER),
    Operation("listUserComments", MODERATE, USER),
    Operation("setUserEmail", ADMIN, USER),
    Operation("getUserClearance", MODERATE, USER),
    Operation("clearUser", MODERATE, USER),
    Operation("listStaff", MODERATE),
    Operation("listIdentityOwners", ADMIN),
    Operation("setUserRole", ADMIN, USER),
    Operation("banUser", MODERATE, USER),
    Operation("createDecision", MODERATE),
    Operation("listDecisions", MODERATE),
    Operation("getDecision", MODERATE, {"decisionId": "decision_not_found"}),
    Operation("reverseDecision", MODERATE, {"decisionId": "decision_not_found"}),
    Operation("listUserDecisions", SELF_OR_MODERATE, USER),
    Operation("getUserDecision", SELF_OR_MODERATE, USER | {"decisionId": "decision_not_found"}),
    Operation(
        "appealDecision", SELF, {"decisionId": "decision_not_found"}, ("not_appealable",), guests=""
    ),
    Operation("appealReport", SELF, REPORTED, ("not_appealable", "report_not_found"), guests=""),
    Operation("appealNotice", ANYONE, {"noticeId": ""}, ("unauthorized",), guests=""),
    Operation("listAppeals", MODERATE),
    Operation("decideAppeal", MODERATE, {"appealId": "appeal_not_found"}),
    Operation("warnUser", MODERATE, USER),
    Operation("listHolds", ADMIN),
    Operation("putHold", ADMIN, {"kind": "hold_not_found", "id": "content_not_found"}),
    Operation("deleteHold", ADMIN, {"kind": "hold_not_found", "id": ""}),
    Operation("getHold", ADMIN, HELD),
    Operation("getHoldCopy", ADMIN, HELD),
    Operation("putEscalation", ADMIN, HELD | {"escalationId": ""}),
    Operation("listStatistics", ADMIN),
)
OPERATIONS = (
    *(*ACCOUNTS, *CONTENTS, *FILES, *SOCIAL),
    *(*NOTIFICATIONS, *PROGRESS, *CHALLENGES, *MODERATION),
)
SCOPES = ("curate", "moderate", "events", "notify", "users.read", "progress", "plays")
_BY_RULE = {
    **dict.fromkeys((CURATE, AUTHOR_OR_CURATE), ("curate",)),
    **dict.fromkeys((MODERATE, SELF_OR_MODERATE, AUTHOR_OR_MODERATE), ("moderate",)),
    ANYONE: SCOPES,
}
_BY_ID = {
    "getMe": SCOPES,
    **dict.fromkeys(("listEvents", "listStatistics"), ("events",)),
    **dict.fromkeys(("listStudioNotifications", "getStudioNotification"), ("notify",)),
    **dict.fromkeys(("sendStudioNotification", "stopStudioNotification"), ("notify",)),
    "listIdentityOwners": ("users.read",),
    **dict.fromkeys(
        ("listModeratedUsers", "getModeratedUser", "listUserComments"), ("moderate", "users.read")
    ),
    "reportPlay": ("plays",),
    "decideAppeal": (),
    **{operation.id: ("progress",) for operation in PROGRESS},
}


def scopes_of(operation: Operation) -> tuple[str, ...]:
    """The scopes of service accounts that open an operation, each alone."""
    return _BY_ID.get(operation.id, _BY_RULE.get(operation.who, ()))


OAUTH = {"createToken", "revokeToken"}
"""These answer errors as RFC 6749 has it, and take no access token."""
NEVER_SAME = {"exportUser", "getHoldCopy"}
"""Each answer of these has another ETag: to compare two costs as much as reading them."""


def each(*operations: Operation, of: str = "check") -> Callable[[type[Any]], type[Any]]:
    """A class decorator: a test for each operation, named after it, which is the method `of`."""

    def decorate(case: type[Any]) -> type[Any]:
        for operation in operations:
            test = _test(getattr(case, of), operation)
            test.__name__ = f"test_{operation.id}"
            assert not hasattr(case, test.__name__), operation
            setattr(case, test.__name__, test)
        return case

    return decorate


def _test(
    check: Callable[[Any, Operation], Coroutine[Any, Any, None]], operation: Operation
) -> Callable[[Any], Coroutine[Any, Any, None]]:
    async def test(self: Any) -> None:
        await check(self, operation)

    test.__doc__ = check.__doc__
    return test
