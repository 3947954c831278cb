-- How many contents have each tag (content#tags). A job adds up what triggers note, so that nobody who publishes
-- waits for another.

-- Tags of public content that is active, and of no other. A tag counts once for each content, however it is spelt.
create table tags (
    -- As tags are compared: folded, without blanks at its ends.
    tag      text collate "C" constraint tags_tag primary key,
    contents integer not null,
    -- As most contents spell it.
    spelling text collate "C" not null,
    -- Where it stands in the list of all: the most frequent first.
    place    integer not null generated always as (-contents) stored
) with (autovacuum_vacuum_scale_factor = 0.05);
-- The list is read from here alone, from its start or from a place in it.
create unique index tags_place on tags (place, spelling) include (tag);
-- So is what begins alike.
create index tags_beginning on tags (tag) include (place, spelling);

-- Each way in which a tag is spelt, and how many contents spell it so.
create table tag_spellings (
    spelling text collate "C" constraint tag_spellings_spelling primary key,
    tag      text collate "C" not null,
    contents integer not null
);
create index tag_spellings_tag on tag_spellings (tag, contents);

-- What changes these numbers: all tags of a content, and by how much. Who adds up knows which tags are equal, and the
-- database does not.
create table tag_tallies (
    tags     text[] not null,
    contents integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The tags of contents from before an upgrade: as uncounted_words (tables/words.sql).
create table uncounted_tags (
    after bigint not null,
    upto  bigint
);
