-- Notices, and when what is reported is due.
create table notices (
    id          uuid primary key default gen_random_uuid(),
    created     timestamptz not null default clock_timestamp(),
    due         timestamptz not null,
    reason      text not null,
    explanation text not null,
    law         text,
    name        text,
    email       text,
    signature   text,
    erased      boolean not null default false,
    answered    text
);
create index notices_unerased on notices (created) where not erased;

create table notice_subjects (
    notice     uuid not null references notices on delete cascade,
    place      integer not null,
    kind       text not null,
    id         text collate "C" not null,
    content_id uuid,
    user_id    uuid,
    url        text,
    report     bigint not null,
    outcome    text,
    decided    timestamptz,
    primary key (notice, place)
);
create index notice_subjects_report on notice_subjects (report);

alter table reports
    alter column reporter drop not null,
    add column notice uuid,
    add column due timestamptz;
create index reports_all on reports (subject, number);

alter table report_subjects
    add column notices integer not null default 0,
    add column due timestamptz;
create index report_decisions_created on report_decisions (created);

alter table report_queue add column due timestamptz;
update report_queue q set due = r.created + interval '72 hours'
from report_subjects s join reports r on r.number = s.oldest where s.number = q.subject;
update report_queue set due = clock_timestamp() + interval '72 hours' where due is null;
update report_subjects s set due = q.due from report_queue q where q.subject = s.number and q.reason = '';
create index report_queue_due on report_queue (reason, kind, due, subject);

alter table mails drop constraint mails_purpose_check;
alter table mails add column notice uuid;
alter table mails add constraint mails_purpose_check check (purpose in (
    'reset', 'confirm', 'change', 'changed', 'linked', 'unlinked', 'notice', 'notice_upheld', 'notice_dismissed',
    'banned', 'blocked'
));
