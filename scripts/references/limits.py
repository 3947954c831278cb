"""docs/reference/limits.md, from the settings, the operations, and the constants of the code."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from contentsvc import config, tokens
from contentsvc.api.accounts import oauth
from contentsvc.app.families import OPERATIONS
from contentsvc.config.table import LOAD, QUOTAS, SETTINGS
from contentsvc.framework.config.setting import Setting
from contentsvc.framework.http import body_reader, slow_clients, streamed_body
from contentsvc.framework.identity import passwords, subject
from contentsvc.framework.sockets import frame_limits as bounded_reading
from contentsvc.framework.sockets import heartbeat
from contentsvc.framework.storage import bucket, images
from contentsvc.jobs import mails as sending
from contentsvc.push import socket
from contentsvc.store import retention
from contentsvc.store.accounts import addresses, mails
from contentsvc.store.content import dependents, publication_audience
from contentsvc.store.files import references
from contentsvc.store.rate_limits import LIMITS, Limit
from scripts.references.markdown import code, items, page, size, span, table
from scripts.references.operations import described, schemas
from scripts.references.settings import default

_ABOUT = """\
How often, how many, how large, how long. "Setting" names the [setting](settings.md) that changes a
limit; a limit without one is fixed. The figures are the defaults. 0 mostly means that there is no
limit: the settings say so."""

_RATES = (
    "They hold over all processes together, exactly, however many requests come at once. They hold "
    "for admins too.",
    "Only what had an effect counts: no repeat and no refusal. What is undone later counts.",
    "A right password forgets the wrong ones of its account from its address.",
    "Above a limit, the answer is 429 with `Retry-After`: the time until one more is possible. "
    "Every other error comes first.",
    "Requests as such have no limit: whoever reads may do so as often as they like.",
)

_VALUES = """\
Lengths of texts are in characters. "Where" are the types of [openapi.json](../openapi.json). No
text may have the character NUL."""

_OTHER_SIZES = ("file_bytes", "image_bytes", "sessions_per_user")
_OTHER_LOAD = ("body_timeout", "statement_timeout", "drain_timeout", "pool_size")
_KEPT = ("notification_retention",)
_FEW = 8
"""The most places that are listed."""


class _Bounded(NamedTuple):
    """A member or a parameter with a limit: what it is about, and the type or operation that has
    it."""

    name: str
    limit: str
    about: str
    where: str


def reference() -> str:
    """The page."""
    heads = ("What", "Limit", "Setting")
    return page(
        "Limits",
        _ABOUT,
        "## How often",
        items(_RATES),
        table(("What", "Of each", "Within", "Limit", "Setting"), map(_rate, LIMITS)),
        "## How much",
        table(heads, [*_settings(QUOTAS.name, _OTHER_SIZES), *_amounts()]),
        "## Bodies of requests",
        table(heads, _bodies()),
        "## Connections and waiting",
        table(heads, [*_settings(LOAD.name, _OTHER_LOAD), *_waiting()]),
        "## The socket",
        table(heads, _socket()),
        "## How long things are good, or kept",
        table(heads, [*_settings("", _KEPT), *_times()]),
        "## Members of bodies",
        _VALUES,
        table(("Member", "Limit", "Meaning", "Where"), _grouped(_members())),
        "## Parameters of paths and queries",
        table(("Parameter", "Limit", "Meaning", "Where"), _grouped(_parameters())),
    )


def _settings(section: str, others: Iterable[str] = ()) -> Iterator[tuple[str, str, str]]:
    for setting in SETTINGS:
        if setting.section == section or setting.name in others:
            meaning = setting.meaning.replace("; 0: no limit", "").removesuffix(".")
            yield meaning, _default(setting), code(setting.name)


def _default(setting: Setting) -> str:
    if setting.name == "connections":
        return f"{config.read({}, {}).most_connections:,}"
    if isinstance(setting.default, int) and setting.name.endswith("_bytes"):
        return size(setting.default)
    if isinstance(setting.default, int):
        return f"{setting.default:,}"
    if isinstance(setting.default, float):
        return span(setting.default)
    return default(setting)


def _rate(limit: Limit) -> tuple[str, str, str, str, str]:
    settings = [setting for setting in SETTINGS if setting.name == limit.option]
    most = _default(settings[0]) if settings else str(limit.most)
    name = code(limit.option) if limit.option else ""
    what = limit.counts[:1].upper() + limit.counts[1:]
    return what, limit.per, span(limit.span), most, name


def _amounts() -> list[tuple[str, str, str]]:
    return [
        (
            "Publications of one author in 24 hours of which the followers are told",
            str(publication_audience.MOST),
            "",
        ),
        (
            "Dependents of a content, on all levels, whose authors are told what happens to it",
            f"{dependents.MOST:,}",
            "",
        ),
        ("Pixels of one side of an image", f"{images.MOST_SIDE:,}", ""),
        ("Pixels of an image in all", f"{images.MOST_PIXELS:,}", ""),
    ]


def _bodies() -> list[tuple[str, str, str]]:
    usual = {body_reader.BODY_LIMIT, body_reader.FORM_LIMIT}
    larger: dict[int, list[str]] = {}
    for operation in OPERATIONS:
        if operation.route.bodies and operation.route.limit not in usual:
            larger.setdefault(operation.route.limit, []).append(described(operation)["operationId"])
    return [
        ("A JSON body", size(body_reader.BODY_LIMIT), ""),
        *(
            (f"A JSON body of {', '.join(map(code, sorted(ids)))}", size(limit), "")
            for limit, ids in sorted(larger.items())
        ),
        ("A form", size(body_reader.FORM_LIMIT), ""),
        ("A body without a token", size(body_reader.SMALL), ""),
        ("A token of another service", f"{subject.LONGEST:,} characters", ""),
        ("One upload in memory, as it goes to the disk", size(streamed_body.MOST_OF_ONE), ""),
        (
            "All such uploads of a process together; beyond, they are read more slowly",
            size(streamed_body.MOST_OF_ALL),
            "",
        ),
    ]


def _waiting() -> list[tuple[str, str, str]]:
    return [
        ("Passwords that a process hashes at a time", str(passwords.THREADS), ""),
        ("Passwords that wait for that; beyond, 503", str(passwords.WAITING), ""),
        (
            "Time in which a client takes nothing of its answer; then it is cut off",
            span(slow_clients.READ_TIMEOUT),
            "",
        ),
        ("Answers per process that wait for slow clients", size(slow_clients.MOST), ""),
    ]


def _socket() -> list[tuple[str, str, str]]:
    return [
        ("A message from a client; beyond, close code 1009", size(socket.MESSAGE_BYTES), ""),
        (
            "Messages from a client; beyond, close code 1008",
            f"{bounded_reading.RATE} in {span(bounded_reading.WINDOW)}",
            "",
        ),
        (
            "Time until the `auth` message, where the handshake has no token",
            span(socket.AUTH_TIMEOUT),
            "",
        ),
        ("Time between two pings of the server", span(heartbeat.INTERVAL), ""),
        ("Silence of a client after which it is cut off", span(heartbeat.SILENCE), ""),
        (
            "Messages that wait for a slow client; beyond, close code 4408",
            f"{socket.QUEUE_FRAMES}, or {size(socket.QUEUE_BYTES)}",
            "",
        ),
        ("Time that a slow client has to take what waits", span(socket.STALL), ""),
    ]


def _times() -> list[tuple[str, str, str]]:
    days = "{} days".format
    return [
        ("An access token", span(tokens.ACCESS_LIFETIME), ""),
        ("A refresh token", span(oauth.REFRESH_LIFETIME), ""),
        ("A token for the socket", span(tokens.SOCKET_LIFETIME), ""),
        ("The URL of an upload", span(bucket.UPLOAD_LIFETIME), ""),
        ("A link to set a password", span(mails.RESET_LIFETIME), ""),
        ("A link to confirm an address", span(mails.CONFIRM_LIFETIME), ""),
        ("A mail that waits for the mail server", span(sending.GIVE_UP_AFTER), ""),
        ("An address that nobody confirms, against others who want it", days(addresses.KEPT), ""),
        ("The files of deleted content, which can be restored", days(references.KEPT), ""),
        ("The name of a user who has left, against others", span(retention.NAMES_KEPT), ""),
        ("The row of a mail", days(mails.KEPT), ""),
    ]


def _members() -> Iterator[_Bounded]:
    """Members of what is sent."""
    known = schemas()
    sent: set[str] = set()
    for operation in OPERATIONS:
        _refer(described(operation).get("requestBody"), known, sent)
    for name in sorted(sent):
        for member, schema in known[name].get("properties", {}).items():
            yield _Bounded(member, _limit(schema), schema.get("description", ""), name)


def _parameters() -> Iterator[_Bounded]:
    for operation in OPERATIONS:
        found = described(operation)
        for each in found.get("parameters", ()):
            if each["in"] in {"path", "query"}:
                about = each.get("description", "")
                limit = _limit(each["schema"])
                # A list in one text says in words how many there may be.
                said = about if not limit and re.search(r"\b[0-9]", about) else ""
                yield _Bounded(each["name"], limit or said, about, found["operationId"])


def _grouped(found: Iterable[_Bounded]) -> list[tuple[str, str, str, str]]:
    """One row for each name and limit, with all places."""
    groups: dict[tuple[str, str], list[_Bounded]] = {}
    for each in found:
        if each.limit:
            groups.setdefault((each.name, each.limit), []).append(each)
    rows = []
    for (name, limit), several in sorted(groups.items(), key=lambda group: group[0][0].lower()):
        abouts = {each.about for each in several} - {limit}
        (about,) = abouts if len(abouts) == 1 else ("",)
        places = [code(each.where) for each in several]
        where = ", ".join(places) if len(places) <= _FEW else f"{len(places)} operations"
        rows.append((code(name), limit, about, where))
    return rows


def _refer(value: Any, known: dict[str, Any], into: set[str]) -> None:
    """Collect the types that a part of the document refers to."""
    if isinstance(value, dict):
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if name in known and name not in into:
            into.add(name)
            _refer(known[name], known, into)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            _refer(each, known, into)


def _limit(schema: dict[str, Any]) -> str:
    """What a schema allows, in words; empty if it bounds nothing."""
    parts = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    return " or ".join(filter(None, map(_one, parts)))


def _one(schema: dict[str, Any]) -> str:
    if schema.get("type") == "array":
        each = _limit(schema["items"])
        items = _between(schema, "minItems", "maxItems", "{:,}".format)
        return f"{items} items{f', each of {each}' if each else ''}" if items else each
    if schema.get("type") == "integer":
        return _between(schema, "minimum", "maximum", _exact)
    return _between(schema, "minLength", "maxLength", "{:,}".format)


def _between(schema: dict[str, Any], low: str, high: str, show: Callable[[Any], str]) -> str:
    if low in schema and high in schema:
        return f"{show(schema[low])} to {show(schema[high])}"
    if high in schema:
        return f"up to {show(schema[high])}"
    return f"from {show(schema[low])}" if low in schema else ""


def _exact(number: int) -> str:
    """A number, as a power of two where it would be long."""
    for power in (31, 53, 63):
        for less in (0, 1):
            if abs(number) == 2**power - less:
                return f"{'-' if number < 0 else ''}2^{power}{' - 1' if less else ''}"
    return f"{number:,}"
