-- What a content uses, by its current revision, follows from the revision.

create or replace function uses_of_revision(content uuid, revision uuid) returns setof uuid
    language sql stable as $$
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

create or replace function renew_uses() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        delete from content_uses u where u.content_id = new.id;
    end if;
    insert into content_uses (used, number, content_id)
    select used, new.number, new.id from uses_of_revision(new.id, new.revision_id) as used
    on conflict do nothing;
    return null;
end $$;

drop trigger if exists contents_uses on contents;
create constraint trigger contents_uses after insert or update of revision_id on contents
    deferrable initially deferred
    for each row execute function renew_uses();

create or replace function forget_uses() returns trigger language plpgsql as $$
begin
    delete from content_uses u using gone where u.content_id = gone.id;
    delete from content_uses u using gone where u.used = gone.id;
    return null;
end $$;

drop trigger if exists contents_gone on contents;
create trigger contents_gone after delete on contents
    referencing old table as gone for each statement execute function forget_uses();
