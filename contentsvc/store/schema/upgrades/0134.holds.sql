-- Legal holds: their records, their files, and to whom they were given.
create table holds (
    number  bigint primary key generated always as identity,
    id      uuid not null default gen_random_uuid() constraint holds_id unique,
    kind    text collate "C" not null,
    subject text collate "C" not null,
    reason  text not null,
    until   timestamptz not null,
    admin   uuid not null,
    created timestamptz not null default clock_timestamp(),
    copied  boolean not null default false,
    whole   boolean,
    bytes   bigint not null default 0,
    constraint holds_subject unique (kind, subject)
);
create index holds_until on holds (until);
create index holds_copying on holds (kind, subject) where not copied;

create table held_pieces (
    number bigint primary key generated always as identity,
    hold   uuid not null references holds (id) on delete cascade,
    member text,
    piece  text not null
);
create index held_pieces_hold on held_pieces (hold, number);

create table held_files (
    hold  uuid not null references holds (id) on delete cascade,
    path  text collate "C" not null,
    size  bigint not null,
    state text collate "C" not null default 'copying',
    primary key (hold, path)
);
create index held_files_copying on held_files (path) where state = 'copying';
create index held_files_waiting on held_files (hold, path) where state = 'copying';

create table escalations (
    hold      uuid not null references holds (id) on delete cascade,
    id        uuid not null,
    recipient text not null,
    reference text not null,
    given     timestamptz not null,
    note      text not null,
    admin     uuid not null,
    created   timestamptz not null default clock_timestamp(),
    primary key (hold, id)
);
