-- Several notifications of a user are stored by one statement.

comment on column notification_counters.newest is
    'The id of the newest notification; null before the first.';
comment on column notification_counters.previous is
    'The id of the notification before those that one statement stored last. They end with the '
    'newest, and know the ones before them.';
