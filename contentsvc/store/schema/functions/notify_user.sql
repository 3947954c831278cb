-- Stores a notification in the transaction of its cause. Null if the recipient has muted its kind, or has left. If the
-- statement has waited for the lock on the counter's row, Postgres reads the mutes anew.
create or replace function notify_user(recipient uuid, kind text, data text) returns notified
    language plpgsql volatile as $$
declare
    made notified;
    moment timestamptz;
begin
    update notification_counters c
    set seq = c.seq + 1, unread = c.unread + 1, newest = numbered_id(c.seq + 1, gen_random_uuid()), previous = c.newest
    where c.user_id = recipient and notify_user.kind <> all (c.muted)
    returning c.seq, c.newest, c.previous, clock_timestamp() into made.seq, made.id, made.previous, moment;
    if not found then
        -- The first of all, or it is muted. With most there is a row, for which this would take a third longer.
        insert into notification_counters as c (user_id, seq, unread, newest)
        select u.id, 1, 1, numbered_id(1, gen_random_uuid()) from users u where u.id = recipient
        on conflict (user_id) do update
        set seq = c.seq + 1, unread = c.unread + 1, newest = numbered_id(c.seq + 1, excluded.newest),
            previous = c.newest
        where notify_user.kind <> all (c.muted)
        returning c.seq, c.newest, c.previous, clock_timestamp() into made.seq, made.id, made.previous, moment;
        if not found then
            return null;
        end if;
    end if;
    insert into notifications (user_id, seq, id, kind, data, created)
    values (recipient, made.seq, made.id, notify_user.kind, notify_user.data, moment);
    made.user_id := recipient;
    made.created := unix(moment);
    made.data := notify_user.data;
    return made;
end $$;
