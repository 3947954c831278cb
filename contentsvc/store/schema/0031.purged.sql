-- Content that has been withdrawn for long gives up its files, and so do revisions that their author gives
-- up (extensions §3). Apart from 0030: this locks the content.

alter table contents
    -- Since when it is deleted. Null again once it has given up all of its files.
    add column withdrawn timestamptz,
    -- It gives up its files, and cannot be restored.
    add column purged boolean not null default false;
alter table revisions
    -- It has given up its files, and cannot become the current one.
    add column gone boolean not null default false;

update contents set withdrawn = now() where deleted;
create index contents_withdrawn on contents (withdrawn) where withdrawn is not null;

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

-- See 0030.
create trigger contents_claims after delete on contents
    referencing old table as gone for each statement execute function forget_claims('content');
create trigger revisions_claims after delete on revisions
    referencing old table as gone for each statement execute function forget_claims('revision');
create trigger challenges_claims after delete on challenges
    referencing old table as gone for each statement execute function forget_claims('challenge');
