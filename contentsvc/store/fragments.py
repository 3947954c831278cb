"""SQL from which statements of several families are put together, and the row of a list by age.

Times leave the database by the function `unix` (schema/functions/unix.sql).
"""

from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import json

from contentsvc.framework.db.json_text import json_object
from contentsvc.wire.content import ContentInfo, Counts

T_co = TypeVar("T_co", covariant=True)


class Numbered(NamedTuple, Generic[T_co]):
    """An item of a list by age, with its place there. It may be None where the list is empty, and a
    row says only that there is such a list."""

    number: int
    item: T_co


NIL: Final = "00000000-0000-0000-0000-000000000000"
"""The nil GUID. Nothing has it, and it comes before all others."""
LAST: Final = 2**63 - 1
"""A number that comes after those of all rows."""
BEFORE: Final = f"coalesce(:before, {LAST})"
"""Before this number a list by age goes on: before the parameter `before`, None for its start."""
PART: Final = 512 * 1024
"""Bytes of profiles, attributes, change notes or evidence after which a part of a list ends,
whatever its `limit`."""
USER: Final = "u.id, u.username, u.avatar, u.emblem, u.public_profile"
"""The public columns of `users u`. With `as profile` behind them they are those of a UserInfo."""
NAME: Final = "coalesce(u.username, 'deleted-' || left(c.author_id::text, 8))"
"""The username of the author of `contents c`, or a replacement if the author has left. Nobody can
have such a name (schema/functions/leave.sql)."""
_LESS_THAN_PUBLIC: Final = ("unlisted", "friends", "private")
LEAVING: Final = "array(select user_id from departures where pending)"
"""The users who have left and whose content is still to be deleted. Everybody sees it as deleted
already. A statement reads them once, and there are next to never any."""


def status_of(content: str) -> str:
    """The column `status`, which decides who sees a content, by the name or alias of its table. It
    is active only if the content is public."""
    return f"""case when {content}.author_id = any({LEAVING}) then 'deleted'
                    else {content}.status end"""


def shown_status(status: str) -> str:
    """The status that a content shows: whatever its visibility, it is active, suspended or
    deleted."""
    return f"""case {status} when 'suspended' then 'suspended' when 'deleted' then 'deleted'
                    else 'active' end"""


def statuses_of(shown: Sequence[str]) -> list[str]:
    """The values of the column `status` of what shows one of these statuses: to compare the column
    with these costs less than shown_status in each row."""
    return [*shown, *(_LESS_THAN_PUBLIC if "active" in shown else ())]


def seen(content: str = "c", viewer: str = ":caller", moderate: str = ":moderate") -> str:
    """Whether the viewer sees a content, by the name or alias of its table. See
    schema/functions/visible.sql."""
    return f"""visible(
        {status_of(content)}, {content}.id, {content}.author_id, {viewer}, {moderate}
    )"""


def unless_left(column: str, empty: str) -> str:
    """A column of `contents c` with its AUTHOR; `empty` from the moment at which the author left.
    So no list has to check who is LEAVING."""
    return f"case when u.id is null then {empty} else {column} end"


STATUS: Final = unless_left("c.status", "'deleted'")
"""The status that decides who sees `contents c`, with its AUTHOR: as status_of gives it."""
SEEN: Final = f"visible({STATUS}, c.id, c.author_id, :caller, :moderate)"
"""Whether the caller sees `contents c`, with its AUTHOR."""
_PRESENT: Final = {
    "id": "c.id",
    "listing_id": "c.listing_id",
    "revision_id": "c.revision_id",
    "author_id": "c.author_id",
    "author_username": "u.username",
    "author_avatar": "coalesce(u.avatar, '')",
    "author_emblem": "u.emblem",
    "type": "c.type",
    "status": shown_status("c.status"),
    "name": "c.name",
    "thumbnail_uri": "c.screenshots[1]",
    "featured": "c.featured",
    "rating": "case when c.up + c.down = 0 then 0 else c.up::float8 / (c.up + c.down) end",
    "created": "unix(c.created)",
    "comments": "c.live_comments",
    "up": "c.up",
    "down": "c.down",
    "visibility": "c.visibility",
    "attributes": "c.attributes",
}
_EMPTY: Final = {
    **{"name": "''", "thumbnail_uri": "''", "attributes": "'{}'"},
    **{"rating": "0", "up": "0", "down": "0"},
}
_INFO: Final = {
    **_PRESENT,
    **{column: unless_left(_PRESENT[column], empty) for column, empty in _EMPTY.items()},
    "author_username": NAME,
    "status": shown_status(STATUS),
}
_COUNTS: Final = {name: f"c.{name}" for name in Counts.__struct_fields__}
INFO_COLUMNS: Final = ", ".join(_INFO | _COUNTS)
"""The names of the columns of a ContentInfo."""
REST: Final = 1024
"""Bytes of a ContentInfo beside its attributes, as it is mostly."""
INFO_BYTES: Final = f"octet_length(attributes::text) + {REST}"
"""The bytes of a row with the columns of a ContentInfo."""
INFO: Final = ", ".join(f"{sql} as {column}" for column, sql in (_INFO | _COUNTS).items())
"""The columns of a ContentInfo, of `contents c` and of its author, `users u`, who may have left."""
# Most of what there is was never played. To write six numbers costs as much as all texts.
_COUNTS_JSON: Final = f"""
    case when {" + ".join(_COUNTS.values())} = 0
        then '{json.encode(Counts(*(0 for _ in _COUNTS))).decode()}'
        else {json_object(Counts, _COUNTS)} end
"""
_INFO_JSON: Final = {**_INFO, "counts": _COUNTS_JSON}
_GUIDS: Final = ("id", "revision_id", "author_id", "author_emblem", "fitting")
_UNESCAPED: Final = (*_GUIDS, "type", "status", "visibility")
INFO_JSON: Final = json_object(ContentInfo, _INFO_JSON, _UNESCAPED)
"""The same as the text of its JSON: see framework.db.json_text."""
INFO_FITTING_JSON: Final = json_object(
    ContentInfo, {**_INFO_JSON, "fitting": "fitting"}, _UNESCAPED
)
"""The same with the column `fitting`: the revision that fits a client."""
ATTRIBUTES: Final = """array(
    select key || '=' || value from json_each_text(c.attributes) order by key
)"""
"""The attributes of `contents c`, as the texts that they are found by."""
AUTHOR: Final = "left join users u on u.id = c.author_id"
"""The author of `contents c`, who may have left."""


def state(record: str) -> str:
    """The column `state`: it changes when any of the records does, or their number."""
    return f"count(*) || ' ' || coalesce(sum(hashtextextended({record}::text, 0)), 0) as state"


def within(
    page: str, columns: str, order: str, size: str = "octet_length(profile)", most: str = ":bytes"
) -> str:
    """The rows of a `page` in this order, and no more once their sizes are `most`: without another
    `size`, those of profiles, which may have 64 Ki characters."""
    return f"""
        select {columns} from (
            select page.*, coalesce(sum({size}) over (
                order by {order} rows between unbounded preceding and 1 preceding
            ), 0) as before
            from ({page}) page
        ) page
        where before < {most}
        order by {order}
    """


def infos_within(page: str, place: str, order: str) -> str:
    """The rows of a `page` of content, whose columns are those of its `place` and a ContentInfo, in
    this order, and no more once they have PART bytes."""
    return within(page, f"{place}, {INFO_COLUMNS}", order, INFO_BYTES, str(PART))


def cut_after(rows: str, order: str) -> str:
    """The `rows` of content as JSON, `info`, in this order, and whether each is `kept`: no row is
    once the rows before it have PART bytes."""
    # With the offset each text is made once, and not again for its length.
    return f"""
        select r.*, coalesce(sum(octet_length(info)) over (
            order by {order} rows between unbounded preceding and 1 preceding
        ), 0) < {PART} as kept
        from ({rows} offset 0) r
    """
