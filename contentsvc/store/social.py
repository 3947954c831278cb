"""Followers, following and party invites: spec §4.9, §4.10, §4.15, §4.16."""

from typing import NamedTuple

from contentsvc.db.lanes import WHOLE
from contentsvc.db.query import Db, found, many, maybe, one
from contentsvc.store.floods import DAY, wait
from contentsvc.store.fragments import BEFORE, USER, state
from contentsvc.wire.users import UserInfo


class Follow(NamedTuple):
    """One user in a list of followers or following, with the place in the list."""

    number: int
    info: UserInfo


# A profile may have 64 Ki characters.
_PAGE = """
    select number, id, username, avatar, emblem, profile from (
        select page.*, coalesce(sum(octet_length(profile)) over (
            order by number desc rows between unbounded preceding and 1 preceding
        ), 0) as bytes
        from (
            select f.number, {columns} as profile
            from follows f join users u on u.id = f.{other}
            where f.{user} = :user and f.number < {before}
            order by f.number desc limit :limit
        ) page
    ) page
    where bytes < :bytes
    order by number desc
"""
_STATE = """
    select {state}
    from follows f join users u on u.id = f.{other}
    where f.{user} = :user and f.number < {before}
"""
_COLUMNS = {"before": BEFORE, "columns": USER, "state": state(f"row(f.number, {USER})")}
_FOLLOWERS = {"user": "followed", "other": "follower", **_COLUMNS}
_FOLLOWING = {"user": "follower", "other": "followed", **_COLUMNS}


@many(_PAGE.format(**_FOLLOWERS))
async def followers(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Follow]:
    """The user's followers, newest first: at most `limit`, and no more once the profiles have this
    many `bytes`."""


@one(_STATE.format(**_FOLLOWERS), lane=WHOLE)
async def followers_state(db: Db, user: str, before: int | None) -> str:
    """A value that changes whenever anything in that list does."""


@many(_PAGE.format(**_FOLLOWING))
async def following(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Follow]:
    """The users whom the user follows, likewise."""


@one(_STATE.format(**_FOLLOWING), lane=WHOLE)
async def following_state(db: Db, user: str, before: int | None) -> str:
    """A value that changes whenever anything in that list does."""


@maybe(f"""
    with other as (
        select id from users where id = :other
    ), allowed as (
        select id, {wait("follows_wait", ":user, id")} as wait from other
    ), made as (
        insert into follows (follower, followed) select :user, id from allowed where wait = 0
        on conflict do nothing
    )
    select wait from allowed
""")
async def follow(db: Db, user: str, other: str, most: int, span: int) -> int | None:
    """Follow another user. Gives the seconds until the user may follow one more, 0 if they follow
    this one now, None if there is no such other user. At most `most` follows are allowed within
    `span` seconds; 0 means no limit.

    Raises Refused `follows_followed` if the other user is deleted meanwhile.
    """


@found(f"""
    with gone as (
        delete from follows where follower = :user and followed = :other returning created
    ), noted as (
        insert into unfollows (follower, created)
        select :user, created from gone
        where created > clock_timestamp() - interval '{DAY} seconds'
    )
    select from users where id = :other
""")
async def unfollow(db: Db, user: str, other: str) -> bool:
    """Stop following. False if there is no such other user. The follow goes on to count for its
    day."""


@found("""
    insert into party_invites as i (sender, recipient, party, changed)
    values (:sender, :recipient, :party, clock_timestamp())
    on conflict (sender, recipient, party) do update
    set answer = null, changed = clock_timestamp()
    where i.answer is not null or i.changed < clock_timestamp() - make_interval(secs => :again)
    returning true
""")
async def invite(db: Db, sender: str, recipient: str, party: str, again: int) -> bool:
    """Register an invite. False if it repeats one that is less than `again` seconds old.

    Raises Refused `party_invites_recipient` if there is no such user.
    """


@found("""
    insert into party_invites as i (sender, recipient, party, answer, changed)
    values (:sender, :recipient, :party, :answer, clock_timestamp())
    on conflict (sender, recipient, party) do update
    set answer = excluded.answer, changed = clock_timestamp()
    where i.answer is distinct from excluded.answer
       or i.changed < clock_timestamp() - make_interval(secs => :again)
    returning true
""")
async def answer_any(
    db: Db, sender: str, recipient: str, party: str, answer: str, again: int
) -> bool:
    """Register an answer, even without an invite. False if it repeats one that is less than `again`
    seconds old. Raises Refused `party_invites_sender`."""


@maybe("""
    with answered as (
        update party_invites i set answer = :answer, changed = clock_timestamp()
        where sender = :sender and recipient = :recipient and party = :party
          and (i.answer is distinct from :answer
               or i.changed < clock_timestamp() - make_interval(secs => :again))
        returning true
    )
    select exists (select from answered) from party_invites
    where sender = :sender and recipient = :recipient and party = :party
""")
async def answer_invite(
    db: Db, sender: str, recipient: str, party: str, answer: str, again: int
) -> bool | None:
    """Answer an invite. False if it repeats an answer that is less than `again` seconds old; None
    if there is no such invite."""
