-- What has happened, for the studio's back end (studio#events).

-- Events of transactions that have not got their numbers yet: written with their cause, which may commit later than
-- one with a higher id. See functions/number_events.sql.
create table new_events (
    id           bigint generated always as identity primary key,
    kind         text collate "C" not null,
    -- The id of who did it, a user or a service. No foreign key: events stay when an account goes.
    actor        uuid,
    subject_kind text collate "C" not null,
    subject      text collate "C" not null,
    -- Of a comment.
    content_id   uuid,
    -- The members of its kind, as JSON text. No names, texts or addresses.
    data         text not null,
    created      timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Those that have: a row is written once, and deleted by age.
create table events (
    number       bigint primary key,
    kind         text collate "C" not null,
    actor        uuid,
    subject_kind text collate "C" not null,
    subject      text collate "C" not null,
    content_id   uuid,
    data         text not null,
    created      timestamptz not null
);
create index events_kind on events (kind, number);

-- The last number that was given, and the last that retention has deleted. Its row is made with the first number.
create table event_numbers (
    one     boolean primary key default true check (one),
    newest  bigint not null default 0,
    trimmed bigint not null default 0
) with (fillfactor = 50);

-- Where events are sent. What waits for a hook is a task (functions/wake_webhooks.sql); how far it is, is here.
create table webhooks (
    id            uuid primary key,
    number        bigint not null generated always as identity constraint webhooks_number unique,
    url           text not null,
    -- The kinds of events that it gets; null for all.
    kinds         text[],
    enabled       boolean not null,
    -- It changes with the URL, and when the hook is turned on or off: what an attempt from before brought does not count.
    version       bigint not null default 0,
    -- The last event that it has got, or the newest one that was there before it.
    delivered     bigint not null,
    -- Up to this number nothing is to be sent to it: as `delivered`, or higher where the events in between are of other
    -- kinds.
    passed        bigint not null,
    -- What is being sent, as JSON text, and the number of its last event: what failed is sent again as it was.
    body          text,
    last          bigint,
    -- Since when nothing has been delivered that should, and why the last time.
    failing_since timestamptz,
    error         text,
    -- Whether the service has turned it off, and nobody has changed it since.
    given_up      boolean not null default false,
    -- It signs, so it is stored itself. The one before signs too for some time.
    secret        text,
    earlier       text,
    earlier_until timestamptz
) with (fillfactor = 50);
