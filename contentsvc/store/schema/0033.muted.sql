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
