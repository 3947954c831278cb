"""`clients/javascript/src/operations.js`: the table that the client's methods are made of."""

from collections.abc import Iterator
from typing import Any

_PREFIX = "/api/v1/"
_FORM = "application/x-www-form-urlencoded"
_HEAD = """\
// scripts/openapi makes this of docs/openapi.json. A line is a path, below /api/v1/ unless it
// begins with a slash, and the ids of its operations. After an id come its method, unless its verb
// says it; `again` for a POST that may be sent again, `once` for any other that may not; `form` if
// its body is one; and the member of the body by which the service knows a request again.
const TABLE = `
"""
_METHODS = {"list": "GET", "get": "GET", "put": "PUT", "set": "PUT", "delete": "DELETE"}
_TAIL = """\
`;

const METHODS = { list: "GET", get: "GET", put: "PUT", set: "PUT", delete: "DELETE" };
const MARKS = ["again", "once", "form"];

/** The operations by their ids: {method, parts, repeatable, form, key}. Every other one of the
 * parts of a path is the name of a parameter. */
export const OPERATIONS = new Map();
for (const line of TABLE.trim().split("\\n")) {
  const [path, ...operations] = line.split(" ");
  for (const operation of operations) {
    const [id, ...marks] = operation.split(":");
    const said = marks.find((mark) => /[A-Z]$/.test(mark));
    const method = said ?? METHODS[/^[a-z]+/.exec(id)] ?? "POST";
    OPERATIONS.set(id, {
      method,
      parts: (path[0] === "/" ? path : `/api/v1/${path}`).split(/[{}]/),
      repeatable: method === "POST" ? marks.includes("again") : !marks.includes("once"),
      form: marks.includes("form"),
      key: marks.find((mark) => mark !== said && !MARKS.includes(mark)),
    });
  }
}
"""


def table(document: dict[str, Any]) -> str:
    """The module, of the OpenAPI document."""
    return _HEAD + "".join(f"{line}\n" for line in _lines(document)) + _TAIL


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for path, operations in document["paths"].items():
        found = [_said(method, operation) for method, operation in operations.items()]
        yield " ".join([path.removeprefix(_PREFIX), *found])


def _said(method: str, operation: dict[str, Any]) -> str:
    name = operation["operationId"]
    verb = name[: next(at for at, letter in enumerate(f"{name}A") if letter.isupper())]
    marks = []
    if _METHODS.get(verb, "POST") != method.upper():
        marks.append(method.upper())
    if operation["x-repeatable"] != (method != "post"):
        marks.append("again" if method == "post" else "once")
    if _FORM in operation.get("requestBody", {}).get("content", {}):
        marks.append("form")
    if key := operation.get("x-idempotency-key"):
        marks.append(key)
    return ":".join([name, *marks])
