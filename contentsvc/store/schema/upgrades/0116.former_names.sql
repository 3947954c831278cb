-- Users change their names, and nobody else gets the old one for 30 days.

create table former_names (
    number   bigint primary key generated always as identity,
    user_id  uuid not null,
    -- The SHA-256 of the name in lower case.
    name     bytea not null,
    -- The name itself, for the user; empty once the user has left.
    username text not null,
    changed  timestamptz not null default clock_timestamp()
);
create index former_names_name on former_names (name);
create index former_names_user on former_names (user_id, number);
create index former_names_changed on former_names (changed);
