-- What somebody deleted by hand from the old end of a log counts as deleted by retention. Apart from
-- 0011, whose lock on the counters nobody should wait for while all notifications are looked through.

-- The numbers are those of one snapshot: a notification that is stored meanwhile has not gone.
with gone as materialized (
    select c.user_id, coalesce(
        (select min(n.seq) from notifications n where n.user_id = c.user_id), c.seq + 1
    ) - 1 as upto
    from notification_counters c
    where c.seq > 0 and not exists (
        select from notifications n where n.user_id = c.user_id and n.seq = 1
    )
)
update notification_counters c set trimmed = greatest(c.trimmed, gone.upto)
from gone where c.user_id = gone.user_id;
