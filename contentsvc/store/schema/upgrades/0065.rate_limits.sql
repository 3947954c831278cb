-- All limits count rows of one table. What still counts is moved there, so that nobody is forgiven anything.

drop function if exists rate_limit(text, uuid, integer, interval);
alter table rate_limits drop column moment, add column account uuid;

insert into rate_limits (name, subject, expires)
select made.name, made.subject, made.moment + made.span from (
    select 'follows', follower, created, interval '1 day' from follows
    union all
    select 'follows', follower, created, '1 day' from unfollows
    union all
    select 'friend_requests', asker, created, '1 day' from friend_asks
    union all
    select 'publications', publisher_id, created, '1 day' from revisions where publisher_id is not null
    union all
    select 'reports', reporter, created, '1 day' from reports where not repeats
    union all
    select 'comments', author_id, created, '1 minute' from comments
    union all
    select 'messages', sender, created, '1 minute' from messages
    union all
    select case when purpose in ('confirm', 'change') then 'confirmations'
                when purpose in ('linked', 'unlinked') then 'links'
                else 'resets' end,
           user_id, created, '1 hour'
    from mails where user_id is not null and purpose <> 'changed'
) made (name, subject, moment, span)
where made.moment > now() - made.span and made.moment < now() + interval '1 minute';

-- Of an account from an address 10 count, and all of an address, where the account is the nil GUID. What stands for
-- the two is as in contentsvc/store/accounts/log_in_attempts.py.
insert into rate_limits (name, subject, expires, account)
select 'log_ins', left(encode(sha256(convert_to(account::text || address::text, 'UTF8')), 'hex'), 32)::uuid,
       since + interval '15 minutes', account
from failed_log_ins cross join lateral generate_series(1, least(failures, 10))
where since > now() - interval '15 minutes' and since < now() + interval '1 minute'
  and account <> '00000000-0000-0000-0000-000000000000'
union all
select 'log_ins_of_address', address, since + interval '15 minutes', null
from failed_log_ins cross join lateral generate_series(1, failures)
where since > now() - interval '15 minutes' and since < now() + interval '1 minute'
  and account = '00000000-0000-0000-0000-000000000000';

create index rate_limits_subject on rate_limits (subject, name, expires);
create index rate_limits_account on rate_limits (account) where account is not null;
create index if not exists rate_limits_expires on rate_limits (expires);

drop table unfollows, friend_asks, failed_log_ins;
drop index if exists messages_sender_number, reports_reporter;
drop function
    follows_wait(uuid, uuid, integer, interval), friend_asks_wait(uuid, integer, interval),
    publications_wait(uuid, integer, interval), comments_wait(uuid, integer, interval),
    messages_wait(uuid, integer, interval), reports_wait(uuid, integer, interval);
drop procedure
    write_comments(uuid[], uuid[], boolean[], bigint[], text[], integer[], integer[], text),
    send_messages(uuid[], uuid[], uuid[], text[], text[], integer[], integer[], text);
drop function file_reports(
    text[], text[], uuid[], uuid[], text[], text[], text[], text[], integer[], integer[]
);
