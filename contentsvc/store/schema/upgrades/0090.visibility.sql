-- Authors say who sees their content, and let testers and members in. What there was is public, and has been announced.

alter table contents add column visibility text not null default 'public';
alter table contents add column announced boolean not null default true;
alter table contents add column attributes json not null default '{}';
alter table contents drop constraint contents_status;
alter table contents add constraint contents_status check (
    status in ('active', 'suspended', 'deleted', 'unlisted', 'friends', 'private')
) not valid;
alter table contents
    add constraint contents_visibility check (visibility in ('public', 'unlisted', 'friends', 'private')) not valid;

create table content_guests (
    content_id uuid not null references contents on delete cascade,
    user_id    uuid not null constraint content_guests_user references users on delete cascade,
    role       text not null check (role in ('tester', 'editor')),
    accepted   boolean not null,
    number     bigint not null generated always as identity,
    since      timestamptz not null default clock_timestamp(),
    primary key (content_id, user_id, role)
);
create unique index content_guests_of_user on content_guests (user_id, number);

create table guests_told (
    content_id uuid not null references contents on delete cascade,
    user_id    uuid not null references users on delete cascade,
    role       text not null,
    primary key (content_id, user_id, role)
);
create index guests_told_of_user on guests_told (user_id);
