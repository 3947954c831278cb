"""Achievements and emblems that users have earned (challenges#rewards)."""

from contentsvc.framework.db.query import Db, found, many, one
from contentsvc.store.fragments import BEFORE, Numbered
from contentsvc.wire.challenges import EarnedAchievement, EarnedEmblem

_NOW = "unix(clock_timestamp())"


@many(f"""
    select r.number, a.text ->> 'key' as key, a.text ->> 'name' as name,
           a.text ->> 'description' as description,
           unix(r.earned) as earned, r.challenge_id as challenge
    from challenge_rewards r
    join challenges c on c.id = r.challenge_id
    cross join lateral (
        select (case when r.won then c.win else c.participate end) -> 'achievement' as text
    ) a
    where r.user_id = :user and not r.taken
      and r.number < {BEFORE}
      and (:all or (
          coalesce((a.text ->> 'visibilityStart')::bigint <= {_NOW}, true)
          and coalesce((a.text ->> 'visibilityStop')::bigint > {_NOW}, true)
      ))
    order by r.number desc limit :limit
""")
async def achievements(
    db: Db, user: str, all: bool, before: int | None, limit: int
) -> list[Numbered[EarnedAchievement]]:
    """The user's achievements, newest first: `all`, or those that are generally visible now."""


@many(f"""
    select r.number, case when r.won then c.win_emblem else c.participate_emblem end as id,
           e.text ->> 'name' as name, e.text ->> 'description' as description,
           e.text ->> 'image' as image, e.text ->> 'color' as color,
           unix(r.earned) as earned, r.challenge_id as challenge
    from challenge_rewards r
    join challenges c on c.id = r.challenge_id
    cross join lateral (
        select (case when r.won then c.win else c.participate end) -> 'emblem' as text
    ) e
    where r.user_id = :user and not r.taken
      and r.number < {BEFORE}
    order by r.number desc limit :limit
""")
async def emblems(
    db: Db, user: str, before: int | None, limit: int
) -> list[Numbered[EarnedEmblem]]:
    """The user's emblems, newest first."""


@one("""
    with gone as (
        update challenge_rewards set taken = true
        where challenge_id = :challenge and user_id = :user and not taken
        returning true
    ), bare as (
        update users set emblem = null
        from challenges c
        where c.id = :challenge and users.id = :user
          and users.emblem in (c.win_emblem, c.participate_emblem)
        returning true
    )
    select exists (select from gone) or exists (select from bare)
""")
async def take(db: Db, user: str, challenge: str) -> bool:
    """Take the rewards of a challenge away from a user, whose row is locked: also an emblem that
    they wear. False if there is nothing to take."""


@found("""
    select from challenges c cross join lateral (
        select from challenge_rewards r
        where r.challenge_id = c.id and r.user_id = :user and r.won = (c.win_emblem = :emblem)
          and not r.taken
        offset 0
    ) earned
    where c.win_emblem = :emblem or c.participate_emblem = :emblem
""")
async def has_earned(db: Db, user: str, emblem: str) -> bool:
    """Whether the user has earned this emblem, and nobody has taken it away."""


@found("""
    select from challenges where win_emblem = :emblem or participate_emblem = :emblem limit 1
""")
async def is_reward(db: Db, emblem: str) -> bool:
    """Whether an emblem is one that must be earned."""
