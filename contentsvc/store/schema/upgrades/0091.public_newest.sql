-- Lists of what is public, by age. This reads all content, so it has a transaction of its own, in which others read it
-- too: one that alters the table keeps them out until its end. Writes wait until the index is there, so each has its own.

alter table contents validate constraint contents_status;
alter table contents validate constraint contents_visibility;
create index if not exists contents_public_newest on contents (type, number) where visibility = 'public';
