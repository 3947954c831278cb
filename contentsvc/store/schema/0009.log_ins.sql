-- Failed log-ins within the present window, by account and client address; and by address alone,
-- where the account is the nil GUID. `account` is a user's id, or stands for a name that nobody
-- has; `address` stands for an address. Rows whose window is over are removed a few at a time.
-- login_failures, which counted by account alone, is there for daemons of the release before.

create table failed_log_ins (
    account  uuid not null,
    address  uuid not null,
    failures integer not null,
    since    timestamptz not null,
    primary key (account, address)
);
create index failed_log_ins_since on failed_log_ins (since);
