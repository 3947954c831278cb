-- What keeps an account that is deleted from leaving anything behind (accounts#deletion; see tables/accounts.sql).

-- Nobody writes for a user who leaves: a lock as a foreign key takes.
create or replace function author_stays() returns trigger language plpgsql as $$
begin
    if (select u.id from users u where u.id = new.author_id for key share) is null then
        raise foreign_key_violation using
            message = 'There is no such author.', constraint = 'contents_author';
    end if;
    return null;
end $$;

create or replace function voter_stays() returns trigger language plpgsql as $$
begin
    if (select u.id from users u where u.id = new.user_id for key share) is null then
        raise foreign_key_violation using message = 'There is no such voter.', constraint = 'ratings_voter';
    end if;
    return null;
end $$;

drop trigger if exists contents_author on contents;
create trigger contents_author after insert on contents
    for each row execute function author_stays();

drop trigger if exists ratings_voter on ratings;
create trigger ratings_voter after insert on ratings
    for each row execute function voter_stays();

create or replace function note_departure() returns trigger language plpgsql as $$
begin
    insert into departures (user_id, name) values (old.id, sha256(convert_to(old.username_key, 'UTF8')))
    on conflict (user_id) do nothing;
    update former_names set username = '' where user_id = old.id;
    perform note_event('UserDeleted', old.id, 'user', old.id::text, null, '{}');
    return null;
end $$;

drop trigger if exists users_departed on users;
create trigger users_departed after delete on users
    for each row execute function note_departure();

-- After the insert or the update: it may have waited for one who was leaving with this name, or was getting another one.
create or replace function refuse_name() returns trigger language plpgsql as $$
begin
    -- What stands for the name of an author who has left, and the names that guests are made with.
    if new.username_key ~ '^deleted-[0-9a-f]{8}$'
       or new.username_key ~ '^guest-[a-z0-9]{8}$' and (tg_op = 'UPDATE' or not new.guest)
       or exists (
        select from departures d
        where d.name = sha256(convert_to(new.username_key, 'UTF8'))
          and d.departed > clock_timestamp() - interval '30 days'
    ) or exists (
        select from former_names f
        where f.name = sha256(convert_to(new.username_key, 'UTF8')) and f.user_id <> new.id
          and f.changed > clock_timestamp() - interval '30 days'
    ) then
        raise unique_violation using
            message = 'Another user keeps this name.', constraint = 'users_username';
    end if;
    return null;
end $$;

drop trigger if exists users_named on users;
create trigger users_named after insert on users
    for each row execute function refuse_name();

drop trigger if exists users_renamed on users;
create trigger users_renamed after update of username on users
    for each row when (new.username_key <> old.username_key) execute function refuse_name();

-- After the insert or the update: it may have waited for one who was leaving with this address.
create or replace function refuse_address() returns trigger language plpgsql as $$
begin
    if exists (
        select from departures d
        where d.email = sha256(convert_to(new.email_key, 'UTF8'))
          and d.departed > clock_timestamp() - interval '30 days'
    ) then
        raise unique_violation using
            message = 'A user who was deleted keeps this address.', constraint = 'users_email';
    end if;
    return null;
end $$;

drop trigger if exists users_addressed on users;
create trigger users_addressed after insert on users
    for each row when (new.email_key is not null) execute function refuse_address();

drop trigger if exists users_readdressed on users;
create trigger users_readdressed after update of email on users
    for each row when (new.email_key is distinct from old.email_key and new.email_key is not null)
    execute function refuse_address();
