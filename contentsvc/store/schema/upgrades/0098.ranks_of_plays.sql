-- Lists of content by its players and its subscribers.

alter table content_ranks
    add column played     float8 not null default 0,
    add column subscribed float8 not null default 0;

-- Favourites and subscribers from before they were counted. Nobody counts them meanwhile: the triggers come with the
-- functions, after the last upgrade.
insert into content_tallies (content_id, favourites)
select i.content_id, count(*)
from collection_items i join collections k on k.id = i.collection_id
where k.id = k.owner_id group by i.content_id;
insert into content_tallies (content_id, subscribers)
select content_id, count(*) from subscriptions group by content_id;
