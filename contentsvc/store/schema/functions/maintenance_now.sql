-- Whether the service is closed for maintenance, as JSON: {} if it is not; null if it cannot be told at the moment.
--
-- Who asks has a transaction that stays open. A lock on the table in it would be in the way of whoever replaces the
-- table, and a wait for one would hide from the asker that somebody does. So it is asked for at once or not at all, and
-- the exception at the end gives it up again.
create or replace function maintenance_now() returns text
    language plpgsql volatile
    as $$
    declare
        found text;
    begin
        lock table maintenance in access share mode nowait;
        select json_build_object(
            'message', m.message, 'until', unix(m.until), 'reads', m.reads,
            'left', date_part('epoch', m.until - clock_timestamp()),
            'age', date_part('epoch', clock_timestamp() - m.started)
        )::text
        into found
        from maintenance m where m.until > clock_timestamp() or m.until is null;
        raise exception using errcode = 'T0000';
    exception
        when sqlstate 'T0000' then
            return coalesce(found, '{}');
        when lock_not_available or undefined_table then
            return null;
    end
    $$;
