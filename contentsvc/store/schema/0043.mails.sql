-- Mails to users, and what their links are good for. A row waits here until the mail server has taken the
-- mail; its token is made of its id and a key that is not in the database. These are not rows of the
-- outbox: those are worked off in transactions, and each look at them would pass all mails that wait.

create table mails (
    id      uuid primary key default gen_random_uuid(),
    -- `reset`: with a link to set a password. `confirm`, `change`: with a link to confirm the account's
    -- address, or a new one. `changed`: tells the address before that it is not the account's any more.
    purpose text not null check (purpose in ('reset', 'confirm', 'change', 'changed')),
    -- Null while nobody has looked up whose address was given.
    user_id uuid references users on delete cascade,
    email   text not null,
    created timestamptz not null default clock_timestamp(),
    -- When it is to be sent, or tried again. A process that sends it moves this beyond the time that the
    -- sending may take. Null once there is nothing more to do.
    due     timestamptz default clock_timestamp(),
    tries   integer not null default 0,
    failure text,
    -- Until when its link is good, counted from the last try.
    expires timestamptz,
    -- Its link is not good any more.
    ended   boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index mails_due on mails (due) where due is not null;
create index mails_user on mails (user_id, created);
create index mails_asked on mails (lower(email collate "C")) where user_id is null;
create index mails_created on mails (created);
