-- Whoever suspends or deletes content, or makes it less than public, waits, as the last of their locks, for the publications that have begun to use a
-- part of it. So there are no new uses after the answer. A publication takes these locks shared, in order of their
-- numbers, and looks only then what may be used.
--
-- They are no locks of rows. Those would stop the ones who rate the content too. And whoever waits for a row stands in
-- the way of others who could have it at once: so contents that use each other would wait in a circle.

-- There are few numbers, because a publication may use thousands of contents, and the memory for such locks is small.
create or replace function use_lock(content uuid) returns integer
    language sql immutable parallel safe
    as $$ select hashtext(content::text) & 255 $$;

create or replace function hold_uses() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtext('uses'), use_lock(new.id));
    return null;
end $$;

drop trigger if exists contents_hidden on contents;
create trigger contents_hidden after update of status, suspended, deleted, visibility on contents
    for each row when (
        new.suspended and not old.suspended or new.deleted and not old.deleted
        or new.visibility <> 'public' and old.visibility = 'public'
    )
    execute function hold_uses();
