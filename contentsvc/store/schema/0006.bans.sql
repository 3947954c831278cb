-- Accounts that an admin has banned, for ever or until a moment.

create table bans (
    user_id uuid primary key constraint bans_user references users on delete cascade,
    reason  text not null,
    until   timestamptz,
    created timestamptz not null default now()
);
