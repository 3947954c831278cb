-- From commit 20bce2cc to version 1.0.0. What a commit between them has made already is conditional.

-- If-Unmodified-Since compares with it (framework/http/preconditions.py). Who has not changed their record since has none.
alter table users add column if not exists updated timestamptz;

-- Whether an image is invalid because of its metadata.
alter table files add column if not exists metadata boolean not null default false;

-- An act that is about several things says how many they were.
alter table moderation_actions add column if not exists counts jsonb;

-- Users change their names, and nobody else gets the old one for 30 days.
do $$
begin
    if exists (select from schema_upgrades where name = '0116.former_names') then
        return;
    end if;
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
end $$;

-- Content is found by looser forms of its words too, and by its whole name: a task writes them, batch by batch.
insert into tasks (queue, kind, task, due)
select 'steps', 'RenewWords', '{"kind":"RenewWords"}', clock_timestamp()
where exists (select from documents)
  and not exists (select from schema_upgrades where name = '0110.looser_words');

-- What only daemons before 20bce2cc read. The triggers come back with their function.
drop trigger users_role_given on users;
drop trigger users_role_changed on users;
alter table users drop column admin;
create index users_admins on users (id) where role = 'admin';
drop index contents_updated;
drop function visible(text, uuid, uuid, boolean);

-- Comments, messages and subscriptions are written, and sessions ended, by statements of the service.

drop procedure if exists
    write_comments(uuid[], uuid[], boolean[], bigint[], text[], uuid[], integer[], interval, text),
    write_comments(uuid[], uuid[], boolean[], bigint[], text[], integer[], interval, text),
    send_messages(uuid[], uuid[], uuid[], text[], text[], integer[], interval, text);
drop function if exists
    write_comment(uuid, uuid, boolean, bigint, text, uuid, integer, interval),
    write_comment(uuid, uuid, boolean, bigint, text, integer, interval),
    subscribe(uuid, uuid, uuid, boolean, integer),
    end_oldest_sessions(uuid, integer, uuid);
