"""The requests of `--wal`, one after the other.

Each operation gives its requests twice. The second time they come from the same users and concern
the same pages, but are not the same.
"""

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psycopg2

from . import world
from .operations import API, READS, Context
from .wrk import Request

_JSON = {"Content-Type": "application/json"}
_PARTS = 10
"""Entities of a publication that are new, and as many that are others'."""
_SAVED = 5
"""Every so many users have saved progress and have a session, half of those a live one."""


class Single(NamedTuple):
    """An operation. `make` gives `number` pairs of requests: the first is for the cold turn, the
    second for the warm one."""

    key: str
    title: str
    status: int
    make: Callable[[Context, int], list[tuple[Request, Request]]]


def _sent(context: Context, caller: int, method: str, path: str, body: Any = None) -> Request:
    headers = context.caller(caller)
    if body is None:
        return Request(method, API + path, headers)
    return Request(method, API + path, headers | _JSON, json.dumps(body))


def _scattered(context: Context, number: int) -> list[int]:
    """Users who neither publish nor are written to by the others."""
    first = context.sizes.regulars + context.sizes.authors
    return context.random.sample(range(first, context.sizes.users), number)


def _turns(
    one: Callable[[Context, int, int], Request], step: int = 1
) -> Callable[[Context, int], list[tuple[Request, Request]]]:
    """The pairs of requests that `one` makes of a user and a further number. The second requests
    have the numbers of each other's first."""

    def made(context: Context, number: int) -> list[tuple[Request, Request]]:
        users = [user - user % step for user in _scattered(context, number)]
        things = context.random.choices(range(context.sizes.active), k=number)
        return [
            (one(context, user, things[n]), one(context, user, things[n - 1]))
            for n, user in enumerate(users)
        ]

    return made


def _notify(context: Context, user: int, thing: int) -> Request:
    text = f"Your tower is the tallest of the week. Number {thing}"
    body = {"recipient": world.user(user), "text": text}
    return _sent(context, 0, "POST", "/debug/notify", body)


def _rating(context: Context, user: int, thing: int) -> Request:
    path = f"/user/{world.user(user)}/rating/{world.active_content(thing)}"
    return _sent(context, user, "PUT", path, {"value": "1"})


def _comment(context: Context, user: int, thing: int) -> Request:
    path = f"/content/{world.active_content(thing)}/comments"
    body = {"body": f"Nineteen floors, then a gust. More cranes, please! Number {thing}"}
    return _sent(context, user, "POST", path, body)


def _progress(context: Context, user: int, thing: int) -> Request:
    place = {"x": 12.5, "y": 0.25, "z": -3.75}
    inventory = ["rope", "lantern", "map", "key"]
    value = {"level": 7, "coins": thing, "inventory": inventory, "place": place}
    return _sent(
        context, user, "PUT", f"/user/{world.user(user)}/progress/save-1", {"value": value}
    )


def _publication(context: Context, user: int, thing: int) -> Request:
    def new() -> str:
        return world.content(context.random.randrange(1 << 60, 1 << 62))

    hidden = world.HIDDEN_EVERY
    first = thing - thing % hidden
    used = [world.core((first + n * hidden) % context.sizes.contents) for n in range(_PARTS)]
    body = {
        "name": "Tilting Tower",
        "description": "Stack it as high as it goes.",
        "type": "game",
        "screenshotUris": ["shots/new/1.png", "shots/new/2.png"],
        "tags": ["physics", "co-op"],
        "revisionId": new(),
        "revisionDescription": "The first one",
        "version": "1.0",
        "entity": {"entityId": new(), "revisionId": new(), "path": "entities/new/core.bin"},
        "originating": [
            {"entityId": new(), "revisionId": new(), "path": f"entities/new/{n}.bin"}
            for n in range(_PARTS)
        ],
        "using": [{"entityId": entity, "revisionId": revision} for entity, revision in used],
    }
    return _sent(context, user, "PUT", f"/content/{new()}", body)


def _messages(context: Context, number: int) -> list[tuple[Request, Request]]:
    found = []
    for n in range(number):
        regular, friend = n % context.sizes.regulars, n // context.sizes.regulars
        other = world.user(context.sizes.friend(regular, friend))
        path = f"/user/{world.user(regular)}/friend/{other}/messages"
        texts = ("Your tower is the tallest of the week.", "Nineteen floors, then a gust.")
        one, two = (_sent(context, regular, "POST", path, {"text": text}) for text in texts)
        found.append((one, two))
    return found


def _log_ins(context: Context, number: int) -> list[tuple[Request, Request]]:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    fields = {"grant_type": "password", "password": world.PASSWORD}
    requests = (
        Request("POST", "/oauth/token", form, urlencode({**fields, "username": world.email(user)}))
        for user in context.writers[:number]
    )
    return [(request, request) for request in requests]


def _renewals(context: Context, number: int) -> list[tuple[Request, Request]]:
    """Of sessions in the data set, with two more refresh tokens for each."""
    users = context.random.sample(range(_SAVED, context.sizes.users, 2 * _SAVED), number)
    tokens = [(user, f"{user} {turn} {context.random.random()}") for user in users for turn in "12"]
    with closing(psycopg2.connect(context.url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "insert into refresh_tokens (hash, session_id, expires)"
            " select sha256(token::bytea), md5('log-in ' || u)::uuid, now() + '1 year'"
            " from unnest(%s::int[], %s::text[]) as made (u, token)",
            ([user for user, _ in tokens], [token for _, token in tokens]),
        )
        connection.commit()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    requests = [
        Request(
            *("POST", "/oauth/token", form),
            urlencode({"grant_type": "refresh_token", "refresh_token": token}),
        )
        for _, token in tokens
    ]
    return list(zip(requests[::2], requests[1::2], strict=True))


def _unread(context: Context, number: int) -> list[tuple[int, str, str]]:
    """Users with the ids of two of their unread notifications."""
    users = {world.user(user): user for user in _scattered(context, number * 2)}
    with closing(psycopg2.connect(context.url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "select user_id, (array_agg(id::text))[:2] from notifications"
            " where user_id = any(%s::uuid[]) and not read"
            " group by 1 having count(*) >= 2 order by 1 limit %s",
            (list(users), number),
        )
        return [(users[user], *ids) for user, ids in cursor.fetchall()]


def _flags(context: Context, number: int) -> list[tuple[Request, Request]]:
    def one(user: int, notification: str) -> Request:
        path = f"/user/{world.user(user)}/notifications/{notification}"
        return _sent(context, user, "PATCH", path, {"read": True})

    return [
        (one(user, first), one(user, second)) for user, first, second in _unread(context, number)
    ]


def _deletions(context: Context, number: int) -> list[tuple[Request, Request]]:
    def one(user: int, notification: str) -> Request:
        path = f"/user/{world.user(user)}/notifications/{notification}"
        return _sent(context, user, "DELETE", path)

    return [
        (one(user, first), one(user, second)) for user, first, second in _unread(context, number)
    ]


def _reads(requests: Callable[[Context], list[Request]]) -> Any:
    def made(context: Context, number: int) -> list[tuple[Request, Request]]:
        return [(request, request) for request in requests(context)[:number]]

    return made


SINGLES = (
    Single("notify", "notification", 204, _turns(_notify)),
    Single("mark-read", "notification marked as read", 204, _flags),
    Single("delete", "notification deleted", 204, _deletions),
    Single("message", "message to a friend", 201, _messages),
    Single("post-comment", "comment, the author notified", 201, _turns(_comment)),
    Single("put-rating", "rating", 204, _turns(_rating)),
    Single("put-progress", "progress, 140 bytes saved again", 204, _turns(_progress, _SAVED)),
    Single("put-content", "content, 20 dependencies", 204, _turns(_publication)),
    Single("log-in", "log-in", 200, _log_ins),
    Single("renewal", "access token renewed", 200, _renewals),
    *(Single(each.key, each.title, 200, _reads(each.reads)) for each in READS),
)
