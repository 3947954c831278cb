-- Accounts can be deleted (extensions §8). The row of a user goes, and with it, by foreign keys, what is theirs
-- alone. What stays keeps the user's id, which then names nobody. What is much, or has to do with what is
-- others', is deleted afterwards, a batch at a time: see contentsvc.store.accounts.deletion.
--
-- So these tables refer to users no more. Whoever writes into them holds the user's row FOR KEY SHARE, as a
-- foreign key does: nobody writes for a user who leaves. Log-ins hold that row anyway, and announcements of files
-- the storage row, which has a foreign key.

-- One table at a time, and the busy ones last: each needs a lock on users too.
alter table sessions drop constraint sessions_user_id_fkey;
alter table user_files drop constraint user_files_user_id_fkey;
-- Who appends to a log has its counter's row.
alter table notifications drop constraint notifications_user_id_fkey;

create function author_stays() returns trigger language plpgsql as $$
begin
    if (select u.id from users u where u.id = new.author_id for key share) is null then
        raise foreign_key_violation using
            message = 'There is no such author.', constraint = tg_table_name || '_author';
    end if;
    return null;
end $$;

create function voter_stays() returns trigger language plpgsql as $$
begin
    if (select u.id from users u where u.id = new.user_id for key share) is null then
        raise foreign_key_violation using message = 'There is no such voter.', constraint = 'ratings_voter';
    end if;
    return null;
end $$;

-- Who has left. Nobody else gets the name for 30 days. A digest is enough for that.
create table departures (
    user_id  uuid primary key,
    -- The SHA-256 of the name in lower case.
    name     bytea not null,
    departed timestamptz not null default clock_timestamp()
);
create index departures_name on departures (name);
create index departures_departed on departures (departed);

create function note_departure() returns trigger language plpgsql as $$
begin
    insert into departures (user_id, name) values (old.id, sha256(convert_to(old.username_key, 'UTF8')))
    on conflict (user_id) do nothing;
    return null;
end $$;
create trigger users_departed after delete on users
    for each row execute function note_departure();

-- After the insert: it may have waited for one who was leaving with this name.
create function refuse_name() returns trigger language plpgsql as $$
begin
    -- What stands for the name of an author who has left.
    if new.username_key ~ '^deleted-[0-9a-f]{8}$' or exists (
        select from departures d
        where d.name = sha256(convert_to(new.username_key, 'UTF8'))
          and d.departed > clock_timestamp() - interval '30 days'
    ) then
        raise unique_violation using
            message = 'Users who have left keep this name.', constraint = 'users_username';
    end if;
    return null;
end $$;
create trigger users_named after insert on users
    for each row execute function refuse_name();

-- By how much a content has fewer comments, because the author of some has left. The tombstones are there at
-- once. The contents, which may be busy, are told later.
create table uncounted_comments (
    author_id  uuid not null,
    content_id uuid not null,
    comments   integer not null,
    primary key (author_id, content_id)
);

-- Pairs that are gone, and whose messages are still to be deleted.
create table ended_conversations (
    pair bigint primary key
);

create function end_conversations() returns trigger language plpgsql as $$
begin
    with ended as (
        delete from conversations c using gone g where c.pair = g.number returning c.pair
    )
    insert into ended_conversations (pair) select pair from ended on conflict do nothing;
    return null;
end $$;
drop trigger pairs_messages on pairs;
drop function drop_messages();
create trigger pairs_messages after delete on pairs
    referencing old table as gone for each statement execute function end_conversations();

-- As in 0033, for a user who may have left: they are told nothing.
create or replace function tell(recipient uuid, kind text, data text) returns told
    language plpgsql volatile as $$
declare
    made told;
    moment timestamptz;
begin
    made.id := gen_random_uuid();
    insert into notification_counters as c (user_id, seq, unread, newest)
    select u.id, 1, 1, made.id from users u where u.id = recipient
    on conflict (user_id) do update
    set seq = c.seq + 1, unread = c.unread + 1, newest = excluded.newest, previous = c.newest
    where tell.kind <> all (c.muted)
    returning c.seq, c.previous, clock_timestamp() into made.seq, made.previous, moment;
    if not found then
        return null;
    end if;
    insert into notifications (user_id, seq, id, kind, data, created)
    values (recipient, made.seq, made.id, tell.kind, tell.data, moment);
    made.user_id := recipient;
    made.created := unix(moment);
    made.data := tell.data;
    return made;
end $$;
