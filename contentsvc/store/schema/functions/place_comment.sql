-- A comment has the next place among those that answer the same one. Whoever writes it has locked the content, and this
-- sees what was committed before.
create or replace function place_comment() returns trigger language plpgsql as $$
begin
    select 1 + coalesce(max(place), 0) into new.place from comments
    where content_id = new.content_id and coalesce(parent_id, 0) = coalesce(new.parent_id, 0);
    return new;
end $$;

drop trigger if exists comments_placed on comments;
create trigger comments_placed before insert on comments
    for each row when (new.place is null) execute function place_comment();
