-- Programs of the studio, their secrets, and what has ended of theirs.

create table service_accounts (
    id        uuid primary key,
    number    bigint not null generated always as identity constraint service_accounts_number unique,
    name      text not null,
    name_key  text collate "C" not null constraint service_accounts_name unique,
    scopes    text[] not null,
    expires   bigint,
    created   timestamptz not null default clock_timestamp(),
    last_used date
);

create table service_secrets (
    id         uuid primary key default gen_random_uuid(),
    account_id uuid not null constraint service_secrets_account references service_accounts on delete cascade,
    hash       bytea not null,
    grant_id   uuid not null default gen_random_uuid(),
    created    timestamptz not null default clock_timestamp()
);
create index service_secrets_of_account on service_secrets (account_id);

create table ended_grants (
    id    uuid primary key,
    ended timestamptz not null default now()
);
create index ended_grants_ended on ended_grants (ended);

-- Whether a service account did it: until now nobody else did.
alter table moderation_actions add column service boolean not null default false;
