-- What a content is found by follows from its row (tables/content.sql).

create or replace function shelf(number bigint) returns text
    language sql immutable parallel safe
    as $$ select to_hex(number >> 14) $$;

-- Terms for one content, or for one shelf: they are written with ~ for the shelf.
create or replace function shelved(terms text, number bigint) returns text
    language sql immutable parallel safe
    as $$ select replace(terms, '~', to_hex(number >> 14)) $$;

create or replace function filters_of(c contents) returns tsvector
    language sql stable parallel safe as $$
        select array_to_tsvector(
            array[shelf(c.number) || '!' || c.type, shelf(c.number) || '@' || c.author_id]
            || case when c.visibility = 'public' then array[shelf(c.number) || '!' || c.status] else '{}' end
            || case when c.featured then array[shelf(c.number) || '!featured'] else '{}' end)
    $$;

-- The terms with the filters that the content has now.
create or replace function refiltered(terms tsvector, c contents) returns tsvector
    language sql stable parallel safe as $$
        select ts_delete(terms, array[shelf(c.number) || '!active', shelf(c.number) || '!suspended',
                                      shelf(c.number) || '!deleted', shelf(c.number) || '!featured'])
               || filters_of(c)
    $$;

-- The type by which it is in lists by rank.
create or replace function ranked_as(c contents) returns text
    language sql stable parallel safe
    as $$ select case when c.visibility = 'public' then c.type else '' end $$;

-- Tells whether words are those of the content's present text.
create or replace function source_of(c contents) returns bigint
    language sql stable parallel safe
    as $$
        select hashtextextended(case when c.attributes::text = '{}' then row(c.name, c.tags, c.description)::text
                                     else row(c.name, c.tags, c.description, c.attributes)::text end, 0)
    $$;

-- Whoever writes a content, its document and ranks are there at commit, with the filters that it has
-- then. If nobody has made the words for its text, the document is stale.
create or replace function renew_document() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        -- With the votes that the same transaction has cast. There are next to never any, and to ask
        -- for them costs as much as the rest of this.
        insert into content_ranks (number, content_id, type, listing_id, top, net, trending)
        select c.number, c.id, ranked_as(c), c.listing_id, wilson(c.up, c.down), v.net, trend(v.net)
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

drop trigger if exists contents_document on contents;
create constraint trigger contents_document
    after insert or update of name, description, tags, featured, status, suspended, deleted, visibility, attributes
    on contents
    deferrable initially deferred
    for each row execute function renew_document();

create or replace function relist_ranks() returns trigger language plpgsql as $$
begin
    update content_ranks set listing_id = new.listing_id, type = ranked_as(new) where number = new.number;
    return null;
end $$;

drop trigger if exists contents_relisted on contents;
create trigger contents_relisted after update of listing_id, visibility on contents
    for each row when (
        new.listing_id <> old.listing_id or (new.visibility = 'public') <> (old.visibility = 'public')
    )
    execute function relist_ranks();

-- Instead of a foreign key, which would need one more index: each vote would write it.
create or replace function forget_ranks() returns trigger language plpgsql as $$
begin
    delete from content_ranks r using gone where r.number = gone.number;
    return null;
end $$;

drop trigger if exists contents_gone_ranks on contents;
create trigger contents_gone_ranks after delete on contents
    referencing old table as gone
    for each statement execute function forget_ranks();
