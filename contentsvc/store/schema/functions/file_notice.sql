-- When a report is to be answered that is filed now. A daemon's sessions set the hours where the options differ.
create or replace function report_due(reason text, of_notice boolean) returns timestamptz
    language sql volatile
    as $$
        select clock_timestamp() + make_interval(hours => (string_to_array(
            coalesce(nullif(current_setting('contentsvc.due_hours', true), ''), '72,24,1'), ','
        )::integer[])[case when not of_notice then 1 when reason = 'child' then 3 else 2 end])
    $$;

-- Files a notice: a report of each of its subjects, which are those of the arrays. Of a subject that is a message,
-- `messages` has what was sent, as reports keep it. Gives its id. The subjects are locked in the order of file_reports.
create or replace function file_notice(
    given_reason text, explanation text, law text, name text, email text, signature text,
    kinds text[], ids text[], content_ids uuid[], user_ids uuid[], urls text[], evidences text[],
    messages text[]
) returns uuid language plpgsql volatile as $$
declare
    made   uuid;
    due_at timestamptz := report_due(given_reason, true);
    about  record;
    s      report_subjects;
    given  bytea;
    opened bigint;
begin
    insert into notices (due, reason, explanation, law, name, email, signature)
    values (due_at, given_reason, explanation, law, name, email, signature)
    returning notices.id into made;
    for about in
        select * from unnest(kinds, ids, content_ids, user_ids, urls, evidences, messages) with ordinality
            g (kind, id, content_id, user_id, url, evidence, messages, place)
        order by g.kind, g.id, g.user_id
    loop
        insert into report_subjects (kind, id, content_id, user_id)
        values (about.kind, about.id, about.content_id, about.user_id)
        on conflict do nothing;
        select * into s from report_subjects r
            where r.kind = about.kind and r.id = about.id and r.user_id is not distinct from about.user_id
            for no key update;
        given := sha256(convert_to(about.evidence, 'UTF8'));
        insert into report_evidence (subject, digest, evidence)
        values (s.number, given, about.evidence)
        on conflict do nothing;
        insert into reports (subject, reporter, reason, text, digest, messages, notice, due)
        values (s.number, null, given_reason, explanation, given, about.messages, made, due_at)
        returning number into opened;
        insert into notice_subjects (notice, place, kind, id, content_id, user_id, url, report)
        values (made, about.place, about.kind, about.id, about.content_id, about.user_id, about.url, opened);
        perform note_event(
            'ReportOpened', null, s.kind, s.id, s.content_id,
            json_strip_nulls(json_build_object('reason', given_reason, 'sender', s.user_id))::text
        );
        update report_subjects r
        set reports = s.reports + 1, reasons = tallied(s.reasons, given_reason, 1), newest = opened,
            oldest = case when s.reports = 0 then opened else s.oldest end,
            notices = case when s.reports = 0 then 1 else s.notices + 1 end,
            due = case when s.reports = 0 then due_at else least(s.due, due_at) end
        where r.number = s.number;
    end loop;
    perform note_event(
        'NoticeFiled', null, 'notice', made::text, null, json_build_object('reason', given_reason)::text
    );
    return made;
end $$;
