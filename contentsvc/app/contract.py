"""The contract, published: the OpenAPI document of the service."""

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from attrs import frozen

from contentsvc.app.families import TAGS
from contentsvc.framework.core import build
from contentsvc.framework.http.openapi import Document
from contentsvc.framework.http.operations import Operation
from contentsvc.framework.http.schemas import Schema, Union
from contentsvc.roles import PURPOSES, SCOPES, Permission
from contentsvc.wire.accounts import ServiceMe, UserMe
from contentsvc.wire.content import CONTENT_TYPES
from contentsvc.wire.notifications import AnyNotification
from contentsvc.wire.packages import PLATFORMS
from contentsvc.wire.repeatable import KEYS, is_repeatable
from contentsvc.wire.socket import ClientMessage, ServerMessage

_ABOUT = """\
Content that players of a game make and share, with users, comments, ratings, challenges, progress \
data and notifications. A WebSocket pushes each notification as it happens.

Log in at /oauth/token, and send the access token as `Authorization: Bearer …`. Errors are \
problems as in RFC 9457, and their `code` names the cause. Every answer has an `X-Request-Id`. \
Every 200 has a weak `ETag`; a GET that sends it in `If-None-Match` gets a 304. HEAD works \
wherever GET does. All paths below /api/v1/user work below /methods/v1/user too.

`operationId`, tags and titles stay as they are, for clients that are made of this document. An \
operation with `x-repeatable` may be sent again if no answer came: a second time has no second \
effect. Where it has `x-idempotency-key` too, that holds if the body has the member of this name: \
a GUID that you make for each request. A list with `x-paged` comes in parts: `limit` says how long \
they are, and the `Link` header has the `after` of the next one."""

_SOCKET = """\
**The socket** is at /socket, on this server. POST /api/v1/session/connect gives its URL and a \
token. Send the token in the handshake's Authorization header, or in a first message, AuthMessage. \
The service sends each ServerMessage as a text message of JSON, and accepts each ClientMessage in \
the same form. A client that connects again adds `?resume=` and `&resumeId=`: the number and id of \
the last notification that it has seen. It then gets all later ones, in order, none twice. A \
request that is no WebSocket handshake gets a 426 or a 400."""


_NOTIFICATION = """\
A notification: one of its kinds, by `kind`. Later releases have further kinds; leave out those \
that you do not know, or show them as such."""
_SERVER_MESSAGE = """\
A message of the socket to the client, by `type`. Later releases have further types; leave out \
those that you do not know."""
_CLIENT_MESSAGE = """\
A message of the socket from the client, by `type`. The service leaves out what it does not know."""

_WIDTH = 100
_TOKEN_URLS = "tokenUrl", "refreshUrl"

_ME = """\
Who the token is of, by `kind`. Later releases have further kinds."""


def below(document: dict[str, Any], base: str) -> dict[str, Any]:
    """The document of a service that clients reach below the path `base`."""
    found = deepcopy(document)
    if base:
        found["servers"] = [{"url": base}]
        # They are no paths of the server, but URLs (OpenAPI 3.1.0, "OAuth Flow Object").
        for scheme in found["components"]["securitySchemes"].values():
            for flow in scheme.get("flows", {}).values():
                flow.update({name: base + flow[name] for name in _TOKEN_URLS if name in flow})
    return found


@frozen
class _Taking:
    """Changes schemas into those of a service that takes these types and platforms."""

    types: Sequence[str]
    platforms: Sequence[str]

    def __call__(self, schema: Schema) -> Schema:
        for before, after in ((CONTENT_TYPES, self.types), (PLATFORMS, self.platforms)):
            for key in ("enum", "examples"):
                if schema.get(key) == [*before]:
                    schema = {**schema, key: [*after]}
            if "pattern" in schema:
                words = "|".join(before), "|".join(after)
                schema = {**schema, "pattern": schema["pattern"].replace(*words)}
        members = schema.get("properties", {})
        if members.keys() >= set(PLATFORMS):
            path = members[PLATFORMS[0]]
            others = {
                name: member
                for name, member in members.items()
                if name not in {"id", *PLATFORMS, *self.platforms}
            }
            given = {"id": members["id"], **dict.fromkeys(self.platforms, path), **others}
            schema = {**schema, "properties": given}
        return schema


def document(
    operations: Sequence[Operation],
    types: Sequence[str] = CONTENT_TYPES,
    platforms: Sequence[str] = PLATFORMS,
) -> dict[str, Any]:
    """The document of these operations, with the messages of the socket, of a service that takes
    these types and platforms."""
    return Document(
        operations,
        title="contentsvc",
        version=build.release(),
        about=f"{_ABOUT}\n\n{_SOCKET}",
        tags=TAGS,
        log_in="/oauth/token",
        scopes={scope: PURPOSES[Permission(scope)] for scope in SCOPES},
        unions={
            "Me": Union(UserMe | ServiceMe, _ME, open=True),
            "Notification": Union(AnyNotification, _NOTIFICATION, open=True),
            "ServerMessage": Union(ServerMessage, _SERVER_MESSAGE, open=True),
            "ClientMessage": Union(ClientMessage, _CLIENT_MESSAGE),
        },
        is_repeatable=is_repeatable,
        keys=KEYS,
        change=_Taking(types, platforms),
    ).build()


def golden(document: dict[str, Any]) -> str:
    """A document as docs/openapi.json has it: for people to read, and the changes of it."""
    return _laid_out(document, "") + "\n"


def _laid_out(value: Any, indent: str) -> str:
    """JSON with each value on one line that fits there."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        members = [f"{json.dumps(key)}: {_laid_out(each, deeper)}" for key, each in value.items()]
    else:
        members = [_laid_out(each, deeper) for each in value]
    first, last = line[0], line[-1]
    return f"{first}\n{deeper}" + f",\n{deeper}".join(members) + f"\n{indent}{last}"
