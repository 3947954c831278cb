-- Who changes notifications or ends sessions, and tells nobody afterwards, tells of it here, in the same transaction.
-- A daemon's connections set `contentsvc.tells`: inside their transactions, NOTIFY would put all commits into one line.
create or replace function tell_untold() returns trigger
    language plpgsql as $$
begin
    perform pg_notify('contentsvc', '{"o":"","d":true}');
    return null;
end $$;

drop trigger if exists notification_counters_untold on notification_counters;
create trigger notification_counters_untold after insert or update or delete or truncate on notification_counters
    for each statement when (current_setting('contentsvc.tells', true) is distinct from 'on')
    execute function tell_untold();

drop trigger if exists sessions_untold on sessions;
create trigger sessions_untold after update of revoked on sessions
    for each statement when (current_setting('contentsvc.tells', true) is distinct from 'on')
    execute function tell_untold();

drop trigger if exists ended_grants_untold on ended_grants;
create trigger ended_grants_untold after insert on ended_grants
    for each statement when (current_setting('contentsvc.tells', true) is distinct from 'on')
    execute function tell_untold();
