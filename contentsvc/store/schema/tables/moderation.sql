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
    counts       jsonb,
    -- Which decision it is of.
    decision     uuid
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
    -- How many of the open ones are notices, and when the first of the open ones is to be answered.
    notices    integer not null default 0,
    due        timestamptz,
    -- Who has sent it, of a message: another user may have sent one with the same id.
    user_id    uuid
);
create unique index report_subjects_about
    on report_subjects (kind, id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'));

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
    -- Null of a notice.
    reporter uuid,
    reason   text not null,
    text     text not null,
    digest   bytea not null,
    -- Of the messages that the reporter has named, or that the subject is: a JSON array.
    messages text,
    created  timestamptz not null default clock_timestamp(),
    -- The same reporter has filed another one before anybody decided about this. It is not listed any more, but it
    -- counts for its day, and a decision may name it.
    replaced boolean not null default false,
    -- It says what the one says that it has replaced. So it does not count for its day.
    repeats  boolean not null default false,
    -- The notice that it is a part of.
    notice   uuid,
    -- When it is to be answered: 72 hours later if it is null.
    due      timestamptz
);
-- All of a subject, as they are deleted when they are old.
create index reports_all on reports (subject, number);
create index reports_subject on reports (subject, number) where not replaced;
-- What a user has reported of a subject, and how often they have repeated it.
create index reports_reporter_subject on reports (reporter, subject, number) where not replaced;
create index reports_repeats on reports (reporter, subject, number) where repeats;
-- Those that name messages, also replaced ones.
create index reports_messages on reports (reporter) where messages is not null;

-- What admins have decided about the reports of a subject that were open then, up to a number.
create table report_decisions (
    subject bigint not null references report_subjects,
    upto    bigint not null,
    outcome text not null,
    created timestamptz not null default clock_timestamp(),
    -- Who has decided: null of what was decided before this was kept. It is no row either.
    moderator uuid,
    primary key (subject, upto)
);
create index report_decisions_created on report_decisions (created);

-- The queue: each subject with open reports once for all reasons, which is '', and once for each of its reasons.
create table report_queue (
    subject bigint not null references report_subjects,
    reason  text collate "C" not null,
    kind    text collate "C" not null,
    -- Those of the subject: the order of the queue.
    reports integer not null,
    newest  bigint not null,
    due     timestamptz,
    primary key (subject, reason)
);
create index report_queue_order on report_queue (reason, kind, reports, newest);
create index report_queue_due on report_queue (reason, kind, due, subject);

-- Notices: what anybody has told the service of that is against the law. Each is a report of each of its subjects.
create table notices (
    id          uuid primary key default gen_random_uuid(),
    created     timestamptz not null default clock_timestamp(),
    -- When it is to be answered.
    due         timestamptz not null,
    reason      text not null,
    explanation text not null,
    law         text,
    -- Who has sent it: null once that is `erased`.
    name        text,
    email       text,
    signature   text,
    erased      boolean not null default false,
    -- What was decided, once all of its subjects are, and who has sent it was told.
    answered    text
);
create index notices_unerased on notices (created) where not erased;
create index notices_created on notices (created);

-- What a notice is about, in the order in which it says so. The outcome stays when the report goes.
create table notice_subjects (
    notice     uuid not null references notices on delete cascade,
    place      integer not null,
    kind       text not null,
    id         text collate "C" not null,
    content_id uuid,
    -- Who has sent it, of a message.
    user_id    uuid,
    -- The URL by which it was named, if it was.
    url        text,
    report     bigint not null,
    outcome    text,
    decided    timestamptz,
    primary key (notice, place)
);
create index notice_subjects_report on notice_subjects (report);

-- Legal holds: what admins keep as it is at that time, whatever becomes of it (moderation#holds). So nothing here refers
-- to the subject. The bytes of its files are claimed (tables/files.sql), by the id of the hold.
create table holds (
    number  bigint primary key generated always as identity,
    id      uuid not null default gen_random_uuid() constraint holds_id unique,
    -- content, user or file.
    kind    text collate "C" not null,
    -- A GUID, or the digest of a file.
    subject text collate "C" not null,
    reason  text not null,
    until   timestamptz not null,
    -- Who has placed it. It does not refer to a row: the hold stays when the account goes.
    admin   uuid not null,
    created timestamptz not null default clock_timestamp(),
    -- Whether all of its record is copied. Until then, the account that it is about cannot be deleted.
    copied  boolean not null default false,
    -- Whether the bytes are there too. null: not yet; false: some were lost before they could be kept.
    whole   boolean,
    -- Of the files that are kept.
    bytes   bigint not null default 0,
    constraint holds_subject unique (kind, subject)
);
create index holds_until on holds (until);
create index holds_copying on holds (kind, subject) where not copied;

-- The record of what is held, as the text of JSON, in the order of the numbers.
create table held_pieces (
    number bigint primary key generated always as identity,
    hold   uuid not null references holds (id) on delete cascade,
    -- The list whose next items these are. Null for members that are no lists.
    member text,
    piece  text not null
);
create index held_pieces_hold on held_pieces (hold, number);

-- The files of what is held. Their bytes are kept apart, once for each digest: at held/ab/abcdef…, which is a row of
-- `files` like any other.
create table held_files (
    hold  uuid not null references holds (id) on delete cascade,
    path  text collate "C" not null,
    -- In bytes.
    size  bigint not null,
    -- copying, kept or missing. As long as they are not kept apart, the hold claims the path itself too.
    state text collate "C" not null default 'copying',
    primary key (hold, path)
);
create index held_files_copying on held_files (path) where state = 'copying';
create index held_files_waiting on held_files (hold, path) where state = 'copying';

-- To whom an admin gave what is held, such as an authority.
create table escalations (
    hold      uuid not null references holds (id) on delete cascade,
    id        uuid not null,
    recipient text not null,
    reference text not null,
    given     timestamptz not null,
    note      text not null,
    -- Who has noted it.
    admin     uuid not null,
    created   timestamptz not null default clock_timestamp(),
    primary key (hold, id)
);

-- What moderators decide about users and what they have made, and why (moderation#decisions).
create table decisions (
    number       bigint primary key generated always as identity,
    id           uuid not null constraint decisions_id unique,
    action       text collate "C" not null,
    -- None of these refers to a row: a decision stays when its subject goes, and whom it concerns, and who made it.
    subject_kind text collate "C" not null,
    subject      text collate "C" not null,
    content_id   uuid,
    user_id      uuid,
    -- Of what a restriction shuts the user out; empty for all other actions.
    what         text[] not null default '{}',
    basis        text not null,
    reference    text not null,
    explanation  text not null,
    category     text,
    source       text not null,
    notice       uuid,
    automated    text not null,
    moderator    uuid not null,
    service      boolean not null,
    created      timestamptz not null default clock_timestamp(),
    until        timestamptz,
    -- The subject as it was: a JSON object, and one of what was taken away, for whoever gives it back. Both go once
    -- nobody can appeal any more.
    facts        text,
    taken        text,
    replaced     uuid,
    -- Who has reversed it, and why.
    reverser          uuid,
    reverser_service  boolean not null default false,
    reversal          text,
    reversed          timestamptz
);
create index decisions_subject on decisions (subject, number);
create index decisions_action on decisions (action, number);
create index decisions_created on decisions (created);
create index decisions_facts on decisions (created) where facts is not null or taken is not null;
create index decisions_reversed on decisions (reversed) where reversed is not null;

-- What stands: of each action that a subject is under the one decision; of a restriction that for each of its parts. The
-- part of a message is who has sent it, since another user may have sent one with the same id. What is over stays here
-- until another decision comes.
create table standing_decisions (
    subject      text collate "C" not null,
    subject_kind text collate "C" not null,
    action       text collate "C" not null,
    part         text collate "C" not null,
    decision     bigint not null references decisions,
    until        timestamptz,
    primary key (subject, subject_kind, action, part)
);
create index standing_decisions_decision on standing_decisions (decision);
create index standing_decisions_restricted on standing_decisions (subject) where action = 'restrict';

-- Whom a decision concerns, and who may read it: of the block of a file all whose content or avatar has it.
create table decision_users (
    user_id  uuid not null,
    decision bigint not null references decisions,
    primary key (user_id, decision)
);

-- Appeals against decisions, and against the outcomes of reports (moderation#appeals). None of these refers to a row: an
-- appeal stays when the account or the subject goes.
create table appeals (
    number         bigint primary key generated always as identity,
    id             uuid not null default gen_random_uuid() constraint appeals_id unique,
    -- author, reporter or notifier: whom the decision concerns, or who has reported or sent the notice that was
    -- dismissed.
    party          text collate "C" not null,
    -- Null of a reporter and a notifier.
    decision       uuid,
    -- The outcome, by the number up to which it has closed reports. Null of an author.
    report_subject bigint,
    upto           bigint,
    -- What it is about.
    subject_kind   text collate "C" not null,
    subject        text collate "C" not null,
    content_id     uuid,
    -- Who has sent it, of a message.
    subject_user   uuid,
    -- Who appeals. Null of a notifier.
    user_id        uuid,
    notice         uuid,
    text           text not null,
    created        timestamptz not null default clock_timestamp(),
    -- open, confirmed or reversed.
    state          text collate "C" not null default 'open',
    -- Who has answered it, and why.
    moderator      uuid,
    reason         text,
    decided        timestamptz
);
-- One of each whom a decision concerns, and one of each who has reported, for an outcome.
create unique index appeals_author on appeals (decision, user_id) where decision is not null;
create unique index appeals_reporter on appeals (report_subject, upto, user_id)
    where decision is null and user_id is not null;
create unique index appeals_notifier on appeals (report_subject, upto, notice) where notice is not null;
create index appeals_outcome on appeals (report_subject, upto) where report_subject is not null;
create index appeals_listed on appeals (state, party, number);
create index appeals_user on appeals (user_id, number);
create index appeals_notice on appeals (notice) where notice is not null;
create index appeals_created on appeals (created);
create index appeals_decided on appeals (decided) where decided is not null;
