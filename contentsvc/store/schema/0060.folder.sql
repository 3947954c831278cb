-- The folder where the files lie, with the setting `local`: it has this id too. So a folder without it is a mount
-- point without its disk, or another folder. No row: no folder was ever prepared for this database.
create table file_folder (
    one     boolean primary key default true check (one),
    id      uuid not null,
    created timestamptz not null default now()
);
