-- Since when a user has their role, and their place in the list of staff.
--
-- No trigger runs before an update of users. With one Postgres takes every update for a change of the username's key,
-- which is generated: it would lock the row FOR UPDATE, and wait for whoever has written anything of the user's.
create or replace function keep_role() returns trigger
    language plpgsql as $$
begin
    update users
    set role_since = now(), role_number = case when new.role <> 'player' then nextval('role_numbers') end
    where id = new.id;
    return null;
end $$;

drop trigger if exists users_role_given on users;
create trigger users_role_given after insert on users
    for each row when (new.role <> 'player') execute function keep_role();
drop trigger if exists users_role_changed on users;
create trigger users_role_changed after update of role on users
    for each row when (new.role <> old.role) execute function keep_role();
