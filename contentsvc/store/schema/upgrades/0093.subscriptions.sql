-- The content that a user keeps, and when they were last told of a new revision of it.

create table subscriptions (
    user_id    uuid not null constraint subscriptions_user references users on delete cascade,
    content_id uuid not null,
    pin        uuid,
    since      timestamptz not null default clock_timestamp(),
    number     bigint not null generated always as identity,
    primary key (user_id, content_id)
);
create index subscriptions_of_user on subscriptions (user_id, number);
create index subscriptions_of_content on subscriptions (content_id, number);

create table subscription_tellings (
    content_id uuid not null,
    user_id    uuid not null,
    told       timestamptz not null,
    primary key (content_id, user_id)
);
create index subscription_tellings_told on subscription_tellings (told);
