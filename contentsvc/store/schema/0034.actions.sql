-- What admins did, and could do only as admins (extensions §7). Nothing changes or deletes a row.

create table moderation_actions (
    number       bigint primary key generated always as identity,
    id           uuid not null default gen_random_uuid(),
    -- Neither refers to a row: the action stays when the account or the subject goes.
    admin        uuid not null,
    action       text not null,
    subject_kind text not null,
    subject      text not null,
    reason       text not null,
    created      timestamptz not null default clock_timestamp()
);
create index moderation_actions_subject on moderation_actions (subject, number);
create index moderation_actions_admin on moderation_actions (admin, number);
