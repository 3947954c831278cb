-- Whoever gives up a file lets the collector look at it. If its owner announced it longer than a day ago,
-- it counts for them only as long as they claim it. Storage rows come first, then files in order of path.
create or replace function release_files() returns trigger language plpgsql as $$
declare
    paths  text[] := array(select distinct g.path from gone g);
    owners uuid[] := array(select distinct g.owner_id from gone g where g.owner_id is not null);
begin
    perform from storage s where s.user_id = any(owners) order by s.user_id for update;
    delete from user_files u
    where u.user_id = any(owners) and u.path = any(paths) and u.due is null
      and not exists (select from claims c where c.owner_id = u.user_id and c.path = u.path);
    -- Not only those that have no time now: the collector may just be taking it away.
    perform from files f where f.path = any(paths) order by f.path for no key update;
    update files f set due = now() where f.path = any(paths) and f.due is null;
    return null;
end $$;

drop trigger if exists claims_gone on claims;
create trigger claims_gone after delete on claims
    referencing old table as gone for each statement execute function release_files();

-- The claims of a holder that goes, of the kind of the trigger's argument.
create or replace function forget_claims() returns trigger language plpgsql as $$
begin
    delete from claims c using gone g where c.holder = g.id and c.kind = tg_argv[0];
    return null;
end $$;

drop trigger if exists users_claims on users;
create trigger users_claims after delete on users
    referencing old table as gone for each statement execute function forget_claims('user');

drop trigger if exists contents_claims on contents;
create trigger contents_claims after delete on contents
    referencing old table as gone for each statement execute function forget_claims('content');

drop trigger if exists revisions_claims on revisions;
create trigger revisions_claims after delete on revisions
    referencing old table as gone for each statement execute function forget_claims('revision');

drop trigger if exists challenges_claims on challenges;
create trigger challenges_claims after delete on challenges
    referencing old table as gone for each statement execute function forget_claims('challenge');
