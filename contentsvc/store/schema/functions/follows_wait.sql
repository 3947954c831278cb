-- Seconds until a user may follow one more, 0 if now. One user's come one after the other until their transactions end,
-- so that each counts those before: in a volatile function each statement sees what has been committed by then, and
-- the lock is one of the limits in the order of locks.
-- Follows that were taken back count too. Those from before the clock was set back do not count, nor hide the others:
-- see seconds_left. Those from before there were times are the oldest.
create or replace function follows_wait(who uuid, whom uuid, most integer, span interval)
    returns integer language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('follows'), hashtext(who::text));
    if exists (select from follows f where f.follower = who and f.followed = whom) then
        return 0;
    end if;
    moment := (
        select made.created from (
            (select f.created from follows f
             where f.follower = who
               and (f.created is null or f.created < clock_timestamp() + interval '1 minute')
             order by f.number desc limit most)
            union all
            (select u.created from unfollows u
             where u.follower = who and u.created < clock_timestamp() + interval '1 minute'
             order by u.created desc limit most)
        ) made
        order by made.created desc nulls last offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;
