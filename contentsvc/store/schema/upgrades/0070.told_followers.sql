-- Followers who are told first, for they are connected.

create table told_followers (
    author uuid not null,
    number bigint not null,
    primary key (author, number)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
