-- What happened on each day.

create table tallies (
    day    date not null,
    what   text collate "C" not null,
    number bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index tallies_day on tallies (day);
