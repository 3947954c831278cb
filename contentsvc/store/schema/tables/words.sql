-- The words of names and tags, by which a misspelt search is mended (content#suggestions).

-- Words of public content that is active, and of no other, as documents have them (tables/content.sql). A word is counted
-- once for each content. What has changed lately is in word_tallies: both together are the number, at each moment.
create table words (
    word     text collate "C" constraint words_word primary key,
    -- So many have it in the name or a tag.
    contents integer not null,
    -- So many have it as a looser form of a word.
    forms    integer not null,
    -- Digests of the word in its plain letters, and of what is left of it without each of them: two words that are within
    -- one edit of each other have one in common. Those of what is only a looser form are left out.
    near     integer[] not null
) with (fillfactor = 70);
-- A change of the numbers alone must not write it anew: there is room for that on the page.
create index words_near on words using gin (near) with (fastupdate = off);

-- What changes these numbers, a row for each word, so that nobody who publishes waits for another. A job adds them up.
create table word_tallies (
    word     text collate "C" not null,
    contents integer not null,
    forms    integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index word_tallies_word on word_tallies (word);

-- Documents of an older release have no words here yet: a row while those with a number over `after`, up to `upto`, are
-- still to be counted. Null is for the newest.
create table uncounted_words (
    after bigint not null,
    upto  bigint
);
