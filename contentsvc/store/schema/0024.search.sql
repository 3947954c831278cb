-- Search: what a content is found by, and how it ranks. Both stand apart from the content's row, so
-- that a vote rewrites no words, and a change of words no ranks.

-- A row for each content. `terms` has its words, tags and filters. Postgres' own parser is not used:
-- it depends on the server's locale. Words and tags come from Python (contentsvc/store/content/tokenizer.py), filters
-- from the content's row. Every term begins with the content's shelf, in hexadecimal digits, and a
-- mark, which no word has:
--     1f.castle      a word: weight A in the name, B in a tag, none in the description
--     1f#(md5)       a whole tag
--     1f!game        a type or a status, or `featured`
--     1f@(GUID)      the author
-- A shelf is 16,384 numbers. So the index is one for each shelf: whoever wants the newest matches
-- looks at one shelf after the other, and a word or a beginning that is frequent costs what it costs
-- in a few of them.
create table documents (
    content_id uuid constraint documents_id primary key references contents on delete cascade,
    number     bigint not null,
    -- What the words were made from, see source_of(); null if there are no words yet.
    source     bigint,
    -- The words are missing, or are those of an earlier text. A job makes them.
    stale      boolean not null,
    terms      tsvector not null
);
-- Without a list of what is pending: each look at a shelf would read all of it.
create index documents_terms on documents using gin (terms) with (fastupdate = off);
create index documents_stale on documents (number) where stale;

create function shelf(number bigint) returns text
    language sql immutable parallel safe
    as $$ select to_hex(number >> 14) $$;

-- Terms for one content, or for one shelf: they are written with ~ for the shelf.
create function shelved(terms text, number bigint) returns text
    language sql immutable parallel safe
    as $$ select replace(terms, '~', to_hex(number >> 14)) $$;

create function filters_of(c contents) returns tsvector
    language sql stable parallel safe as $$
        select array_to_tsvector(
            array[shelf(c.number) || '!' || c.status, shelf(c.number) || '!' || c.type,
                  shelf(c.number) || '@' || c.author_id]
            || case when c.featured then array[shelf(c.number) || '!featured'] else '{}' end)
    $$;

-- The terms with the filters that the content has now.
create function refiltered(terms tsvector, c contents) returns tsvector
    language sql stable parallel safe as $$
        select ts_delete(terms, array[shelf(c.number) || '!active', shelf(c.number) || '!suspended',
                                      shelf(c.number) || '!deleted', shelf(c.number) || '!featured'])
               || filters_of(c)
    $$;

-- Tells whether words are those of the content's present text.
create function source_of(c contents) returns bigint
    language sql stable parallel safe
    as $$ select hashtextextended(row(c.name, c.tags, c.description)::text, 0) $$;

-- How a content ranks: a row for each, too.
create table content_ranks (
    number     bigint not null,
    content_id uuid not null,
    type       text not null,
    -- The content's own.
    listing_id bigint not null,
    -- wilson(up, down).
    top        float8 not null default 0,
    -- The sum of the up-votes' weights less that of the down-votes'. A whole number of any length,
    -- so that a vote that is taken back leaves nothing: a float would keep a residue.
    net        numeric not null default 0,
    -- trend(net).
    trending   float8 not null default 0,
    -- Whether `net` has all votes. A job counts those of before this migration.
    counted    boolean not null default true,
    -- Whoever looks matches up has their numbers in order. So the ranks of many are read from a few
    -- pages of this index, and nothing from the table.
    constraint content_ranks_number primary key (number) include (top, trending, listing_id)
);
-- One for each type: a list of all types merges them.
create index content_ranks_top on content_ranks (type, top, number);
create index content_ranks_trending on content_ranks (type, trending, number);
create index content_ranks_uncounted on content_ranks (number) where not counted;

-- The lower bound of the share of up-votes, with a confidence of 95 % (Wilson's score interval).
create function wilson(up integer, down integer) returns float8
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
create function vote_weight(voted timestamptz) returns numeric
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
create function trend(net numeric) returns float8
    language sql immutable parallel safe as $$
        select case
            when net <= 0 then 0
            when net < 1e300 then 1 + ln(net::float8) / ln(2::float8)
            else 1 + (ln(left(net::text, 15)::float8)
                      + (length(net::text) - 15) * ln(10::float8)) / ln(2::float8)
        end
    $$;

-- When a vote was cast. Those of before count as cast now.
alter table ratings add column voted timestamptz not null default now();

create function net_of(content uuid) returns numeric
    language sql stable parallel safe as $$
        select coalesce(sum(
            case when up then vote_weight(voted) else - vote_weight(voted) end
        ), 0)
        from ratings r where r.content_id = net_of.content
    $$;

-- New votes, all of a statement at once: one statement often has those of many users. Their contents
-- are locked in the order of their ids: with these settings, every plan takes them from the list. A
-- content's row is locked before its ranks' and its document's: who has it never waits for those.
create function tally_votes() returns trigger language plpgsql
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

-- Votes that are changed or taken back, one by one, as before.
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
drop trigger ratings_tally on ratings;
create trigger ratings_tally after update or delete on ratings
    for each row execute function tally_rating();
create trigger ratings_new after insert on ratings
    referencing new table as new_votes
    for each statement execute function tally_votes();

-- Whoever writes a content, its document and ranks are there at commit, with the filters that it has
-- then. If nobody has made the words for its text, the document is stale.
create function renew_document() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        -- With the votes that the same transaction has cast. There are next to never any, and to ask
        -- for them costs as much as the rest of this.
        insert into content_ranks (number, content_id, type, listing_id, top, net, trending)
        select c.number, c.id, c.type, c.listing_id, wilson(c.up, c.down), v.net, trend(v.net)
        from contents c cross join lateral (
            select case when c.up = 0 and c.down = 0 then 0 else net_of(c.id) end as net offset 0
        ) v
        where c.id = new.id
        on conflict do nothing;
        insert into documents (content_id, number, stale, terms)
        select new.id, new.number, true, filters_of(new)
        where not exists (select from documents d where d.content_id = new.id)
        on conflict do nothing;
    else
        -- Who writes a document has the content's row: it cannot change between the two looks.
        update documents d set terms = fresh.terms, stale = fresh.stale
        from (
            select refiltered(o.terms, new) as terms,
                   o.source is distinct from source_of(new) as stale
            from documents o where o.content_id = new.id
            offset 0
        ) fresh
        where d.content_id = new.id and (d.terms <> fresh.terms or d.stale <> fresh.stale);
    end if;
    return null;
end $$;
create constraint trigger contents_document
    after insert or update of name, description, tags, featured, status, suspended, deleted on contents
    deferrable initially deferred
    for each row execute function renew_document();

create function relist_ranks() returns trigger language plpgsql as $$
begin
    update content_ranks set listing_id = new.listing_id where number = new.number;
    return null;
end $$;
create trigger contents_relisted after update of listing_id on contents
    for each row when (new.listing_id <> old.listing_id) execute function relist_ranks();

-- Instead of a foreign key, which would need one more index: each vote would write it.
create function forget_ranks() returns trigger language plpgsql as $$
begin
    delete from content_ranks r using gone where r.number = gone.number;
    return null;
end $$;
create trigger contents_gone_ranks after delete on contents
    referencing old table as gone
    for each statement execute function forget_ranks();
