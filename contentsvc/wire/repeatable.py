"""Which operations a client may send again if no answer came: a second time has no second effect.

/openapi.json says so as `x-repeatable`, and the Python client goes by the same tables.
"""

from typing import Final

POSTS: Final = frozenset(
    {
        "acceptPartyInvite",
        "announceFiles",
        "appealDecision",
        "appealNotice",
        "appealReport",
        "checkUpload",
        "clearUser",
        "closeChallenge",
        "connectSession",
        "createComment",
        "createDecision",
        "createPortalCode",
        "declinePartyInvite",
        "linkIdentity",
        "markNotificationsRead",
        "publishRevision",
        "reportCollection",
        "reportComment",
        "reportContent",
        "reportPlay",
        "reportUser",
        "restoreContent",
        "reverseDecision",
        "revokeToken",
        "sendMessage",
        "sendPartyInvite",
        "sendStudioNotification",
        "warnUser",
    }
)
"""The POSTs that may be sent again."""
ONCE: Final = {
    "changeEmail": "each request sends a mail",
    "changePassword": "a second one would find another password",
    "deleteUser": "a second one would find no account",
    "resetPassword": "the token is good once",
}
"""The operations of other methods that must not be sent again, and why."""
KEYS: Final = {
    "createComment": "writeId",
    "createDecision": "id",
    "putProgress": "writeId",
    "putProgressByKey": "writeId",
    "sendMessage": "id",
    "sendStudioNotification": "id",
    "warnUser": "id",
}
"""The member of each body by which the service recognizes a repeat: a GUID that the client makes.
Without it the request is not repeatable, or is refused."""


def is_repeatable(operation: str, method: str) -> bool:
    """Whether the operation of this id and method may be sent again."""
    return operation in POSTS if method == "POST" else operation not in ONCE
