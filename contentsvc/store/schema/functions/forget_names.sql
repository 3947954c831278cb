-- The former names of content go with its text, whichever release empties that (accounts#deletion).
create or replace function forget_names() returns trigger language plpgsql as $$
begin
    delete from content_names where content_id = new.id;
    return null;
end $$;

drop trigger if exists contents_unnamed on contents;
create trigger contents_unnamed after update of name on contents
    for each row when (new.name = '') execute function forget_names();
