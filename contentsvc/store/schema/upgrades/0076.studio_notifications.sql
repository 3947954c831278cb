-- What the studio tells its players: announcements, and notifications to many.

create table announcements (
    id      uuid primary key,
    number  bigint not null generated always as identity constraint announcements_number unique,
    title   text not null,
    text    text not null,
    level   text not null,
    begins  bigint,
    until   bigint,
    changed timestamptz not null default clock_timestamp()
);
create index announcements_until on announcements (coalesce(until, 9223372036854775807));
create index announcements_changed on announcements (changed);

create table studio_notifications (
    id      uuid primary key,
    number  bigint not null generated always as identity constraint studio_notifications_number unique,
    topic   text not null,
    data    text not null,
    expires bigint,
    author  uuid not null,
    service boolean not null,
    created timestamptz not null default clock_timestamp(),
    state   text not null default 'telling',
    told    integer not null default 0,
    muted   integer not null default 0,
    failed  integer not null default 0
);
create index studio_notifications_created on studio_notifications (created);

alter table notification_counters add column studio_day date;
alter table notification_counters add column studio_told integer not null default 0;

create index follows_of_followed_by_id on follows (followed, follower);
