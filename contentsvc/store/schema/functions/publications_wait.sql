-- Seconds until a user may publish one more, 0 if now. One user's come one after the other until their transactions
-- end, so that each counts those before: in a volatile function each statement sees what has been committed by then,
-- and the lock is one of the limits in the order of locks. It is asked of a publication that is there already, in the
-- same transaction.
create or replace function publications_wait(author uuid, most integer, span interval)
    returns integer language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('publications'), hashtext(author::text));
    moment := (
        select r.created from revisions r where r.publisher_id = author
        order by r.created desc offset most limit 1
    );
    return seconds_left(moment, span);
end $$;
