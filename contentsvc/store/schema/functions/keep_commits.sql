-- Has the commit of this transaction wait until all that was committed before is on the disk.
create or replace function keep_commits() returns void
    language sql volatile
    as $$ select pg_logical_emit_message(true, 'contentsvc', '') $$;
