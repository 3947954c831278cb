-- Appeals against decisions, and against the outcomes of reports.
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

-- Who has given an outcome does not decide about an appeal against it.
alter table report_decisions add column moderator uuid;

-- How many decisions were reversed lately is a metric.
create index decisions_reversed on decisions (reversed) where reversed is not null;

-- Mails tell what was decided about an appeal.
alter table mails add column appeal uuid;
alter table mails drop constraint mails_purpose_check;
alter table mails add constraint mails_purpose_check check (purpose in (
    'reset', 'confirm', 'change', 'changed', 'linked', 'unlinked', 'notice', 'notice_upheld', 'notice_dismissed',
    'banned', 'blocked', 'appeal_confirmed', 'appeal_reversed', 'notice_confirmed', 'notice_reopened'
));
