-- The schema of commit d3b8625: what pg_dump says, in fewer lines, and the block of its migration 0005 that makes the
-- search with pg_trgm or without. Bodies of functions that neither the tests nor the upgrade run are left out.
set check_function_bodies = off;
CREATE TYPE told AS ( user_id uuid, seq bigint, id uuid, created bigint, data text, previous uuid );
CREATE FUNCTION author_stays() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    if (select u.id from users u where u.id = new.author_id for key share) is null then
        raise foreign_key_violation using
            message = 'There is no such author.', constraint = tg_table_name || '_author';
    end if;
    return null;
end $$;
CREATE FUNCTION challenge_state(opens bigint, closes bigint, closed timestamp with time zone) RETURNS text LANGUAGE sql AS $$
        select case when closed is not null then 'closed'
                    when opens > unix(clock_timestamp()) then 'upcoming'
                    when closes <= unix(clock_timestamp()) then 'judging'
                    else 'open' end
    $$;
CREATE FUNCTION comments_wait(author uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION derive_status() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    -- Daemons of a release before write the status itself, and know no deleted content.
    if new.status <> old.status then
        new.suspended := new.status = 'suspended';
    end if;
    new.status := case when new.deleted then 'deleted'
                       when new.suspended then 'suspended'
                       else 'active' end;
    if new.deleted <> old.deleted then
        new.withdrawn := case when new.deleted then now() end;
    end if;
    return new;
end $$;
CREATE FUNCTION end_conversations() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION file_reports(kinds text[], ids text[], content_ids uuid[], reporters uuid[], given_reasons text[], texts text[], evidences text[], given_messages text[], most integer[], spans integer[]) RETURNS integer[] LANGUAGE plpgsql AS $$ begin end $$;
CREATE SEQUENCE listing_ids START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE contents ( id uuid NOT NULL, listing_id bigint DEFAULT nextval('listing_ids'::regclass) NOT NULL, revision_id uuid NOT NULL, author_id uuid NOT NULL, type text NOT NULL, status text DEFAULT 'active'::text NOT NULL, name text NOT NULL, description text NOT NULL, screenshots text[] NOT NULL, tags text[] NOT NULL, featured boolean DEFAULT false NOT NULL, up integer DEFAULT 0 NOT NULL, down integer DEFAULT 0 NOT NULL, comments integer DEFAULT 0 NOT NULL, live_comments integer DEFAULT 0 NOT NULL, created timestamp with time zone DEFAULT now() NOT NULL, updated timestamp with time zone DEFAULT now() NOT NULL, number bigint DEFAULT nextval('listing_ids'::regclass) NOT NULL, suspended boolean DEFAULT false NOT NULL, deleted boolean DEFAULT false NOT NULL, comments_locked boolean DEFAULT false NOT NULL, withdrawn timestamp with time zone, purged boolean DEFAULT false NOT NULL, CONSTRAINT contents_screenshots_check CHECK ((cardinality(screenshots) > 0)), CONSTRAINT contents_status CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))) ) WITH (fillfactor='85');
CREATE FUNCTION filters_of(c contents) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
        select array_to_tsvector(
            array[shelf(c.number) || '!' || c.status, shelf(c.number) || '!' || c.type,
                  shelf(c.number) || '@' || c.author_id]
            || case when c.featured then array[shelf(c.number) || '!featured'] else '{}' end)
    $$;
CREATE FUNCTION follows_wait(who uuid, whom uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION forget_claims() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    delete from claims c using gone g where c.holder = g.id and c.kind = tg_argv[0];
    return null;
end $$;
CREATE FUNCTION forget_ranks() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    delete from content_ranks r using gone where r.number = gone.number;
    return null;
end $$;
CREATE FUNCTION forget_uses() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    delete from content_uses u using gone where u.content_id = gone.id;
    delete from content_uses u using gone where u.used = gone.id;
    return null;
end $$;
CREATE FUNCTION friend_asks_wait(who uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION hide_entries() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE TABLE pairs ( lesser uuid NOT NULL, greater uuid NOT NULL, friends bigint, friends_since timestamp with time zone, requested bigint, requested_since timestamp with time zone, requester uuid, lesser_blocks bigint, lesser_blocks_since timestamp with time zone, greater_blocks bigint, greater_blocks_since timestamp with time zone, lesser_asked timestamp with time zone, greater_asked timestamp with time zone, lesser_followed timestamp with time zone, greater_followed timestamp with time zone, number bigint NOT NULL, CONSTRAINT pairs_order CHECK ((lesser < greater)) );
CREATE FUNCTION hold_pair(one uuid, other uuid) RETURNS pairs LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION hold_uses() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    perform pg_advisory_xact_lock(hashtext('uses'), use_lock(new.id));
    return null;
end $$;
CREATE FUNCTION keep_actions() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    raise exception 'Nothing changes or deletes what admins did.';
end $$;
CREATE FUNCTION keep_commits() RETURNS void LANGUAGE sql AS $$ select pg_logical_emit_message(true, 'contentsvc', '') $$;
CREATE FUNCTION messages_wait(author uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION net_of(content uuid) RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
        select coalesce(sum(
            case when up then vote_weight(voted) else - vote_weight(voted) end
        ), 0)
        from ratings r where r.content_id = net_of.content
    $$;
CREATE FUNCTION note_departure() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION pair_blocked(one uuid, other uuid) RETURNS boolean LANGUAGE plpgsql STRICT AS $$ begin end $$;
CREATE FUNCTION pair_key(one uuid, other uuid) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ select hashtext(least(one, other)::text || greatest(one, other)::text) $$;
CREATE FUNCTION plain(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ select regexp_replace(lower(name collate "C"), '[^a-z0-9]+', ' ', 'g') $$;
CREATE FUNCTION progress_begun() RETURNS trigger LANGUAGE plpgsql AS $$
declare
    last bigint;
begin
    if new.size is null then
        perform progress_counted(new.user_id, 1, octet_length(new.value::text));
    end if;
    delete from progress_deleted where user_id = new.user_id and key = new.key
    returning version into last;
    if last is null then
        select dropped into last from progress_usage where user_id = new.user_id;
    end if;
    if last > 0 then
        update progress set version = last + 1 where user_id = new.user_id and key = new.key;
    end if;
    return null;
end $$;
CREATE FUNCTION progress_counted(owner uuid, more_keys bigint, more_bytes bigint) RETURNS void LANGUAGE sql AS $$
    insert into progress_usage as u (user_id, keys, bytes) values (owner, more_keys, more_bytes)
    on conflict (user_id) do update
    set keys = u.keys + excluded.keys, bytes = u.bytes + excluded.bytes
$$;
CREATE FUNCTION progress_ended() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION progress_older_counted() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    perform progress_counted(
        new.user_id, 0,
        octet_length(new.value::text) - coalesce(old.size, octet_length(old.value::text))
    );
    return null;
end $$;
CREATE FUNCTION progress_older_update() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION progress_refused(quota text) RETURNS bigint LANGUAGE plpgsql AS $$
begin
    raise check_violation using message = 'over the quota ' || quota, constraint = quota;
end $$;
CREATE FUNCTION publication_audience(content uuid, most integer, span interval) RETURNS bigint LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION publications_wait(author uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION queue_subject() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    delete from report_queue q
    where q.subject = new.number
      and (new.reports = 0 or (q.reason <> '' and not new.reasons ? q.reason));
    insert into report_queue as q (subject, reason, kind, reports, newest)
    select new.number, r.reason, new.kind, new.reports, new.newest
    from (select '' as reason union all select jsonb_object_keys(new.reasons)) r
    where new.reports > 0
    on conflict (subject, reason) do update
    set reports = excluded.reports, newest = excluded.newest;
    return null;
end $$;
CREATE FUNCTION refiltered(terms tsvector, c contents) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
        select ts_delete(terms, array[shelf(c.number) || '!active', shelf(c.number) || '!suspended',
                                      shelf(c.number) || '!deleted', shelf(c.number) || '!featured'])
               || filters_of(c)
    $$;
CREATE FUNCTION refuse_name() RETURNS trigger LANGUAGE plpgsql AS $_$
begin
    -- What stands for the name of an author who has left.
    if new.username_key ~ '^deleted-[0-9a-f]{8}$' or exists (
        select from departures d
        where d.name = sha256(convert_to(new.username_key, 'UTF8'))
          and d.departed > clock_timestamp() - interval '30 days'
    ) then
        raise unique_violation using
            message = 'Users who have left keep this name.', constraint = 'users_username';
    end if;
    return null;
end $_$;
CREATE FUNCTION release_files() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION relist_ranks() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    update content_ranks set listing_id = new.listing_id where number = new.number;
    return null;
end $$;
CREATE FUNCTION renew_document() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION renew_uses() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    if tg_op = 'UPDATE' then
        delete from content_uses u where u.content_id = new.id;
    end if;
    insert into content_uses (used, number, content_id)
    select used, new.number, new.id from uses_of_revision(new.id, new.revision_id) as used
    on conflict do nothing;
    return null;
end $$;
CREATE FUNCTION reports_wait(who uuid, most integer, span interval) RETURNS integer LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION seconds_left(moment timestamp with time zone, span interval) RETURNS integer LANGUAGE sql AS $$
        select case when moment > clock_timestamp() - span
                     and moment < clock_timestamp() + interval '1 minute'
               then greatest(ceil(date_part('epoch', moment + span - clock_timestamp())), 1)::integer
               else 0 end
    $$;
CREATE PROCEDURE send_messages(IN senders uuid[], IN others uuid[], IN ids uuid[], IN texts text[], IN datas text[], IN most integer[], IN spans integer[], INOUT answer text) LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION shelf(number bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ select to_hex(number >> 14) $$;
CREATE FUNCTION shelved(terms text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ select replace(terms, '~', to_hex(number >> 14)) $$;
CREATE FUNCTION source_of(c contents) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$ select hashtextextended(row(c.name, c.tags, c.description)::text, 0) $$;
CREATE FUNCTION tallied(counts jsonb, reason text, change integer) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
        select jsonb_strip_nulls(counts || jsonb_build_object(
            reason, nullif(coalesce((counts ->> reason)::integer, 0) + change, 0)
        ))
    $$;
CREATE FUNCTION tally_entries() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION tally_rating() RETURNS trigger LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION tally_storage() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    if tg_op = 'INSERT' then
        insert into storage as s (user_id, used, pending)
        select user_id, sum(size), count(*) filter (where not sent) from came
        group by user_id
        order by user_id
        on conflict (user_id) do update
        set used = s.used + excluded.used, pending = s.pending + excluded.pending;
    elsif tg_op = 'DELETE' then
        update storage s set used = s.used - d.used, pending = s.pending - d.pending
        from (
            select user_id, sum(size) as used, count(*) filter (where not sent) as pending
            from gone group by user_id
        ) d
        where s.user_id = d.user_id;
    else
        update storage s set used = s.used + d.used, pending = s.pending + d.pending
        from (
            select user_id, sum(used) as used, sum(pending) as pending from (
                select user_id, size as used, (not sent)::integer as pending from came
                union all select user_id, -size, -(not sent)::integer from gone
            ) changed
            group by user_id having sum(used) <> 0 or sum(pending) <> 0
        ) d
        where s.user_id = d.user_id;
    end if;
    return null;
end $$;
CREATE FUNCTION tally_votes() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    AS $$
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
CREATE FUNCTION tell(recipient uuid, kind text, data text) RETURNS told LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION trend(net numeric) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        select case
            when net <= 0 then 0
            when net < 1e300 then 1 + ln(net::float8) / ln(2::float8)
            else 1 + (ln(left(net::text, 15)::float8)
                      + (length(net::text) - 15) * ln(10::float8)) / ln(2::float8)
        end
    $$;
CREATE FUNCTION unix(moment timestamp with time zone) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$select floor(date_part('epoch', moment))::bigint$$;
CREATE FUNCTION use_lock(content uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ select hashtext(content::text) & 255 $$;
CREATE FUNCTION users_starting_with(q text) RETURNS TABLE(id uuid, username_key text)
    LANGUAGE sql STABLE ROWS 100 PARALLEL SAFE
    SET enable_bitmapscan TO 'off'
    AS $$
        select u.id, u.username_key from users u
        where u.username_key >= lower(q collate "C")
          and u.username_key < lower(q collate "C") || chr(127)
        order by u.username_key
        limit 2000
    $$;
CREATE FUNCTION uses_of_revision(content uuid, revision uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
        select e.content_id
        from revision_entities d
        join entities e on e.entity_id = d.entity_id and e.revision_id = d.entity_revision
        where d.revision_id = revision and e.content_id <> content
        union
        select e.content_id
        from revisions r
        join entities e on e.entity_id = r.entity_id and e.revision_id = r.entity_revision
        where r.id = revision and e.content_id <> content
        union
        select p.content_id
        from revision_packages d join packages p on p.id = d.package_id
        where d.revision_id = revision and p.content_id <> content
    $$;
