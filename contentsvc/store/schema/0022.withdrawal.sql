-- Content that its author has withdrawn.

create index contents_deleted on contents (author_id, number) where deleted;
