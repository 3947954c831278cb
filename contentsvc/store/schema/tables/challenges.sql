-- Design challenges: opened, entered, judged, closed and rewarded (challenges#design-challenges).

-- The list is always whole: to sort it by ordinal costs less than to follow an index.
create table challenges (
    id                 uuid primary key default gen_random_uuid(),
    name               text not null,
    ordinal            integer not null,
    description        text not null,
    theme              text not null,
    -- RewardDefinitions, given back as they came.
    win                json not null,
    participate        json not null,
    created            timestamptz not null default now(),
    -- Unix seconds, as they came. Null is at once, and never.
    opens              bigint,
    closes             bigint,
    -- The types of content that may enter; null for all.
    types              text[],
    judging            text not null default 'admins' check (judging in ('admins', 'votes')),
    win_emblem         uuid not null default gen_random_uuid() constraint challenges_win_emblem unique,
    participate_emblem uuid not null default gen_random_uuid() constraint challenges_participate_emblem unique,
    -- When it was closed, and with which winners.
    closed             timestamptz,
    winners            uuid[] not null default '{}'
);
-- Those that close by themselves.
create index challenges_due on challenges (closes) where closed is null and judging = 'votes';

create table challenge_entries (
    challenge_id uuid not null references challenges,
    content_id   uuid not null references contents on delete cascade,
    -- The order of entering.
    number       bigint not null generated always as identity,
    -- The content's author, and whether it is hidden: a copy, so that neither counting nor closing reads the content.
    -- Both are written under the lock of the content's row.
    author_id    uuid not null,
    hidden       boolean not null default false,
    -- Whether it is not public, likewise. Then it is hidden too.
    withheld     boolean not null default false,
    primary key (content_id, challenge_id)
);
create unique index challenge_entries_number on challenge_entries (challenge_id, number);
create index challenge_entries_hidden on challenge_entries (author_id, challenge_id) where hidden;

-- How many entries each challenge has, how many of them are hidden, and how many of those are not public. It is not in the challenge's row, which those
-- who enter hold FOR SHARE.
create table challenge_tallies (
    challenge_id uuid primary key references challenges on delete cascade,
    entries      integer not null,
    hidden       integer not null,
    withheld     integer not null default 0
);

-- What a closed challenge has granted: to each user once for winning, and once for taking part.
create table challenge_rewards (
    challenge_id uuid not null references challenges on delete cascade,
    user_id      uuid not null references users on delete cascade,
    won          boolean not null,
    -- The user's newest entry; of those that won, the newest.
    content_id   uuid not null,
    number       bigint not null generated always as identity,
    earned       timestamptz not null,
    -- Taken away by an admin. The row stays: it says who is told.
    taken        boolean not null default false,
    primary key (challenge_id, user_id, won)
);
create index challenge_rewards_user on challenge_rewards (user_id, number) where not taken;
-- For the deletion of a user.
create index challenge_rewards_of_user on challenge_rewards (user_id);
