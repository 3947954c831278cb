-- What changes the favourites and the subscribers of a content (content#counts): a row for each change, which a job
-- adds up.
create or replace function tally_favourites() returns trigger language plpgsql as $$
begin
    insert into content_tallies (content_id, favourites)
    select i.content_id, case when tg_op = 'INSERT' then 1 else -1 end
    from changed_items i join collections c on c.id = i.collection_id
    where c.id = c.owner_id;
    return null;
end $$;

drop trigger if exists collection_items_added on collection_items;
create trigger collection_items_added after insert on collection_items
    referencing new table as changed_items
    for each statement execute function tally_favourites();

drop trigger if exists collection_items_removed on collection_items;
create trigger collection_items_removed after delete on collection_items
    referencing old table as changed_items
    for each statement execute function tally_favourites();

-- The items go while it is still known whose favourites they are.
create or replace function end_favourites() returns trigger language plpgsql as $$
begin
    delete from collection_items where collection_id = old.id;
    return old;
end $$;

drop trigger if exists collections_ended on collections;
create trigger collections_ended before delete on collections
    for each row when (old.id = old.owner_id) execute function end_favourites();

create or replace function tally_subscribers() returns trigger language plpgsql as $$
begin
    insert into content_tallies (content_id, subscribers)
    select content_id, case when tg_op = 'INSERT' then 1 else -1 end from changed_subscriptions;
    return null;
end $$;

drop trigger if exists subscriptions_added on subscriptions;
create trigger subscriptions_added after insert on subscriptions
    referencing new table as changed_subscriptions
    for each statement execute function tally_subscribers();

drop trigger if exists subscriptions_removed on subscriptions;
create trigger subscriptions_removed after delete on subscriptions
    referencing old table as changed_subscriptions
    for each statement execute function tally_subscribers();
