-- Content is found by looser forms of its words too, and by its whole name: a task writes them, batch by batch.

insert into tasks (queue, kind, task, due)
select 'steps', 'RenewWords', '{"kind":"RenewWords"}', clock_timestamp()
where exists (select from documents);
