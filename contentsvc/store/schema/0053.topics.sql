-- The publications of one author are told in their order (contentsvc/store/tasks.py): their rows have one topic.
-- Here those that are there get it, and those that a daemon of the release before will put.
update outbox
set topic = 'publications of ' || (task::json ->> 'author')
where topic is null and kind in ('ContentPublished', 'RevisionPublished');

create function put_publication() returns trigger language plpgsql as $$
begin
    new.topic := 'publications of ' || (new.task::json ->> 'author');
    return new;
end $$;
create trigger outbox_publication before insert on outbox
    for each row when (new.topic is null and new.kind in ('ContentPublished', 'RevisionPublished'))
    execute function put_publication();
