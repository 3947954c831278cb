"""The OpenAPI 3.1 document of a table of operations. Everything in it comes from the routes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from types import UnionType
from typing import Any, get_args

from contentsvc.framework.http.body_reader import KIB, SMALL
from contentsvc.framework.http.errors import (
    PayloadTooLarge,
    Problem,
    RequestTimeout,
    Unavailable,
    UnsupportedMediaType,
)
from contentsvc.framework.http.operations import Operation, variable_name
from contentsvc.framework.http.permissions import Rule
from contentsvc.framework.http.route import Route, errors_of
from contentsvc.framework.http.schemas import ID, REF, Schema, Schemas, Union, example, prose
from contentsvc.framework.http.urls import LONGEST, SHA256, TEXT

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PROBLEM = "application/problem+json"

_REQUEST = "5ea323f45ce5-3"
_IN_PATH = {"kind": "content", "id": ID, "key": "tower/best", "sha256": "9f86d081884c7d65" * 4}
"""Examples of what a path names, where its type does not say enough."""
_DEEP = {"style": "deepObject", "explode": True}
"""How parameters are sent that the client has keys for."""
_ANYONE = "Anyone may call this."
_HEADERS: dict[str, Schema] = {
    "ETag": {
        "description": "A weak validator of the answer, for If-None-Match.",
        "schema": {"type": "string", "examples": ['W/"2b7e151628aed2a6abf71589"']},
    },
    "Location": {
        "description": "The path of what was created.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Link": {
        "description": 'The next part of the list, with rel="next". Without it, this is the last.',
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds after which to try again.",
        "schema": {"type": "integer", "format": "int32", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "The challenge of RFC 6750.",
        "schema": {"type": "string", "examples": ['Bearer realm="contentsvc"']},
    },
}
_CONDITIONS: Sequence[Schema] = (
    {
        "name": "If-Match",
        "in": "header",
        "description": "The ETag of what this replaces, as its GET has answered it; several with "
        "commas between; or `*`. If it has become another: 412.",
        "required": False,
        "schema": {"type": "string"},
    },
    {
        "name": "If-Unmodified-Since",
        "in": "header",
        "description": "An HTTP date. If this was changed since: 412. Ignored beside If-Match.",
        "required": False,
        "schema": {"type": "string"},
    },
)
"""The headers of operations that heed them. They have no examples, which /docs would send."""
_HEADERS_OF = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_PROBLEM: Schema = {
    "title": "Problem",
    "description": "An error (RFC 9457). Programs decide by `code`.",
    "type": "object",
    "properties": {
        "type": {"description": "The cause, as a URN.", "type": "string"},
        "title": {"description": "The status, for people.", "type": "string"},
        "status": {
            "description": "The status of the answer.",
            "type": "integer",
            "format": "int32",
            "minimum": 400,
            "maximum": 599,
        },
        "detail": {"description": "The cause, for people.", "type": "string"},
        "code": {
            "description": "The cause, in a word that does not change.",
            "type": "string",
        },
        "requestId": {
            "description": "The request in the log of the service.",
            "type": "string",
            "examples": [_REQUEST],
        },
    },
    "required": ["type", "title", "status", "detail", "code", "requestId"],
}
_OAUTH_ERROR: Schema = {
    "title": "OAuthError",
    "description": "An error of an OAuth endpoint (RFC 6749 §5.2).",
    "type": "object",
    "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
    "required": ["error", "error_description"],
}
_BEFORE = (RequestTimeout, PayloadTooLarge, UnsupportedMediaType)
"""The errors of a form before it reaches its operation. They are therefore problems."""


class Document:
    """Builds a document. `title`, `version` and `about` describe the service, and `tags` each of
    the operations' tags. `log_in` is the path of the operation that gives access tokens, and
    `scopes` says what each scope of service accounts is for. `unions`
    are types with names of their own. `is_repeatable` says of an operation's id and method whether
    clients may send it again; for this, some have a member in their body, as `keys` says by id."""

    def __init__(
        self,
        operations: Sequence[Operation],
        *,
        title: str,
        version: str,
        about: str,
        tags: Mapping[str, str],
        log_in: str,
        scopes: Mapping[str, str],
        unions: Mapping[str, Union],
        is_repeatable: Callable[[str, str], bool],
        keys: Mapping[str, str],
        change: Callable[[Schema], Schema] = lambda schema: schema,
    ) -> None:
        self._is_repeatable = is_repeatable
        self._keys = keys
        self._info = {
            "title": title,
            "version": version,
            "description": about,
            "license": {"name": "MIT", "identifier": "MIT"},
        }
        self._token_schemes = {
            "bearer": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": f"An access token of {log_in}.",
            },
            "password": {
                "type": "oauth2",
                "description": "A name and a password, for an access token (RFC 6749 §4.3).",
                "flows": {"password": {"tokenUrl": log_in, "refreshUrl": log_in, "scopes": {}}},
            },
        }
        self._service_schemes = {
            "service": {
                "type": "oauth2",
                "description": "The id of a service account and a secret, for an access token "
                "(RFC 6749 §4.4).",
                "flows": {"clientCredentials": {"tokenUrl": log_in, "scopes": dict(scopes)}},
            },
        }
        routes = [operation.route for operation in operations]
        forms = [route.form for route in routes if route.form is not None]
        extra = [type for op in operations for error in op.errors for type in error.extra.values()]
        self._schemas = Schemas(
            sent=[_described(body) for route in routes for body in route.bodies],
            forms=forms,
            answered=[
                *(kind for route in routes for kind in _answered(route)),
                *extra,
            ],
            unions=unions,
            change=change,
        )
        self._components = {
            **self._schemas.components,
            "Problem": _PROBLEM,
            "OAuthError": _OAUTH_ERROR,
        }
        self._responses: dict[str, Any] = {
            "Problem": _response("Any other error.", _content(PROBLEM, _ref("Problem"))),
            "OAuthError": _response(
                "Any other error, in OAuth's form, or a problem if the operation is not reached.",
                {**_content(JSON, _ref("OAuthError")), **_content(PROBLEM, _ref("Problem"))},
            ),
            "NotModified": _response("The client has this answer: see If-None-Match.", {}, "ETag"),
        }
        self._implied = _implied(routes)
        used = {operation.family.tag for operation in operations}
        self._tags = [{"name": tag, "description": tags[tag]} for tag in tags if tag in used]
        self._paths: dict[str, dict[str, Any]] = {}
        for operation in operations:
            methods = self._paths.setdefault(operation.url, {})
            methods[operation.route.method.lower()] = self._operation(operation)

    def build(self) -> dict[str, Any]:
        """The document."""
        return {
            "openapi": "3.1.0",
            "info": self._info,
            "servers": [{"url": "/"}],
            "tags": self._tags,
            "paths": dict(sorted(self._paths.items())),
            "components": {
                "schemas": dict(sorted(self._components.items())),
                "headers": _HEADERS,
                "responses": dict(sorted(self._responses.items())),
                "securitySchemes": {**self._token_schemes, **self._service_schemes},
            },
        }

    def _problems(self, errors: Iterable[type[Problem]]) -> dict[str, Any]:
        """The responses of these errors, by status. One that many operations have is a component:
        of an error alone, or of those that routes imply. An operation has any other itself."""
        found = {}
        for status, kinds in _by_status(errors).items():
            content = _content(PROBLEM, self._problem(kinds))
            response = _response(_causes(kinds), content, *_HEADERS_OF.get(status, ()))
            if len(kinds) == 1 or kinds in self._implied:
                name = "And".join(kind.__name__ for kind in kinds)
                self._responses[name] = response
                response = {"$ref": f"#/components/responses/{name}"}
            found[str(status)] = response
        return found

    def _operation(self, operation: Operation) -> dict[str, Any]:
        route = operation.route
        summary, _, rest = prose(operation.doc).partition(". ")
        paragraphs = [rest, _who(operation)]
        found: dict[str, Any] = {
            "operationId": operation.id,
            "tags": [operation.family.tag],
            "summary": summary.removesuffix("."),
            "description": "\n\n".join(filter(None, paragraphs)),
            "x-repeatable": self._is_repeatable(operation.id, route.method),
            "x-paged": route.answer.linked,
            "x-permissions": [*route.allow.needed],
            "security": self._security(operation),
        }
        if operation.id in self._keys:
            found["x-idempotency-key"] = self._keys[operation.id]
        conditions = _CONDITIONS if route.heeds is not None else ()
        parameters = [*map(_variable, route.variables), *self._query(route), *conditions]
        if parameters:
            found["parameters"] = parameters
        if route.bodies or route.form is not None:
            found["requestBody"] = self._body(operation)
        errors = self._oauth if route.form is not None else self._problems
        found["responses"] = {
            **self._success(route),
            **errors(operation.errors),
            "default": {
                "$ref": "#/components/responses/"
                + ("Problem" if route.form is None else "OAuthError")
            },
        }
        return found

    def _security(self, operation: Operation) -> list[dict[str, list[str]]]:
        """Each way to call an operation: `{}` is the way without a token."""
        tokens: list[dict[str, list[str]]] = [{name: []} for name in self._token_schemes]
        rule = operation.route.allow
        if not rule.signed_in:
            return [{}, *tokens, *self._services([])] if operation.sees_caller else []
        if rule.services:
            return [*tokens, *self._services([])]
        return [*tokens, *(way for scope in rule.scopes for way in self._services([scope]))]

    def _services(self, scopes: list[str]) -> list[dict[str, list[str]]]:
        return [{name: scopes} for name in self._service_schemes]

    def _query(self, route: Route) -> list[dict[str, Any]]:
        if route.query is None:
            return []
        return [
            {
                "name": name,
                "in": "query",
                **({"description": schema.pop("description")} if "description" in schema else {}),
                "required": needed,
                **({"example": example(schema, self._components)} if needed else {}),
                **(_DEEP if schema.get("type") == "object" else {}),
                "schema": schema,
            }
            for name, needed, schema in self._schemas.parameters(route.query)
        ]

    def _body(self, operation: Operation) -> dict[str, Any]:
        route = operation.route
        limit = route.limit if route.allow.signed_in else min(route.limit, SMALL)
        types = [self._schemas.of(_described(body)) for body in route.bodies]
        if route.form is not None:
            content = {FORM: self._example(self._schemas.of(route.form))}
            if (shown := getattr(route.form, "example", None)) is not None:
                content[FORM]["example"] = shown
        elif len(types) == 1:
            content = {JSON: self._example(types[0])}
        else:
            examples = {
                schema["$ref"].removeprefix(REF): {"value": example(schema, self._components)}
                for schema in types
            }
            title = f"{operation.id[0].upper()}{operation.id[1:]}Body"
            schema = {"title": title, "anyOf": types}
            content = {JSON: {"schema": schema, "examples": examples}}
        return {
            "description": f"At most {limit // KIB} KiB.",
            "required": not operation.route.bodiless,
            "content": content,
        }

    def _success(self, route: Route) -> dict[str, Any]:
        status, type, linked, again = route.answer
        done = {"204": _response("Done.", {})}
        if status == 204:
            return done
        if status == 201 and type is not None:
            content = {JSON: self._example(self._answer(type))}
            return {"201": _response("Created.", content, "Location")}
        if status == 201:
            return {"201": _response("Created.", {}, "Location"), **(done if again else {})}
        if status == 202:
            return {"202": _response("Accepted: it goes on there.", {}, "Location")}
        content = {JSON: self._example(self._answer(type))}
        headers = ("ETag", "Link") if linked else ("ETag",)
        found = {"200": _response("The answer.", content, *headers)}
        if route.method == "GET":
            found["304"] = {"$ref": "#/components/responses/NotModified"}
        return found

    def _answer(self, type: Any) -> Schema:
        """The schema of an answer, which may be one of several without a tag."""
        kinds = _kinds(type)
        if len(kinds) == 1:
            return self._schemas.of(type)
        title = "Or".join(kind.__name__ for kind in kinds)
        return {"title": title, "anyOf": [self._schemas.of(kind) for kind in kinds]}

    def _example(self, schema: Schema) -> dict[str, Any]:
        return {"schema": schema, "example": example(schema, self._components)}

    def _problem(self, kinds: Sequence[type[Problem]]) -> Schema:
        words = sorted({kind.code for kind in kinds})
        return self._narrowed("Problem", "code", words, kinds)

    def _narrowed(
        self, name: str, member: str, words: list[str], kinds: Sequence[type[Problem]]
    ) -> Schema:
        """A component whose member has only these words, with further members. Its title tells it
        from all others: generators of clients name types by titles."""
        # Not `const` for one of them: generators merge an enum with the string of the component.
        extra: dict[str, list[Any]] = {}
        for kind in kinds:
            for key, type in kind.extra.items():
                if type not in extra.setdefault(key, []):
                    extra[key].append(type)
        members = {
            key: self._schemas.of(types[0])
            if len(types) == 1
            else {"anyOf": [self._schemas.of(type) for type in types]}
            for key, types in extra.items()
        }
        narrow = {
            "type": "object",
            "properties": {member: {"type": "string", "enum": words}, **members},
        }
        title = "Or".join(dict.fromkeys(kind.__name__ for kind in kinds)) + name
        return {"title": title, "allOf": [_ref(name), narrow]}

    def _oauth(self, errors: Iterable[type[Problem]]) -> dict[str, Any]:
        """The responses of a form's errors, by status."""
        found = {}
        for status, kinds in _by_status(errors).items():
            content: dict[str, Any] = {}
            handled = [kind for kind in kinds if kind not in _BEFORE]
            if handled:
                words = sorted({kind.oauth for kind in handled})
                schema = self._narrowed("OAuthError", "error", words, handled)
                content |= _content(JSON, schema)
            early = [kind for kind in kinds if kind in _BEFORE or kind is Unavailable]
            if early:
                content |= _content(PROBLEM, self._problem(early))
            found[str(status)] = _response(_causes(kinds), content, *_HEADERS_OF.get(status, ()))
        return found


def _described(body: Any) -> Any:
    """The type that describes a body, where the service reads it as another."""
    return getattr(body, "described_as", body)


def _kinds(type: Any) -> tuple[Any, ...]:
    """The members of a union without tags; else the type alone."""
    if not isinstance(type, UnionType):
        return (type,)
    configs = [getattr(member, "__struct_config__", None) for member in get_args(type)]
    untagged = all(config is not None and config.tag is None for config in configs)
    return get_args(type) if untagged else (type,)


def _answered(route: Route) -> tuple[Any, ...]:
    return () if route.answer.type is None else _kinds(route.answer.type)


def _who(operation: Operation) -> str:
    route = operation.route
    if route.public_form:
        return _ANYONE
    sentences = [_rule(route.allow)]
    if not route.allow.signed_in and operation.sees_caller:
        sentences.append("With one, this also shows what only its user may see.")
    if more := [each for each in operation.permissions if each not in route.allow.needed]:
        sentences.append(f"The permission {' or '.join(f'`{each}`' for each in more)} allows more.")
    return " ".join(sentences)


def _rule(rule: Rule) -> str:
    if not rule.signed_in:
        return f"{_ANYONE} A token is not needed, but a bad one is refused."
    names = " or ".join(f"`{each}`" for each in rule.permissions)
    whose = ["of the user in the path"] if rule.owner else []
    if rule.services:
        whose.append("of a user or a service account")
    elif rule.users:
        whose.append("of a user")
        if names:
            whose.append(f"of a service account with the scope {names}")
    elif names:
        whose.append(f"with the permission {names}")
    return f"Needs an access token {', or '.join(whose)}."


def _variable(variable: tuple[str, str]) -> dict[str, Any]:
    kind, name = variable
    about = "A text. No segment of it, between slashes or backslashes, is `..`."
    schema: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": TEXT}
    if kind == "guid":
        about, schema = "A GUID with dashes.", {"type": "string", "format": "uuid"}
    elif kind == "int":
        about = "A number."
        schema = {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1}
    elif kind == "sha256":
        about = "A SHA-256 digest of 64 lower-case hexadecimal digits."
        schema = {"type": "string", "pattern": f"^{SHA256}$"}
    return {
        "name": variable_name(kind, name),
        "in": "path",
        "description": about,
        "required": True,
        "example": _IN_PATH.get(name) or example(schema, {}),
        "schema": schema,
    }


def _by_status(errors: Iterable[type[Problem]]) -> dict[int, tuple[type[Problem], ...]]:
    found: dict[int, tuple[type[Problem], ...]] = {}
    for error in errors:
        found[error.status] = (*found.get(error.status, ()), error)
    return dict(sorted(found.items()))


def _implied(routes: Iterable[Route]) -> set[tuple[type[Problem], ...]]:
    """The errors of one status of which a route declares none: it has them for its parameters,
    body and rule."""
    return {
        kinds
        for route in routes
        for kinds in _by_status(errors_of(route)).values()
        if not {*kinds} & {*route.raises}
    }


def _causes(kinds: Sequence[type[Problem]]) -> str:
    """The meaning of a response: its status, and the sentence of each of its codes."""
    phrase = HTTPStatus(kinds[0].status).phrase
    return "\n".join([f"{phrase}.", "", *(f"- `{kind.code}`: {kind.detail}" for kind in kinds)])


def _response(description: str, content: Mapping[str, Any], *headers: str) -> dict[str, Any]:
    found: dict[str, Any] = {"description": description}
    if headers:
        found["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    if content:
        found["content"] = dict(content)
    return found


def _content(media: str, schema: Schema) -> dict[str, Any]:
    return {media: {"schema": schema}}


def _ref(name: str) -> Schema:
    return {"$ref": REF + name}
