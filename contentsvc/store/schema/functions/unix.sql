-- Whole Unix seconds, floored: the form of every time in the interface. Not by extract(), which computes in numeric.
create or replace function unix(moment timestamptz) returns bigint
    language sql stable parallel safe
    as $$ select floor(date_part('epoch', moment))::bigint $$;
