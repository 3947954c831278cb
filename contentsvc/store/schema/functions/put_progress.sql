-- What the statement that writes progress data cannot do itself (contentsvc.store.progress.progress): versions of
-- deleted keys, and what a deletion takes from the totals.

-- Refuses a write, as a constraint of that name would.
create or replace function progress_refused(quota text) returns bigint language plpgsql volatile as $$
begin
    raise check_violation using message = 'over the quota ' || quota, constraint = quota;
end $$;

-- A new key may be one that was deleted. The inserting statement cannot look: it may have waited for the deletion to
-- commit, which it then does not see. This is a later statement, and does.
create or replace function progress_begun() returns trigger language plpgsql as $$
declare
    last bigint;
begin
    delete from progress_deleted where user_id = new.user_id and key = new.key
    returning version into last;
    if last is null then
        select dropped into last from progress_usage where user_id = new.user_id;
    end if;
    if last > 0 then
        update progress set version = last + 1 where user_id = new.user_id and key = new.key;
    end if;
    return null;
end $$;

drop trigger if exists progress_begun on progress;
create trigger progress_begun after insert on progress
    for each row execute function progress_begun();

-- A user's deleted keys are remembered up to a thousand, then the older half is dropped.
create or replace function progress_ended() returns trigger language plpgsql as $$
begin
    insert into progress_deleted (user_id, key, version, deleted)
    select old.user_id, old.key, old.version + 1, clock_timestamp()
    -- Else it is the user who is deleted.
    where exists (select from users where id = old.user_id);
    if not found then
        return null;
    end if;
    update progress_usage set keys = keys - 1, bytes = bytes - old.size where user_id = old.user_id;
    if (select count(*) from progress_deleted where user_id = old.user_id) > 1000 then
        with oldest as (
            select key from progress_deleted where user_id = old.user_id
            order by deleted, key limit 500
        ), gone as (
            delete from progress_deleted d using oldest
            where d.user_id = old.user_id and d.key = oldest.key
            returning d.version
        )
        update progress_usage set dropped = greatest(dropped, (select max(version) from gone))
        where user_id = old.user_id;
    end if;
    return null;
end $$;

drop trigger if exists progress_ended on progress;
create trigger progress_ended after delete on progress
    for each row execute function progress_ended();
