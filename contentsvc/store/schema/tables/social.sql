-- Users among each other: follows, parties, friends, blocks and messages.

create table follows (
    follower uuid not null references users on delete cascade,
    followed uuid not null constraint follows_followed references users on delete cascade,
    -- The order of following, and the cursor of both lists.
    number   bigint not null generated always as identity,
    -- Null where it is not known.
    created  timestamptz default clock_timestamp(),
    primary key (follower, followed)
);
create index follows_of_follower on follows (follower, number);
create index follows_of_followed on follows (followed, number);
-- Whom the studio tells in the order of their ids.
create index follows_of_followed_by_id on follows (followed, follower);

-- An answer to a party invite, and the invite where one was made through the service.
create table party_invites (
    sender    uuid not null constraint party_invites_sender references users on delete cascade,
    recipient uuid not null constraint party_invites_recipient references users on delete cascade,
    party     uuid not null,
    answer    text check (answer in ('accept', 'decline')),
    changed   timestamptz not null,
    primary key (sender, recipient, party)
);
create index party_invites_recipient on party_invites (recipient);
-- Those that a user has not answered, by age.
create index party_invites_unanswered on party_invites (recipient, changed) where answer is null;

create sequence pair_numbers;

-- Two users: friendship, requests, blocks (social#friends). Every write about two users locks their row before
-- anything else.
create table pairs (
    lesser               uuid not null constraint pairs_lesser references users on delete cascade,
    greater              uuid not null constraint pairs_greater references users on delete cascade,
    -- They are friends since then. The numbers here and below give lists their order, and are null where there is
    -- nothing.
    friends              bigint,
    friends_since        timestamptz,
    -- One of them has asked for friendship.
    requested            bigint,
    requested_since      timestamptz,
    requester            uuid,
    -- Each may block the other.
    lesser_blocks        bigint,
    lesser_blocks_since  timestamptz,
    greater_blocks       bigint,
    greater_blocks_since timestamptz,
    -- When each last told the other of a request, and of following them.
    lesser_asked         timestamptz,
    greater_asked        timestamptz,
    lesser_followed      timestamptz,
    greater_followed     timestamptz,
    -- By this, messages name the pair: it is shorter than the two ids in every row and index.
    number               bigint generated always as identity,
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
    select lesser as user_id, greater as other_id, friends, friends_since, requested, requested_since, requester,
           lesser_blocks as blocks, lesser_blocks_since as blocks_since, greater_blocks as blocked,
           lesser_asked as asked, lesser_followed as followed
    from pairs
    union all
    select greater, lesser, friends, friends_since, requested, requested_since, requester,
           greater_blocks, greater_blocks_since, lesser_blocks,
           greater_asked, greater_followed
    from pairs;

-- Messages between two users (social#messages). A message is written under the lock of its pair's row. So the numbers
-- and times of one conversation have the same order, and a pair that a message names is there. A foreign key would
-- check that once more with each message: a trigger does what it would do when the pair goes.
create table messages (
    pair    bigint not null,
    number  bigint not null generated always as identity,
    sender  uuid not null,
    id      uuid not null,
    text    text not null,
    created timestamptz not null default clock_timestamp(),
    -- The number of the recipient's notification; 0 if they have muted it. Null of what a release before has stored.
    notified bigint,
    -- Its sender has taken it away, or a moderator has: then the text is empty, for both.
    unsent   boolean not null default false,
    withheld boolean not null default false,
    -- The same GUID of the other user, or to another user, is another message.
    primary key (pair, sender, id)
);
create unique index messages_pair_number on messages (pair, number);

-- The texts of messages that were taken away: for reports that name them, and for a moderator who gives one back. When
-- the pair goes, what its sender has taken away stays without the text: by it, the reports lose the text in time.
create table removed_messages (
    pair      bigint not null,
    sender    uuid not null,
    id        uuid not null,
    recipient uuid not null,
    text      text not null,
    -- When its sender has taken it away; null if only a moderator has.
    unsent    timestamptz,
    primary key (pair, sender, id)
);
create index removed_messages_sender on removed_messages (sender, id);
create index removed_messages_unsent on removed_messages (unsent) where unsent is not null;

-- The newest message of each two users.
create table conversations (
    pair    bigint primary key,
    lesser  uuid not null,
    greater uuid not null,
    newest  bigint not null
);
create index conversations_of_lesser on conversations (lesser, newest);
create index conversations_of_greater on conversations (greater, newest);

-- Pairs that are gone, and whose messages are still to be deleted.
create table ended_conversations (
    pair bigint primary key
);
