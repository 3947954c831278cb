-- A user's role, and what the release before reads and writes of it: whether it is admin. Whichever of the two a
-- statement changes, the other follows.
create or replace function keep_role() returns trigger
    language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        if new.admin then
            new.role := 'admin';
        end if;
    elsif new.role = old.role and new.admin <> old.admin then
        new.role := case when new.admin then 'admin' else 'player' end;
    end if;
    new.admin := new.role = 'admin';
    if tg_op = 'INSERT' or new.role <> old.role then
        new.role_since := now();
        new.role_number := case when new.role <> 'player' then nextval('role_numbers') end;
    end if;
    return new;
end $$;

drop trigger if exists users_role_given on users;
create trigger users_role_given before insert on users
    for each row when (new.admin or new.role <> 'player') execute function keep_role();
drop trigger if exists users_role_changed on users;
create trigger users_role_changed before update of admin, role on users
    for each row execute function keep_role();
