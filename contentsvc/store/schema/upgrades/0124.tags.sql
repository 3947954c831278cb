-- It is counted how many contents have each tag. A job counts those that are there.
create table tags (
    tag      text collate "C" constraint tags_tag primary key,
    contents integer not null,
    spelling text collate "C" not null,
    place    integer not null generated always as (-contents) stored
) with (autovacuum_vacuum_scale_factor = 0.05);
create unique index tags_place on tags (place, spelling) include (tag);
create index tags_beginning on tags (tag) include (place, spelling);

create table tag_spellings (
    spelling text collate "C" constraint tag_spellings_spelling primary key,
    tag      text collate "C" not null,
    contents integer not null
);
create index tag_spellings_tag on tag_spellings (tag, contents);

create table tag_tallies (
    tags     text[] not null,
    contents integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table uncounted_tags (
    after bigint not null,
    upto  bigint
);
insert into uncounted_tags (after) select 0 where exists (select from contents);
