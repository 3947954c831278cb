-- Seconds until a user may ask one more, 0 if now. One user's come one after the other until their transactions end,
-- so that each counts those before: in a volatile function each statement sees what has been committed by then, and
-- the lock is one of the limits in the order of locks.
create or replace function friend_asks_wait(who uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('friend_asks'), hashtext(who::text));
    -- Those from before the clock was set back do not count, nor hide the others: see seconds_left.
    moment := (
        select a.created from friend_asks a
        where a.asker = who and a.created < clock_timestamp() + interval '1 minute'
        order by a.created desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;
