-- The queue follows what is open of a subject.
create or replace function queue_subject() returns trigger language plpgsql as $$
begin
    delete from report_queue q
    where q.subject = new.number
      and (new.reports = 0 or (q.reason <> '' and not new.reasons ? q.reason));
    insert into report_queue as q (subject, reason, kind, reports, newest, due)
    select new.number, r.reason, new.kind, new.reports, new.newest,
           coalesce(new.due, clock_timestamp() + interval '72 hours')
    from (select '' as reason union all select jsonb_object_keys(new.reasons)) r
    where new.reports > 0
    on conflict (subject, reason) do update
    set reports = excluded.reports, newest = excluded.newest, due = excluded.due;
    return null;
end $$;

drop trigger if exists report_subjects_queue on report_subjects;
create trigger report_subjects_queue after update on report_subjects
    for each row execute function queue_subject();
