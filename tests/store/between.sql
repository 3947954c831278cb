-- What commits after d3b8625 and before 1.0.0 added, in order. A database may have had any number of these.
-- 0052.limits
create table rate_limits (
    name    text not null,
    subject uuid not null,
    moment  timestamptz not null,
    expires timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index rate_limits_subject on rate_limits (subject, name, moment);
create index rate_limits_expires on rate_limits (expires);
create function rate_limit(limited text, whom uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    present timestamptz;
    earlier timestamptz;
begin
    if most <= 0 then
        return 0;
    end if;
    perform pg_advisory_xact_lock(hashtext('rate_limit ' || limited), hashtext(whom::text));
    present := clock_timestamp();
    earlier := (
        select r.moment from rate_limits r
        where r.subject = whom and r.name = limited
          and r.moment > present - span and r.moment < present + interval '1 minute'
        order by r.moment desc offset most - 1 limit 1
    );
    if earlier is not null then
        return greatest(ceil(date_part('epoch', earlier + span - present)), 1);
    end if;
    delete from rate_limits r
    where r.subject = whom and r.name = limited
      and (r.moment <= present - span or r.moment >= present + interval '1 minute');
    insert into rate_limits (name, subject, moment, expires)
    values (limited, whom, present, present + span);
    return 0;
end $$;
-- 0053.topics
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
-- 0056.admins
create index users_admins on users (id) where admin;
-- 0057.identities
alter table identities add column kept boolean;
alter table mails
    drop constraint mails_purpose_check,
    add constraint mails_purpose_check
        check (purpose in ('reset', 'confirm', 'change', 'changed', 'linked', 'unlinked')),
    add column issuers text not null default '';
-- 0058.sessions
create index sessions_live on sessions (user_id) where revoked is null;
create function end_oldest_sessions(whose uuid, most integer, begun uuid) returns setof uuid
    language plpgsql volatile as $$
declare
    ended uuid[];
begin
    perform pg_advisory_xact_lock(hashtext('sessions'), hashtext(whose::text));
    ended := array(
        select b.id from (
            select s.id, s.used from sessions s
            where s.user_id = whose and s.revoked is null and s.id <> begun
              and exists (select from refresh_tokens t where t.session_id = s.id and t.expires > now())
            order by s.used desc, s.id offset most - 1
        ) b
        order by b.used, b.id limit 1000
    );
    if ended = '{}' then
        return;
    end if;
    update refresh_tokens t set expires = least(t.expires, now() - interval '22 hours')
    where t.session_id = any(ended);
    return query
        update sessions s set revoked = now() where s.id = any(ended) and s.revoked is null returning s.id;
end $$;
-- 0059.addresses
alter table departures
    add column email bytea;
create index departures_email on departures (email) where email is not null;
create function refuse_address() returns trigger language plpgsql as $$
begin
    if exists (
        select from departures d
        where d.email = sha256(convert_to(new.email_key, 'UTF8'))
          and d.departed > clock_timestamp() - interval '30 days'
    ) then
        raise unique_violation using
            message = 'A user who was deleted keeps this address.', constraint = 'users_email';
    end if;
    return null;
end $$;
create trigger users_addressed after insert on users
    for each row when (new.email_key is not null) execute function refuse_address();
create trigger users_readdressed after update of email on users
    for each row when (new.email_key is distinct from old.email_key and new.email_key is not null)
    execute function refuse_address();
-- 0060.folder
create table file_folder (
    one     boolean primary key default true check (one),
    id      uuid not null,
    created timestamptz not null default now()
);
-- 0062.marks
create table if not exists schema_marks (
    object text collate "C" primary key,
    number bigint
);
create or replace function schema_objects() returns table (object text, number bigint)
    language sql stable as $objects$
    with own as (
        select c.oid, c.relname, c.relkind from pg_class c
        where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
          and c.relname !~ 'yoyo'
          and not exists (
              select from pg_depend d
              where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
          )
    ), columns as (
        select a.attrelid, a.attnum, a.attname, t.typname, a.attnotnull, a.attidentity,
               a.attgenerated, a.atthasdef
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid in (select oid from own) and a.attnum > 0 and not a.attisdropped
    )
    select case o.relkind when 'r' then 'table' when 'v' then 'view' when 'S' then 'sequence'
                          else 'type' end || ' ' || o.relname,
           case when o.relkind = 'r' then o.oid::bigint end
    from own o where o.relkind in ('r', 'v', 'S', 'c')
    union all
    select concat_ws(' ', 'column', o.relname || '.' || a.attname, a.typname,
                     case when a.attnotnull then 'not null' end,
                     case when a.attidentity <> '' then 'identity ' || a.attidentity::text end,
                     case when a.attgenerated <> '' then 'generated' end,
                     case when a.atthasdef and a.attgenerated = '' then 'default' end), null
    from own o join columns a on a.attrelid = o.oid where o.relkind in ('r', 'v', 'c')
    union all
    select concat_ws(' ', 'key', o.relname || '.' || k.conname, k.contype::text,
                     (select string_agg(a.attname, ',' order by p.place)
                      from unnest(k.conkey) with ordinality p (num, place)
                      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.num),
                     case when k.contype = 'f' then 'to ' || f.relname || '('
                         || (select string_agg(a.attname, ',' order by p.place)
                             from unnest(k.confkey) with ordinality p (num, place)
                             join pg_attribute a on a.attrelid = k.confrelid and a.attnum = p.num)
                         || ') ' || k.confupdtype::text || k.confdeltype::text
                         || k.confmatchtype::text end,
                     case when k.condeferrable then 'deferrable' end,
                     case when k.condeferred then 'deferred' end,
                     case when not k.convalidated then 'not valid' end), null
    from own o join pg_constraint k on k.conrelid = o.oid left join own f on f.oid = k.confrelid
    where k.contype in ('p', 'u', 'f', 'c', 'x')
    union all
    select concat_ws(' ', case when i.indisunique then 'unique index' else 'index' end,
                     o.relname || '.' || x.relname, m.amname,
                     (select string_agg(coalesce(a.attname, '?'), ',' order by p.place)
                      from unnest(i.indkey::smallint[]) with ordinality p (num, place)
                      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = p.num),
                     case when i.indpred is not null then 'partial' end,
                     case when not i.indisvalid then 'invalid' end), null
    from own o join pg_index i on i.indrelid = o.oid
    join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
    where o.relkind = 'r'
    union all
    select concat_ws(' ', 'trigger', o.relname || '.' || g.tgname, p.proname, g.tgtype::text,
                     g.tgenabled::text,
                     (select string_agg(a.attname, ',' order by c.place)
                      from unnest(g.tgattr::smallint[]) with ordinality c (num, place)
                      join pg_attribute a on a.attrelid = g.tgrelid and a.attnum = c.num),
                     case when g.tgnargs > 0 then encode(g.tgargs, 'hex') end,
                     g.tgoldtable, g.tgnewtable,
                     case when g.tgqual is not null then 'when' end,
                     case when g.tgdeferrable then 'deferrable' end,
                     case when g.tginitdeferred then 'deferred' end), null
    from own o join pg_trigger g on g.tgrelid = o.oid join pg_proc p on p.oid = g.tgfoid
    where not g.tgisinternal
    union all
    select concat_ws(' ', 'function', p.proname || '('
                     || coalesce((select string_agg(t.typname, ',' order by a.place)
                                  from unnest(p.proargtypes::oid[]) with ordinality a (num, place)
                                  join pg_type t on t.oid = a.num), '') || ')',
                     case when p.proretset then 'set of' end, r.typname, l.lanname,
                     p.prokind::text || p.provolatile::text || p.proparallel::text,
                     case when p.proisstrict then 'strict' end,
                     case when p.prosecdef then 'definer' end,
                     array_to_string(p.proconfig, ','), md5(p.prosrc)), null
    from pg_proc p join pg_type r on r.oid = p.prorettype join pg_language l on l.oid = p.prolang
    where p.pronamespace = (select oid from pg_namespace where nspname = current_schema())
      and not exists (
          select from pg_depend d
          where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
$objects$;
