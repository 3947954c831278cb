-- Search of usernames: exact, prefix, and similarity by shared trigrams. Guests are left out.
--
-- find_users(q) has two forms with the same results: over pg_trgm's index, and over an index of trigrams in a database
-- that was made without that extension (tables/accounts.sql). Of the names that start with q only the first 2,000 are
-- looked at, and where there are as many no similar ones, which come after all of those: a common beginning is no
-- search, and half a million matches could be neither ranked nor read in time.
--
-- (select f(q)) is evaluated once, f(q) for every row.

-- What similarity looks at: words of ASCII letters and digits. Usernames hold no others, and
-- what else pg_trgm takes for a letter depends on the server's locale.
create or replace function plain(name text) returns text
    language sql immutable parallel safe
    as $$ select regexp_replace(lower(name collate "C"), '[^a-z0-9]+', ' ', 'g') $$;

-- In the order of the index: the planner expects so few that it would rather sort them.
create or replace function users_starting_with(q text) returns table (id uuid, username_key text)
    language sql stable parallel safe rows 100 set enable_bitmapscan = off as $$
        select u.id, u.username_key from users u
        where u.username_key >= lower(q collate "C")
          and u.username_key < lower(q collate "C") || chr(127)
          and not u.guest
        order by u.username_key
        limit 2000
    $$;

do $do$
declare
    home text;
begin
    if not exists (
        select from pg_attribute where attrelid = 'users'::regclass and attname = 'trigrams' and not attisdropped
    ) then
        -- By the name of its schema, which need not be on the search path of those who serve.
        select quote_ident(n.nspname) into home
        from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
        if home is null then
            raise exception using errcode = 'undefined_object',
                message = 'the extension pg_trgm is gone, which the search of users needs: create it again';
        end if;
        execute replace($form$
            create or replace function find_users(q text) returns table (id uuid, rank integer, similarity real)
                language sql stable parallel safe as $$
                    with beginning as materialized (
                        select id, username_key from users_starting_with(q)
                    )
                    select id, case when username_key = (select lower(q collate "C")) then 0 else 1 end,
                           TRGM.similarity(username_key, (select plain(q)))
                    from beginning
                    union all
                    select id, 2, TRGM.similarity(username_key, (select plain(q)))
                    from users
                    where (select count(*) from beginning) < 2000
                      and username_key operator(TRGM.%) (select plain(q))
                      and TRGM.similarity(username_key, (select plain(q))) >= 0.3
                      and not starts_with(username_key, (select lower(q collate "C")))
                      and not guest
                $$
        $form$, 'TRGM.', home || '.');
        return;
    end if;

    -- A name that is similar shares at least 0.3 of the n asked for, and never only one. So it
    -- shares two of any n - ceil(0.3 n) + 2 of them: the rarest make the shortest work.
    create or replace function rarest(asked text[]) returns text[]
        language sql stable parallel safe as $$
            -- Up to six are all needed. To look for the rarest is a fifth of a short search.
            select case when cardinality(asked) <= 6 then asked else (
                select array_agg(rare.trigram) from (
                    select trigram from unnest(asked) as trigram
                    left join (
                        select unnest(most_common_elems::text::text[]) as element,
                               unnest(most_common_elem_freqs) as frequency
                        from pg_stats
                        where schemaname = current_schema() and tablename = 'users'
                          and attname = 'trigrams'
                    ) as common on element = trigram
                    order by coalesce(frequency, 0), trigram
                    limit cardinality(asked) - ceil(cardinality(asked) * 0.3)::integer + 2
                ) as rare
            ) end
        $$;
    create or replace function sharing_two(asked text[]) returns tsquery
        language sql immutable parallel safe as $$
            select string_agg(
                quote_literal(asked[n]) || ' & (' || (
                    select string_agg(quote_literal(other), ' | ')
                    from unnest(asked[n + 1:]) as other
                ) || ')', ' | ')::tsquery
            from generate_series(1, cardinality(asked) - 1) as n
        $$;
    create or replace function find_users(q text) returns table (id uuid, rank integer, similarity real)
        language sql stable parallel safe as $$
            with asked as materialized (
                select t as trigrams, cardinality(t) as n, sharing_two(rarest(t)) as two
                from trigrams(q) as t
            ), beginning as materialized (
                select id, username_key from users_starting_with(q)
            ), found as (
                select b.id, case when b.username_key = (select lower(q collate "C")) then 0 else 1
                             end as rank, u.trigrams
                from beginning b join users u on u.id = b.id
                union all
                select s.id, 2, s.trigrams
                from users s
                where (select count(*) from beginning) < 2000
                  and s.trigrams @@ (select two from asked)
                  and not starts_with(s.username_key, (select lower(q collate "C")))
                  and not s.guest
            ), measured as (
                select id, rank, n + length(found.trigrams) as together,
                       length(found.trigrams)
                       - length(ts_delete(found.trigrams, asked.trigrams)) as shared
                from found, asked
            )
            select id, rank, ratio
            from measured, lateral (
                -- Names without a letter or digit have no trigrams at all.
                select coalesce(shared::real / nullif(together - shared, 0)::real, 0) as ratio
            ) as compared
            where rank < 2 or ratio >= 0.3
        $$;
end $do$;
