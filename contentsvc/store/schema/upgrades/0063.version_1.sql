-- From d3b8625, or a commit after it, to version 1.0.0. What a commit after d3b8625 may have made already is
-- conditional. Nobody else uses the database meanwhile (contentsvc.store.quiesce). The functions come after this, from
-- their files.

-- A restore that has not ended lacks triggers, or has them disabled. They would come back with the functions, and
-- nobody would notice that what they count is wrong.
do $$
declare
    missing text;
begin
    select string_agg(name, ', ' order by name) into missing
    from unnest('{
        challenge_entries_changed, challenge_entries_came, challenge_entries_gone, challenges_claims, claims_gone,
        comments_author, contents_author, contents_claims, contents_document, contents_gone, contents_gone_ranks,
        contents_hidden, contents_hidden_entries, contents_relisted, contents_status, contents_uses,
        moderation_actions_kept, pairs_messages, progress_begun, progress_ended, ratings_new, ratings_tally,
        ratings_voter, report_subjects_queue, revisions_claims, user_files_came, user_files_changed,
        user_files_gone, users_claims, users_departed, users_named
    }'::text[]) name
    where not exists (
        select from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where t.tgname = name and t.tgenabled = 'O' and c.relnamespace = current_schema()::regnamespace
    );
    if missing is not null then
        raise object_not_in_prerequisite_state using message = 'it lacks trigger ' || missing;
    end if;
end $$;

-- The service's own tables.
create table schema_upgrades (
    name    text collate "C" primary key,
    applied timestamptz not null default now()
);
create table schema_files (
    path    text collate "C" primary key,
    text    text not null,
    release text not null
);
create table if not exists schema_marks (
    object text collate "C" primary key,
    number bigint
);
drop table if exists _yoyo_migrations, _yoyo_log, _yoyo_version, yoyo_lock;

-- Limits.
create table if not exists rate_limits (
    name    text not null,
    subject uuid not null,
    moment  timestamptz not null,
    expires timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index if not exists rate_limits_subject on rate_limits (subject, name, moment);
create index if not exists rate_limits_expires on rate_limits (expires);

-- The publications of one author are told in their order: their rows have one topic.
drop trigger if exists outbox_publication on outbox;
drop function if exists put_publication();
update outbox set topic = 'publications of ' || (task::json ->> 'author')
where topic is null and kind in ('ContentPublished', 'RevisionPublished');

-- Accounts. Those of before that are linked elsewhere count as linked since the last proof.
drop table login_failures;
create index if not exists users_admins on users (id) where admin;
create index if not exists sessions_live on sessions (user_id) where revoked is null;
alter table identities add column if not exists kept boolean;
alter table mails
    drop constraint mails_purpose_check,
    add constraint mails_purpose_check
        check (purpose in ('reset', 'confirm', 'change', 'changed', 'linked', 'unlinked')),
    add column if not exists issuers text not null default '';
alter table departures add column if not exists email bytea;
create index if not exists departures_email on departures (email) where email is not null;

create table if not exists file_folder (
    one     boolean primary key default true check (one),
    id      uuid not null,
    created timestamptz not null default now()
);

-- Progress data that was written before there were sizes.
drop trigger progress_older_update on progress;
drop trigger progress_older_counted on progress;
drop function progress_older_update(), progress_older_counted(), progress_counted(uuid, bigint, bigint);
update progress set size = octet_length(value::text) where size is null;
alter table progress alter column size set not null;

-- Votes that were cast before they had weights, and that the job of before has not counted yet.
update content_ranks r
set top = wilson(c.up, c.down), net = v.net, trending = trend(v.net), listing_id = c.listing_id
from contents c cross join lateral (select net_of(c.id) as net offset 0) v
where not r.counted and r.number = c.number;
drop index content_ranks_uncounted;
alter table content_ranks drop column counted;

comment on column notification_counters.newest is null;
comment on column notification_counters.previous is null;
