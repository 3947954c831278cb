-- What the schema has, from the catalogue: a line for each column, key, trigger, function and so on.
-- Releases compare each other's lines, so a later one may add new kinds of lines, and must not
-- change these. It gives neither numbers nor expressions, which versions of Postgres print
-- differently.
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
