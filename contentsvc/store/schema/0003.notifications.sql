-- Notifications: a log per user, and its counter.

-- Narrow and apart from users: it changes with every notification.
create table notification_counters (
    user_id uuid primary key
        constraint notification_counters_user references users on delete cascade,
    seq     bigint not null,
    unread  bigint not null
) with (fillfactor = 50);

create table notifications (
    user_id uuid not null references notification_counters on delete cascade,
    seq     bigint not null,
    id      uuid not null default gen_random_uuid(),
    kind    text not null,
    -- The kind as JSON text, tag first; the common fields are put before it on the way out.
    data    text not null,
    created timestamptz not null,
    read    boolean not null default false,
    primary key (user_id, seq),
    unique (user_id, id)
);
