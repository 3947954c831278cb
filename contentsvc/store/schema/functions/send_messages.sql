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
    senders uuid[], others uuid[], ids uuid[], texts text[], datas text[], most integer[], span interval,
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
    notified notified;
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
                -- The pair's lock keeps another one with this id away.
                continue when exists (
                    select from messages m
                    where m.pair = pair_number and m.sender = senders[n] and m.id = ids[n]
                );
                wait := rate_limit('messages', senders[n], most[n], span);
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
            notified := notify_user(others[n], 'FriendMessage', datas[n]);
        exception when integrity_constraint_violation or data_exception
                or lock_not_available or deadlock_detected then
            get stacked diagnostics broken = constraint_name;
            rows := rows || json_build_object('n', n, 'code', sqlstate, 'name', broken, 'reason', sqlerrm)::text;
            exit;
        end;
        rows := rows || json_build_array(
            n, 0, pair_number, notified.seq, notified.id, notified.created, notified.previous
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
