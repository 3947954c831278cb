"""Tags: which ones content may have, and which there are (content#tags)."""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from attrs import define, field
from msgspec import Struct
from twisted.internet.interfaces import IReactorTime

from contentsvc.api.call import Call
from contentsvc.api.checks import required, trimmed
from contentsvc.api.errors import (
    ContentDeleted,
    ContentNotFound,
    StaffTag,
    TooManyTags,
    UnknownTags,
)
from contentsvc.api.paging import key_of
from contentsvc.config.tags import Group, TagsFile
from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.core.folding import compared, folded
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.statement import array_literal
from contentsvc.framework.http.decode import fitting
from contentsvc.framework.http.errors import Problem, at_parameter
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import CURATE
from contentsvc.store.content import search_index
from contentsvc.store.content import tags as store
from contentsvc.store.events import events
from contentsvc.store.moderation import audit_log
from contentsvc.wire.content import LONGEST_TAG, MOST_TAGS, StaffTags, Tags
from contentsvc.wire.searches import TagCount, TagsQuery

_FRESH: Final = 3.0
"""Seconds for which it is remembered how many contents have the tags of groups."""
_START: Final = (-(2**31 - 1), "")
"""The place before the first tag."""
_KEY: Final = 4
_COUNT: Final = ">i"


class TagRules:
    """Which tags content may have, by the studio's file."""

    def __init__(self, file: TagsFile | None) -> None:
        file = file or TagsFile()
        self._free = file.free
        self._groups = file.groups
        self._known: dict[str, tuple[Group, str]] = {
            compared(tag.name): (group, tag.name) for group in file.groups for tag in group.tags
        }

    @property
    def grouped(self) -> dict[str, tuple[str, str]]:
        """The tags of the groups, by what they are compared by, with the keys of their groups."""
        return {key: (name, group.key) for key, (group, name) in self._known.items()}

    def spelt(self, tags: Sequence[str]) -> list[str]:
        """The tags, of which each that equals a group's is there once, as it is spelt there."""
        if not self._known:
            return [*tags]
        found: dict[str, None] = {}
        spelt = []
        for tag in tags:
            group, name = self._known.get(compared(tag), (None, tag))
            if group is None or name not in found:
                spelt.append(name)
            found[name] = None
        return spelt

    def check_many(self, tags: Sequence[str], before: Sequence[str]) -> None:
        """Raises InvalidBody if an author gives content with the tags `before` too many. Those of
        staff do not count, and it may go on with as many as it had."""
        if len(tags) > 2 * MOST_TAGS:
            fitting("tags", tags, Tags)
        if len(tags) <= MOST_TAGS:
            return
        own, had = ([tag for tag in those if not self._is_staff(tag)] for those in (tags, before))
        if len(own) > len(had) or self._new(own, had):
            fitting("tags", own, Tags)

    def kept(self, tags: Sequence[str], before: Sequence[str]) -> list[str]:
        """What content with the tags `before` has if its author gives it these, which are spelt:
        those of staff stay."""
        given = set(map(compared, tags)) if self._known else set()
        stay = [tag for tag in self._of_staff(self.spelt(before)) if compared(tag) not in given]
        return [*tags, *stay]

    def given(self, tags: Sequence[str], before: Sequence[str]) -> list[str] | None:
        """What content with the tags `before` has if a curator gives it these of staff; None if
        nothing changes."""
        staff, had = self.spelt(tags), self._of_staff(before)
        if sorted(staff) == sorted(had):
            return None
        return [*(tag for tag in before if tag not in had), *staff]

    def problems(
        self, tags: Sequence[str], type: str | None, before: Sequence[str] = ()
    ) -> Iterator[Problem]:
        """Why content of a type must not have these tags of its author: UnknownTags, StaffTag,
        TooManyTags. It may have those that it had `before`. Without a type all may be of it."""
        if self._free and not self._known:
            return
        new = self._new(tags, before)
        unknown = [tag for tag in new if not self._is_known(tag, type)]
        if unknown:
            yield UnknownTags(tags=unknown)
        staff = self._of_staff(new)
        if staff:
            yield StaffTag(tags=staff)
        yield from self._too_many(tags, new, staff=False)

    def staff_problems(
        self, tags: Sequence[str], type: str, before: Sequence[str]
    ) -> Iterator[Problem]:
        """Why a curator must not give content of a type these tags: UnknownTags, TooManyTags."""
        new = self._new(tags, before)
        unknown = [
            tag
            for tag in dict.fromkeys(tags)
            if not self._is_staff(tag) or (tag in new and not self._is_known(tag, type))
        ]
        if unknown:
            yield UnknownTags(tags=unknown)
        yield from self._too_many(tags, new, staff=True)

    def _too_many(
        self, tags: Sequence[str], new: Sequence[str], *, staff: bool
    ) -> Iterator[Problem]:
        for group in self._groups:
            if group.most is None or group.staff is not staff:
                continue
            chosen = {compared(tag) for tag in tags if self._of(tag) is group}
            if len(chosen) > group.most and not chosen.isdisjoint(map(compared, new)):
                yield TooManyTags(group=group.key, most=group.most)

    def _new(self, tags: Sequence[str], before: Sequence[str]) -> list[str]:
        had = set(map(compared, before))
        return [tag for tag in dict.fromkeys(tags) if compared(tag) not in had]

    def _of(self, tag: str) -> Group | None:
        known = self._known.get(compared(tag))
        return None if known is None else known[0]

    def _is_known(self, tag: str, type: str | None) -> bool:
        group = self._of(tag)
        if group is None:
            return self._free
        return group.types is None or type is None or type in group.types

    def _is_staff(self, tag: str) -> bool:
        group = self._of(tag)
        return group is not None and group.staff

    def _of_staff(self, tags: Sequence[str]) -> list[str]:
        return [tag for tag in tags if self._is_staff(tag)] if self._known else []


ANY_TAGS: Final = TagRules(None)
"""Those of a service without such a file."""


class _Known(NamedTuple):
    """A tag of a group as the list has it, and what it is compared by."""

    listed: TagCount
    key: str


def _place(listed: TagCount) -> tuple[int, str]:
    return -listed.count, listed.tag


@define(eq=False)
class TagList:
    """The list of all tags. There may be thousands in groups: what content has of them is
    remembered for some seconds."""

    _clock: IReactorTime
    _db: Db
    _rules: TagRules
    _without: str = field(init=False)
    _known: Cached[list[_Known]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._without = array_literal([*self._rules.grouped]) or ""
        self._known = Cached(self._clock, _FRESH, self._count, [])

    async def part(
        self, q: str, group: str | None, after: tuple[int, str], most: int
    ) -> list[TagCount]:
        """The tags of a group, or else all, that begin with `q`, whatever the case and the width,
        and come after this place."""
        beginning = folded(q).lstrip()
        found = [
            each.listed
            for each in (await self._known.get() if self._rules.grouped else [])
            if each.key.startswith(beginning)
            and (group is None or each.listed.group == group)
            and _place(each.listed) > after
        ][:most]
        if group is not None:
            return found
        count, tag = after
        found += await store.free(self._db, self._without, beginning, -count, tag, most)
        return sorted(found, key=_place)[:most]

    async def _count(self) -> list[_Known]:
        grouped = self._rules.grouped
        counts = dict(await store.counts(self._db, list(grouped)))
        known = [
            _Known(TagCount(name, group, counts.get(key, 0)), key)
            for key, (name, group) in grouped.items()
        ]
        return sorted(known, key=lambda each: _place(each.listed))


class ContentTags(Struct):
    """The tags of all content, and those that curators give."""

    db: Database
    rules: TagRules
    tags: TagList

    @route("GET", "/tags", allow=ANYONE)
    async def list_tags(self, call: Call, query: TagsQuery) -> Listed[TagCount]:
        """List tags, and how much public active content has each (content#tags): the most frequent
        first, then by tag. The tags of the studio's groups are listed also if no content has them;
        others are spelt as most content spells them. Changes are counted within a minute."""
        q = "" if query.q is None else trimmed("q", query.q, 1, LONGEST_TAG)
        key = key_of(q, query.group)
        after = _START if query.after is None else _decoded(key, query.after)
        found = await self.tags.part(q, query.group, after, query.limit)
        full = len(found) == query.limit
        return Listed(found, _encoded(key, found[-1]) if full else None)

    @route(
        "PUT",
        "/content/<guid:content>/staff-tags",
        allow=CURATE,
        heeds="/content/<guid:content>",
        raises=(ContentNotFound, ContentDeleted, UnknownTags, TooManyTags),
    )
    async def set_staff_tags(self, call: Call, content: str, body: StaffTags) -> None:
        """Replace the tags of a content item that only curators give (content#tags); its other tags
        stay. Content that the caller does not see is 404."""
        async with self.db.transaction() as tx:
            locked = required(await store.lock_seen(tx, content, *call.viewer), ContentNotFound)
            await call.unchanged(tx)
            if locked.status == "deleted":
                raise ContentDeleted()
            for problem in self.rules.staff_problems(body.tags, locked.type, locked.tags):
                raise problem
            tags = self.rules.given(body.tags, locked.tags)
            if tags is None:
                return
            await store.put(tx, content, tags)
            await search_index.renew(tx, content)
            await events.note(tx, "ContentChanged", call.user, "content", content)
            await audit_log.record(tx, *call.actor, "staff_tags_changed", "content", content, "")


def _encoded(key: bytes, last: TagCount) -> str:
    raw = key + struct.pack(_COUNT, last.count) + last.tag.encode()
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _decoded(key: bytes, text: str) -> tuple[int, str]:
    """The place that a cursor means. Raises InvalidQuery."""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        (count,) = struct.unpack_from(_COUNT, raw, _KEY)
        tag = raw[_KEY + struct.calcsize(_COUNT) :].decode()
        if raw[:_KEY] == key and count >= 0 and "\0" not in tag:
            return -count, tag
    except (ValueError, struct.error):
        pass
    raise at_parameter("after", "This is not a cursor of this list.")
