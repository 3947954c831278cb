-- An operator who deletes a user can keep the address, as the name is kept: nobody else gets it for 30 days. A digest
-- is enough for that.

alter table departures
    -- The SHA-256 of the address in lower case, if it is kept.
    add column email bytea;
create index departures_email on departures (email) where email is not null;

-- After the insert or the update: it may have waited for one who was leaving with this address.
create function refuse_address() returns trigger language plpgsql as $$
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
create trigger users_addressed after insert on users
    for each row when (new.email_key is not null) execute function refuse_address();
create trigger users_readdressed after update of email on users
    for each row when (new.email_key is distinct from old.email_key and new.email_key is not null)
    execute function refuse_address();
