-- Comments, messages and subscriptions are written, and sessions ended, by statements of the service.

drop procedure if exists
    write_comments(uuid[], uuid[], boolean[], bigint[], text[], uuid[], integer[], interval, text),
    write_comments(uuid[], uuid[], boolean[], bigint[], text[], integer[], interval, text),
    send_messages(uuid[], uuid[], uuid[], text[], text[], integer[], interval, text);
drop function if exists
    write_comment(uuid, uuid, boolean, bigint, text, uuid, integer, interval),
    write_comment(uuid, uuid, boolean, bigint, text, integer, interval),
    subscribe(uuid, uuid, uuid, boolean, integer),
    end_oldest_sessions(uuid, integer, uuid);
