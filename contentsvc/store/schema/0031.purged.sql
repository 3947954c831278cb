-- Content that has been withdrawn for long gives up its files, and so do revisions that their author gives
-- up (extensions §3). Apart from 0030: this locks the content.

alter table contents
    -- Since when it is deleted.
    add column withdrawn timestamptz,
    -- It has given up its files, and cannot be restored.
    add column purged boolean not null default false;
alter table revisions
    -- It has given up its files, and cannot become the current one.
    add column gone boolean not null default false;

update contents set withdrawn = now() where deleted;
create index contents_withdrawn on contents (withdrawn) where deleted and not purged;

create or replace function derive_status() returns trigger language plpgsql as $$
begin
    -- Daemons of a release before write the status itself, and know no deleted content.
    if new.status <> old.status then
        new.suspended := new.status = 'suspended';
    end if;
    new.status := case when new.deleted then 'deleted'
                       when new.suspended then 'suspended'
                       else 'active' end;
    if new.deleted <> old.deleted then
        new.withdrawn := case when new.deleted then now() end;
    end if;
    return new;
end $$;
