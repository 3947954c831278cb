-- Users, how they log in, the mails to them, and who has left.
--
-- The row of a user who leaves goes, and with it, by foreign keys, what is theirs alone (accounts#deletion). What
-- stays keeps the user's id, which then names nobody. What is much, or has to do with what is others', is deleted
-- afterwards, a batch at a time: see contentsvc.store.accounts.deletion. So contents, ratings, comments, sessions,
-- user_files and notifications refer to users by no foreign key. Whoever writes into them holds the user's row FOR
-- KEY SHARE, as a foreign key does: nobody writes for a user who leaves. Log-ins hold that row anyway, announcements
-- of files the storage row, and who appends to a log its counter's, both of which have a foreign key.

create table users (
    id              uuid primary key default gen_random_uuid(),
    username        text not null,
    -- What makes a username unique and is searched: ASCII lower case, in byte order, so that a prefix is a range of
    -- the index.
    username_key    text collate "C" not null generated always as (lower(username collate "C")) stored,
    -- Accounts that the studio's own log-in makes have neither an address nor a password at first.
    email           text,
    email_key       text collate "C" generated always as (lower(email collate "C")) stored,
    password_hash   text,
    avatar          text,
    emblem          uuid,
    full_profile    text,
    public_profile  text,
    created         timestamptz not null default now(),
    -- Since when the address is the account's.
    email_since     timestamptz not null default now(),
    email_confirmed boolean not null default false,
    -- See contentsvc.roles, and schema/functions/keep_role.sql.
    role            text collate "C" not null default 'player',
    -- Since when it is the user's.
    role_since      timestamptz not null default now(),
    -- The order in which roles were given. Null for players.
    role_number     bigint,
    -- When their avatar, emblem or profiles were last changed. Null from before it was kept, and of who never has.
    updated         timestamptz,
    -- Made by a guest's secret, with neither address nor password until it becomes a full account.
    guest           boolean not null default false,
    -- The version of the terms that they have accepted last, and when.
    terms           text,
    terms_accepted  timestamptz,
    constraint users_username unique (username_key),
    constraint users_email unique (email_key)
);
create sequence role_numbers owned by users.role_number;
-- Whether another admin is left is asked before one is demoted.
create index users_admins on users (id) where role = 'admin';
-- Those who are no players, newest first.
create index users_staff on users (role_number) where role <> 'player';
-- Nobody searches for guests, of whom there may be many more than of others.
create index users_searched on users (username_key) where not guest;

-- The index of similar names: that of pg_trgm where the server has the extension, and this role may create it or it is
-- there, and elsewhere one of the trigrams in a column. See functions/find_users.sql, which has both forms.
do $do$
declare
    home text;
begin
    if exists (select from pg_available_extensions where name = 'pg_trgm') then
        begin
            create extension if not exists pg_trgm;
        exception when others then
            -- Managed servers refuse in many ways. An operator may have created it all the same.
            raise notice 'pg_trgm is not created: %', sqlerrm;
        end;
        select quote_ident(n.nspname) into home
        from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
    end if;
    if home is not null then
        begin
            execute format(
                'create index users_trigrams on users using gin (username_key %s.gin_trgm_ops) where not guest', home
            );
            return;
        exception when others then
            raise notice 'pg_trgm is not used: %', sqlerrm;
        end;
    end if;
    -- pg_trgm's own: every word with two blanks before it and one after, cut into threes. It stands here and not with
    -- the functions, because the column is made by it: the function of a stored column is never replaced.
    create function trigrams(name text) returns text[]
        language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct substr(padded, place, 3)), '{}')
            from (select '  ' || word || ' ' as padded
                  -- As plain(), which a restore would not find: it sets no search path.
                  from regexp_split_to_table(lower(name collate "C"), '[^a-z0-9]+') as word
                  where word <> '') as words,
                 generate_series(1, length(padded) - 2) as place
        $$;
    -- A tsvector, for its index tells which names share several of them.
    alter table users add column trigrams tsvector not null
        generated always as (array_to_tsvector(trigrams(username))) stored;
    create index users_trigrams on users using gin (trigrams) where not guest;
end $do$;

-- A log-in. Its access tokens name it; ending it ends them and its refresh tokens.
create table sessions (
    id      uuid primary key default gen_random_uuid(),
    user_id uuid not null,
    created timestamptz not null default now(),
    used    timestamptz not null default now(),
    revoked timestamptz,
    -- What logged in, in a few words; null where that is not known. The User-Agent that they come from is not kept.
    device  text,
    -- How it began: `client`, `portal` or `portal-in-game`. Null from before that was kept.
    kind    text
);
create index sessions_user on sessions (user_id);
-- The ended ones of a user who logs in often are many more.
create index sessions_live on sessions (user_id) where revoked is null;
-- What a daemon reads at start and while it runs: the few that were ended of late.
create index sessions_revoked on sessions (revoked) where revoked is not null;

-- Refresh tokens are stored as SHA-256. A spent one is kept to notice that it is used again.
create table refresh_tokens (
    hash       bytea primary key,
    session_id uuid not null references sessions on delete cascade,
    -- Of a session that began with a portal code, when it was given out: its session says how long it is good, and a
    -- release that knows no such sessions renews none with the role of its user.
    expires    timestamptz not null,
    spent      timestamptz,
    -- What the successor of a spent token is made of, together with that token itself: so a token that comes twice
    -- within the grace gets the same successor twice, and neither of the two can be told from what is stored. It is
    -- there for as long as the grace may last.
    salt       bytea
);
create index refresh_tokens_session on refresh_tokens (session_id);
-- Which tokens are over: with the last of them a session is deleted.
create index refresh_tokens_expires on refresh_tokens (expires);

-- The codes with which a game opens the portal, as SHA-256: they are random. A spent one says which session has asked
-- for the one that it began, for as long as that may go on.
create table portal_codes (
    hash       bytea primary key,
    -- The session that has asked for it.
    session_id uuid not null references sessions on delete cascade,
    expires    timestamptz not null,
    -- The session that it began.
    begun      uuid
);
create index portal_codes_session on portal_codes (session_id);
create index portal_codes_begun on portal_codes (begun) where begun is not null;
create index portal_codes_expires on portal_codes (expires);

-- Accounts elsewhere with which users log in, at the studio's own log-in or at Steam.
create table identities (
    id      uuid primary key default gen_random_uuid(),
    -- The order of linking.
    number  bigint not null generated always as identity,
    user_id uuid not null constraint identities_user references users on delete cascade,
    issuer  text collate "C" not null check (char_length(issuer) between 1 and 512),
    subject text collate "C" not null check (char_length(subject) between 1 and 255),
    linked  timestamptz not null default now(),
    -- Whether it stays linked when the password is reset by mail. Null: nobody has proved to get the account's mail
    -- since it was linked. False: it was linked before anybody had proved that for the first time. True: it was linked
    -- after that, and somebody has proved it again since.
    kept    boolean,
    -- A guest became a full account with it: it counts as the one that the account was made with.
    made    boolean not null default false,
    constraint identities_subject unique (issuer, subject)
);
create index identities_of_user on identities (user_id, number);

-- The secrets with which guests log in, as SHA-256: the values are random. That of a guest who has become a full account
-- stays, so that it makes no other one.
create table guest_secrets (
    hash    bytea constraint guest_secrets_hash primary key,
    user_id uuid not null constraint guest_secrets_user references users on delete cascade,
    -- About when the guest last logged in or renewed a log-in; null of a full account.
    seen    timestamptz default clock_timestamp()
);
create index guest_secrets_of_user on guest_secrets (user_id);
create index guest_secrets_seen on guest_secrets (seen) where seen is not null;

-- Mails to users, and what their links are good for. A link's token is made of the id and a key that is not in the
-- database. A task sends the mail.
create table mails (
    id      uuid primary key default gen_random_uuid(),
    -- `reset`: with a link to set a password. `confirm`, `change`: with a link to confirm the account's address, or a
    -- new one. `changed`: tells the address before that it is not the account's any more. `linked`, `unlinked`: tell
    -- the confirmed address which accounts elsewhere log in or do not any more. `notice`, `notice_upheld`,
    -- `notice_dismissed`: tell who has sent a notice that it has come, and what was decided. `banned`, `blocked`:
    -- tell it of a decision. `appeal_confirmed`, `appeal_reversed`, `notice_confirmed`, `notice_reopened`: tell a banned
    -- user, and who has sent a notice, what was decided about their appeal.
    purpose text not null check (purpose in (
        'reset', 'confirm', 'change', 'changed', 'linked', 'unlinked', 'notice', 'notice_upheld', 'notice_dismissed',
        'banned', 'blocked', 'appeal_confirmed', 'appeal_reversed', 'notice_confirmed', 'notice_reopened'
    )),
    -- Null while nobody has looked up whose address was given.
    user_id uuid references users on delete cascade,
    email   text not null,
    created timestamptz not null default clock_timestamp(),
    -- Until when its link is good, counted from the last try.
    expires timestamptz,
    -- Its link is not good any more.
    ended   boolean not null default false,
    -- The issuers of the accounts elsewhere that it is about, a line each.
    issuers text not null default '',
    -- The decision that it is about.
    decision uuid,
    -- The notice that it is about.
    notice   uuid,
    -- The appeal that it is about.
    appeal   uuid
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index mails_user on mails (user_id, created);
create index mails_asked on mails (lower(email collate "C")) where user_id is null;
create index mails_created on mails (created);

-- Who has left. Nobody else gets the name for 30 days, nor the address if an operator keeps it. Digests are enough for
-- that.
create table departures (
    user_id  uuid primary key,
    -- The SHA-256 of the name in lower case.
    name     bytea not null,
    departed timestamptz not null default clock_timestamp(),
    -- The SHA-256 of the address in lower case, if it is kept.
    email    bytea,
    -- Content of theirs is still to be deleted and emptied. Every statement takes it for deleted already.
    pending  boolean not null default false
);
create index departures_name on departures (name);
create index departures_departed on departures (departed);
create index departures_email on departures (email) where email is not null;
create index departures_pending on departures (user_id) where pending;

-- The names that users had before. Nobody else gets one for 30 days. The user's row may go before.
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

-- Programs of the studio (studio#service-accounts). They are no users, and have no row among them.
create table service_accounts (
    id        uuid primary key,
    -- The order of creation.
    number    bigint not null generated always as identity constraint service_accounts_number unique,
    name      text not null,
    -- What makes a name unique, whatever its case.
    name_key  text collate "C" not null constraint service_accounts_name unique,
    -- Of contentsvc.roles.SCOPES.
    scopes    text[] not null,
    -- In Unix seconds.
    expires   bigint,
    created   timestamptz not null default clock_timestamp(),
    -- The last day of UTC on which it got a token.
    last_used date
);

-- Two of an account at most. Only hashes are stored, SHA-256: the values are random.
create table service_secrets (
    id         uuid primary key default gen_random_uuid(),
    account_id uuid not null constraint service_secrets_account references service_accounts on delete cascade,
    hash       bytea not null,
    -- What the secret's access tokens name. It is another one from the moment at which those end.
    grant_id   uuid not null default gen_random_uuid(),
    created    timestamptz not null default clock_timestamp()
);
create index service_secrets_of_account on service_secrets (account_id);

-- Grants, and single tokens, that have ended: as `revoked` of a session. Retention deletes what is old.
create table ended_grants (
    id    uuid primary key,
    ended timestamptz not null default now()
);
create index ended_grants_ended on ended_grants (ended);
