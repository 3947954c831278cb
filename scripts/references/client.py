"""docs/reference/client.md, from the families of the Python client."""

from inspect import iscoroutinefunction
from typing import Any

from twisted.internet.testing import MemoryReactorClock

from contentsvc.client import Client
from scripts.references.markdown import code, page, table

_ABOUT = """\
The methods of the Python client that are awaited. [The guide](../guides/client.md) shows how to use
them. The verbs are those of the API: `GET /api/v1/user/{userId}/info` is `getUserInfo` in
`/openapi.json`, and `client.users.get_info` here. A method leaves out what its family says."""


def methods() -> dict[str, dict[str, Any]]:
    """The coroutine methods of each family of a client, by name, as they stand in its class."""
    families = vars(Client(MemoryReactorClock(), "http://127.0.0.1"))
    return {
        name: {
            method: function
            for method, function in vars(type(family)).items()
            if iscoroutinefunction(function) and not method.startswith("_")
        }
        for name, family in sorted(families.items())
        if not name.startswith("_") and type(family).__module__.startswith("contentsvc.client.")
    }


def reference() -> str:
    """The page."""
    rows = [
        [code(f"client.{family}"), ", ".join(map(code, found))]
        for family, found in methods().items()
        if found
    ]
    return page("Python client", _ABOUT, table(["Family", "Methods"], rows))
