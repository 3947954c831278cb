-- Messages between two users (extensions §4).

-- The number by which messages name the pair: shorter than its two ids in every row and index.
alter table pairs add column number bigint generated always as identity;

-- A message is written under the lock of its pair's row. So the numbers and times of one conversation have
-- the same order, and a pair that a message names is there. A foreign key would check that once more with
-- each message: the trigger below does what it would do when the pair goes.
create table messages (
    pair    bigint not null,
    number  bigint not null generated always as identity,
    sender  uuid not null,
    id      uuid not null,
    text    text not null,
    created timestamptz not null default clock_timestamp(),
    -- The same GUID of the other user, or to another user, is another message.
    primary key (pair, sender, id)
);
create unique index messages_pair_number on messages (pair, number);
-- A user's newest messages, for their limit.
create index messages_sender_number on messages (sender, number);

-- The newest message of each two users.
create table conversations (
    pair    bigint primary key,
    lesser  uuid not null,
    greater uuid not null,
    newest  bigint not null
);
create index conversations_of_lesser on conversations (lesser, newest);
create index conversations_of_greater on conversations (greater, newest);

create function drop_messages() returns trigger
    language plpgsql as $$
begin
    delete from conversations where pair = old.number;
    delete from messages where pair = old.number;
    return null;
end $$;
create trigger pairs_messages after delete on pairs
    for each row execute function drop_messages();

-- See migration 0010.
create function messages_wait(author uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('messages'), hashtext(author::text));
    moment := (
        select m.created from messages m where m.sender = author
        order by m.number desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;
