"""docs/reference/operations.md, from the table of operations and the OpenAPI document of it, and
tests/operations.txt, the same in a line for each."""

import re
from functools import cache
from typing import Any

from contentsvc.app.contract import document
from contentsvc.app.families import MIRRORED, OPERATIONS
from contentsvc.framework.http.operations import Operation
from contentsvc.roles import PURPOSES, ROLES, SCOPES, Permission
from scripts.references.markdown import code, items, page, table

_ABOUT = """\
The operations by tag. [openapi.json](../openapi.json) has the same with all parameters, bodies and
answers; a running service has it at `/openapi.json`, and shows it at `/docs`."""


_PERMISSIONS = """\
What not everybody may do needs a permission. A role has permissions, and a user has a role. A
service account has those of its scopes. Whoever has `moderate` sees what is hidden and withdrawn
too, wherever content is shown."""
_LISTED = """\
# Every operation: method, path, who may call it, the operationId, and the section of docs/interface
# that its description names. The paths under /api/v1/user answer under /methods/v1/user too.
# Clients have methods by these ids: one that is here keeps its id. `scripts/reference` writes this
# file; reviewers read what changes."""
_HEAD = ("Permission", "What it is for", "Roles", "Scope", "Operations", "Allows more of")


def reference() -> str:
    """The page."""
    parts = [items(_rules()), "## Permissions", _PERMISSIONS, table(_HEAD, _permissions())]
    for tag in _document()["tags"]:
        rows = [_row(each) for each in OPERATIONS if tag["name"] in described(each)["tags"]]
        parts += [
            f"## {tag['name']}",
            tag["description"],
            table(("Operation", "Path", "Who", "Answer", "Its errors", "Parts of a list"), rows),
        ]
    return page("Operations", _ABOUT, *parts)


def listing() -> str:
    """tests/operations.txt."""
    in_order = sorted(OPERATIONS, key=lambda each: (each.url, each.route.method))
    return "\n".join([_LISTED, *map(_line, in_order)]) + "\n"


def sections(operation: Operation) -> str:
    """The section of docs/interface that an operation's description names first, or nothing."""
    doc = " ".join(operation.doc.split())
    found = re.search(r"\(([a-z]+#[a-z-]+)\)", doc)
    return found[1] if found else ""


def _line(operation: Operation) -> str:
    route = operation.route
    rule = f"{route.allow.name:<13} {operation.id:<24} {sections(operation)}"
    return f"{route.method:<6} {operation.url:<76}{rule}".rstrip()


def _rules() -> list[str]:
    prefix = MIRRORED[0].url.partition("/user")[0]
    return [
        '"Who" is the least that an operation asks of its caller. Where its description says more, '
        'for example "its author", others get 403 `forbidden`.',
        '"Its errors" are those beside the ones that follow from the form of an operation, such as '
        "`invalid_body`: [errors](errors.md) has them all.",
        '"Parts of a list": the query parameters that read a list in parts, and the most items '
        "that come without `limit`.",
        f"All paths below `/api/v1/user` work below `{prefix}/user` too.",
    ]


def described(operation: Operation) -> dict[str, Any]:
    """An operation as the OpenAPI document has it."""
    paths = _document()["paths"]
    found: dict[str, Any] = paths[operation.url][operation.route.method.lower()]
    return found


def schemas() -> dict[str, Any]:
    """The types of the OpenAPI document."""
    found: dict[str, Any] = _document()["components"]["schemas"]
    return found


@cache
def _document() -> dict[str, Any]:
    return document(OPERATIONS)


def _row(operation: Operation) -> tuple[str, ...]:
    route = operation.route
    found = described(operation)
    own = [code(kind.code) for kind in route.raises]
    return (
        f"{code(found['operationId'])}: {found['summary']}",
        code(f"{route.method} {operation.url}"),
        _who(operation),
        str(route.answer.status),
        ", ".join(own),
        _paging(operation),
    )


def _who(operation: Operation) -> str:
    rule = operation.route.allow
    if not rule.signed_in:
        return "anyone"
    whose = ["the user"] if rule.owner else ["signed in"] if rule.users else []
    scope = "scope " if rule.users else ""
    permissions = " or ".join(map(code, rule.permissions))
    services = ["service accounts"] if rule.services else []
    return ", ".join([*whose, *services, *([scope + permissions] if permissions else [])])


def _permissions() -> list[tuple[str, ...]]:
    """For each what it is for, who has it, and which operations ask for it."""
    return [
        (
            code(each),
            PURPOSES[each],
            ", ".join(code(role) for role, those in ROLES.items() if each in those),
            ", ".join(code(scope) for scope, those in SCOPES.items() if each in those),
            ", ".join(code(f"{op.route.method} {op.url}") for op in _asking(each, floor=True)),
            ", ".join(code(f"{op.route.method} {op.url}") for op in _asking(each, floor=False)),
        )
        for each in Permission
    ]


def _asking(permission: Permission, *, floor: bool) -> list[Operation]:
    """The operations whose routes ask for it, or else those of which it allows more."""
    return [
        operation
        for operation in OPERATIONS
        if permission in operation.permissions
        and floor == (permission in operation.route.allow.needed)
    ]


def _paging(operation: Operation) -> str:
    query = operation.route.query
    names = () if query is None else query.__struct_encode_fields__
    if "page" in names:
        size = next(name for name in names if name.lower().endswith("size"))
        return f"`page`, {code(size)} ({_default(query, size)})"
    if "after" not in names:
        return ""
    least = _default(query, "limit")
    return f"`limit` ({'all' if least is None else least}), `after`"


def _default(query: Any, name: str) -> Any:
    encoded = query.__struct_encode_fields__
    # Defaults are those of the last fields.
    values = dict(
        zip(reversed(encoded), reversed(query.__struct_defaults__), strict=False),
    )
    return values[name]
