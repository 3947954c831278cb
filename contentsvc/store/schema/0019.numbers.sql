-- What 0018 has prepared, for the content that was there. Apart from it, since its lock on the content
-- must not wait for this.

update contents set number = listing_id where number is null;
alter table contents validate constraint contents_status;

create unique index contents_number on contents (author_id, number);
create unique index revisions_ordinal on revisions (content_id, ordinal);
-- Whose core an entity revision is.
create index revisions_core on revisions (entity_id, entity_revision);

update revisions r set publisher_id = c.author_id
from contents c
where c.id = r.content_id and r.created > now() - interval '1 day' and r.publisher_id is null;
create index revisions_publisher on revisions (publisher_id, created);

insert into content_uses (used, number, content_id)
select used, c.number, c.id
from contents c cross join lateral uses_of_revision(c.id, c.revision_id) as used
on conflict do nothing;

-- Of a publication that is there already, in the same transaction.
create or replace function publications_wait(author uuid, most integer, span interval)
    returns integer language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('publications'), hashtext(author::text));
    moment := (
        select r.created from revisions r where r.publisher_id = author
        order by r.created desc offset most limit 1
    );
    return seconds_left(moment, span);
end $$;
