-- Notifications: a log per user, and its counter.

-- Narrow and apart from users: it changes with every notification.
create table notification_counters (
    user_id  uuid primary key constraint notification_counters_user references users on delete cascade,
    seq      bigint not null,
    unread   bigint not null,
    -- The id of the newest notification, and of the one before those that one statement stored last: they end with the
    -- newest, and know the ones before them. So whoever sends one knows whether it follows the one sent before. Null
    -- before the first; then, and where they are out of date, the row is looked up.
    newest   uuid,
    previous uuid,
    -- Retention has deleted all up to this number. What somebody deleted by hand from the old end counts too.
    trimmed  bigint not null default 0,
    -- Kinds that the user wants neither stored nor numbered (notifications#muting).
    muted    text[] not null default '{}',
    -- One more with each change of read flags, and with each deletion: by it, a process knows that it has told its
    -- sockets of the last one.
    changes  bigint not null default 0,
    -- The user has deleted all up to this number: lists begin after it. A deleted notification keeps its row, number
    -- and id, so that the numbers have no holes.
    deleted  bigint not null default 0,
    -- How many notifications of service accounts the user has got on this UTC day, the last on which one came.
    studio_day  date,
    studio_told integer not null default 0
) with (fillfactor = 50);

create table notifications (
    user_id uuid not null,
    seq     bigint not null,
    id      uuid not null default gen_random_uuid(),
    kind    text not null,
    -- The kind as JSON text, tag first; the common fields are put before it on the way out.
    data    text not null,
    created timestamptz not null,
    read    boolean not null default false,
    primary key (user_id, seq)
-- So that a read flag finds room on its page: otherwise 15 of 100 write to the index too.
) with (fillfactor = 95);
-- An id begins with its number, so that the primary key finds it. Only those that do not are here: of before 1.0.0, and
-- of rows inserted by hand. A second index of all would be a third of what a lone notification writes.
create unique index notifications_unnumbered on notifications (user_id, id)
    where ('x' || left(id::text, 8))::bit(32)::bigint <> seq;

-- A notification that was stored. `created` is in Unix seconds, `previous` the id of the one before it.
create type notified as (
    user_id  uuid,
    seq      bigint,
    id       uuid,
    created  bigint,
    data     text,
    previous uuid
);

-- What the studio tells everybody who looks (studio#announcements). It has no rows of users.
create table announcements (
    -- Its author's choice.
    id      uuid primary key,
    -- The order of the list.
    number  bigint not null generated always as identity constraint announcements_number unique,
    title   text not null,
    text    text not null,
    level   text not null,
    -- Unix seconds, as they came. Null is at once, and never.
    begins  bigint,
    until   bigint,
    changed timestamptz not null default clock_timestamp()
);
-- Those of now are found without those that are over.
create index announcements_until on announcements (coalesce(until, 9223372036854775807));
create index announcements_changed on announcements (changed);

-- What the studio tells many, as notifications of kind `Studio` (studio#notifications). A task tells them; whom, it
-- remembers.
create table studio_notifications (
    -- Its author's choice, by which a repeat is known.
    id      uuid primary key,
    -- The order of the list.
    number  bigint not null generated always as identity constraint studio_notifications_number unique,
    topic   text not null,
    -- A JSON object, as it came.
    data    text not null,
    -- Unix seconds. From then on nobody is told.
    expires bigint,
    -- A user or a service account. It stays when the account goes.
    author  uuid not null,
    service boolean not null,
    created timestamptz not null default clock_timestamp(),
    -- telling, done or stopped.
    state   text not null default 'telling',
    told    integer not null default 0,
    muted   integer not null default 0,
    failed  integer not null default 0
);
-- What retention deletes.
create index studio_notifications_created on studio_notifications (created);
