-- If-Unmodified-Since compares with it (web/preconditions.py). Who has not changed their record since has none.

alter table users add column updated timestamptz;
