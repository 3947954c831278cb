-- Ids of before keep their index, which new ones do not need.
alter table notifications drop constraint notifications_user_id_id_key, set (fillfactor = 95);
create unique index notifications_unnumbered on notifications (user_id, id)
    where ('x' || left(id::text, 8))::bit(32)::bigint <> seq;
