-- Entries know whether their content is hidden, and whether it is public. The name comes after those of the other triggers
-- that wait: whoever holds a tally's lock holds up all who enter.
create or replace function hide_entries() returns trigger language plpgsql as $$
begin
    update challenge_entries set hidden = new.status <> 'active', withheld = new.visibility <> 'public'
    where content_id = new.id;
    return null;
end $$;

drop trigger if exists contents_hidden_entries on contents;
create trigger contents_hidden_entries after update of status, suspended, deleted, visibility on contents
    for each row when (
        (old.status = 'active') <> (new.status = 'active') or (old.visibility = 'public') <> (new.visibility = 'public')
    )
    execute function hide_entries();
