-- Whether an image is invalid because of its metadata.

alter table files add column if not exists metadata boolean not null default false;
