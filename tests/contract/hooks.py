"""For schemathesis: what no JSON Schema can say of the service's input."""

from __future__ import annotations

import os
import re
import uuid
from typing import Any

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.transport import Response
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree

UNSAID = {
    "after": "what it names must be in the list",
    "email": "this or a name must be there",
    "status": "it is looked at only for admins",
    "sort": "relevance is of the words in q",
    "/accountId": "it must be the user in the path",
    "/contentId": "it must be the content in the path",
    "/closes": "it must be after /opens",
    "/until": "it must be after /from",
    "from": "it must not be after to",
    "/requires": "the first version of the game must not be above the last one",
    "/attributes": "a whole number has 64 bits, but a double may be larger",
    "/files": "an image has a media type, and a digest has one size",
    "/packagesOriginating": "a package has a path for at least one platform",
    "/audience": "it has one of its members, which is not null",
    "/url": "it is an absolute URL",
    "/value": "no string within it has NUL",
    "/data": "the same",
}
"""Parameters and members that are 400 for what else is there, and why."""
NEEDED = {
    # A subject is a URL, or a kind and an id; some reasons need a name, and a signature.
    "POST /api/v1/notices": {"/goodFaith", "/name", "/email", "/signature", "/subjects"},
    # Each action has its subjects, and members of its own.
    "POST /api/v1/moderation/decisions": {"/subject", "/ground", "/until", "/what", "/upTo"},
}
"""Members of an operation's body that depend on others of it."""
PUBLISH = "PUT /api/v1/content/{contentId}"
"""Of a create that is repeated, it looks at the `revisionId` only."""
LEAVE = "DELETE /api/v1/user/{userId}"
EITHER = {PUBLISH, LEAVE, "PUT /api/v1/user/{userId}/collections/{collectionId}"}
"""Take one body or another by what the path names: a content that is there or is not, the
favourites or another collection; none of a guest, who leaves."""
UP_TO = "POST /api/v1/user/{userId}/notifications/read"
"""Takes numbers that no generated client can send: whatever is above the newest means all."""
TOKENS = {"PUT /api/v1/user/password-reset", "PUT /api/v1/user/email/verification"}
"""Take tokens that were mailed."""
SIGNED = {"invalid_subject_token"}
"""Refusals of texts that others must have signed."""
KEPT = {"cursor_expired"}
"""Refusals of numbers by what is kept at the time."""
STAYS = {
    "/api/v1/notifications/{notificationId}",
    "/api/v1/content/{contentId}/revisions/{revisionId}",
    "/api/v1/user/{userId}/notifications/settings",
    "/api/v1/user/{userId}/notifications/state",
}
"""What the studio tells is stopped. Of a revision, its files are deleted. With notifications,
neither settings nor state are."""

ROLE = "PUT /api/v1/user/{userId}/role"
CALLER = os.environ["FUZZ_CALLER"]
"""Whose token it is."""


def whole(value: Any) -> Any:
    """The value with its integers written as such: to a JSON Schema 1.0 is one too."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {name: whole(each) for name, each in value.items()}
    return value


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """Each body that is generated, before it is sent."""
    return whole(body)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: Any) -> None:
    """Each case, before it is sent: whoever gets another role is logged out, and nothing more would
    be found. Nor would it if each write were 412 for an ETag that was made up."""
    for name in ("If-Match", "If-Unmodified-Since"):
        (case.headers or {}).pop(name, None)
    if case.operation.label == ROLE and case.path_parameters.get("userId") == CALLER:
        case.path_parameters["userId"] = str(uuid.uuid4())


def accepts(case: schemathesis.Case) -> bool:
    """Whether this body is good, although it is not as the schema has it."""
    body = case.body if isinstance(case.body, dict) else {}
    if case.operation.label == PUBLISH:
        return "revisionId" in body
    up_to = body.get("upTo")
    return case.operation.label == UP_TO and isinstance(up_to, int) and up_to >= 2**63


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext,
    failure: Failure,
    case: schemathesis.Case,
    response: Response,
) -> bool:
    """Whether a failure is one."""
    if isinstance(failure, UseAfterFree):
        return case.operation.path not in STAYS
    if isinstance(failure, AcceptedNegativeData):
        # Names in the query that an operation does not know are left unread.
        unread = "in query - violates `additionalProperties`" in failure.message
        return not unread and not accepts(case)
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    if case.operation.label in EITHER or (
        case.operation.label in TOKENS and response.json().get("code") == "invalid_token"
    ):
        return False
    if response.json().get("code") in SIGNED | KEPT:
        return False
    errors = response.json().get("errors", [])
    places = (error.get("parameter", error.get("pointer")) for error in errors)
    names = {re.sub("(?<=.)/.*", "", place) for place in places}
    known = UNSAID.keys() | NEEDED.get(case.operation.label, set())
    return not names or not names <= known
