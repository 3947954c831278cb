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
    created      timestamptz not null default clock_timestamp(),
    -- The id that came with a warning: by it, a repeat is known.
    warning      uuid
);
create index moderation_actions_subject on moderation_actions (subject, number);
create index moderation_actions_admin on moderation_actions (admin, number);
create unique index moderation_actions_warning on moderation_actions (subject, warning)
    where warning is not null;

create function keep_actions() returns trigger
    language plpgsql as $$
begin
    raise exception 'Nothing changes or deletes what admins did.';
end $$;

create trigger moderation_actions_kept before update or delete or truncate on moderation_actions
    for each statement execute function keep_actions();
