-- Whether events are written: a daemon's sessions set this where the option is off.
create or replace function notes_events() returns boolean
    language sql stable parallel safe
    as $$ select current_setting('contentsvc.events', true) is distinct from 'off' $$;

-- Writes an event, in the transaction of its cause. It has no number until that has committed.
create or replace function note_event(
    kind text, actor uuid, subject_kind text, subject text, content uuid, data text
) returns void
    language sql volatile as $$
        insert into new_events (kind, actor, subject_kind, subject, content_id, data)
        select kind, actor, subject_kind, subject, content, data where notes_events()
    $$;

-- Accounts begin and end in several ways, of which each is a row of users.
create or replace function note_registration() returns trigger language plpgsql as $$
begin
    perform note_event(
        'UserRegistered', new.id, 'user', new.id::text, null, json_build_object('guest', new.guest)::text
    );
    return null;
end $$;

drop trigger if exists users_noted on users;
create trigger users_noted after insert on users
    for each row execute function note_registration();

create or replace function note_full_account() returns trigger language plpgsql as $$
begin
    perform note_event('GuestBecameUser', new.id, 'user', new.id::text, null, '{}');
    return null;
end $$;

drop trigger if exists users_full_noted on users;
create trigger users_full_noted after update of guest on users
    for each row when (old.guest and not new.guest) execute function note_full_account();
