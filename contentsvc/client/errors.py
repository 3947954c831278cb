"""The errors that a client raises."""

from pathlib import Path
from typing import Any


class ClientError(Exception):
    """The base of all errors of the client. Wrong arguments raise other errors, such as
    ValueError."""


class ApiError(ClientError):
    """The service refused a request.

    `code` is the stable name of the cause, and `status` the HTTP status (conventions#errors).
    `problem` is the whole JSON object, with `errors`, `requestId` and the members of this cause.
    `retry_after` is the number of seconds to wait, or None if the service named none. An answer of
    a proxy, not of the service, has the code `http_` and the status, such as `http_502`.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        problem: dict[str, Any],
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}{_fault(problem)}")
        self.status = status
        self.code = code
        self.detail = detail
        self.problem = problem
        self.retry_after = retry_after


def _fault(problem: dict[str, Any]) -> str:
    """The first fault that a problem names, in brackets, or ""."""
    match problem:
        case {"errors": [{"pointer": str(place), "detail": str(detail)}, *_]}:
            return f" ({place or 'the body'}: {detail})"
        case {"errors": [{"parameter": str(place), "detail": str(detail)}, *_]}:
            return f" ({place or 'the query'}: {detail})"
    return ""


class SessionEnded(ApiError):
    """The session has ended: by a log-out, a new password, a ban, or after 30 days without a
    renewal. The user must log in again."""


class ProgressConflict(ApiError):
    """The key of progress data has another version than the write or deletion names
    (progress#versions). `value` is the present value, None if there is none. `version` is the
    present version: name it in the next write."""

    @property
    def value(self) -> dict[str, Any] | None:
        """The present value."""
        value: dict[str, Any] | None = self.problem["value"]
        return value

    @property
    def version(self) -> int:
        """The present version."""
        version: int = self.problem["version"]
        return version


class NotSignedIn(ClientError):
    """The operation needs a log-in first."""


class Unreachable(ClientError):
    """No answer came. `maybe_done` is False if the request certainly had no effect, because it was
    never sent."""

    def __init__(self, reason: str, *, maybe_done: bool) -> None:
        super().__init__(reason)
        self.maybe_done = maybe_done


class TlsError(Unreachable):
    """The connection to the service would not be safe: its certificate is not trusted, has expired,
    or is for another host. `str()` says what to do. The request was not sent."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, maybe_done=False)


class SubscriptionEnded(ClientError):
    """The service closed a socket for good. `code` is the close code (socket#close-codes)."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason


class TransferError(ClientError):
    """A file could not be sent or received. `file` is the file on this machine."""

    def __init__(self, file: Path | str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = Path(file)
        self.reason = reason


class BadFile(TransferError):
    """The file cannot be used: for example, it is empty, is no image, or its name leads out of the
    folder."""


class FileChanged(TransferError):
    """The file has changed since its digest was computed. Upload it again."""


class WrongBytes(TransferError):
    """A file was received twice, and both times its bytes did not have the right digest."""


class FilesRefused(ApiError):
    """The service refused to take files, or the store refused to take or give one. `files` are the
    refused ones, or all of the call if the service did not name any."""

    def __init__(self, error: ApiError, files: list[Path]) -> None:
        super().__init__(error.status, error.code, error.detail, error.problem, error.retry_after)
        self.files = files

    def __str__(self) -> str:
        more = f" and {len(self.files) - 3} more" if len(self.files) > 3 else ""
        return f"{super().__str__()} ({', '.join(map(str, self.files[:3]))}{more})"
