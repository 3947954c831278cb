-- Seconds until a moment is as long ago as the span; 0 if it is, and where there is no such moment,
-- or one that was written before the clock was set back.
create or replace function seconds_left(moment timestamptz, span interval) returns integer
    language sql volatile
    as $$
        select case when moment > clock_timestamp() - span
                     and moment < clock_timestamp() + interval '1 minute'
               then greatest(ceil(date_part('epoch', moment + span - clock_timestamp())), 1)::integer
               else 0 end
    $$;
