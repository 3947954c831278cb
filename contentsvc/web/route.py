"""A route is one line above its handler.

::

    @route("PUT", "/user/<guid:user>/rating/<guid:content>", allow=SELF)
    async def put(self, call: Call, user: str, content: str, body: RatingBody) -> None: ...

What the handler takes says what is decoded: `body` a JSON body, `form` a form, `query` the
query string, each into the Struct that the parameter is annotated with. `call` and the
path's variables come first.
"""

import inspect
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar, get_type_hints

from contentsvc.web.allow import Permission
from contentsvc.web.sizes import BODY_LIMIT, FORM_LIMIT

Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])

_VARIABLE = re.compile(r"<(\w+):(\w+)>")
_INPUTS = ("body", "form", "query")


class Route(NamedTuple):
    """What a decorated handler declares."""

    method: str
    path: str
    allow: Permission
    limit: int
    variables: tuple[tuple[str, str], ...]
    """Kind and name of each variable of the path, in order."""
    body: Any
    form: Any
    query: Any


def route(
    method: str, path: str, *, allow: Permission, limit: int | None = None
) -> Callable[[Handler], Handler]:
    """Declare the operation that a family's method handles; `limit` in bytes of its body, by
    default FORM_LIMIT for a form and BODY_LIMIT for all else.

    Raises TypeError where the handler's parameters are not those of the path.
    """
    variables = tuple((kind, name) for kind, name in _VARIABLE.findall(path))

    def decorate(handler: Handler) -> Handler:
        expected = ["self", "call", *(name for _, name in variables)]
        given = [name for name in inspect.signature(handler).parameters if name not in _INPUTS]
        if given != expected:
            raise TypeError(f"{handler.__qualname__} takes {given}, its route gives {expected}")
        hints = get_type_hints(handler)
        inputs = {name: hints.get(name) for name in _INPUTS}
        usual = FORM_LIMIT if inputs["form"] is not None else BODY_LIMIT
        bound = usual if limit is None else limit
        handler.__route__ = Route(  # type: ignore[attr-defined]
            method, path, allow, bound, variables, **inputs
        )
        return handler

    return decorate


def routes_of(family: object) -> list[tuple[str, Route]]:
    """The routes that a family declares, with the names of their methods."""
    methods = inspect.getmembers(type(family), lambda member: hasattr(member, "__route__"))
    return [(name, method.__route__) for name, method in methods]
