-- Reports of content, comments and users, and what admins decide about them (extensions §7). Nothing here
-- refers to what is reported or to who reports: a report stays when they go.

-- What has been reported. Whoever files or decides a report locks its subject's row. So the numbers of the
-- reports of one subject have the order of their commits.
create table report_subjects (
    number     bigint primary key generated always as identity,
    kind       text not null,
    -- A GUID, or the number of a comment; then content_id is the content that it is on.
    id         text collate "C" not null,
    content_id uuid,
    -- How many reports are open, in all and by reason, and the first and the last of them.
    reports    integer not null default 0,
    reasons    jsonb not null default '{}',
    oldest     bigint,
    newest     bigint,
    -- All reports up to this number have been decided. What comes after it is open.
    decided    bigint not null default 0,
    constraint report_subjects_id unique (kind, id)
);

-- The text of a subject as it was, once however many report it.
create table report_evidence (
    subject  bigint not null,
    digest   bytea not null,
    evidence text not null,
    primary key (subject, digest)
);

create table reports (
    number   bigint primary key generated always as identity,
    id       uuid not null default gen_random_uuid() constraint reports_id unique,
    subject  bigint not null references report_subjects,
    reporter uuid not null,
    reason   text not null,
    text     text not null,
    digest   bytea not null,
    -- Of the messages that the reporter has named: a JSON array.
    messages text,
    created  timestamptz not null default clock_timestamp(),
    -- The same reporter has filed another one before anybody decided about this. It is not listed any
    -- more, but it counts for its day, and a decision may name it.
    replaced boolean not null default false,
    -- It says what the one says that it has replaced. So it does not count for its day.
    repeats  boolean not null default false
);
create index reports_subject on reports (subject, number) where not replaced;
-- What a user has reported of a subject, how often they have repeated it, and a user's newest ones for their
-- limit.
create index reports_reporter_subject on reports (reporter, subject, number) where not replaced;
create index reports_repeats on reports (reporter, subject, number) where repeats;
create index reports_reporter on reports (reporter, number) where not repeats;

-- What admins have decided about the reports of a subject that were open then, up to a number.
create table report_decisions (
    subject bigint not null references report_subjects,
    upto    bigint not null,
    outcome text not null,
    created timestamptz not null default clock_timestamp(),
    primary key (subject, upto)
);

-- The queue: each subject with open reports once for all reasons, which is '', and once for each of its
-- reasons.
create table report_queue (
    subject bigint not null references report_subjects,
    reason  text collate "C" not null,
    kind    text collate "C" not null,
    -- Those of the subject: the order of the queue.
    reports integer not null,
    newest  bigint not null,
    primary key (subject, reason)
);
create index report_queue_order on report_queue (reason, kind, reports, newest);

create function queue_subject() returns trigger language plpgsql as $$
begin
    delete from report_queue q
    where q.subject = new.number
      and (new.reports = 0 or (q.reason <> '' and not new.reasons ? q.reason));
    insert into report_queue as q (subject, reason, kind, reports, newest)
    select new.number, r.reason, new.kind, new.reports, new.newest
    from (select '' as reason union all select jsonb_object_keys(new.reasons)) r
    where new.reports > 0
    on conflict (subject, reason) do update
    set reports = excluded.reports, newest = excluded.newest;
    return null;
end $$;
create trigger report_subjects_queue after update on report_subjects
    for each row execute function queue_subject();

-- See 0010. Whoever calls it holds the lock that makes one user's reports come one after the other. If `most`
-- is 0, there is no limit.
create function reports_wait(who uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    if most = 0 then
        return 0;
    end if;
    moment := (
        select r.created from reports r where r.reporter = who and not r.repeats
        order by r.number desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;

-- Counts with one more or less for a reason; without it if none is left.
create function tallied(counts jsonb, reason text, change integer) returns jsonb
    language sql immutable as $$
        select jsonb_strip_nulls(counts || jsonb_build_object(
            reason, nullif(coalesce((counts ->> reason)::integer, 0) + change, 0)
        ))
    $$;

-- Files reports, of which one is a place of each array, and gives for each the seconds until its reporter
-- may file one more: 0 if it is filed, or nothing is to be done. All locks are taken in one order: those of
-- the reporters' limits, then the subjects.
create function file_reports(
    kinds text[], ids text[], content_ids uuid[], reporters uuid[], given_reasons text[], texts text[],
    evidences text[], given_messages text[], most integer[], spans integer[]
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
begin
    for about in
        select distinct hashtext(r.reporter::text) as key
        from unnest(reporters, most) r (reporter, most) where r.most > 0
        order by key
    loop
        perform pg_advisory_xact_lock(hashtext('reports'), about.key);
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
                waits[n] := reports_wait(reporters[n], most[n], make_interval(secs => spans[n]));
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
                -- Dismissed within 30 days.
                continue when mine.number <= s.decided and exists (
                    select from (
                        select d.outcome, d.created from report_decisions d
                        where d.subject = s.number and d.upto >= mine.number
                        order by d.upto limit 1
                    ) d
                    where d.outcome = 'dismissed'
                      and seconds_left(d.created, interval '30 days') > 0
                );
                waits[n] := reports_wait(reporters[n], most[n], make_interval(secs => spans[n]));
                continue when waits[n] > 0;
            end if;

            insert into report_evidence (subject, digest, evidence)
            values (s.number, given, evidences[n])
            on conflict do nothing;
            insert into reports (subject, reporter, reason, text, digest, messages, repeats)
            values (s.number, reporters[n], given_reasons[n], texts[n], given, given_messages[n],
                    coalesce(same, false))
            returning * into opened;
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
            set reports = s.reports, reasons = s.reasons, newest = s.newest, oldest = (
                select o.number from reports o
                where o.subject = s.number and o.number > s.decided and not o.replaced
                order by o.number limit 1
            )
            where r.number = s.number;
        end if;
    end loop;
    return waits;
end $$;
