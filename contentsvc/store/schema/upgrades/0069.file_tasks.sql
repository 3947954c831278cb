-- The deletion of blocked files, and of those that nobody needs, is a task.

insert into tasks (queue, kind, task, topic)
select 'DeleteBlockedFile', 'DeleteBlockedFile',
       json_build_object('kind', 'DeleteBlockedFile', 'sha256', sha256), sha256
from blocked_files where due is not null order by due;

-- A command may still hold those whose lease is not over.
insert into tasks (queue, kind, task, due)
select 'DeleteUnusedFiles', 'DeleteUnusedFiles',
       json_build_object('kind', 'DeleteUnusedFiles', 'paths', json_agg(path order by path)),
       coalesce(max(due), now())
from (
    select path, due, (row_number() over (order by path) - 1) / 100 as batch
    from files where collecting
) marked
group by batch order by batch;

update files set due = null where collecting;
drop index files_collecting;
alter table blocked_files drop column due;
