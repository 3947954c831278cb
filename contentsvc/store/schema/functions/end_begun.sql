-- A session that began with a portal code ends with the one that has asked for it, whoever ends that: in the same
-- transaction, and at the same moment. A statement of its own sees what began until it had that one's row.
create or replace function end_begun() returns trigger language plpgsql as $$
begin
    update sessions set revoked = new.revoked where revoked is null and id = any(array(
        select begun from portal_codes where session_id = new.id
    ));
    return null;
end $$;

drop trigger if exists sessions_ended on sessions;
create trigger sessions_ended after update of revoked on sessions
    for each row when (old.revoked is null and new.revoked is not null) execute function end_begun();
