-- The highest number of a follower whom a publication that has just been made is told to; null if nobody
-- is: there are no followers, the content is not active, or its author has published more than `most`
-- within the span, this one included. What was written before the clock was set back does not count.
-- The author's publications come one after the other, so that each counts those before. The lock is
-- that of their limit, which may be off.
create or replace function publication_audience(content uuid, most integer, span interval) returns bigint
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
    perform rate_limit_lock('publications', author);
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
