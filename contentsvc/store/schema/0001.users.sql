-- Users, their log-ins and sessions, and who follows whom.

-- Whole Unix seconds, floored: the form of every time in the interface.
create function unix(moment timestamptz) returns bigint
    language sql stable parallel safe
    as 'select floor(extract(epoch from moment))::bigint';

create table users (
    id             uuid primary key default gen_random_uuid(),
    username       text not null,
    -- What makes a username unique and is searched: ASCII lower case, in byte order, so that
    -- a prefix is a range of the index.
    username_key   text collate "C" not null generated always as (lower(username collate "C")) stored,
    email          text not null,
    email_key      text collate "C" not null generated always as (lower(email collate "C")) stored,
    password_hash  text not null,
    admin          boolean not null default false,
    avatar         text,
    emblem         uuid,
    full_profile   text,
    public_profile text,
    created        timestamptz not null default now(),
    constraint users_username unique (username_key),
    constraint users_email unique (email_key)
);

-- Failed log-ins of an account within the present window.
create table login_failures (
    user_id  uuid primary key references users on delete cascade,
    failures integer not null,
    since    timestamptz not null
);

-- A log-in. Its access tokens name it; ending it ends them and its refresh tokens.
create table sessions (
    id      uuid primary key default gen_random_uuid(),
    user_id uuid not null references users on delete cascade,
    created timestamptz not null default now(),
    used    timestamptz not null default now(),
    revoked timestamptz
);
create index sessions_user on sessions (user_id);
-- What a daemon reads at start and while it runs: the few that were ended of late.
create index sessions_revoked on sessions (revoked) where revoked is not null;

-- Refresh tokens are stored as SHA-256. A spent one is kept to notice that it is used again.
create table refresh_tokens (
    hash       bytea primary key,
    session_id uuid not null references sessions on delete cascade,
    expires    timestamptz not null,
    spent      timestamptz
);
create index refresh_tokens_session on refresh_tokens (session_id);

create table follows (
    follower uuid not null references users on delete cascade,
    followed uuid not null constraint follows_followed references users on delete cascade,
    -- The order of following, and the cursor of both lists.
    number   bigint not null generated always as identity,
    primary key (follower, followed)
);
create index follows_of_follower on follows (follower, number);
create index follows_of_followed on follows (followed, number);

-- An answer to a party invite, and the invite where one was made through the service.
create table party_invites (
    sender    uuid not null constraint party_invites_sender references users on delete cascade,
    recipient uuid not null constraint party_invites_recipient references users on delete cascade,
    party     uuid not null,
    answer    text check (answer in ('accept', 'decline')),
    changed   timestamptz not null,
    primary key (sender, recipient, party)
);

create table progress (
    user_id uuid not null references users on delete cascade,
    key     text collate "C" not null,
    -- json, not jsonb: it is given back as it came.
    value   json not null,
    written timestamptz not null,
    primary key (user_id, key)
);
