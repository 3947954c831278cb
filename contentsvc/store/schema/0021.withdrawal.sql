-- Content that its author has withdrawn, and who was told of it.

create index contents_deleted on contents (author_id, number) where deleted;

-- When a user was last told that the author of a content has withdrawn or restored it. Kept for a day, and
-- bound to nothing: a row of a user who has gone does no harm.
create table dependency_tellings (
    dependency uuid not null,
    recipient  uuid not null,
    told       timestamptz not null,
    primary key (dependency, recipient)
);
create index dependency_tellings_told on dependency_tellings (told);
