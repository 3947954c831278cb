-- Accounts that the studio's own log-in makes have neither an address nor a password at first.

alter table users
    alter column email drop not null,
    alter column email_key drop not null,
    alter column password_hash drop not null,
    -- Since when the address is the account's. Those of before count from now on.
    add column email_since timestamptz not null default now(),
    add column email_confirmed boolean not null default false;
