-- A follow counts against the limit of a day even if it is taken back: otherwise one could follow and
-- leave without end. Only the times are kept, and only for that day.

create table unfollows (
    follower uuid not null references users on delete cascade,
    -- When the follow was made that was taken back.
    created  timestamptz not null
);
create index unfollows_follower on unfollows (follower, created);
create index unfollows_created on unfollows (created);

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
            (select f.created from follows f where f.follower = who
             order by f.number desc limit most)
            union all
            (select u.created from unfollows u where u.follower = who
             order by u.created desc limit most)
        ) made
        order by made.created desc nulls last offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;
