-- Decisions: what moderators decide about users and what they have made, and why.
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
create index decisions_facts on decisions (created) where facts is not null or taken is not null;

-- What stands: of each action that a subject is under the one decision; of a restriction that for each of its parts.
-- What is over stays here until another decision comes.
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

-- Which decision an act is of.
alter table moderation_actions add column decision uuid;
-- Mails tell of decisions too.
alter table mails add column decision uuid;
alter table mails drop constraint mails_purpose_check;
alter table mails add constraint mails_purpose_check check (
    purpose in ('reset', 'confirm', 'change', 'changed', 'linked', 'unlinked', 'banned', 'blocked')
);
