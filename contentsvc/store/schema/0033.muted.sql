-- Notifications that a user steers (extensions §5).

alter table notification_counters
    -- Kinds that the user wants neither stored nor numbered.
    add column muted text[] not null default '{}',
    -- One more with each change of read flags, and with each deletion: by it, a process knows that it has
    -- told its sockets of the last one.
    add column changes bigint not null default 0,
    -- The user has deleted all up to this number: lists begin after it. A deleted notification keeps its
    -- row, number and id, so that the numbers have no holes.
    add column deleted bigint not null default 0;

-- A notification that was stored. `created` is in Unix seconds, `previous` the id of the one before it.
create type told as (
    user_id  uuid,
    seq      bigint,
    id       uuid,
    created  bigint,
    data     text,
    previous uuid
);

-- Stores one for a user who exists, in the transaction of its cause. Null if they have muted its kind. If the
-- statement has waited for the lock on the counter's row, Postgres reads the mutes anew.
create function tell(recipient uuid, kind text, data text) returns told
    language plpgsql volatile as $$
declare
    made told;
    moment timestamptz;
begin
    made.id := gen_random_uuid();
    insert into notification_counters as c (user_id, seq, unread, newest)
    values (recipient, 1, 1, made.id)
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

-- Has the commit of this transaction wait until all that was committed before is on the disk.
create function keep_commits() returns void
    language sql volatile
    as $$ select pg_logical_emit_message(true, 'contentsvc', '') $$;
