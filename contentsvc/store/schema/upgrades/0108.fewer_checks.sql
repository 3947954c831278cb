-- What changes a content's row has no text of a check to parse (functions/derive_status.sql), and a comment's author is
-- locked by the statement that inserts it (functions/write_comments.sql).

alter table contents drop constraint contents_status;
alter table contents drop constraint contents_visibility;
drop trigger comments_author on comments;
