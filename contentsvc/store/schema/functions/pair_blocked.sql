-- The second part of the key of the advisory lock of two users, whichever is which; the first is that of 'pair'.
create or replace function pair_key(one uuid, other uuid) returns integer
    language sql immutable
    as $$ select hashtext(least(one, other)::text || greatest(one, other)::text) $$;

-- Whether either of two different users has blocked the other. The answer holds until the end of the
-- transaction: who blocks takes the same advisory lock exclusively, after the pair's row. So a comment
-- leaves no row of the pair. A volatile function: its query sees what was committed while it waited for the
-- lock, the calling statement does not.
create or replace function pair_blocked(one uuid, other uuid) returns boolean
    language plpgsql volatile strict as $$
begin
    -- `perform` would take as long as the query below.
    if pg_advisory_xact_lock_shared(hashtext('pair'), pair_key(one, other)) is null then
        return null;
    end if;
    return exists (
        select from pairs
        where lesser = least(one, other) and greater = greatest(one, other)
          and (lesser_blocks is not null or greater_blocks is not null)
    );
end $$;
