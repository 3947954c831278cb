-- Entries know whether their content is hidden. Apart from 0027: this needs a lock on the content. The
-- trigger comes after the others that wait: whoever holds a tally's lock holds up all who enter.

create function hide_entries() returns trigger language plpgsql as $$
begin
    update challenge_entries set hidden = new.status <> 'active' where content_id = new.id;
    return null;
end $$;
create trigger contents_hidden_entries after update of status, suspended, deleted on contents
    for each row when ((old.status = 'active') <> (new.status = 'active'))
    execute function hide_entries();
