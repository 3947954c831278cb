-- Since when a user has their role, and their place in the list of staff.
create or replace function keep_role() returns trigger
    language plpgsql as $$
begin
    new.role_since := now();
    new.role_number := case when new.role <> 'player' then nextval('role_numbers') end;
    return new;
end $$;

drop trigger if exists users_role_given on users;
create trigger users_role_given before insert on users
    for each row when (new.role <> 'player') execute function keep_role();
drop trigger if exists users_role_changed on users;
create trigger users_role_changed before update of role on users
    for each row when (new.role <> old.role) execute function keep_role();
