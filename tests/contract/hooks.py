"""For schemathesis: what no JSON Schema can say of the service's input."""

from __future__ import annotations

import re
from typing import Any

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.transport import Response
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree

UNSAID = {
    "after": "what it names must be in the list",
    "status": "it is looked at only for admins",
    "sort": "relevance is of the words in q",
    "/accountId": "it must be the user in the path",
    "/contentId": "it must be the content in the path",
    "/closes": "it must be after /opens",
    "/files": "an image has a media type, and a digest has one size",
    "/packagesOriginating": "a package has a path for at least one platform",
    "/value": "no string within it has NUL",
}
"""Parameters and members that are 400 for what else is there, and why."""
EITHER = "PUT /api/v1/content/{contentId}"
"""Takes one body where the content is there, and another where it is not. Of a create that is
repeated, it looks at the `revisionId` only."""
TOKENS = {"PUT /api/v1/user/password-reset", "PUT /api/v1/user/email/verification"}
"""Take tokens that were mailed."""
SIGNED = {"invalid_subject_token"}
"""Refusals of texts that others must have signed."""
STAYS = {
    "/api/v1/content/{contentId}/revisions/{revisionId}",
    "/api/v1/user/{userId}/notifications/settings",
    "/api/v1/user/{userId}/notifications/state",
}
"""Of a revision, its files are deleted. With notifications, neither settings nor state are."""


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
def filter_failure(
    context: schemathesis.HookContext,
    failure: Failure,
    case: schemathesis.Case,
    response: Response,
) -> bool:
    """Whether a failure is one."""
    if isinstance(failure, UseAfterFree):
        return case.operation.path not in STAYS
    if isinstance(failure, AcceptedNegativeData) and case.operation.label == EITHER:
        return not (isinstance(case.body, dict) and "revisionId" in case.body)
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    if case.operation.label == EITHER or (
        case.operation.label in TOKENS and response.json().get("code") == "invalid_token"
    ):
        return False
    if response.json().get("code") in SIGNED:
        return False
    errors = response.json().get("errors", [])
    places = (error.get("parameter", error.get("pointer")) for error in errors)
    names = {re.sub("(?<=.)/.*", "", place) for place in places}
    return not names or not names <= UNSAID.keys()
