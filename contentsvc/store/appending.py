"""SQL that appends notifications to their recipients' logs, in the statement of their cause."""


def append(told: str) -> str:
    """Common table expressions that store what `told` gives, unless the user has muted its kind.

    `told` is what follows a FROM: rows with `user_id`, `kind`, `data` (the kind as JSON text) and
    `n`. Each user is in it at most once; those who do not exist are left out. The last expression,
    `appended`, has the rows that are stored: n, user_id, seq, id, created (Unix seconds), data and
    previous, the id of the one before it.

    The counters are locked in the order of user ids. The lock on a counter's row gives numbers and
    times the order of the commits. If a statement has waited for it, Postgres reads the mutes anew.
    """
    return f"""
    call as (
        select *, gen_random_uuid() as id from {told}
    ), counter as (
        insert into notification_counters as c (user_id, seq, unread, newest)
        select user_id, 1, 1, id from call
        where exists (select from users u where u.id = call.user_id)
        order by user_id
        on conflict (user_id) do update
        set seq = c.seq + 1, unread = c.unread + 1, newest = excluded.newest, previous = c.newest
        where (select kind from call where call.user_id = c.user_id) <> all(c.muted)
        returning user_id, seq, previous, clock_timestamp() as created
    ), stored as (
        insert into notifications (user_id, seq, id, kind, data, created)
        select c.user_id, c.seq, id, kind, data, c.created from call join counter c using (user_id)
    ), appended as (
        select n, c.user_id, c.seq, id, unix(c.created) as created, data, c.previous
        from call join counter c using (user_id)
    )"""
