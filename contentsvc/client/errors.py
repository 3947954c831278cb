"""What can go wrong between a client and the service."""

from typing import Any


class ClientError(Exception):
    """All errors of this package that are not mistakes in the calling program."""


class ApiError(ClientError):
    """The service answered an error.

    `code` is the stable name of the cause; `problem` the whole JSON object, with `errors`,
    `requestId` and whatever else the cause brings; `retry_after` the seconds to wait, where
    the service said so. Answers that are not the service's own (a proxy's) have the code
    `http_` and the status.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        problem: dict[str, Any],
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.problem = problem
        self.retry_after = retry_after


class SessionEnded(ApiError):
    """The session is over (log-out, password change, ban, or left alone for too long): only
    a new log-in helps."""


class ProgressConflict(ApiError):
    """The key of progress data has another version than the write or deletion names. `value` is
    the present value, None if there is none, and `version` the version to write with next."""

    @property
    def value(self) -> dict[str, Any] | None:
        """The value that is there now."""
        value: dict[str, Any] | None = self.problem["value"]
        return value

    @property
    def version(self) -> int:
        """Its version."""
        version: int = self.problem["version"]
        return version


class NotSignedIn(ClientError):
    """The operation needs log_in first."""


class Unreachable(ClientError):
    """No answer came. `maybe_done` is False where the request never left, so that it cannot
    have had an effect."""

    def __init__(self, reason: str, *, maybe_done: bool) -> None:
        super().__init__(reason)
        self.maybe_done = maybe_done


class SubscriptionEnded(ClientError):
    """The service closed a socket for good; `code` is the close code of docs/socket.md."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason
