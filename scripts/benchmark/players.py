"""What is between players, and what they report: the requests that wrk measures."""

from collections.abc import Callable
from urllib.parse import urlencode

from . import world
from .operations import API, FEW, SOME, Context, owned, read, write
from .wrk import Request

_CONVERSATIONS = 1000
"""Pairs of friends who write to each other, at most."""
_KINDS = ("content", "comment", "user", "collection")
_REASONS = ("spam", "abuse", "sexual", "violence", "copyright", "cheating", "other")

_MESSAGE = f"""
    local it = pick(friends)
    return "POST", "{API}/user/" .. it[1] .. "/friend/" .. it[3] .. "/messages", it[2],
        '{{"text":"Your tower is the tallest of the week. Number ' .. math.random(1, 999999) ..
        '"}}'
"""
_OWN_COMMENT = f"""
    local it = pick(owned)
    return "POST", "{API}/content/" .. it[1] .. "/comments", authors[it[3]],
        '{{"body":"Nineteen floors, then a gust. More cranes, please! Number ' ..
        math.random(1, 999999) .. '"}}'
"""


def _friends(context: Context) -> dict[str, object]:
    """Regulars, their tokens, and a friend of each."""
    chosen = [context.random.choice(context.regulars) for _ in range(_CONVERSATIONS)]
    tokens = {regular: context.token(regular) for regular in chosen}
    friends = [
        context.sizes.friend(each, context.random.randrange(world.FRIENDS)) for each in chosen
    ]
    return {
        "friends": [
            (world.user(regular), tokens[regular], world.user(friend))
            for regular, friend in zip(chosen, friends, strict=True)
        ]
    }


def _own(list_of: str) -> Callable[[Context], list[Request]]:
    """A list that only the user reads."""

    def requests(context: Context) -> list[Request]:
        return [
            Request("GET", f"{API}/user/{world.user(user)}/{list_of}", context.caller(user))
            for user in context.regulars
        ]

    return requests


def _challenges(context: Context) -> list[Request]:
    return [Request("GET", f"{API}/design-challenges")]


def _log_ins(context: Context) -> list[Request]:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    fields = {"grant_type": "password", "password": world.PASSWORD}
    return [
        Request("POST", "/oauth/token", form, urlencode({**fields, "username": world.email(user)}))
        for user in context.writers
    ]


def _queue(context: Context, *queries: str) -> list[Request]:
    headers = context.admin()
    return [Request("GET", f"{API}/moderation/reports{query}", headers) for query in queries]


def _by_kind(context: Context) -> list[Request]:
    return _queue(context, *(f"?kind={kind}" for kind in _KINDS))


def _by_reason(context: Context) -> list[Request]:
    return _queue(context, *(f"?reason={reason}" for reason in _REASONS))


def _by_both(context: Context) -> list[Request]:
    return _queue(context, *(f"?kind={k}&reason={r}" for k in _KINDS for r in _REASONS))


PLAYERS = (
    read("friends", "list of 200 friends", _own("friends?limit=200"), connections=FEW),
    read("following", "list of who is followed", _own("following")),
    read("followers", "list of followers", _own("followers")),
    read("sessions", "list of sessions", _own("sessions")),
    read("progress", "list of progress", _own("progress")),
    read("challenges", "list of challenges", _challenges),
    read("moderation-queue", "moderation queue", lambda c: _queue(c, ""), connections=FEW),
    read("moderation-queue-kind", "moderation queue, a kind", _by_kind, connections=FEW),
    read("moderation-queue-reason", "moderation queue, a reason", _by_reason, connections=FEW),
    read(
        "moderation-queue-both", "moderation queue, a kind and a reason", _by_both, connections=FEW
    ),
    read("log-in", "log-in", _log_ins, connections=SOME),
    write("message", "message to a friend", 201, _MESSAGE, _friends),
    write("post-comment-own", "POST comment on own content", 201, _OWN_COMMENT, owned),
)
