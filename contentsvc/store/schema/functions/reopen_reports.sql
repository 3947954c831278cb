-- Opens the reports of a locked subject again that the outcome `upto` has closed, but not those of whom a newer one is
-- open. What is open has numbers above what is decided: so they get new ones, in the order that they had, and moderators
-- who close what they have seen do not close these. Gives how many they were.
create or replace function reopen_reports(subject_number bigint, given_upto bigint)
    returns integer language plpgsql volatile as $$
declare
    s      report_subjects;
    first  bigint;
    before bigint;
    moved  bigint;
    opened integer := 0;
begin
    select * into s from report_subjects where number = subject_number for no key update;
    select coalesce(max(d.upto), 0) into first from report_decisions d
    where d.subject = s.number and d.upto < given_upto;
    for before in
        select r.number from reports r
        where r.subject = s.number and r.number > first and r.number <= given_upto and not r.replaced
          and not exists (
              select from reports n
              where n.subject = s.number and n.reporter = r.reporter and n.number > s.decided and not n.replaced
          )
        order by r.number
    loop
        update reports set number = default where number = before returning number into moved;
        update notice_subjects set report = moved, outcome = null, decided = null where report = before;
        update notices n set answered = null
        from notice_subjects o where o.report = moved and n.id = o.notice;
        opened := opened + 1;
    end loop;
    if opened > 0 then
        update report_subjects t
        set reports = open.reports, notices = open.notices, newest = open.newest, oldest = open.oldest,
            due = open.due, reasons = open.reasons
        from (
            select sum(reports) as reports, sum(notices) as notices, max(newest) as newest, min(due) as due,
                   (array_agg(oldest order by since, oldest))[1] as oldest,
                   jsonb_object_agg(reason, reports) as reasons
            from (
                select r.reason, count(*) as reports, count(r.notice) as notices, max(r.number) as newest,
                       min(coalesce(r.due, r.created + interval '72 hours')) as due, min(r.created) as since,
                       (array_agg(r.number order by r.created, r.number))[1] as oldest
                from reports r
                where r.subject = s.number and r.number > s.decided and not r.replaced
                group by r.reason
            ) each
        ) open
        where t.number = s.number;
    end if;
    return opened;
end $$;
