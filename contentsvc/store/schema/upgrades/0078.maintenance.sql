-- The service closed for maintenance.

create table maintenance (
    -- There is one row at most.
    one     boolean primary key default true check (one),
    started timestamptz not null default clock_timestamp(),
    until   timestamptz,
    message text,
    reads   boolean not null
);
