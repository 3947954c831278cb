-- Comments: blocks that keep from them, and who is told (extensions §4). As functions: a statement with all of it would
-- take half as long again, since it prepares for each part also where nobody is told.

-- Appends a comment, and tells of it. There is a row for each user who might be told, and at least one; none if the
-- writer cannot see the content. Without a comment, it was refused: `blocked`; or `wait`, in seconds, is above 0; or
-- the comments are locked. `most` is 0 for no limit. Locks are taken in the order of all: pairs, content, limits,
-- counters.
--
-- The writer's comment on the content with this `write_id`, a tombstone too, is given again, and nothing is written or
-- told. What another transaction writes at the same time violates comments_write_id; it is there the next time.
--
-- A reply to a comment that the content does not have locks and writes nothing, and is no error, which would end the
-- call of all that travel with it. `blocked` is null then. It is judged last.
create or replace function write_comment(
    content uuid, writer uuid, moderate boolean, parent bigint, body text, write_id uuid, most integer, span interval
) returns table (comment bigint, blocked boolean, wait integer, notified notified)
    language plpgsql volatile as $$
declare
    owner     uuid;
    answered  uuid;
    known     boolean := true;
    nearer    uuid;
    farther   uuid;
    number    integer;
    moment    timestamptz;
    active    boolean;
    commented uuid;
    replied   uuid;
    members   text;
begin
    select c.author_id into owner from contents c
    where c.id = content and visible(
        case when c.author_id = any(array(select d.user_id from departures d where d.pending)) then 'deleted'
             else c.status end,
        c.id, c.author_id, writer, moderate
    );
    if not found then
        return;
    end if;
    blocked := false;
    wait := 0;
    if write_id is not null then
        select m.id into comment from comments m
        where m.author_id = writer and m.content_id = content and m.write_id = write_comment.write_id;
        if found then
            -- Whoever wrote it may not have waited for the disk yet.
            perform keep_commits();
            return next;
            return;
        end if;
    end if;
    if parent is not null then
        select p.author_id into answered from comments p
        where p.content_id = content and p.id = parent;
        known := found;
    end if;

    -- The pairs, which may be the same, in one order for all writers.
    nearer := least(nullif(owner, writer), nullif(answered, writer));
    farther := greatest(nullif(owner, writer), nullif(answered, writer));
    if nearer is not null then
        blocked := pair_blocked(writer, nearer);
        if not blocked and farther <> nearer then
            blocked := pair_blocked(writer, farther);
        end if;
        if blocked then
            return next;
            return;
        end if;
    end if;

    -- A parent that is committed from now on counts as unknown too: nobody was asked whether its author has
    -- blocked the writer.
    if not known then
        if exists (
            select from contents c
            where c.id = content and visible(c.status, c.id, c.author_id, writer, moderate)
              and not c.comments_locked
        ) then
            blocked := null;
        end if;
        return next;
        return;
    end if;

    if most > 0 then
        perform from contents c
        where c.id = content and visible(c.status, c.id, c.author_id, writer, moderate)
          and not c.comments_locked
        for no key update;
        if found then
            wait := rate_limit('comments', writer, most, span);
            if wait > 0 then
                return next;
                return;
            end if;
        end if;
    end if;
    -- The time is taken under the row's lock, so that times and ordinals have the same order.
    update contents c set comments = c.comments + 1, live_comments = c.live_comments + 1
    where c.id = content and visible(c.status, c.id, c.author_id, writer, moderate)
      and not c.comments_locked
    returning c.comments, clock_timestamp(), c.status = 'active' into number, moment, active;
    if not found then
        return next;
        return;
    end if;
    -- A lock as a foreign key takes: nobody writes who leaves (leave.sql). A trigger would take 3 % of the whole.
    insert into comments as m (content_id, ordinal, parent_id, author_id, body, created, updated, write_id)
    select content, number, parent, u.id, body, moment, moment, write_comment.write_id
    from (select u.id from users u where u.id = writer for key share) u
    returning m.id into comment;
    if not found then
        raise foreign_key_violation using message = 'There is no such author.', constraint = 'comments_author';
    end if;
    insert into tallies (day, what, number) values ((moment at time zone 'UTC')::date, 'comments', 1);
    if notes_events() then
        insert into new_events (kind, actor, subject_kind, subject, content_id, data)
        values ('CommentPosted', writer, 'comment', comment, content, '{}');
    end if;

    if nearer is null then
        return next;
        return;
    end if;
    if parent is not null then
        -- Whoever deletes a comment locks the content too, so the parent stays what it is now.
        if (select p.deleted from comments p where p.id = parent) then
            return next;
            return;
        end if;
        if answered <> writer and (
            active or answered = owner or shown_to(content, answered)
            -- Who has `moderate`.
            or (select u.role in ('moderator', 'admin') from users u where u.id = answered)
        ) then
            replied := answered;
        end if;
    end if;
    commented := case when owner <> writer and owner is distinct from answered then owner end;
    if commented is null and replied is null then
        return next;
        return;
    end if;
    members := '"sender":"' || writer || '","content":"' || content || '","comment":' || comment;
    -- In the order of user ids.
    while commented is not null or replied is not null loop
        if replied is null or commented < replied then
            notified := notify_user(
                commented, 'CommentOnContent', '{"kind":"CommentOnContent",' || members || '}'
            );
            commented := null;
        else
            notified := notify_user(replied, 'CommentReply', '{"kind":"CommentReply",' || members || '}');
            replied := null;
        end if;
        return next;
    end loop;
end $$;

-- Writes comments, one after the other, each in a transaction of its own: see send_messages. A row of the answer: n,
-- comment, blocked, wait, and of what is told user_id, seq, id, created, read, data, previous. It waits for the disk
-- once more where any comment was written but the last, whatever the last one is answered.
create or replace procedure write_comments(
    contents uuid[], writers uuid[], moderate boolean[], parents bigint[], bodies text[],
    write_ids uuid[], most integer[], span interval, inout answer text
)
    language plpgsql as $$
declare
    calls constant integer := cardinality(contents);
    rows text[] := '{}';
    owing boolean := false;
    made text;
    written boolean;
    broken text;
begin
    for n in 1..calls loop
        if n > 1 then
            commit;
        end if;
        if n < calls then
            perform set_config('synchronous_commit', 'off', true);
        end if;
        begin
            select string_agg(
                json_build_array(
                    n, w.comment, w.blocked, w.wait, (w.notified).user_id, (w.notified).seq, (w.notified).id,
                    (w.notified).created, false, (w.notified).data, (w.notified).previous
                )::text, ','
            ), bool_or(w.comment is not null) into made, written
            from write_comment(
                contents[n], writers[n], moderate[n], parents[n], bodies[n],
                write_ids[n], most[n], span
            ) w;
        exception when integrity_constraint_violation or data_exception
                or lock_not_available or deadlock_detected then
            get stacked diagnostics broken = constraint_name;
            rows := rows || json_build_object('n', n, 'code', sqlstate, 'name', broken, 'reason', sqlerrm)::text;
            exit;
        end;
        if made is not null then
            rows := rows || made;
        end if;
        if written then
            owing := n < calls;
        end if;
    end loop;
    if owing then
        commit;
        perform keep_commits();
    end if;
    answer := '[' || array_to_string(rows, ',') || ']';
end $$;

-- The same without `write_id`, for daemons of a release that has none, which may run beside this one.
create or replace function write_comment(
    content uuid, writer uuid, moderate boolean, parent bigint, body text, most integer, span interval
) returns table (comment bigint, blocked boolean, wait integer, notified notified)
    language plpgsql volatile as $$
begin
    return query select * from write_comment(content, writer, moderate, parent, body, null, most, span);
end $$;

create or replace procedure write_comments(
    contents uuid[], writers uuid[], moderate boolean[], parents bigint[], bodies text[],
    most integer[], span interval, inout answer text
)
    language plpgsql as $$
begin
    call write_comments(
        contents, writers, moderate, parents, bodies, array_fill(null::uuid, array[cardinality(contents)]),
        most, span, answer
    );
end $$;
