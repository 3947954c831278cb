-- Content lives on: it gets revisions, is withdrawn and restored, and is built upon.

alter table contents
    -- Where a content stands in lists by age: it keeps this number, whatever is published later. Those
    -- of before get theirs in 0019. It comes from the sequence of listings, so it is above theirs.
    add column number bigint,
    -- What admins and the author have decided. `status` follows from the two.
    add column suspended boolean not null default false,
    add column deleted boolean not null default false,
    add column comments_locked boolean not null default false,
    drop constraint contents_status_check,
    add constraint contents_status check (status in ('active', 'suspended', 'deleted')) not valid;
alter table contents alter column number set default nextval('listing_ids');

update contents set suspended = true where status <> 'active';

create function derive_status() returns trigger language plpgsql as $$
begin
    -- Daemons of the release before write the status itself, and know no deleted content.
    if new.status <> old.status then
        new.suspended := new.status = 'suspended';
    end if;
    new.status := case when new.deleted then 'deleted'
                       when new.suspended then 'suspended'
                       else 'active' end;
    return new;
end $$;
create trigger contents_status before update of status, suspended, deleted on contents
    for each row execute function derive_status();

alter table revisions
    -- Dense and in order of publication within the content. The first is that of the create.
    add column ordinal integer not null default 1,
    -- Who has published it; null for those of before.
    add column publisher_id uuid references users on delete set null;

-- The content that uses what another has brought, by its current revision. It has the user's number,
-- so that a list of them is a range of the index.
create table content_uses (
    used       uuid not null references contents on delete cascade,
    number     bigint not null,
    content_id uuid not null references contents on delete cascade,
    primary key (used, number)
);
create index content_uses_content on content_uses (content_id);

create function uses_of_revision(content uuid, revision uuid) returns setof uuid
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

create function renew_uses() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        delete from content_uses u where u.content_id = new.id;
    end if;
    insert into content_uses (used, number, content_id)
    select used, new.number, new.id from uses_of_revision(new.id, new.revision_id) as used
    on conflict do nothing;
    return null;
end $$;
-- At the end of the transaction: by then the revision has its dependencies.
create constraint trigger contents_uses after insert or update of revision_id on contents
    deferrable initially deferred
    for each row execute function renew_uses();
