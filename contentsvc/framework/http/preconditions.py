"""If-Match and If-Unmodified-Since of writes that replace (RFC 9110 §13.1.1, §13.1.4).

A route that replaces names the path of the GET by which its callers have read what they replace
(`heeds`). Its handler locks what it writes, and then asks `Call.unchanged` with its transaction. So
what that GET would answer this caller cannot change before the write, and of two writes with the
same validator one wins.

Validators are weak, because votes and plays are in them. Here they are compared weakly too, by the
opaque value, although the RFC has a strong comparison: that would refuse each of ours. Some answers
change all the time, such as that of a webhook, which says how far it is. Their types have
`replaced`: the tag has a part for the members that a PUT replaces, and that part alone is compared.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, structs

from contentsvc.framework.http import decode
from contentsvc.framework.http.errors import PreconditionFailed, Problem
from contentsvc.framework.http.reply import body_of, tag_of
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.route import Route

Changed = Callable[[], Awaitable[int | None]] | int | None
"""When something was last changed, in Unix seconds, or a function that finds it out. None if it is
not known: then the answer of its GET may say it."""

_TAG = re.compile(rb'[ \t]*(?:(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|\Z)')
"""An entity tag of a list (RFC 9110 §8.8.3), or an empty element (§5.6.1)."""
_FORMS = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")
"""The three forms of a date (RFC 9110 §5.6.7)."""
_TIMES = ("updated", "timestamp")
"""The members of answers that say when something was last changed."""


class Read(NamedTuple):
    """The GET by which the callers of a write have read what it replaces."""

    family: Any
    handler: str
    route: Route

    async def answer(self, db: Any, call: Any, values: Mapping[str, Any]) -> Any:
        """What it would answer this caller now, read by `db`; None if that is 404."""
        # Only the database differs: the answer is to be read in the transaction of the write.
        family = copy(self.family)
        family.db = db
        query = values.get("query")
        given = {
            name: values[name] if name in values else getattr(query, name)
            for _, name in self.route.variables
        }
        if self.route.query is not None:
            given["query"] = _shared(decode.query_string(b"", self.route.query), query)
        try:
            return await getattr(family, self.handler)(call, **given)
        except Problem as problem:
            if problem.status != 404:
                raise
            return None


def _shared(asked: Struct, query: Struct | None) -> Struct:
    """What is asked for, with the parameters of a write that has them too."""
    there = () if query is None else {*query.__struct_fields__} & {*asked.__struct_fields__}
    return structs.replace(asked, **{name: getattr(query, name) for name in there})


class Precondition(NamedTuple):
    """What a request demands of the present state. `tags` are the values of If-Match; without it
    there is `since`, of If-Unmodified-Since in Unix seconds."""

    read: Read
    values: Mapping[str, Any]
    tags: Sequence[bytes]
    since: int | None

    async def check(self, call: Any, db: Any, changed: Changed) -> None:
        """Raises PreconditionFailed if it is not met. `changed` says when what is replaced was last
        changed, where the answer has no member for that."""
        answer = await self.read.answer(db, call, self.values)
        if self.tags:
            if answer is None or not is_met(self.tags, tag_of(body_of(answer), answer)):
                raise PreconditionFailed()
        elif answer is not None and self.since is not None:
            last = await changed() if callable(changed) else changed
            if last is None:
                last = _time(answer)
            if last is not None and last > self.since:
                raise PreconditionFailed()


def asked(request: ApiRequest, read: Read, values: Mapping[str, Any]) -> Precondition | None:
    """What a request demands; None if it has no such header, or only one that is to be ignored."""
    tags = request.header_values(b"If-Match")
    dates = request.header_values(b"If-Unmodified-Since")
    if tags:
        return Precondition(read, values, tags, None)
    since = date(dates[0]) if len(dates) == 1 else None
    return None if since is None else Precondition(read, values, (), since)


def is_met(values: Sequence[bytes], tag: bytes) -> bool:
    """Whether these values of If-Match are met by something with this tag. What is not a list of
    tags, nor `*` alone, names nothing."""
    value = b",".join(values).strip(b" \t")
    if value == b"*":
        return True
    opaque, found, place = _known_by(tag.removeprefix(b"W/")), False, 0
    while place < len(value):
        one = _TAG.match(value, place)
        if one is None:
            return False
        found = found or (one[1] is not None and _known_by(one[1]) == opaque)
        place = one.end()
    return found


def _known_by(opaque: bytes) -> bytes:
    """The part of a tag that counts: all of it, or what it says of the members that a PUT
    replaces."""
    return opaque[opaque.find(b"-") + 1 :]


def date(value: bytes) -> int | None:
    """The Unix seconds of an HTTP date. None if it is not valid: then its header is ignored (RFC
    9110 §13.1.4)."""
    text = " ".join(value.decode("latin-1").split())
    for form in _FORMS:
        try:
            return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp())
        except ValueError:
            continue
    return None


def _time(answer: Any) -> int | None:
    return next((getattr(answer, each) for each in _TIMES if hasattr(answer, each)), None)
