-- What a vote changes: the content's tallies, and how it ranks.

-- The lower bound of the share of up-votes, with a confidence of 95 % (Wilson's score interval).
create or replace function wilson(up integer, down integer) returns float8
    language sql immutable parallel safe as $$
        select case when up = 0 then 0 else (
            up + 1.9208::float8
            - 1.96::float8 * sqrt(up::float8 * down / (up::float8 + down) + 0.9604::float8)
        ) / (up::float8 + down + 3.8416::float8) end
    $$;

-- 2 to the power of the weeks since 2026-01-01, which is 2,922 weeks after 1970-01-01, in units of
-- 2 to the power of -32. A clock that is years off must not fail a vote: earlier ones count as of
-- then, and those after 10,000 weeks as of the 10,000th. It is put in line: as a call, it would cost as
-- much as the rest of a vote.
create or replace function vote_weight(voted timestamptz) returns numeric
    language sql stable parallel safe as $$
        select round(4294967296 * power(2::float8,
                   least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000)
                   - floor(least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000))
               ))::bigint
               * trunc(power(2::numeric, floor(
                   least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000)
               )::integer))
    $$;

-- The logarithm of a net to the base 2, and 1: above 0 where the net is. A net that is too long for a
-- float8 is taken by its first 15 digits and their number.
create or replace function trend(net numeric) returns float8
    language sql immutable parallel safe as $$
        select case
            when net <= 0 then 0
            when net < 1e300 then 1 + ln(net::float8) / ln(2::float8)
            else 1 + (ln(left(net::text, 15)::float8)
                      + (length(net::text) - 15) * ln(10::float8)) / ln(2::float8)
        end
    $$;

create or replace function net_of(content uuid) returns numeric
    language sql stable parallel safe as $$
        select coalesce(sum(
            case when up then vote_weight(voted) else - vote_weight(voted) end
        ), 0)
        from ratings r where r.content_id = net_of.content
    $$;

-- New votes, all of a statement at once: one statement often has those of many users. Their contents
-- are locked in the order of their ids: with these settings, every plan takes them from the list. A
-- content's row is locked before its ranks' and its document's: who has it never waits for those.
create or replace function tally_votes() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off as $$
begin
    -- All of a statement's votes may be changed ones.
    if not exists (select from new_votes) then
        return null;
    end if;
    with change as (
        select content_id, count(*) filter (where up) as up, count(*) filter (where not up) as down,
               sum(case when up then vote_weight(voted) else - vote_weight(voted) end) as net
        from new_votes group by content_id order by content_id
    ), tally as (
        update contents c set up = c.up + change.up, down = c.down + change.down
        from change where c.id = change.content_id
        returning c.number, c.up, c.down, change.net
    )
    update content_ranks r
    set top = wilson(t.up, t.down), net = r.net + t.net, trending = trend(r.net + t.net)
    from tally t where r.number = t.number;
    return null;
end $$;

drop trigger if exists ratings_new on ratings;
create trigger ratings_new after insert on ratings
    referencing new table as new_votes
    for each statement execute function tally_votes();

-- Votes that are changed or taken back, one by one: only here are the old and the new value of a concurrent upsert both
-- known.
create or replace function tally_rating() returns trigger language plpgsql as $$
declare
    change_up   integer := 0;
    change_down integer := 0;
    change      numeric := 0;
begin
    if old.up then
        change_up := -1;
        change := - vote_weight(old.voted);
    else
        change_down := -1;
        change := vote_weight(old.voted);
    end if;
    if tg_op = 'UPDATE' then
        if new.up then
            change_up := change_up + 1;
            change := change + vote_weight(new.voted);
        else
            change_down := change_down + 1;
            change := change - vote_weight(new.voted);
        end if;
    end if;
    if change_up <> 0 or change_down <> 0 or change <> 0 then
        with tally as (
            update contents set up = up + change_up, down = down + change_down
            where id = old.content_id
            returning number, up, down
        )
        update content_ranks r
        set top = wilson(tally.up, tally.down), net = r.net + change,
            trending = trend(r.net + change)
        from tally where r.number = tally.number;
    end if;
    return null;
end $$;

drop trigger if exists ratings_tally on ratings;
create trigger ratings_tally after update or delete on ratings
    for each row execute function tally_rating();
