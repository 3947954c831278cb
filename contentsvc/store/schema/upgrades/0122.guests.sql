-- Guests: users that a secret makes, with neither address nor password.
alter table users add column guest boolean not null default false;
alter table identities add column made boolean not null default false;

create table guest_secrets (
    hash    bytea constraint guest_secrets_hash primary key,
    user_id uuid not null constraint guest_secrets_user references users on delete cascade,
    seen    timestamptz default clock_timestamp()
);
create index guest_secrets_of_user on guest_secrets (user_id);
create index guest_secrets_seen on guest_secrets (seen) where seen is not null;
