-- Nothing changes or deletes what admins did.
create or replace function keep_actions() returns trigger
    language plpgsql as $$
begin
    raise exception 'Nothing changes or deletes what admins did.';
end $$;

drop trigger if exists moderation_actions_kept on moderation_actions;
create trigger moderation_actions_kept before update or delete or truncate on moderation_actions
    for each statement execute function keep_actions();
