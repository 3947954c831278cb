-- As in 0001, without extract(), which computes in numeric.

create or replace function unix(moment timestamptz) returns bigint
    language sql stable parallel safe
    as 'select floor(date_part(''epoch'', moment))::bigint';
