"""Errors on the wire: RFC 9457 problems, and the two fields of RFC 6749 for /oauth."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Headers = Mapping[str, str]


class Problem(Exception):
    """An answer other than success. Families raise subclasses with a code of their own.

    `members` are further members of the problem's JSON object; `headers` go on the answer.
    """

    status: int
    code: str
    detail: str
    extra: Mapping[str, Any] = {}
    """The further members that it may have: their types by their names."""
    oauth: str = "invalid_request"
    """The `error` of RFC 6749 §5.2, if an OAuth endpoint answers it."""
    cause: str | None = None
    """The cause of a 503, as a word for the log. None if `code` says it."""

    def __init__(
        self, detail: str | None = None, *, headers: Headers | None = None, **members: Any
    ) -> None:
        super().__init__(detail or self.detail)
        self.detail = detail or self.detail
        self.headers = dict(headers or {})
        self.members = members

    def to_json(self, request_id: str) -> bytes:
        """The application/problem+json body."""
        return msgspec.json.encode(self.problem(self.detail, request_id, self.members))

    def to_oauth(self) -> bytes:
        """The application/json body of RFC 6749 §5.2."""
        return msgspec.json.encode(self.oauth_error(self.detail, self.members))

    @classmethod
    def problem(cls, detail: str, request_id: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """A body of RFC 9457."""
        return {
            "type": f"urn:contentsvc:problem:{cls.code}",
            "title": HTTPStatus(cls.status).phrase,
            "status": cls.status,
            "detail": detail,
            "code": cls.code,
            "requestId": request_id,
            **members,
        }

    @classmethod
    def oauth_error(cls, detail: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """A body of RFC 6749 §5.2."""
        return {"error": cls.oauth, "error_description": detail, **members}


def named(
    status: int, code: str, detail: str, *, oauth: str = "invalid_request", **extra: Any
) -> type[Problem]:
    """A class of problem: one per cause; `extra` as the class has it."""
    name = code.title().replace("_", "")
    members = {"status": status, "code": code, "detail": detail, "extra": extra, "oauth": oauth}
    return type(name, (Problem,), {**members, "__module__": __name__})


class BodyFault(msgspec.Struct):
    """Where a body is not valid, as a JSON pointer, and why."""

    pointer: Annotated[str, Meta(examples=["/tags/0"])]
    detail: Annotated[str, Meta(examples=["This must be a string. It is an integer."])]


class QueryFault(msgspec.Struct):
    """Which query parameter is not valid, and why."""

    parameter: Annotated[str, Meta(examples=["limit"])]
    detail: Annotated[str, Meta(examples=["This must be an integer. It is a string."])]


MalformedRequest = named(
    400, "malformed_request", "This is not a valid HTTP/1.0 or HTTP/1.1 request."
)
MalformedJson = named(400, "malformed_json", "The body is not valid JSON.")
InvalidBody = named(
    400, "invalid_body", "The body is not valid: see errors.", errors=list[BodyFault]
)
InvalidQuery = named(
    400,
    "invalid_query",
    "A query parameter is not valid: see errors.",
    errors=list[QueryFault],
)
InvalidPath = named(400, "invalid_path", "The path is not valid.", parameter=str)
InvalidHost = named(400, "invalid_host", "The Host header must be a host, with or without a port.")
Unauthorized = named(
    401, "unauthorized", "This operation needs an access token in the Authorization header."
)
BadToken = named(401, "invalid_token", "The token is not valid.")
Forbidden = named(403, "forbidden", "Your account is not allowed to do this.")
InsufficientScope = named(
    403,
    "insufficient_scope",
    "The service account's token has no scope for this. No scope opens it.",
    scope=Annotated[str, Meta(description="a scope that would do; missing if none does")],
)
GuestAccount = named(
    403,
    "guest_account",
    "This is not for guests. They may do it once they have a full account.",
    may=Annotated[
        list[str],
        Meta(
            description="the words of what guests may do here all the same",
            examples=[["rate", "follow"]],
        ),
    ],
)
TermsRequired = named(
    403,
    "terms_required",
    "The account has not accepted the present version of the terms.",
    version=Annotated[str, Meta(description="the present version", examples=["2026-11"])],
    url=Annotated[
        str, Meta(description="where to read it", examples=["https://studio.example/terms"])
    ],
)
AccountRestricted = named(
    403,
    "account_restricted",
    "A moderator has shut you out of this, for a time or until it is taken back.",
    what=Annotated[str, Meta(description="of what", examples=["publish"])],
    until=Annotated[int, Meta(description="until when, in Unix seconds; null: no end")] | None,
    decision=Annotated[str, Meta(description="the id of the decision")],
)
NotFound = named(404, "not_found", "There is nothing at this path.")
MethodNotAllowed = named(
    405,
    "method_not_allowed",
    "This path does not allow this method. The Allow header lists the allowed ones.",
)
RequestTimeout = named(408, "timeout", "The request did not arrive in time.")
PreconditionFailed = named(
    412,
    "precondition_failed",
    "This is not as If-Match or If-Unmodified-Since says: somebody has changed it since you read "
    "it. Nothing was written. Read it again.",
)
PayloadTooLarge = named(
    413,
    "payload_too_large",
    "The body is larger than the limit.",
    limit=Annotated[int, Meta(description="the most bytes of the body")],
)
UriTooLong = named(414, "uri_too_long", "The path and query are longer than 16 KiB.")
UnsupportedMediaType = named(
    415,
    "unsupported_media_type",
    "The body has a Content-Type or Content-Encoding that is not taken.",
)
InvalidHandshake = named(400, "invalid_handshake", "This is not a valid WebSocket handshake.")
TooManyRequests = named(
    429, "too_many_requests", "You have done this too often. Retry-After says when to try again."
)
UpgradeRequired = named(
    426, "upgrade_required", "This path accepts only WebSocket handshakes, of version 13."
)
UnsupportedWebSocketVersion = named(
    426,
    "unsupported_websocket_version",
    "This path accepts only WebSocket handshakes, of version 13.",
)
HeadersTooLarge = named(
    431,
    "headers_too_large",
    "The request line and headers must not exceed 16 KiB, and there may be at most 500 headers.",
)
InternalError = named(
    500, "internal_error", "The service failed. Its log has the reason, under this requestId."
)


class Unavailable(Problem):
    """503. Retry-After is one second, unless `headers` have another."""

    status = 503
    code = "unavailable"
    detail = "The service cannot answer at the moment. Retry-After says when to try again."
    oauth = "temporarily_unavailable"

    def __init__(
        self,
        detail: str | None = None,
        *,
        cause: str,
        headers: Headers | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail, headers={"Retry-After": "1", **(headers or {})}, **members)
        self.cause = cause


class Restoring(Unavailable):
    """503: the database is being restored."""

    code = "restoring"
    detail = "The database is being restored from a back-up. Retry-After says when to try again."

    def __init__(self) -> None:
        super().__init__(cause="restoring", headers={"Retry-After": "5"})


class UnderMaintenance(Unavailable):
    """503: the service is closed for maintenance (docs/guides/maintenance.md)."""

    code = "maintenance"
    detail = "The service is closed for maintenance. Retry-After says when to try again."
    extra = {
        "message": Annotated[str | None, Meta(description="what the operator says to players")],
        "until": Annotated[int, Meta(description="when it ends, in Unix seconds")] | None,
    }

    def __init__(self, retry_after: int, *, message: str | None, until: int | None) -> None:
        headers = {"Retry-After": str(retry_after)}
        super().__init__(cause="maintenance", headers=headers, message=message, until=until)


def bad_token(detail: str) -> Problem:
    """BadToken with the challenge that a client knows it by (RFC 6750 §3)."""
    challenge = 'Bearer realm="contentsvc", error="invalid_token"'
    return BadToken(detail, headers={"WWW-Authenticate": challenge})


def at_pointer(pointer: str, detail: str) -> Problem:
    """InvalidBody about one member, named by a JSON pointer (RFC 6901)."""
    return InvalidBody(errors=[{"pointer": pointer, "detail": detail}])


def at_parameter(parameter: str, detail: str) -> Problem:
    """InvalidQuery about one parameter."""
    return InvalidQuery(errors=[{"parameter": parameter, "detail": detail}])
