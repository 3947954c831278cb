-- Whether somebody waits for the marks of the schema, or has them: who restores the database, for example.
--
-- Each process holds a lock on them. Another one of the same kind is had at once while nobody waits, and costs less
-- than to read who waits. The lock ends with the statement of the asker, who has no transaction.
create or replace function restore_waits() returns boolean
    language plpgsql volatile
    as $$
    begin
        lock table schema_marks in access share mode nowait;
        return false;
    exception
        when lock_not_available or undefined_table then
            return true;
    end
    $$;
