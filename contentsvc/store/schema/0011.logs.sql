-- How a log of notifications is known again, and what retention has taken of it.

alter table notification_counters
    -- The ids of the newest notification and of the one before it: whoever sends one knows
    -- whether it follows the one sent before. Null, or out of date, after a write of a daemon
    -- of the release before; then the row is looked up.
    add column newest uuid,
    add column previous uuid,
    -- Retention has deleted all up to this number.
    add column trimmed bigint not null default 0;
