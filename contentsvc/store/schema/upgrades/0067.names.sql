-- The functions come after this, from their files: those that have other names now, or parameters with other names.
do $$
declare
    named regprocedure;
begin
    for named in
        select oid::regprocedure from pg_proc
        where pronamespace = current_schema()::regnamespace
          and proname in ('tell', 'visible', 'write_comment')
    loop
        execute format('drop routine %s', named);
    end loop;
end $$;

-- The type is there already where a restore has put an older database in the place of a newer one.
do $$
begin
    if exists (
        select from pg_type where typname = 'notified' and typnamespace = current_schema()::regnamespace
    ) then
        drop type told;
    else
        alter type told rename to notified;
    end if;
end $$;
