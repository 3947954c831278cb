-- What is still to be told to many, and how far each has come (extensions, Telling). A row is written in
-- the transaction of its cause; any process works it off, a batch of recipients at a time.

create sequence outbox_turns;

create table outbox (
    id      bigint generated always as identity primary key,
    -- Rows take turns: one that has had a batch gets a number above all others.
    turn    bigint not null default nextval('outbox_turns'),
    -- What is told, and what is remembered for it, as JSON text with the kind as its tag. A daemon leaves
    -- a kind that it does not know to those of a newer release.
    kind    text not null,
    task    text not null,
    -- Rows about one thing are worked off one after the other: who is told that a content is suspended,
    -- and then that it is active, must hear of it in this order.
    topic   text,
    -- Where the next batch begins; null for the first.
    place   text,
    created timestamptz not null default clock_timestamp(),
    -- How often the next batch has failed, why the last time, and when it may be tried again.
    tries   integer not null default 0,
    failure text,
    due     timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index outbox_turn on outbox (turn);
create index outbox_topic on outbox (topic, id) where topic is not null;

-- The highest number of a follower whom a publication that has just been made is told to; null if nobody
-- is: there are no followers, the content is not active, or its author has published more than `most`
-- within the span, this one included. What was written before the clock was set back does not count.
-- The lock is that of publications_wait, and for the same reason: the author's publications come one
-- after the other, so that each counts those before.
create function publication_audience(content uuid, most integer, span interval) returns bigint
    language plpgsql volatile as $$
declare
    author uuid;
    highest bigint;
begin
    select c.author_id into author from contents c where c.id = content and c.status = 'active';
    select max(f.number) into highest from follows f where f.followed = author;
    if highest is null then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtext('publications'), hashtext(author::text));
    if (
        select count(*) > most from (
            select from revisions r
            where r.publisher_id = author and r.created > clock_timestamp() - span
              and r.created < clock_timestamp() + interval '1 minute'
            limit most + 1
        ) latest
    ) then
        return null;
    end if;
    return highest;
end $$;
