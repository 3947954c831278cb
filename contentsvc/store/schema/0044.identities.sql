-- Accounts elsewhere with which users log in, at the studio's own log-in or at Steam.

create table identities (
    id      uuid primary key default gen_random_uuid(),
    -- The order of linking.
    number  bigint not null generated always as identity,
    user_id uuid not null constraint identities_user references users on delete cascade,
    issuer  text collate "C" not null check (char_length(issuer) between 1 and 512),
    subject text collate "C" not null check (char_length(subject) between 1 and 255),
    linked  timestamptz not null default now(),
    constraint identities_subject unique (issuer, subject)
);
create index identities_of_user on identities (user_id, number);
