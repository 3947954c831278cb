-- Progress data: versions, and how much each user has.

-- What a user's values are in all: as JSON text, in bytes, without the keys. Narrow and apart from
-- the values: it changes with nearly every write.
create table progress_usage (
    user_id uuid primary key references users on delete cascade,
    keys    bigint not null,
    bytes   bigint not null,
    -- The highest version of a deleted key that nobody remembers any more: a key of which nothing
    -- is known goes on from there, so that no number ever stands for two values.
    dropped bigint not null default 0
) with (fillfactor = 50);

-- Keys that have been deleted, with the version that the deletion was.
create table progress_deleted (
    user_id uuid not null references users on delete cascade,
    key     text collate "C" not null,
    version bigint not null,
    deleted timestamptz not null,
    primary key (user_id, key)
);

-- Reading goes on meanwhile, writing waits.
lock table progress in share row exclusive mode;
insert into progress_usage (user_id, keys, bytes)
select user_id, count(*), sum(octet_length(value::text)) from progress group by user_id;

-- A write says `size`, and by how much it has `grown`, which is null for a new key: only here are
-- the old and the new value of a concurrent upsert both known. A row without a size was last
-- written by a daemon of the release before, and is counted by the triggers below.
alter table progress
    add column version  bigint not null default 1,
    add column write_id uuid,
    add column size     integer,
    add column grown    integer;

create function progress_counted(owner uuid, more_keys bigint, more_bytes bigint) returns void
    language sql as $$
    insert into progress_usage as u (user_id, keys, bytes) values (owner, more_keys, more_bytes)
    on conflict (user_id) do update
    set keys = u.keys + excluded.keys, bytes = u.bytes + excluded.bytes
$$;

-- Refuses a write, as a constraint of that name would.
create function progress_refused(quota text) returns bigint language plpgsql volatile as $$
begin
    raise check_violation using message = 'over the quota ' || quota, constraint = quota;
end $$;

create function progress_older_update() returns trigger language plpgsql as $$
begin
    new.version := old.version + 1;
    new.write_id := null;
    new.size := null;
    new.grown := null;
    return new;
end $$;
create trigger progress_older_update before update on progress
    for each row when (new.version = old.version) execute function progress_older_update();

create function progress_older_counted() returns trigger language plpgsql as $$
begin
    perform progress_counted(
        new.user_id, 0,
        octet_length(new.value::text) - coalesce(old.size, octet_length(old.value::text))
    );
    return null;
end $$;
create trigger progress_older_counted after update on progress
    for each row when (new.size is null) execute function progress_older_counted();

-- A new key may be one that was deleted. The inserting statement cannot look: it may have waited
-- for the deletion to commit, which it then does not see. This is a later statement, and does.
create function progress_begun() returns trigger language plpgsql as $$
declare
    last bigint;
begin
    if new.size is null then
        perform progress_counted(new.user_id, 1, octet_length(new.value::text));
    end if;
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
create trigger progress_begun after insert on progress
    for each row execute function progress_begun();

-- A user's deleted keys are remembered up to a thousand, then the older half is dropped.
create function progress_ended() returns trigger language plpgsql as $$
begin
    insert into progress_deleted (user_id, key, version, deleted)
    select old.user_id, old.key, old.version + 1, clock_timestamp()
    -- Else it is the user who is deleted.
    where exists (select from users where id = old.user_id);
    if not found then
        return null;
    end if;
    update progress_usage
    set keys = keys - 1,
        bytes = bytes - coalesce(old.size, octet_length(old.value::text))
    where user_id = old.user_id;
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
create trigger progress_ended after delete on progress
    for each row execute function progress_ended();
