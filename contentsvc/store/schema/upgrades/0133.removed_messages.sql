-- Messages can be taken away. Of those that are there it is not known which notification told of them: it is looked up.
alter table messages
    add column notified bigint,
    add column unsent boolean not null default false,
    add column withheld boolean not null default false;

create table removed_messages (
    pair      bigint not null,
    sender    uuid not null,
    id        uuid not null,
    recipient uuid not null,
    text      text not null,
    unsent    timestamptz,
    primary key (pair, sender, id)
);
create index removed_messages_sender on removed_messages (sender, id);
create index removed_messages_unsent on removed_messages (unsent) where unsent is not null;

create index reports_messages on reports (reporter) where messages is not null;
