"""docs/reference/errors.md, from the problems that operations and the web layer declare."""

from contentsvc.api.errors import FilesExternal
from contentsvc.api.files import transfer_errors
from contentsvc.app.families import OPERATIONS
from contentsvc.framework.http import errors
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.operations import Operation
from scripts.references.markdown import anchor, code, page, table
from scripts.references.operations import described

_ABOUT = """\
An error is a problem of RFC 9457: a JSON object with `type`, `title`, `status`, `detail`, `code`
and `requestId`. Programs decide by `code`, which does not change. `detail` is for people, and may
say more than the sentence here. "Members" are those that a problem may have beside these. 401 has
the header `WWW-Authenticate`, 405 has `Allow`, 429 and 503 have `Retry-After`."""

_OAUTH = """\
The operations below `/oauth` answer the errors of RFC 6749 §5.2 instead:
`{"error", "error_description"}`. What is not in this table is `invalid_request`."""
_RULES = {
    errors.InvalidPath: "operations with an id or a key in their paths",
    errors.BadToken: "all operations, where a token is sent",
    errors.Unauthorized: "operations that need a token",
    errors.Forbidden: "operations that need more than a token",
    errors.InvalidQuery: "operations with a query",
    errors.MalformedJson: "operations with a JSON body",
    errors.InvalidBody: "operations with a body or a form",
    errors.UnsupportedMediaType: "operations with a body",
    errors.RequestTimeout: "operations with a body or a form",
    errors.PayloadTooLarge: "operations with a body or a form",
    errors.InternalError: "all operations",
    errors.Unavailable: "all operations",
    errors.Restoring: "all operations",
    errors.UnderMaintenance: "operations of players, during maintenance",
    FilesExternal: "operations for files, where the service takes none",
}
"""Which operations have the errors that `errors_of` derives, and those that come before it."""


def reference() -> str:
    """The page."""
    rows = [
        (str(kind.status), code(kind.code), kind.detail, _members(kind), _where(kind))
        for kind in every()
    ]
    oauth = [
        (code(kind.code), code(kind.oauth))
        for kind in every()
        if kind.oauth != Problem.oauth and any(op.route.form for op in _raised_by(kind))
    ]
    return page(
        "Errors",
        _ABOUT,
        table(("Status", "`code`", "Meaning", "Members", "Where"), rows),
        "## Errors of /oauth",
        _OAUTH,
        table(("`code`", "`error`"), oauth),
    )


def every() -> list[type[Problem]]:
    """All errors, by status and code."""
    declared = {kind for operation in OPERATIONS for kind in operation.errors}
    others = {kind for module in (errors, transfer_errors) for kind in _in_module(module)}
    return sorted(declared | others, key=lambda kind: (kind.status, kind.code))


def _in_module(module: object) -> list[type[Problem]]:
    kinds = [value for value in vars(module).values() if isinstance(value, type)]
    return [kind for kind in kinds if issubclass(kind, Problem) and kind is not Problem]


def _raised_by(kind: type[Problem]) -> list[Operation]:
    return [operation for operation in OPERATIONS if kind in operation.errors]


def _where(kind: type[Problem]) -> str:
    raised = _raised_by(kind)
    if kind in _RULES:
        return _RULES[kind]
    if kind in _in_module(transfer_errors):
        return "uploads and downloads at signed URLs"
    if not raised:
        return "before an operation is known, or at the socket"
    return ", ".join(_linked(operation) for operation in raised)


def _linked(operation: Operation) -> str:
    """An operation's id, with a link to the section of its tag."""
    found = described(operation)
    return f"[{found['operationId']}](operations.md#{anchor(found['tags'][0])})"


def _members(kind: type[Problem]) -> str:
    return ", ".join(map(code, kind.extra))
