-- Two users: friendship, requests, blocks (extensions §4). Every write about two users locks their row
-- before anything else.

create sequence pair_numbers;

create table pairs (
    lesser           uuid not null constraint pairs_lesser references users on delete cascade,
    greater          uuid not null constraint pairs_greater references users on delete cascade,
    -- They are friends since then. The numbers here and below give lists their order, and are null where
    -- there is nothing.
    friends          bigint,
    friends_since    timestamptz,
    -- One of them has asked for friendship.
    requested        bigint,
    requested_since  timestamptz,
    requester        uuid,
    -- Each may block the other.
    lesser_blocks    bigint,
    lesser_blocks_since timestamptz,
    greater_blocks   bigint,
    greater_blocks_since timestamptz,
    -- When each last told the other of a request, and of following them.
    lesser_asked     timestamptz,
    greater_asked    timestamptz,
    lesser_followed  timestamptz,
    greater_followed timestamptz,
    primary key (lesser, greater),
    constraint pairs_order check (lesser < greater)
);
-- For the deletion of a user; the primary key serves the other half.
create index pairs_greater on pairs (greater);
create index pairs_friends_of_lesser on pairs (lesser, friends) where friends is not null;
create index pairs_friends_of_greater on pairs (greater, friends) where friends is not null;
create index pairs_requests_of_lesser on pairs (lesser, requested) where requested is not null;
create index pairs_requests_of_greater on pairs (greater, requested) where requested is not null;
-- One's own requests, however many others have made.
create index pairs_requests_made on pairs (requester, requested) where requested is not null;
create index pairs_blocks_of_lesser on pairs (lesser, lesser_blocks) where lesser_blocks is not null;
create index pairs_blocks_of_greater on pairs (greater, greater_blocks) where greater_blocks is not null;

-- A pair as each of the two sees it: `user_id` is who looks.
create view pair_sides as
    select lesser as user_id, greater as other_id, friends, friends_since,
           requested, requested_since, requester,
           lesser_blocks as blocks, lesser_blocks_since as blocks_since,
           greater_blocks as blocked,
           lesser_asked as asked, lesser_followed as followed
    from pairs
    union all
    select greater, lesser, friends, friends_since,
           requested, requested_since, requester,
           greater_blocks, greater_blocks_since,
           lesser_blocks,
           greater_asked, greater_followed
    from pairs;

-- Locks the row of two users until the end of the transaction, and makes it where there is none. Gives the
-- row. A volatile function: its statements see what was committed while it waited, the calling statement does
-- not.
create function hold_pair(one uuid, other uuid) returns pairs
    language plpgsql volatile as $$
declare
    held pairs;
begin
    select * into held from pairs where lesser = least(one, other) and greater = greatest(one, other)
        for no key update;
    if not found then
        insert into pairs (lesser, greater) values (least(one, other), greatest(one, other))
            on conflict do nothing;
        select * into held from pairs where lesser = least(one, other) and greater = greatest(one, other)
            for no key update;
    end if;
    return held;
end $$;

-- When a user has asked others for friendship. A request counts against the limit of a day even if it is
-- taken back or turned down, so the times are kept apart from the pairs, and only for that day.
create table friend_asks (
    asker   uuid not null references users on delete cascade,
    created timestamptz not null default clock_timestamp()
);
create index friend_asks_asker on friend_asks (asker, created);
create index friend_asks_created on friend_asks (created);

create function friend_asks_wait(who uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('friend_asks'), hashtext(who::text));
    -- Those from before the clock was set back do not count, nor hide the others: see seconds_left.
    moment := (
        select a.created from friend_asks a
        where a.asker = who and a.created < clock_timestamp() + interval '1 minute'
        order by a.created desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;
