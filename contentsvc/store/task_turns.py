"""Turns of users: the effects of one who has many let those of others be done between them."""

from collections.abc import Sequence
from typing import Final

from contentsvc.framework.db.query import Db, none
from contentsvc.framework.tasks.task_queue import MOST, SHARED, Task, encoded, turn_of

YOUNG: Final = "7 days"
"""How long an account shares its turn with all others that are so new."""


async def put_in_turn(db: Db, tasks: Sequence[Task], user: str, spacing: float) -> None:
    """Have effects of one kind done, in their order, with the next check for tasks: all at once if
    there are no others. Each is scheduled some seconds later for each of the same turn that waits
    already, so that those of others are done between them.

    The turn is the user's. Accounts of the last YOUNG share one, because anybody can make many
    accounts to get many turns: within it, they take turns too.
    """
    rows = [encoded(task) for task in tasks]
    queue, kind, _, _ = rows[0]
    texts, topics = [row.task for row in rows], [row.topic for row in rows]
    await _insert_in_turn(db, queue, kind, texts, topics, user, spacing)


# A young account's third waits for at most three of each other one: so none is delayed by another's
# many, and all of them get hardly more turns than one.
@none(f"""
    with turn as (
        select whose.place, {turn_of("whose.place")} from (select case
            when exists (
                select from users u
                where u.id = :user::text::uuid and u.created > now() - interval '{YOUNG}'
            ) then '{SHARED} ' || :user else :user
        end as place) whose
    ), waiting as (
        select theirs.place, count(*) as tasks from turn cross join lateral (
            select t.place from tasks t
            where t.queue = :queue and t.place between turn.low and turn.high limit {MOST}
        ) theirs
        group by theirs.place
    ), own as (
        select coalesce(sum(w.tasks) filter (where w.place = turn.place), 0) as tasks
        from turn left join waiting w on true
    ), others as (
        select w.tasks, count(*) as accounts
        from turn join waiting w on w.place <> turn.place
        group by w.tasks
    )
    insert into tasks (queue, kind, task, topic, place, due)
    select :queue, :kind, given.task, given.topic, turn.place, clock_timestamp() + make_interval(
        secs => :spacing::float8 * (ahead.own + coalesce((
            select sum(o.accounts * least(o.tasks, ahead.own + 1)) from others o
        ), 0))::float8
    )
    from turn cross join own
    cross join unnest(:tasks::text[], :topics::text[]) with ordinality as given (task, topic, place)
    cross join lateral (select own.tasks + given.place - 1 as own) ahead
    order by given.place
""")
async def _insert_in_turn(
    db: Db,
    queue: str,
    kind: str,
    tasks: list[str],
    topics: list[str | None],
    user: str,
    spacing: float,
) -> None:
    """Add rows that are scheduled one after the other."""
