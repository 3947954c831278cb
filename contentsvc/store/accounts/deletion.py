"""Deleting an account (accounts#deletion): what goes at once, and what goes a batch at a time.

At once, in one transaction: the row of the user, with all that the foreign keys take along; the
sessions; the text of the comments; and what the tallies of others' content have of the user, unless
it is very much. Content stays for now. Until it is deleted, the user's row of `departures` is
pending, and no statement shows it (contentsvc.store.fragments).

The rest is a task, `Departure`, whose batches are each a short transaction of their
own. All of it is deleted or emptied where it is found, so a batch can be done again.

The transaction takes the locks of all, in the order of all: pairs, others' content, storage, what
else is the user's, and last the row of the user. Whoever writes for the user holds that row FOR KEY
SHARE. So no such write is under way once it is locked, and all later ones are refused.
"""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.framework.tasks.task_queue import put
from contentsvc.store.accounts.guests import is_idle
from contentsvc.store.accounts.identities import proves
from contentsvc.store.content import search_index
from contentsvc.store.events.events import noting
from contentsvc.store.files.references import KEPT
from contentsvc.store.files.unused import give_up
from contentsvc.store.fragments import LAST, NIL
from contentsvc.store.tasks import AuthorLeft, Departure, DependencyChanged

VOTES, COUNTS, PAIRS, MESSAGES, NOTIFICATIONS, FILES = 50, 50, 100, 2000, 2000, 100
"""Rows of a batch: the contents whose rows are locked at once, the conversations and their
messages, notifications, and files."""
CHUNK = 20_000
"""Rows of what goes at once that one statement deletes, so that none comes to its time limit."""
REVISIONS: Final = 100
"""Revisions of a batch whose text is emptied. The description of each may have 64 Ki characters."""
AT_ONCE: Final = 500
"""Contents that lose the user's votes at once, and as many the user's comments. The rows of them
are locked together."""
ENDED: Final = 2
"""Hours for which the ended sessions are known. It is more than the life of an access token."""


# What goes at once.


def _some(table: str, which: str, most: int = CHUNK) -> str:
    """Deletes some rows. One that somebody changes meanwhile is left for the next time."""
    return f"""
        with gone as (
            delete from {table} where ctid = any(array(
                select ctid from {table} where {which} limit {most}
            ))
            returning 1
        )
        select from gone limit 1
    """


def _locked(which: str) -> str:
    """Locks contents by their ids, in one order."""
    return f"""
        select id from contents where id = any(array({which})) order by id for no key update
    """


@found(_some("pairs", "lesser = :user or greater = :user"))
async def _forget_pairs(tx: Db, user: str) -> bool:
    """Delete some of what is between the user and others, with their conversations. False if there
    is nothing."""


@found(_some("follows", "follower = :user or followed = :user"))
async def _forget_follows(tx: Db, user: str) -> bool:
    """Delete some of the follows in both directions. False if there are none."""


@found(
    _some(
        "collection_items",
        "collection_id = any(array(select id from collections where owner_id = :user))",
    )
)
async def _forget_items(tx: Db, user: str) -> bool:
    """Delete some items of the user's collections. The collections go with the user. False if there
    are none."""


@found(_some("content_players", "user_id = :user"))
async def _forget_played(tx: Db, user: str) -> bool:
    """Forget some of the content that the user has played, which counts the user still. False if
    there is none."""


@none("select from storage where user_id = :user for update")
async def _lock_storage(tx: Db, user: str) -> None:
    """Wait for those who change the user's files."""


@none("select from progress_usage where user_id = :user for update")
async def _lock_progress(tx: Db, user: str) -> None:
    """Wait for those who write the user's progress."""


_REMOVED = noting(
    "CommentRemoved", ":user::uuid", "comment", "id", rows="gone", content="content_id"
)


@found(f"""
    with gone as (
        update comments set body = '', deleted = true, updated = clock_timestamp()
        where not deleted and id = any(array(
            select id from comments where author_id = :user and not deleted limit {CHUNK}
        ))
        returning id, content_id
    ), noted as ({_REMOVED})
    insert into uncounted_comments as u (author_id, content_id, comments)
    select :user, content_id, count(*) from gone group by content_id
    on conflict (author_id, content_id) do update set comments = u.comments + excluded.comments
    returning true
""")
async def _empty_comments(tx: Db, user: str) -> bool:
    """Leave tombstones of some of the user's comments. False if there are none."""


@many(
    _locked(f"""
        (select content_id from ratings where user_id = :user order by content_id limit {AT_ONCE})
        union
        (select distinct content_id from comments
         where author_id = :user and not deleted limit {AT_ONCE})
    """)
)
async def _lock_counted(tx: Db, user: str) -> list[str]:
    """Lock content that the user has voted or commented on."""


@one("""
    select exists (select from ratings where user_id = :user)
        or exists (select from uncounted_comments where author_id = :user)
""")
async def _is_counted(tx: Db, user: str) -> bool:
    """Whether tallies have votes or comments of the user still."""


@found("select from pairs where lesser = :user or greater = :user limit 1")
async def _is_paired(tx: Db, user: str) -> bool:
    """Whether there is anything between the user and others still."""


@found("""
    select from holds h
    where not h.copied and (
        h.kind = 'user' and h.subject = :user::uuid::text
        or h.kind = 'content' and exists (
            select from contents c where c.id::text = h.subject and c.author_id = :user::uuid
        )
    )
    limit 1
""")
async def _is_copied(tx: Db, user: str) -> bool:
    """Whether the record of a hold is being copied that the user, who is locked, is about, or
    content of theirs."""


@none(f"""
    update refresh_tokens t
    -- Retention deletes them, and the session with the last of them, a day after this time.
    set expires = least(t.expires, now() - interval '{24 - ENDED} hours')
    from sessions s where s.user_id = :user and t.session_id = s.id
""")
async def _expire_tokens(tx: Db, user: str) -> None:
    """Have retention delete the user's sessions soon."""


@many("""
    update sessions set revoked = coalesce(revoked, now()) where id = any(array(
        select id from sessions where user_id = :user order by created, id for no key update
    ))
    returning id
""")
async def _end_sessions(tx: Db, user: str) -> list[str]:
    """End the user's sessions. Gives their ids."""


class _LockedUser(NamedTuple):
    same: bool
    role: str
    guest: bool


@maybe("""
    select password_hash is not distinct from :password_hash as same, role, guest
    from users where id = :user for update
""")
async def _lock_user(tx: Db, user: str, password_hash: str | None) -> _LockedUser | None:
    """Wait for all that is being written for the user, and let nobody begin. Gives whether this is
    the password's hash, the role, and whether it is a guest; None if there is no such user."""


@none("""
    with limits as (delete from rate_limits where subject = :user or account = :user)
    delete from users where id = :user
""")
async def _forget(tx: Db, user: str) -> None:
    """Delete the row of the user, and what the foreign keys take along."""


@none("""
    insert into departures (user_id, name, email, pending)
    select id, sha256(convert_to(username_key, 'UTF8')),
           case when :keep_address then sha256(convert_to(email_key, 'UTF8')) end,
           exists (select from contents where author_id = :user)
    from users where id = :user
    on conflict (user_id) do update
    set email = coalesce(excluded.email, departures.email), pending = excluded.pending
""")
async def _note(tx: Db, user: str, keep_address: bool) -> None:
    """Note that the user, who is locked, leaves: nobody sees the content any more. With
    `keep_address` the address is reserved for as long as the name."""


class Departed(NamedTuple):
    """What an account was: the ids of the sessions that end with it, and its role."""

    sessions: list[str]
    role: str


async def leave(
    tx: Db,
    user: str,
    password_hash: str | None,
    identity: str | None = None,
    guest: bool = False,
    *,
    keep_address: bool = False,
    idle: int | None = None,
) -> Departed | None:
    """Delete the account of a user who has proved to have the password with this hash, or the
    `identity` with this id, or who is a `guest`. Gives what the account was. None if there is no
    such user, or if the password has just changed, the identity is just unlinked, or the guest has
    just become a full account; then the transaction must be rolled back. With `keep_address`,
    nobody else gets the address for as long as the name. With `idle`, None also if the guest has
    been seen within so many days, or has content that is not withdrawn.

    Raises Unavailable (its cause is "lock") if the user has just voted or commented, somebody has
    followed or asked them, or what is held of them is just being copied: try again.
    """
    await _all(_forget_pairs, tx, user)
    await _all(_forget_follows, tx, user)
    counted = await _lock_counted(tx, user)
    await _all(_empty_comments, tx, user)
    await _count_comments(tx, user, counted)
    await _forget_votes(tx, user, counted)
    later = len(counted) >= AT_ONCE
    await _all(_forget_items, tx, user)
    await _all(_forget_played, tx, user)
    await _lock_storage(tx, user)
    await _lock_progress(tx, user)
    await _expire_tokens(tx, user)
    # From here on others wait: the rest is little.
    locked = await _lock_user(tx, user, password_hash)
    if locked is None or not locked.same or (guest and not locked.guest):
        return None
    if idle is not None and not await is_idle(tx, user, idle):
        return None
    if await _is_copied(tx, user):
        raise Unavailable("what is held of the user is being copied", "lock")
    if identity is not None and not await proves(tx, user, identity):
        return None
    ended = await _end_sessions(tx, user)
    # Those that were made meanwhile.
    await _expire_tokens(tx, user)
    await _all(_empty_comments, tx, user)
    # Pairs and content come before the user in the order of locks: to wait for one here would be a
    # circle with somebody who has it, and waits for the user.
    if await _is_paired(tx, user):
        raise Unavailable("somebody has just begun something with the user", "lock")
    if not later and await _is_counted(tx, user):
        raise Unavailable("the user has just voted or commented", "lock")
    await _note(tx, user, keep_address)
    await _forget(tx, user)
    await put(tx, AuthorLeft(author=user))
    return Departed(ended, locked.role)


@none("""
    with locks as materialized (
        select distinct use_lock(id) as number from contents where author_id = :user order by number
    )
    select pg_advisory_xact_lock(hashtext('uses'), number) from locks
""")
async def outlast_publications(db: Db, user: str) -> None:
    """Wait for the publications that may have begun to use a part of this user's content before the
    user left. See schema/functions/hold_uses.sql. To wait in the transaction in which the user
    leaves would be a circle: the user's own publications have these locks when they wait for it."""


async def _all(some: Callable[[Db, str], Awaitable[bool]], tx: Db, user: str) -> None:
    while await some(tx, user):
        pass


# What goes a batch at a time.


class _Hidden(NamedTuple):
    """A content that has just been deleted, its number, and whether other content uses it."""

    content: str
    number: int
    used: bool


@maybe("""
    with next as materialized (
        select id from contents
        where author_id = :user and number < :before and not deleted
        order by number desc limit 1
        for no key update
    ), parted as (
        delete from content_guests where content_id in (select id from next)
    )
    update contents c set deleted = true from next where c.id = next.id
    returning c.id as content, c.number,
              exists (select from content_uses u where u.used = c.id) as used
""")
async def _hide(tx: Db, user: str, before: int) -> _Hidden | None:
    """Delete the user's newest content before this number that is not deleted, and what testers
    and members have of it. None if there is none."""


@none(f"""
    update contents set withdrawn = now() - interval '{KEPT + 1} days' where id = :content
""")
async def _release(tx: Db, content: str) -> None:
    """Have a content that nobody can restore give up its files soon."""


async def _contents(tx: Db, user: str, place: str) -> str | None:
    hidden = await _hide(tx, user, int(place or LAST))
    if hidden is None:
        return None
    await _release(tx, hidden.content)
    if hidden.used:
        changed = DependencyChanged(
            dependency=hidden.content, status="deleted", actor=user, by_author=True
        )
        await put(tx, changed)
    return str(hidden.number)


@none(f"""
    with parted as (
        delete from content_guests g using contents c
        where c.id = g.content_id and c.author_id = :user
    )
    update contents set withdrawn = now() - interval '{KEPT + 1} days'
    where id = any(array(
        select id from contents
        where author_id = :user and withdrawn > now() - interval '{KEPT} days' and not purged
        order by id
        for no key update
    ))
""")
async def _release_all(tx: Db, user: str) -> None:
    """The same for all content that the user had withdrawn before."""


async def _withdrawn(tx: Db, user: str, place: str) -> str | None:
    await _release_all(tx, user)
    return None


@many(
    _locked(f"""
        select content_id from ratings where user_id = :user order by content_id limit {VOTES}
    """)
)
async def _lock_voted(tx: Db, user: str) -> list[str]:
    """Lock some content that the user has voted on."""


@none("delete from ratings where user_id = :user and content_id = any(:contents::uuid[])")
async def _forget_votes(tx: Db, user: str, contents: list[str]) -> None:
    """Delete the user's votes on this content. Triggers change the tallies."""


async def _votes(tx: Db, user: str, place: str) -> str | None:
    contents = await _lock_voted(tx, user)
    await _forget_votes(tx, user, contents)
    return place if contents else None


@many(
    _locked(f"""
        select content_id from uncounted_comments where author_id = :user
        order by content_id limit {COUNTS}
    """)
)
async def _lock_commented(tx: Db, user: str) -> list[str]:
    """Lock some content that the user has commented on."""


@none("""
    with gone as (
        delete from uncounted_comments
        where author_id = :user and content_id = any(:contents::uuid[])
        returning content_id, comments
    )
    update contents c set live_comments = live_comments - gone.comments
    from gone where c.id = gone.content_id
""")
async def _count_comments(tx: Db, user: str, contents: list[str]) -> None:
    """Have this content, which is locked, count the user's comments no more."""


async def _comments(tx: Db, user: str, place: str) -> str | None:
    contents = await _lock_commented(tx, user)
    await _count_comments(tx, user, contents)
    return place if contents else None


@maybe("""
    select c.id from contents c
    where c.author_id = :user and c.id >= :after
      and exists (select from ratings r where r.content_id = c.id)
    order by c.id limit 1
    for no key update of c
""")
async def _lock_rated(tx: Db, user: str, after: str) -> str | None:
    """Lock the next content of the user's that has votes."""


@none(_some("ratings", "content_id = :content", VOTES))
async def _forget_ratings(tx: Db, content: str) -> None:
    """Delete some of the votes on a content, which is locked."""


async def _ratings(tx: Db, user: str, place: str) -> str | None:
    content = await _lock_rated(tx, user, place or NIL)
    if content is not None:
        await _forget_ratings(tx, content)
    return content


@many(f"""
    select pair from ended_conversations order by pair limit {PAIRS} for update skip locked
""")
async def _lock_conversations(tx: Db) -> list[int]:
    """Lock some conversations of users who have left."""


@found(_some("messages", "pair = any(:pairs::bigint[])", MESSAGES))
async def _forget_messages(tx: Db, pairs: list[int]) -> bool:
    """Delete some of their messages. False if there are none."""


@found(_some("removed_messages", "pair = any(:pairs::bigint[]) and unsent is null", MESSAGES))
async def _forget_removed(tx: Db, pairs: list[int]) -> bool:
    """Delete some of their messages that a moderator has removed. False if there are none."""


@found(f"""
    with emptied as (
        update removed_messages set text = '' where ctid = any(array(
            select ctid from removed_messages
            where pair = any(:pairs::bigint[]) and text <> '' limit {MESSAGES}
        ))
        returning 1
    )
    select from emptied limit 1
""")
async def _empty_unsent(tx: Db, pairs: list[int]) -> bool:
    """Take the text of some that their senders have taken away: nobody can report them any more,
    but the reports that there are lose their text later. False if all are empty."""


@none("delete from ended_conversations where pair = any(:pairs::bigint[])")
async def _forget_conversations(tx: Db, pairs: list[int]) -> None:
    """Note that these have no messages any more."""


async def _messages(tx: Db, user: str, place: str) -> str | None:
    pairs = await _lock_conversations(tx)
    if not pairs:
        return None
    for forget in (_forget_messages, _forget_removed, _empty_unsent):
        if await forget(tx, pairs):
            return place
    await _forget_conversations(tx, pairs)
    return place


@found(_some("notifications", "user_id = :user order by seq", NOTIFICATIONS))
async def _forget_notifications(tx: Db, user: str) -> bool:
    """Delete some of the user's notifications. False if there are none."""


async def _notifications(tx: Db, user: str, place: str) -> str | None:
    return place if await _forget_notifications(tx, user) else None


@many(f"""
    select path from files
    where path = any(array(
        select path from user_files where user_id = :user order by path limit {FILES}
    ))
    order by path
    for no key update
""")
async def _lock_files(tx: Db, user: str) -> list[str]:
    """Lock some files that the user has announced."""


@none("delete from user_files where user_id = :user and path = any(:paths::text[])")
async def _forget_files(tx: Db, user: str, paths: list[str]) -> None:
    """Delete the user's announcements of these."""


async def _files(tx: Db, user: str, place: str) -> str | None:
    paths = await _lock_files(tx, user)
    if not paths:
        return None
    await _forget_files(tx, user, paths)
    await give_up(tx, paths)
    return place


# The row of a content stays, and those of its revisions: others may use its parts. Nobody can
# restore it, so nobody needs its text any more. What comes instead is empty: all readers show that.


@maybe("""
    select number from contents
    where author_id = :user and number < :before
    order by number desc limit 1
    for no key update
""")
async def _lock_text(tx: Db, user: str, before: int) -> int | None:
    """Lock the user's newest content before this number. Gives its number; None if there is
    none."""


@found(f"""
    update revisions set version = '', description = '', requires = null, game_min = null,
        game_max = null, platforms = null, features = null
    where id = any(array(
        select r.id from contents c join revisions r on r.content_id = c.id
        where c.author_id = :user and c.number = :number
          and (r.version <> '' or r.description <> '' or r.requires is not null)
        limit {REVISIONS}
    ))
    returning true
""")
async def _empty_revisions(tx: Db, user: str, number: int) -> bool:
    """Empty some revisions of a content, whoever has published them. False if all are empty."""


@maybe("""
    -- There is at least one screenshot, which all lists show.
    update contents
    set name = '', description = '', screenshots = '{""}', tags = '{}', attributes = '{}'
    where author_id = :user and number = :number
      and (name, description, screenshots, tags, attributes::text)
          is distinct from ('', '', '{""}', '{}', '{}')
    returning id
""")
async def _empty_text(tx: Db, user: str, number: int) -> str | None:
    """Empty a content. Gives its id; None if it is empty."""


def _empty(table: str) -> str:
    """Empties the names of some files that a content has brought. A row if there were any."""
    return f"""
        update {table} set name = null
        where ctid = any(array(
            select p.ctid from contents c join {table} p on p.content_id = c.id
            where c.author_id = :user and c.number = :number and p.name is not null
            limit {REVISIONS}
        ))
        returning true
    """


@found(_empty("entities"))
async def _empty_entities(tx: Db, user: str, number: int) -> bool:
    """Empty the names of some entities of a content. False if all are empty."""


@found(_empty("packages"))
async def _empty_packages(tx: Db, user: str, number: int) -> bool:
    """The same of its packages."""


@none("update departures set pending = false where user_id = :user")
async def _settle(tx: Db, user: str) -> None:
    """Note that all content of the user is deleted and empty."""


async def _texts(tx: Db, user: str, place: str) -> str | None:
    number = await _lock_text(tx, user, int(place or LAST))
    if number is None:
        await _settle(tx, user)
        return None
    for empty in (_empty_revisions, _empty_entities, _empty_packages):
        if await empty(tx, user, number):
            return str(number + 1)
    content = await _empty_text(tx, user, number)
    if content is not None:
        await search_index.renew(tx, content)
    return str(number)


_PHASES: dict[str, Callable[[Db, str, str], Awaitable[str | None]]] = {
    "comments": _comments,
    "votes": _votes,
    "contents": _contents,
    "withdrawn": _withdrawn,
    "ratings": _ratings,
    "texts": _texts,
    "messages": _messages,
    "notifications": _notifications,
    "files": _files,
}
"""What is deleted, in this order: what others see first. Each gets the user and the place within
the phase, "" at first, deletes a batch, and gives the next place; None at the end."""


async def step(tx: Db, task: Departure, place: str | None) -> str | None:
    """Do the next batch of what is left to do, from this place on (None at first). Gives the next
    place, None at the end."""
    names = list(_PHASES)
    name, _, within = (place or names[0]).partition(" ")
    next = await _PHASES[name](tx, task.user, within)
    if next is not None:
        return f"{name} {next}".rstrip()
    later = names[names.index(name) + 1 :]
    return later[0] if later else None
