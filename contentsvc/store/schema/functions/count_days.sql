-- What is counted for each day of UTC (studio#statistics), in the transaction of its cause. A row for each: nobody
-- waits for another's. What is counted is not a user's, so it stays when an account goes.
create or replace function count_row() returns trigger language plpgsql as $$
begin
    insert into tallies (day, what, number)
    values ((clock_timestamp() at time zone 'UTC')::date, tg_argv[0], 1);
    return null;
end $$;

drop trigger if exists users_registered on users;
create trigger users_registered after insert on users
    for each row when (not new.guest) execute function count_row('registered');

drop trigger if exists users_guests on users;
create trigger users_guests after insert on users
    for each row when (new.guest) execute function count_row('guests');

drop trigger if exists users_full on users;
create trigger users_full after update of guest on users
    for each row when (old.guest and not new.guest) execute function count_row('registered');

drop trigger if exists users_deleted on users;
create trigger users_deleted after delete on users
    for each row execute function count_row('deleted');

drop trigger if exists contents_published on contents;
create trigger contents_published after insert on contents
    for each row execute function count_row('published');

-- The first revision is that of the publication.
drop trigger if exists revisions_revised on revisions;
create trigger revisions_revised after insert on revisions
    for each row when (new.ordinal > 1) execute function count_row('revised');

-- Comments are counted by the statement that writes them: a trigger takes 2 % of the whole.
drop trigger if exists comments_counted on comments;

drop trigger if exists messages_counted on messages;
create trigger messages_counted after insert on messages
    for each row execute function count_row('messages');

drop trigger if exists ratings_counted on ratings;
create trigger ratings_counted after insert on ratings
    for each row execute function count_row('ratings');

-- A user is active once a day, and once in a month: the session of each is stored for longer than that. The lock is
-- only tried: who has it counts the user at this moment. To wait for it could be a deadlock with one who waits for
-- this session's row.
create or replace function count_active() returns trigger language plpgsql as $$
declare
    today  constant date := (clock_timestamp() at time zone 'UTC')::date;
    midnight constant timestamptz := today::timestamp at time zone 'UTC';
    began  constant timestamptz := date_trunc('month', today::timestamp) at time zone 'UTC';
    latest timestamptz;
begin
    if tg_op = 'UPDATE' and old.used >= midnight or new.used < midnight then
        return null;
    end if;
    if not pg_try_advisory_xact_lock(1633907817, hashtext(new.user_id::text)) then
        return null;
    end if;
    -- A statement of its own: it sees what who had the lock before has committed. It is one for both, since others who
    -- did not get the lock commit meanwhile.
    select max(used) into latest from sessions where user_id = new.user_id and id <> new.id;
    if latest >= midnight then
        return null;
    end if;
    insert into tallies (day, what, number) values (today, 'active', 1);
    if (tg_op = 'INSERT' or old.used < began) and (latest >= began) is not true then
        insert into tallies (day, what, number) values (today, 'month', 1);
    end if;
    return null;
end $$;

drop trigger if exists sessions_begun on sessions;
create trigger sessions_begun after insert on sessions
    for each row execute function count_active();

drop trigger if exists sessions_renewed on sessions;
create trigger sessions_renewed after update of used on sessions
    for each row execute function count_active();
