"""`clients/javascript/src/operations.js`: the table that the client's methods are made of."""

from collections.abc import Iterator
from typing import Any

_PREFIX = "/api/v1/"
_FORM = "application/x-www-form-urlencoded"
_HEAD = """\
// scripts/openapi makes this of docs/openapi.json. A line is an operation: its id, its method, and
// its path, below /api/v1/ unless it begins with a slash. Then comes `again` for a POST that may be
// sent again, `once` for any other that may not, `form` if its body is one, and the member of the
// body by which the service knows a request again.
const TABLE = `
"""
_TAIL = """\
`;

const MARKS = ["again", "once", "form"];

/** The operations by their ids: {method, path, repeatable, form, key}. */
export const OPERATIONS = new Map(
  TABLE.trim()
    .split("\\n")
    .map((line) => {
      const [id, method, path, ...marks] = line.split(" ");
      const operation = {
        method,
        path: path[0] === "/" ? path : `/api/v1/${path}`,
        repeatable: method === "POST" ? marks.includes("again") : !marks.includes("once"),
        form: marks.includes("form"),
        key: marks.find((mark) => !MARKS.includes(mark)),
      };
      return [id, operation];
    }),
);
"""


def table(document: dict[str, Any]) -> str:
    """The module, of the OpenAPI document."""
    return _HEAD + "".join(f"{line}\n" for line in _lines(document)) + _TAIL


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            marks = []
            if operation["x-repeatable"] != (method != "post"):
                marks.append("again" if method == "post" else "once")
            if _FORM in operation.get("requestBody", {}).get("content", {}):
                marks.append("form")
            if key := operation.get("x-idempotency-key"):
                marks.append(key)
            below = path.removeprefix(_PREFIX)
            yield " ".join([operation["operationId"], method.upper(), below, *marks])
