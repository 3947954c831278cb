-- What admins look at and decide: bans, their actions, and reports (moderation#moderation).

-- Accounts that an admin has banned, for ever or until a moment.
create table bans (
    user_id uuid primary key constraint bans_user references users on delete cascade,
    reason  text not null,
    until   timestamptz,
    created timestamptz not null default now()
);

-- What admins did, and could do only as admins. Nothing changes or deletes a row.
create table moderation_actions (
    number       bigint primary key generated always as identity,
    id           uuid not null default gen_random_uuid(),
    -- Neither refers to a row: the action stays when the account or the subject goes.
    admin        uuid not null,
    action       text not null,
    subject_kind text not null,
    subject      text not null,
    reason       text not null,
    created      timestamptz not null default clock_timestamp(),
    -- The id that came with a warning: by it, a repeat is known.
    warning      uuid,
    -- Whether a service account did it.
    service      boolean not null default false,
    -- How much it was about, by kind, if it was about several things.
    counts       jsonb
);
create index moderation_actions_subject on moderation_actions (subject, number);
create index moderation_actions_admin on moderation_actions (admin, number);
-- Acts by what they were, also of one admin: those of several kinds are merged, however many others there are.
create index moderation_actions_kind on moderation_actions (action, service, subject_kind, number);
create index moderation_actions_admin_kind on moderation_actions (admin, action, subject_kind, number);
create unique index moderation_actions_warning on moderation_actions (subject, warning) where warning is not null;

-- What has been reported. Nothing here refers to what is reported or to who reports: a report stays when they go.
-- Whoever files or decides a report locks its subject's row. So the numbers of the reports of one subject have the
-- order of their commits.
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
    -- The same reporter has filed another one before anybody decided about this. It is not listed any more, but it
    -- counts for its day, and a decision may name it.
    replaced boolean not null default false,
    -- It says what the one says that it has replaced. So it does not count for its day.
    repeats  boolean not null default false
);
create index reports_subject on reports (subject, number) where not replaced;
-- What a user has reported of a subject, and how often they have repeated it.
create index reports_reporter_subject on reports (reporter, subject, number) where not replaced;
create index reports_repeats on reports (reporter, subject, number) where repeats;

-- What admins have decided about the reports of a subject that were open then, up to a number.
create table report_decisions (
    subject bigint not null references report_subjects,
    upto    bigint not null,
    outcome text not null,
    created timestamptz not null default clock_timestamp(),
    primary key (subject, upto)
);

-- The queue: each subject with open reports once for all reasons, which is '', and once for each of its reasons.
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
