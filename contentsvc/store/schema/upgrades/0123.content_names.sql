-- Content can be renamed. What it was called before is kept.
create table content_names (
    content_id uuid not null references contents on delete cascade,
    number     bigint not null generated always as identity,
    name       text not null,
    since      timestamptz not null,
    user_id    uuid references users on delete set null,
    primary key (content_id, number)
);
create index content_names_of_user on content_names (user_id, number) where user_id is not null;
