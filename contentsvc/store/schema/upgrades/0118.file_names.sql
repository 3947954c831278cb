-- Entities and packages have the names of their files. Those that are there have none.

alter table entities add column name text;
alter table packages add column name text;
