-- Puts a task for each webhook that is to get some of the events after a number, and has none yet. The caller holds the
-- row of event_numbers, as does whoever ends such a task or changes a webhook: so none is left without one.
create or replace function wake_webhooks(after bigint) returns void
    language sql volatile as $$
        insert into tasks (queue, kind, task, topic)
        select 'DeliverWebhook', 'DeliverWebhook',
               json_build_object('kind', 'DeliverWebhook', 'webhook', w.id)::text, 'webhook ' || w.id
        from webhooks w
        where w.enabled and w.secret is not null
          and not exists (select from tasks t where t.topic = 'webhook ' || w.id)
          and exists (
              select from events e where e.number > after and (w.kinds is null or e.kind = any(w.kinds))
          )
    $$;
