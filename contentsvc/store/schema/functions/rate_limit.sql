-- Makes the effects of one subject that count for a limit come one after the other until their transactions end. The
-- lock is one of the limits in the order of locks: after rows of pairs, contents and files, before counters. Whoever
-- needs several takes them in the order of their names, and of one name in the order of the subjects.
create or replace function rate_limit_lock(limited text, whom uuid) returns void
    language sql volatile
    as $$
        select pg_advisory_xact_lock(hashtext('rate_limit ' || limited), hashtext(whom::text))
    $$;

-- Count one more effect, if it is one of at most `most` within any `span`. Gives 0 if it is, or else the seconds
-- until there may be one more; then nothing is counted. `most` is 0 for no limit, and nothing is kept.
--
-- It is called in the transaction of the effect, where it is known that there will be one. So what is rolled back
-- does not count. Each effect counts those before: in a volatile function each statement sees what has been committed
-- while it waited for the lock.
--
-- `holder` is a user with whom the row goes, where the subject is not the user's id. If `counts` is false, it only
-- looks, and without the lock.
--
-- An effect may count as several, as many as it has `parts`, and at most as all that there may be.
--
-- What was written before the clock was set back neither counts nor hides the rest.
create or replace function rate_limit_parts(
    limited text, whom uuid, most integer, span interval, parts integer, counts boolean, holder uuid default null
) returns integer
    language plpgsql volatile as $$
declare
    present timestamptz;
    free    timestamptz;
    several integer := least(parts, most);
begin
    if most <= 0 then
        return 0;
    end if;
    if counts then
        perform rate_limit_lock(limited, whom);
    end if;
    present := clock_timestamp();
    free := (
        select r.expires from rate_limits r
        where r.subject = whom and r.name = limited
          and r.expires > present and r.expires < present + span + interval '1 minute'
        order by r.expires desc offset most - several limit 1
    );
    if free is not null then
        return greatest(ceil(date_part('epoch', free - present)), 1);
    end if;
    if counts then
        insert into rate_limits (subject, name, expires, account)
        select whom, limited, present + span, holder from generate_series(1, several);
    end if;
    return 0;
end $$;

-- The same of an effect that counts once.
create or replace function rate_limit(
    limited text, whom uuid, most integer, span interval, holder uuid default null, counts boolean default true
) returns integer
    language sql volatile as $$ select rate_limit_parts(limited, whom, most, span, 1, counts, holder) $$;
