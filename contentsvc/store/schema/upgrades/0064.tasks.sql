-- One table for what is still to be done: the outbox, and mails that are to be sent.

create table tasks (
    id      bigint generated always as identity primary key,
    queue   text not null,
    kind    text not null,
    task    text not null,
    topic   text,
    place   text,
    created timestamptz not null default clock_timestamp(),
    due     timestamptz not null default clock_timestamp(),
    tries   integer not null default 0,
    failure text,
    lease   uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

insert into tasks (queue, kind, task, topic, place, created, due, tries, failure)
select 'steps', kind, task, topic, place, created, coalesce(due, now()), tries, failure
from outbox order by id;

insert into tasks (queue, kind, task, created, due, tries, failure)
select 'SendMail', 'SendMail', json_build_object('kind', 'SendMail', 'mail', id), created, due,
       case when failure is null then 0 else tries end, failure
from mails where due is not null order by due;

create index tasks_due on tasks (queue, due, id);
create index tasks_topic on tasks (topic, id) where topic is not null;

drop table outbox;
drop sequence outbox_turns;
alter table mails drop column due, drop column tries, drop column failure;
