-- Progress data: values by key, with versions, and how much each user has.

create table progress (
    user_id  uuid not null references users on delete cascade,
    key      text collate "C" not null,
    -- json, not jsonb: it is given back as it came.
    value    json not null,
    written  timestamptz not null,
    version  bigint not null default 1,
    -- The GUID of the write that put it there, if that had one.
    write_id uuid,
    -- A write says its size, as JSON text in bytes, and by how much it has grown, which is null for a new key: only
    -- here are the old and the new value of a concurrent upsert both known.
    size     integer not null,
    grown    integer,
    primary key (user_id, key)
);

-- What a user's values are in all: as JSON text, in bytes, without the keys. Narrow and apart from the values: it
-- changes with nearly every write.
create table progress_usage (
    user_id uuid primary key references users on delete cascade,
    keys    bigint not null,
    bytes   bigint not null,
    -- The highest version of a deleted key that nobody remembers any more: a key of which nothing is known goes on from
    -- there, so that no number ever stands for two values.
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
