-- Seconds until a user may send one more, 0 if now. One user's come one after the other until their transactions end,
-- so that each counts those before: in a volatile function each statement sees what has been committed by then, and
-- the lock is one of the limits in the order of locks.
create or replace function messages_wait(author uuid, most integer, span interval) returns integer
    language plpgsql volatile as $$
declare
    moment timestamptz;
begin
    perform pg_advisory_xact_lock(hashtext('messages'), hashtext(author::text));
    moment := (
        select m.created from messages m where m.sender = author
        order by m.number desc offset most - 1 limit 1
    );
    return seconds_left(moment, span);
end $$;

-- Sends messages, one after the other: each is stored and told in a transaction of its own, which locks no
-- more than one pair and one counter. So a process makes one call for all messages that come at once.
--
-- All but the last commit wait for no disk. The last one waits for what they have written too, and only then
-- is anybody answered or pushed anything. The answer is a JSON array, with an array for each message that was
-- not refused: n, wait, pair, seq, id, created, previous. `wait` is the seconds until the sender may send one
-- more. There is a pair if the message is stored, and the rest if its recipient is told. Nothing of a message
-- that was there already is in the answer.
--
-- The call ends with the first message that has an error: another one might wait as long for a lock. The last
-- element of the answer is then an object: n, the error's code, the name of a constraint, and the reason.
create or replace procedure send_messages(
    senders uuid[], others uuid[], ids uuid[], texts text[], datas text[], most integer[], spans integer[],
    inout answer text
)
    language plpgsql as $$
declare
    calls constant integer := cardinality(senders);
    rows text[] := '{}';
    owing boolean := false;
    broken text;
    lesser_id uuid;
    greater_id uuid;
    pair_number bigint;
    wait integer;
    message_number bigint;
    told told;
begin
    for n in 1..calls loop
        if n > 1 then
            commit;
        end if;
        if n < calls then
            perform set_config('synchronous_commit', 'off', true);
        end if;
        begin
            lesser_id := least(senders[n], others[n]);
            greater_id := greatest(senders[n], others[n]);
            select p.number into pair_number from pairs p
            where p.lesser = lesser_id and p.greater = greater_id
              and p.friends is not null and p.lesser_blocks is null and p.greater_blocks is null
            for no key update;
            continue when not found;
            if most[n] > 0 then
                wait := messages_wait(senders[n], most[n], make_interval(secs => spans[n]));
                if wait > 0 then
                    rows := rows || json_build_array(n, wait, null, null, null, null, null)::text;
                    continue;
                end if;
            end if;
            insert into messages as m (pair, sender, id, text)
            values (pair_number, senders[n], ids[n], texts[n])
            on conflict do nothing
            returning m.number into message_number;
            continue when not found;
            insert into conversations as c (pair, lesser, greater, newest)
            values (pair_number, lesser_id, greater_id, message_number)
            on conflict (pair) do update set newest = excluded.newest;
            told := tell(others[n], 'FriendMessage', datas[n]);
        exception when integrity_constraint_violation or data_exception
                or lock_not_available or deadlock_detected then
            get stacked diagnostics broken = constraint_name;
            rows := rows || json_build_object('n', n, 'code', sqlstate, 'name', broken, 'reason', sqlerrm)::text;
            exit;
        end;
        rows := rows || json_build_array(
            n, 0, pair_number, told.seq, told.id, told.created, told.previous
        )::text;
        owing := n < calls;
    end loop;
    if owing then
        -- The last message has written nothing, so that its commit would not wait for the disk.
        commit;
        perform keep_commits();
    end if;
    answer := '[' || array_to_string(rows, ',') || ']';
end $$;
