-- Misspelt searches are mended by the words of names and tags. A job counts those of what is there.
create table words (
    word     text collate "C" constraint words_word primary key,
    contents integer not null,
    forms    integer not null,
    near     integer[] not null
) with (fillfactor = 70);
create index words_near on words using gin (near) with (fastupdate = off);

create table word_tallies (
    word     text collate "C" not null,
    contents integer not null,
    forms    integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index word_tallies_word on word_tallies (word);

create table uncounted_words (
    after bigint not null,
    upto  bigint
);
insert into uncounted_words (after) select 0 where exists (select from documents);
