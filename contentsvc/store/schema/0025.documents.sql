-- The documents and ranks of the content that was there: without words, and without the votes'
-- weights. A job makes those, a few at a time. Apart from 0024, whose locks must not wait for this.

insert into documents (content_id, number, stale, terms)
select c.id, c.number, true, filters_of(c) from contents c order by c.number
on conflict do nothing;

insert into content_ranks (number, content_id, type, listing_id, top, counted)
select c.number, c.id, c.type, c.listing_id, wilson(c.up, c.down), false from contents c order by c.number
on conflict do nothing;
