-- What one user may do of a kind within a span, counted by the rows that are there.

-- The times of those before are not known, and count for none.
alter table follows add column created timestamptz;
alter table follows alter column created set default clock_timestamp();

-- An author's newest comments, without reading the others.
create index comments_author_newest on comments (author_id, id);

-- Seconds until a moment is as long ago as the span; 0 if it is, and where there is no such moment,
-- or one that was written before the clock was set back.
create function seconds_left(moment timestamptz, span interval) returns integer
    language sql volatile
    as $$
        select case when moment > clock_timestamp() - span
                     and moment < clock_timestamp() + interval '1 minute'
               then greatest(ceil(date_part('epoch', moment + span - clock_timestamp())), 1)::integer
               else 0 end
    $$;

-- Seconds until a user may write one more, 0 if now. One user's come one after the other until
-- their transactions end, so that each counts those before: in a volatile function each statement
-- sees what has been committed by then, and the lock is one of the limits in the order of locks.

create function comments_wait(author uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('comments'), hashtext(author::text));
    moment := (
        select c.created from comments c where c.author_id = author
        order by c.id desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;

create function follows_wait(who uuid, whom uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('follows'), hashtext(who::text));
    if exists (select from follows f where f.follower = who and f.followed = whom) then
        return 0;
    end if;
    moment := (
        select f.created from follows f where f.follower = who
        order by f.number desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;

-- Of a publication that is there already, in the same transaction.
create function publications_wait(author uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('publications'), hashtext(author::text));
    moment := (
        select c.created from contents c where c.author_id = author
        order by c.listing_id desc offset most limit 1
    );
    return seconds_left(moment, span);
end $$;
