-- Rows of the outbox about one thing are worked off one after the other: who is told that a content is
-- suspended, and then that it is active, must hear of it in this order.

alter table outbox add column topic text;
create index outbox_topic on outbox (topic, id) where topic is not null;
