-- By the database's clock, so that all processes agree. Ask it once the challenge's row is locked.
create or replace function challenge_state(opens bigint, closes bigint, closed timestamptz) returns text
    language sql volatile
    as $$
        select case when closed is not null then 'closed'
                    when opens > unix(clock_timestamp()) then 'upcoming'
                    when closes <= unix(clock_timestamp()) then 'judging'
                    else 'open' end
    $$;
