-- Images have smaller ones beside them. Those from before get theirs in the background.

alter table files add column scaled boolean;
create index files_unscaled on files (path)
    where stored and scaled is null and not invalid and not collecting and position('.' in path) > 0;
