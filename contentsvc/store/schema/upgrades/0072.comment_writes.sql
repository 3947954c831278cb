-- A comment that is sent again is known by its writeId. Older comments have none.

alter table comments add column write_id uuid;
create unique index comments_write_id on comments (author_id, content_id, write_id) where write_id is not null;
