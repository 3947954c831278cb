-- A content's status follows from what admins and the author have decided. It is one of these values, and no other.
create or replace function derive_status() returns trigger language plpgsql as $$
begin
    if new.visibility not in ('public', 'unlisted', 'friends', 'private') then
        raise check_violation using message = 'There is no such visibility.', constraint = 'contents_visibility';
    end if;
    new.status := case when new.deleted then 'deleted'
                       when new.suspended then 'suspended'
                       when new.visibility <> 'public' then new.visibility
                       else 'active' end;
    if tg_op = 'UPDATE' and new.deleted <> old.deleted then
        new.withdrawn := case when new.deleted then now() end;
    end if;
    return new;
end $$;

drop trigger if exists contents_status on contents;
create trigger contents_status before update of status, suspended, deleted, visibility on contents
    for each row execute function derive_status();

drop trigger if exists contents_first_status on contents;
create trigger contents_first_status before insert on contents
    for each row when (new.visibility <> 'public' or new.status <> 'active') execute function derive_status();
