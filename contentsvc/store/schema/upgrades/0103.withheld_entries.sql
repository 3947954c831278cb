-- Entries of challenges know whether their content is public, and each challenge how many of its entries are not.

alter table challenge_entries add column withheld boolean not null default false;
alter table challenge_tallies add column withheld integer not null default 0;
