-- Counts with one more or less for a reason; without it if none is left.
create or replace function tallied(counts jsonb, reason text, change integer) returns jsonb
    language sql immutable as $$
        select jsonb_strip_nulls(counts || jsonb_build_object(
            reason, nullif(coalesce((counts ->> reason)::integer, 0) + change, 0)
        ))
    $$;

-- Files reports, of which one is a place of each array, and gives for each the seconds until its reporter
-- may file one more: 0 if it is filed, or nothing is to be done. All locks are taken in one order: those of
-- the reporters' limits, then the subjects.
create or replace function file_reports(
    kinds text[], ids text[], content_ids uuid[], reporters uuid[], given_reasons text[], texts text[],
    evidences text[], given_messages text[], most integer[], span interval
) returns integer[] language plpgsql volatile as $$
declare
    waits   integer[] := array_fill(0, array[cardinality(kinds)]);
    about   record;
    s       report_subjects;
    mine    reports;
    given   bytea;
    same    boolean;
    n       integer;
    opened  reports;
    changed boolean;
    due     timestamptz;
begin
    for about in
        select distinct on (hashtext(r.reporter::text)) r.reporter as id
        from unnest(reporters, most) r (reporter, most) where r.most > 0
        order by hashtext(r.reporter::text)
    loop
        perform rate_limit_lock('reports', about.id);
    end loop;

    for about in
        select g.kind, g.id, array_agg(g.n order by g.n) as places
        from unnest(kinds, ids) with ordinality g (kind, id, n)
        group by g.kind, g.id
        order by g.kind, g.id
    loop
        select * into s from report_subjects r where r.kind = about.kind and r.id = about.id
            for no key update;
        changed := false;
        foreach n in array about.places loop
            if s.number is null then
                -- Whoever is refused makes no subject.
                waits[n] := rate_limit('reports', reporters[n], most[n], span, counts => false);
                continue when waits[n] > 0;
                insert into report_subjects (kind, id, content_id)
                values (about.kind, about.id, content_ids[n])
                on conflict do nothing;
                select * into s from report_subjects r
                where r.kind = about.kind and r.id = about.id for no key update;
            end if;
            given := sha256(convert_to(evidences[n], 'UTF8'));
            select * into mine from reports r
            where r.subject = s.number and r.reporter = reporters[n] and not r.replaced
            order by r.number desc limit 1;
            same := mine.number > s.decided
                and mine.messages is not distinct from given_messages[n]
                and (mine.reason, mine.text, mine.digest) = (given_reasons[n], texts[n], given);
            if same then
                -- So nobody can add rows for ever, nor always be newer than what an admin has seen.
                continue when (
                    select count(*) from reports r
                    where r.reporter = reporters[n] and r.subject = s.number and r.number > s.decided
                      and r.repeats
                ) >= 20;
            else
                -- Of the same text and the same messages, dismissed within 30 days.
                continue when mine.number <= s.decided and mine.digest = given
                and mine.messages is not distinct from given_messages[n] and exists (
                    select from (
                        select d.outcome, d.created from report_decisions d
                        where d.subject = s.number and d.upto >= mine.number
                        order by d.upto limit 1
                    ) d
                    where d.outcome = 'dismissed'
                      and seconds_left(d.created, interval '30 days') > 0
                );
                waits[n] := rate_limit('reports', reporters[n], most[n], span);
                continue when waits[n] > 0;
            end if;

            insert into report_evidence (subject, digest, evidence)
            values (s.number, given, evidences[n])
            on conflict do nothing;
            -- One that replaces another is due with that.
            due := least(
                report_due(given_reasons[n], false), case when mine.number > s.decided then mine.due end
            );
            insert into reports (subject, reporter, reason, text, digest, messages, repeats, due)
            values (s.number, reporters[n], given_reasons[n], texts[n], given, given_messages[n],
                    coalesce(same, false), due)
            returning * into opened;
            if s.reports = 0 then
                s.due := null;
                s.notices := 0;
            end if;
            s.due := least(s.due, due);
            -- Of nobody: who reports is not told to others.
            if not coalesce(same, false) then
                perform note_event(
                    'ReportOpened', null, s.kind, s.id, s.content_id,
                    json_build_object('reason', given_reasons[n])::text
                );
            end if;
            if mine.number > s.decided then
                update reports set replaced = true where number = mine.number;
                s.reports := s.reports - 1;
                s.reasons := tallied(s.reasons, mine.reason, -1);
            end if;
            s.reports := s.reports + 1;
            s.reasons := tallied(s.reasons, given_reasons[n], 1);
            s.newest := opened.number;
            changed := true;
        end loop;
        if changed then
            update report_subjects r
            set reports = s.reports, reasons = s.reasons, newest = s.newest, due = s.due,
                notices = s.notices, oldest = (
                select o.number from reports o
                where o.subject = s.number and o.number > s.decided and not o.replaced
                order by o.number limit 1
            )
            where r.number = s.number;
        end if;
    end loop;
    return waits;
end $$;
