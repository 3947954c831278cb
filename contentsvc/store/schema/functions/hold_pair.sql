-- Locks the row of two users until the end of the transaction, and makes it where there is none. Gives the
-- row. A volatile function: its statements see what was committed while it waited, the calling statement does
-- not.
create or replace function hold_pair(one uuid, other uuid) returns pairs
    language plpgsql volatile as $$
declare
    held pairs;
begin
    select * into held from pairs where lesser = least(one, other) and greater = greatest(one, other)
        for no key update;
    if not found then
        insert into pairs (lesser, greater) values (least(one, other), greatest(one, other))
            on conflict do nothing;
        select * into held from pairs where lesser = least(one, other) and greater = greatest(one, other)
            for no key update;
    end if;
    return held;
end $$;
