-- The index of similar names, in the form that this database has, without the names of guests. It takes the place of the
-- other one in the next upgrade, so that nobody waits for both.
do $do$
begin
    execute replace(pg_get_indexdef('users_trigrams'::regclass), 'users_trigrams', 'users_similar')
            || ' where not guest';
end $do$;
