-- End the sessions of a user that were used longest ago, so that no more than `most` are left beside those that
-- are over. `begun`, which has just begun, stays. Gives the ids of the ended ones: at most 1,000, and the rest at
-- the next log-ins.
--
-- One user's log-ins come one after the other until their transactions end, so that each sees those before: in a
-- volatile function each statement sees what has been committed by then. Tokens are locked before their sessions,
-- as by those who renew.
create or replace function end_oldest_sessions(whose uuid, most integer, begun uuid) returns setof uuid
    language plpgsql volatile as $$
declare
    ended uuid[];
begin
    perform pg_advisory_xact_lock(hashtext('sessions'), hashtext(whose::text));
    ended := array(
        select b.id from (
            select s.id, s.used from sessions s
            where s.user_id = whose and s.revoked is null and s.id <> begun
              and exists (select from refresh_tokens t where t.session_id = s.id and t.expires > now())
            order by s.used desc, s.id offset most - 1
        ) b
        order by b.used, b.id limit 1000
    );
    if ended = '{}' then
        return;
    end if;
    -- Retention keeps them, and the session with the last of them, for a day after this time. An access token
    -- lives for less than two hours.
    update refresh_tokens t set expires = least(t.expires, now() - interval '22 hours')
    where t.session_id = any(ended);
    return query
        update sessions s set revoked = now() where s.id = any(ended) and s.revoked is null returning s.id;
end $$;
