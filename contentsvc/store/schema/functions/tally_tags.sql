-- How many contents have each tag follows from the contents (tables/tags.sql), whoever writes these.

create or replace function tally_tags() returns trigger language plpgsql as $$
begin
    -- A content that is still to be counted is counted as it is then. The lock has the count wait for this transaction.
    perform from uncounted_tags u
    where coalesce(new.number, old.number) > u.after
      and coalesce(new.number, old.number) <= coalesce(u.upto, new.number, old.number)
    for share;
    if found then
        return null;
    end if;
    if tg_op <> 'DELETE' and new.status = 'active' and new.tags <> '{}' then
        insert into tag_tallies (tags, contents) values (new.tags, 1);
    end if;
    if tg_op <> 'INSERT' and old.status = 'active' and old.tags <> '{}' then
        insert into tag_tallies (tags, contents) values (old.tags, -1);
    end if;
    return null;
end $$;

drop trigger if exists contents_tags on contents;
create trigger contents_tags after insert on contents
    for each row when (new.status = 'active' and new.tags <> '{}') execute function tally_tags();

drop trigger if exists contents_other_tags on contents;
create trigger contents_other_tags after update of tags, status, suspended, deleted, visibility on contents
    for each row when (new.tags <> old.tags or (new.status = 'active') <> (old.status = 'active'))
    execute function tally_tags();

drop trigger if exists contents_gone_tags on contents;
create trigger contents_gone_tags after delete on contents
    for each row when (old.status = 'active' and old.tags <> '{}') execute function tally_tags();
