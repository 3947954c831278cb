-- How a log of notifications is known again, and what retention has taken of it.

alter table notification_counters
    -- The ids of the newest notification and of the one before it: whoever sends one knows
    -- whether it follows the one sent before. Null, or out of date, after a write of a daemon
    -- of the release before; then the row is looked up.
    add column newest uuid,
    add column previous uuid,
    -- Retention has deleted all up to this number.
    add column trimmed bigint not null default 0;

-- What somebody deleted by hand from the old end of a log counts as deleted by retention.
update notification_counters c
set trimmed = coalesce(
        (select min(n.seq) from notifications n where n.user_id = c.user_id), c.seq + 1
    ) - 1
where c.seq > 0 and not exists (
    select from notifications n where n.user_id = c.user_id and n.seq = 1
);
