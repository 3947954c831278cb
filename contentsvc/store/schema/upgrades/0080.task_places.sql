-- How many effects of one cause wait is read by an index.

create index tasks_place on tasks (queue, place) where place is not null;
