"""The table of operations: everything that the families' routes declare, as one value.

Dispatch, the OpenAPI document, the docs' tables and the tests read it. It needs neither a database
nor a reactor.
"""

import inspect
import re
from collections.abc import Collection, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.permissions import Permission
from contentsvc.framework.http.route import Route, errors_of

_VARIABLE = re.compile("<[^>]+>")
_OF_CALLER = {"viewer", "may"}
"""What a handler reads of its call, if its answer depends on the caller."""


class Family(NamedTuple):
    """A class whose methods handle operations, their tag for clients, and the prefix of its routes'
    paths."""

    tag: str
    handlers: type
    prefix: str = "/api/v1"
    absent: type[Problem] | None = None
    """The answer of its operations in a service that does not have it, for every caller. None:
    there is nothing at their paths."""


class Operation(NamedTuple):
    """A route and the place where it is served."""

    path: str
    """The whole path, with the route's own form of variables."""
    route: Route
    family: Family
    handler: str
    """The name of the family's method: a verb and a noun, such as `create_comment`."""

    @property
    def id(self) -> str:
        """The name for clients: that of the handler, as `createComment`. Methods of clients have
        it, so it is part of the interface."""
        return _camel(self.handler)

    @property
    def url(self) -> str:
        """The path for clients, such as `/api/v1/user/{userId}/info`."""
        path = self.path
        for kind, name in self.route.variables:
            path = path.replace(f"<{kind}:{name}>", f"{{{variable_name(kind, name)}}}")
        return path

    @property
    def own_path(self) -> str:
        """Its path, also where it is served at a second one."""
        return self.family.prefix + self.route.path

    @property
    def heeds(self) -> str | None:
        """The own path of the GET whose validators its If-Match names; None if it heeds none."""
        return None if self.route.heeds is None else self.family.prefix + self.route.heeds

    @property
    def errors(self) -> tuple[type[Problem], ...]:
        """Every error that it can answer."""
        return errors_of(self.route)

    @property
    def sees_caller(self) -> bool:
        """Whether the answer depends on who asks, if there is a token: the handler reads its
        call's viewer, or the viewer's permissions."""
        functions = _called(_handler(self), self.family.handlers, [])
        return any(not _OF_CALLER.isdisjoint(_names(each.__code__)) for each in functions)

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """Those that its route asks for, or its handler, also through a check of another module."""
        asked = {*self.route.allow.permissions}
        for function in _called(_handler(self), self.family.handlers, []):
            for found in _globals(function):
                near = [*_globals(found)] if inspect.isfunction(found) else []
                asked.update(each for each in (found, *near) if isinstance(each, Permission))
        return tuple(sorted(asked, key=lambda each: list(type(each).__members__).index(each.name)))

    @property
    def doc(self) -> str:
        """The description: the handler's docstring."""
        return inspect.getdoc(_handler(self)) or ""


def variable_name(kind: str, name: str) -> str:
    """The name of a path's variable for clients: `userId` for a user, and the same name for a text
    or a digest."""
    return _camel(name) if kind in {"text", "sha256"} else f"{_camel(name)}Id"


def table(families: Iterable[Family]) -> tuple[Operation, ...]:
    """The operations of these families.

    Raises TypeError if two have the same id or the same method and path, if two errors have the
    same status and code, if a handler names an error that its route does not declare, if an
    operation heeds a GET that is not there, or says so and does not, or if a family has no route.
    """
    operations: list[Operation] = []
    taken: set[str] = set()
    codes: dict[tuple[int, str], type[Problem]] = {}
    for family in families:
        routes = _routes(family.handlers)
        if not routes:
            raise TypeError(f"{family.handlers.__qualname__} has no route")
        for name, route in routes:
            path = family.prefix + route.path
            operation = Operation(path, route, family, name)
            for key in (operation.id, f"{route.method} {_VARIABLE.sub('<>', path)}"):
                if key in taken:
                    raise TypeError(f"there are two of {key}")
                taken.add(key)
            if len({variable_name(*each) for each in route.variables}) < len(route.variables):
                raise TypeError(f"{operation.id}: two variables have one name in {operation.url}")
            for error in operation.errors:
                if codes.setdefault((error.status, error.code), error) is not error:
                    raise TypeError(f"{operation.id}: two errors have the code {error.code}")
            _refuse_undeclared(operation)
            operations.append(operation)
    reads = {operation.own_path for operation in operations if operation.route.method == "GET"}
    for operation in operations:
        _refuse_unheeded(operation, reads)
    return tuple(operations)


def mirrored(operations: Iterable[Operation], path: str, other: str) -> tuple[Operation, ...]:
    """The operations below `path`, as they are also served below `other`."""
    return tuple(
        operation._replace(path=other + operation.path.removeprefix(path))
        for operation in operations
        if operation.path.startswith(path)
    )


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _routes(family: type) -> list[tuple[str, Route]]:
    """The names and routes of a family's methods, in the order of its code."""
    return [
        (name, member.__route__)
        for name, member in vars(family).items()
        if hasattr(member, "__route__")
    ]


def _handler(operation: Operation) -> FunctionType:
    handler: FunctionType = getattr(operation.family.handlers, operation.handler)
    return handler


def _refuse_undeclared(operation: Operation) -> None:
    handler = _handler(operation)
    named = set(_named(_called(handler, operation.family.handlers, [])))
    if missing := named - set(operation.errors):
        names = sorted(error.__name__ for error in missing)
        raise TypeError(f"{handler.__qualname__} names {names}, its route does not declare them")


def _refuse_unheeded(operation: Operation, reads: Collection[str]) -> None:
    handler = _handler(operation)
    called = _called(handler, operation.family.handlers, [])
    checks = any("unchanged" in _names(each.__code__) for each in called)
    if checks != (operation.heeds is not None):
        raise TypeError(f"{handler.__qualname__}: `heeds` and `call.unchanged` go together")
    if operation.heeds is not None and operation.heeds not in reads:
        raise TypeError(f"{handler.__qualname__} heeds {operation.heeds}, which is no GET")


def _called(function: FunctionType, family: type, known: list[FunctionType]) -> list[FunctionType]:
    """A handler and the functions that it calls, beside those that are known: functions of its
    module, and methods of its family that are no operations."""
    if function in known:
        return known
    known.append(function)
    for name in _names(function.__code__):
        found: Any = function.__globals__.get(name)
        if not inspect.isfunction(found) or found.__module__ != function.__module__:
            found = vars(family).get(name)
        if inspect.isfunction(found) and not hasattr(found, "__route__"):
            _called(found, family, known)
    return known


def _named(functions: Iterable[FunctionType]) -> Iterator[type[Problem]]:
    """The errors that these functions name."""
    for function in functions:
        for found in _globals(function):
            # The base class is named only as a type.
            if inspect.isclass(found) and issubclass(found, Problem) and found is not Problem:
                yield found


def _globals(function: FunctionType) -> Iterator[Any]:
    """What a function names of its module."""
    return (function.__globals__.get(name) for name in _names(function.__code__))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
