-- Events for the studio's back end. The release before writes none: the functions come after this, from their files.

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

-- For which use a file was announced, which its event says. What was announced before has none.
alter table user_files add column use text;
