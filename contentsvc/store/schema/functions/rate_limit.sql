-- Count one more effect, if it is one of at most `most` within any `span`. Gives 0 if it is, or else the seconds
-- until there may be one more; then nothing is counted. `most` is 0 for no limit, and nothing is kept.
--
-- It is called in the transaction of the effect, where it is known that there will be one. So what is rolled back
-- does not count. One subject's come one after the other until their transactions end, so that each counts those
-- before: in a volatile function each statement sees what has been committed by then. The lock is one of the
-- limits in the order of locks: after rows of pairs, contents and files, before counters. Whoever needs several
-- takes them in the order of their names, and of one name in the order of the subjects.
--
-- What was written before the clock was set back neither counts nor hides the rest (see seconds_left).
create or replace function rate_limit(limited text, whom uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    present timestamptz;
    earlier timestamptz;
begin
    if most <= 0 then
        return 0;
    end if;
    perform pg_advisory_xact_lock(hashtext('rate_limit ' || limited), hashtext(whom::text));
    present := clock_timestamp();
    earlier := (
        select r.moment from rate_limits r
        where r.subject = whom and r.name = limited
          and r.moment > present - span and r.moment < present + interval '1 minute'
        order by r.moment desc offset most - 1 limit 1
    );
    if earlier is not null then
        return greatest(ceil(date_part('epoch', earlier + span - present)), 1);
    end if;
    -- What does not count any more. A refusal would roll this back.
    delete from rate_limits r
    where r.subject = whom and r.name = limited
      and (r.moment <= present - span or r.moment >= present + interval '1 minute');
    insert into rate_limits (name, subject, moment, expires)
    values (limited, whom, present, present + span);
    return 0;
end $$;
