-- Messages can be reported, of which two users may have sent one with the same id.
alter table report_subjects add column user_id uuid;
create unique index report_subjects_about
    on report_subjects (kind, id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'));
alter table report_subjects drop constraint report_subjects_id;

-- The log of all that was decided goes by the time.
create index decisions_created on decisions (created);
create index notices_created on notices (created);
