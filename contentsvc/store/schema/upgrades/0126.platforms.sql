-- Packages have files for the platforms of the setting. Those that are there have none but the three.

alter table packages add column others jsonb;
create table package_platforms (
    name text primary key
);
