-- A content's status follows from what admins and the author have decided.
create or replace function derive_status() returns trigger language plpgsql as $$
begin
    new.status := case when new.deleted then 'deleted'
                       when new.suspended then 'suspended'
                       else 'active' end;
    if new.deleted <> old.deleted then
        new.withdrawn := case when new.deleted then now() end;
    end if;
    return new;
end $$;

drop trigger if exists contents_status on contents;
create trigger contents_status before update of status, suspended, deleted on contents
    for each row execute function derive_status();
