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
    add constraint contents_status check (status in ('active', 'suspended', 'deleted')) not valid,
    -- A content gets a new listing id with each publication, and Postgres locks a row FOR UPDATE to
    -- change a unique column: that would wait for all who only refer to the row, such as those who
    -- rate it, and they for it. The sequence makes the ids unique. No index of listing ids alone
    -- replaces it. That would be a trap: as long as nobody revises content, Postgres thinks that it
    -- reads the newest of one type from there at less cost, and reads everything for a type that
    -- only old content has. 0026 has an index for each type.
    drop constraint contents_listing_id_key;
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
-- so that a list of them is a range of the index. Foreign keys would cost as much as the rows: two
-- look-ups for each, and a lock on the used content, which writes into its row. They are not needed:
-- the trigger writes only contents that entities and packages name, and a revision's dependencies keep
-- those.
create table content_uses (
    used       uuid not null,
    number     bigint not null,
    content_id uuid not null,
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

create function forget_uses() returns trigger language plpgsql as $$
begin
    delete from content_uses u using gone where u.content_id = gone.id;
    delete from content_uses u using gone where u.used = gone.id;
    return null;
end $$;
create trigger contents_gone after delete on contents
    referencing old table as gone for each statement execute function forget_uses();

-- Who suspends or deletes content waits, as the last of their locks, for the publications that have begun to
-- use a part of it. So there are no new uses after the answer. A publication takes these locks shared, in
-- order of their numbers, and looks only then who is suspended or deleted.
--
-- They are no locks of rows. Those would stop the ones who rate the content too. And whoever waits for a row
-- stands in the way of others who could have it at once: so contents that use each other would wait in a
-- circle. There are few numbers, because a publication may use thousands of contents, and the memory for
-- such locks is small.

create function use_lock(content uuid) returns integer language sql immutable parallel safe
    as $$ select hashtext(content::text) & 255 $$;

create function hold_uses() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtext('uses'), use_lock(new.id));
    return null;
end $$;
create trigger contents_hidden after update of status, suspended, deleted on contents
    for each row
    when (new.suspended and not old.suspended or new.deleted and not old.deleted)
    execute function hold_uses();
