-- What a user's files are in all.
create or replace function tally_storage() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into storage as s (user_id, used, pending)
        select user_id, sum(size), count(*) filter (where not sent) from came
        group by user_id
        order by user_id
        on conflict (user_id) do update
        set used = s.used + excluded.used, pending = s.pending + excluded.pending;
    elsif tg_op = 'DELETE' then
        update storage s set used = s.used - d.used, pending = s.pending - d.pending
        from (
            select user_id, sum(size) as used, count(*) filter (where not sent) as pending
            from gone group by user_id
        ) d
        where s.user_id = d.user_id;
    else
        update storage s set used = s.used + d.used, pending = s.pending + d.pending
        from (
            select user_id, sum(used) as used, sum(pending) as pending from (
                select user_id, size as used, (not sent)::integer as pending from came
                union all select user_id, -size, -(not sent)::integer from gone
            ) changed
            group by user_id having sum(used) <> 0 or sum(pending) <> 0
        ) d
        where s.user_id = d.user_id;
    end if;
    return null;
end $$;

drop trigger if exists user_files_came on user_files;
create trigger user_files_came after insert on user_files
    referencing new table as came for each statement execute function tally_storage();

drop trigger if exists user_files_gone on user_files;
create trigger user_files_gone after delete on user_files
    referencing old table as gone for each statement execute function tally_storage();

drop trigger if exists user_files_changed on user_files;
create trigger user_files_changed after update on user_files
    referencing old table as gone new table as came
    for each statement execute function tally_storage();
