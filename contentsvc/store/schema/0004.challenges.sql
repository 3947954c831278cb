-- Design challenges.

create table challenges (
    id          uuid primary key default gen_random_uuid(),
    name        text not null,
    ordinal     integer not null,
    description text not null,
    theme       text not null,
    -- RewardDefinitions, given back as they came.
    win         json not null,
    participate json not null,
    created     timestamptz not null default now()
);
create index challenges_ordinal on challenges (ordinal, id);
