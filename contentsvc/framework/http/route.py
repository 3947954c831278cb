"""A route is one line above its handler, and declares all of an operation.

::

    @route("PUT", "/user/<guid:user>/rating/<guid:content>", allow=SELF, raises=(ContentNotFound,))
    async def put_rating(self, call: Call, user: str, content: str, body: RatingBody) -> None: ...

The handler's name is a verb and a noun: clients have it as the operation's id, `putRating`. Its
parameters say what to decode: `body` a JSON body (`Either[A | B]` if the handler decides which it
is), `form` a form, `query` the query string. Each is decoded into the Struct of the parameter's
annotation. `call` and the path's variables come first. The annotated return type is the answer.
`raises` lists the operation's errors, beside those that `errors_of` derives. The
docstring is the operation's description: first a sentence that sums it up, then the rest.
"""

import inspect
import re
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Raw, Struct

from contentsvc.framework.http.body_reader import BODY_LIMIT, FORM_LIMIT
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import (
    AccountRestricted,
    BadToken,
    Forbidden,
    GuestAccount,
    InsufficientScope,
    InternalError,
    InvalidBody,
    InvalidPath,
    InvalidQuery,
    MalformedJson,
    PayloadTooLarge,
    PreconditionFailed,
    Problem,
    RequestTimeout,
    TermsRequired,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UnderMaintenance,
    UnsupportedMediaType,
)
from contentsvc.framework.http.permissions import Permission, Rule
from contentsvc.framework.http.reply import Accepted, Created, Encoded, Listed, Made, Pieces
from contentsvc.framework.http.urls import KINDS

Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_VARIABLE = re.compile(r"<(\w+):(\w+)>")
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9._-]+|<\w+:\w+>))+")
_INPUTS = ("body", "form", "query")
SHUT_OUT = (AccountRestricted, TermsRequired)
"""How a user is shut out, in this order."""
BY_TERMS = {"upload"}
"""The words of operations that terms alone shut out of."""
_NAMED = {"guid", "int"}
"""Kinds of variables that identify things."""


class Answer(NamedTuple):
    """The answer of an operation that succeeds: the status, the type of the JSON body, if there is
    one, whether it may be a part of a list, with a Link to the next part, and whether it is 204
    where what is sent was there already, and not 201."""

    status: int
    type: Any = None
    linked: bool = False
    again: bool = False


class Route(NamedTuple):
    """The declaration of a handler."""

    method: str
    path: str
    allow: Rule
    raises: tuple[type[Problem], ...]
    """Its own errors, beside the derived ones."""
    limit: int
    """Most bytes of its body."""
    variables: tuple[tuple[str, str], ...]
    """Kind and name of each variable of the path, in order."""
    bodies: tuple[Any, ...]
    """The types that a JSON body may have."""
    undecided: bool
    """Whether the handler decides which of them it is."""
    form: Any
    query: Any
    answer: Answer
    heeds: str | None = None
    """The path of the GET whose validators its If-Match names (see http.preconditions)."""
    guests: str | None = None
    """The word that an operator gives guests for it; None if it is for them as for others."""
    bodiless: bool = False
    """Whether some callers need no body."""
    own_token: str | None = None
    """The word with which tokens begin that open it alone, and nothing else."""
    restricts: str | None = None
    """The word by which a user may be shut out of it: by a moderator, or until they accept the
    terms. None if nobody is."""

    @property
    def owned(self) -> bool:
        """Whether the path names a user, whose operation it is."""
        return ("guid", "user") in self.variables

    @property
    def takes_token(self) -> bool:
        """Whether the token of a request is checked."""
        return not (self.public_form or self.allow.same_origin)

    @property
    def closes(self) -> bool:
        """Whether this is refused during maintenance. A caller who logs in may be of the staff, and
        whether the process can serve is asked by machines."""
        return self.takes_token and not self.path.startswith(("/health/", "/issuers"))

    @property
    def public_form(self) -> bool:
        """Whether this is for OAuth clients: an Authorization header of theirs is not our token."""
        return self.form is not None and not self.allow.signed_in


def route(
    method: str,
    path: str,
    *,
    allow: Rule | Permission | tuple[Permission, ...],
    raises: tuple[type[Problem], ...] = (),
    limit: int | None = None,
    heeds: str | None = None,
    guests: str | None = None,
    bodiless: bool = False,
    own_token: str | None = None,
    restricts: str | None = None,
) -> Callable[[Handler], Handler]:
    """Declare the operation that a family's method handles. `allow` says for whom it is: a rule
    such as SELF, a permission, both as in `SELF | MODERATE`, or several permissions of which one
    is enough. `limit` is the most bytes of its body, by default FORM_LIMIT for a form and
    BODY_LIMIT otherwise. What replaces something `heeds` If-Match and If-Unmodified-Since: it names
    the path of the GET that shows what it replaces, and its handler asks `call.unchanged`. `guests`
    is the word with which it is for guests too. `bodiless`: some callers need none of its `bodies`.
    `own_token` is the word with which bearer tokens begin that its handler judges, in place of the
    rule: see Call.own_token.
    `restricts` is the word by which a user may be shut out of it: its handler asks
    `call.unrestricted` before it changes anything, and not of a repeat.

    Raises TypeError if the declaration cannot be right: say if the handler's parameters are not
    those of the path, or its answer is not annotated. The message says which handler, and why.
    """
    variables = tuple((kind, name) for kind, name in _VARIABLE.findall(path))

    def decorate(handler: Handler) -> Handler:
        name = handler.__qualname__
        if not isinstance(raises, tuple):
            raise TypeError(f"{name}: raises must be a tuple")
        if hasattr(sys._getframe(1).f_locals.get(handler.__name__), "__route__"):
            raise TypeError(f"{name} would take the place of another route's handler")
        expected = ["self", "call", *(name for _, name in variables)]
        parameters = inspect.signature(handler).parameters
        given = [each for each in parameters if each not in _INPUTS]
        if given != expected:
            raise TypeError(f"{name} takes {given}, its route gives {expected}")
        hints = get_type_hints(handler, include_extras=True)
        _refuse_wrong_handler(handler, parameters.keys(), hints, variables)
        bodies, undecided = _bodies(hints.get("body"))
        usual = FORM_LIMIT if "form" in hints else BODY_LIMIT
        declared = Route(
            method,
            path,
            _rule(allow),
            raises,
            usual if limit is None else limit,
            variables,
            bodies,
            undecided,
            hints.get("form"),
            hints.get("query"),
            _answer(name, hints),
            heeds,
            guests,
            bodiless,
            own_token,
            restricts,
        )
        _refuse_wrong(name, declared)
        handler.__route__ = declared  # type: ignore[attr-defined]
        return handler

    return decorate


def _shut_out(route: Route) -> list[type[Problem]]:
    found: list[type[Problem]] = [] if route.guests is None else [GuestAccount]
    if route.restricts is not None:
        found += [TermsRequired] if route.restricts in BY_TERMS else SHUT_OUT
    return found


def errors_of(route: Route) -> tuple[type[Problem], ...]:
    """Every error that an operation can answer: those that its declaration implies, then its own.

    It does not have errors that come before the operation is known: a request that is not HTTP, an
    unknown path or method, headers that are too long.
    """
    derived: list[type[Problem]] = []
    if route.variables:
        derived.append(InvalidPath)
    if route.takes_token:
        derived.append(BadToken)
    if route.allow.signed_in:
        derived.append(Unauthorized)
        if not route.allow.services:
            derived.append(InsufficientScope)
    if route.allow.refuses_users or route.allow.same_origin:
        derived.append(Forbidden)
    derived += _shut_out(route)
    if route.query is not None:
        derived.append(InvalidQuery)
    if route.bodies:
        derived += (MalformedJson, InvalidBody, UnsupportedMediaType)
    if route.heeds is not None:
        derived.append(PreconditionFailed)
    if route.form is not None:
        derived += (InvalidBody, UnsupportedMediaType)
    if route.bodies or route.form is not None:
        derived += (RequestTimeout, PayloadTooLarge)
    # Requests of a service account are limited for every operation.
    if route.takes_token and TooManyRequests not in route.raises:
        derived.append(TooManyRequests)
    closed = (UnderMaintenance,) if route.closes else ()
    return (*derived, *route.raises, InternalError, Unavailable, *closed)


def _rule(allow: Any) -> Any:
    if isinstance(allow, Permission):
        return Rule(permissions=(allow,))
    several = type(allow) is tuple and allow and all(isinstance(one, Permission) for one in allow)
    return Rule(permissions=allow) if several else allow


def _bodies(hint: Any) -> tuple[tuple[Any, ...], bool]:
    if hint is None:
        return (), False
    if get_origin(hint) is Either:
        return tuple(_members(get_args(hint)[0])), True
    return (hint,), False


def _answer(name: str, hints: dict[str, Any]) -> Answer:
    """The answer that the annotation declares. Raises TypeError."""
    if "return" not in hints:
        raise TypeError(f"{name} does not say what it answers")
    members = _members(hints["return"])
    if set(members) == {Created, NoneType}:
        return Answer(201, again=True)
    if all(inspect.isclass(hint) and issubclass(hint, Struct) for hint in members):
        return Answer(200, hints["return"])
    forms = [_form(hint) for hint in members]
    status, type_, *_ = forms[0]
    if any((form.status, form.type) != (status, type_) for form in forms):
        raise TypeError(f"{name} answers different things: {forms}")
    if status == 200 and _is_vague(type_):
        raise TypeError(f"{name} does not say what its answer is made of: {type_}")
    return Answer(status, type_, any(form.linked for form in forms))


_BODILESS = {NoneType: 204, Created: 201, Accepted: 202}


def _form(hint: Any) -> Answer:
    if hint in _BODILESS:
        return Answer(_BODILESS[hint])
    origin, args = get_origin(hint), get_args(hint)
    if origin is Listed:
        return Answer(200, list[args[0]], linked=True)  # type: ignore[valid-type]
    if origin is Made:
        return Answer(201, args[0])
    if origin in {Encoded, Pieces}:
        return Answer(200, args[0])
    return Answer(200, object if hint in {Listed, Encoded, Pieces} else hint)


def _members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)


def _is_vague(type: Any) -> bool:
    """Whether a schema of the type would say too little."""
    origin, args = get_origin(type), get_args(type)
    if origin in {list, dict, Union, UnionType}:
        return any(map(_is_vague, args))
    return type in {Any, object, Raw, list, dict, tuple} or origin is tuple


def _refuse_wrong_handler(
    handler: Any,
    parameters: Collection[str],
    hints: dict[str, Any],
    variables: tuple[tuple[str, str], ...],
) -> None:
    name = handler.__qualname__
    if not inspect.iscoroutinefunction(handler):
        raise TypeError(f"{name} must be an async function")
    for each in _INPUTS:
        if each not in parameters:
            continue
        hint = hints.get(each)
        if each == "body" and get_origin(hint) is Either:
            types = _members(get_args(hint)[0])
        else:
            types = (hint,)
        if not all(inspect.isclass(type) and issubclass(type, Struct) for type in types):
            either = ", or Either of a union of them" if each == "body" else ""
            raise TypeError(f"{name}: its {each} must be a Struct{either}, not {hint}")
    for kind, variable in variables:
        if kind not in KINDS:
            raise TypeError(f"{name}: <{kind}:{variable}> must be one of {', '.join(KINDS)}")
        if hints.get(variable) is not KINDS[kind]:
            raise TypeError(f"{name}: {variable} is of type {KINDS[kind].__name__}")


def _refuse_wrong(name: str, route: Route) -> None:
    if route.method not in _METHODS:
        raise TypeError(f"{name}: {route.method} must be one of {', '.join(_METHODS)}")
    if not _PATH.fullmatch(route.path):
        raise TypeError(f"{name}: {route.path} must be made of /words and /<kind:name>")
    if not isinstance(route.allow, Rule):
        raise TypeError(f"{name}: allow must be a rule or a permission, such as ANYONE")
    if route.allow.owner and not route.owned:
        raise TypeError(f"{name} is for the user of its path, which has no <guid:user>")
    if route.bodies and route.form is not None:
        raise TypeError(f"{name} cannot have both a body and a form")
    if route.method == "GET" and (route.bodies or route.form is not None):
        raise TypeError(f"{name} cannot have a body: its method is {route.method}")
    if route.guests is not None and not (route.allow.users or route.allow.owner):
        raise TypeError(f"{name} is for no users, and so for no guests")
    if route.restricts is not None and not (route.allow.users or route.allow.owner):
        raise TypeError(f"{name} is for no users, and so none can be shut out of it")
    if route.method == "GET" and route.heeds is not None:
        raise TypeError(f"{name} replaces nothing: its method is GET")
    if route.method == "GET" and route.answer.status != 200:
        raise TypeError(f"{name} must answer something: its method is GET")
    if route.answer.linked and "after" not in getattr(route.query, "__struct_fields__", ()):
        raise TypeError(f"{name} answers Listed, and its query has no `after` to go on with")
    _refuse_wrong_errors(name, route)


def _refuse_wrong_errors(name: str, route: Route) -> None:
    for error in route.raises:
        if not (inspect.isclass(error) and issubclass(error, Problem)):
            raise TypeError(f"{name} raises {error}, which is no Problem")
    derived = {*errors_of(route._replace(raises=()))} - {TooManyRequests}
    again = [error for error, times in Counter((*derived, *route.raises)).items() if times > 1]
    if again:
        raise TypeError(f"{name} declares twice, or what is derived: {again}")
    # A caller who is allowed as the user of the path exists.
    things = [each for each in route.variables if each[0] in _NAMED]
    if route.allow.owner:
        things.remove(("guid", "user"))
    missing = things and all(error.status != 404 for error in route.raises)
    if route.method == "GET" and missing:
        raise TypeError(f"{name} is a GET of {things}, and raises no error of status 404")
