-- Design challenges are lived through: opened, entered, judged, closed and rewarded (extensions §2).

alter table challenges
    -- Unix seconds, as they came. Null is at once, and never.
    add column opens bigint,
    add column closes bigint,
    -- The types of content that may enter; null for all.
    add column types text[],
    add column judging text not null default 'admins' check (judging in ('admins', 'votes')),
    add column win_emblem uuid not null default gen_random_uuid()
        constraint challenges_win_emblem unique,
    add column participate_emblem uuid not null default gen_random_uuid()
        constraint challenges_participate_emblem unique,
    -- When it was closed, and with which winners.
    add column closed timestamptz,
    add column winners uuid[] not null default '{}';
-- The list is always whole: to sort it costs less than to follow an index.
drop index challenges_ordinal;
-- Those that close by themselves.
create index challenges_due on challenges (closes) where closed is null and judging = 'votes';

-- By the database's clock, so that all processes agree. Ask it once the challenge's row is locked.
create function challenge_state(opens bigint, closes bigint, closed timestamptz) returns text
    language sql volatile
    as $$
        select case when closed is not null then 'closed'
                    when opens > unix(clock_timestamp()) then 'upcoming'
                    when closes <= unix(clock_timestamp()) then 'judging'
                    else 'open' end
    $$;

create table challenge_entries (
    challenge_id uuid not null references challenges,
    content_id   uuid not null references contents on delete cascade,
    -- The order of entering.
    number       bigint not null generated always as identity,
    -- The content's author, and whether it is hidden: a copy, so that neither counting nor closing
    -- reads the content. Both are written under the lock of the content's row.
    author_id    uuid not null,
    hidden       boolean not null default false,
    primary key (content_id, challenge_id)
);
create unique index challenge_entries_number on challenge_entries (challenge_id, number);
create index challenge_entries_hidden on challenge_entries (author_id, challenge_id) where hidden;

-- How many entries each challenge has, and how many of them are hidden. It is not in the challenge's
-- row, which those who enter hold FOR SHARE.
create table challenge_tallies (
    challenge_id uuid primary key references challenges on delete cascade,
    entries      integer not null,
    hidden       integer not null
);

create function tally_entries() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, count(*), count(*) filter (where hidden) from came
        group by challenge_id
        -- All take their locks in one order.
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries + excluded.entries, hidden = t.hidden + excluded.hidden;
    elsif tg_op = 'DELETE' then
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, count(*), count(*) filter (where hidden) from gone
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries - excluded.entries, hidden = t.hidden - excluded.hidden;
    else
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, 0, sum(change) from (
            select challenge_id, hidden::integer as change from came
            union all select challenge_id, -hidden::integer from gone
        ) changed
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update set hidden = t.hidden + excluded.hidden;
    end if;
    return null;
end $$;
create trigger challenge_entries_came after insert on challenge_entries
    referencing new table as came for each statement execute function tally_entries();
create trigger challenge_entries_gone after delete on challenge_entries
    referencing old table as gone for each statement execute function tally_entries();
create trigger challenge_entries_changed after update on challenge_entries
    referencing old table as gone new table as came
    for each statement execute function tally_entries();

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
