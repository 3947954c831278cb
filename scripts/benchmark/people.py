"""The data set's users and what they do, in SQL."""

# Some beginnings are far more frequent than others, as among real names; a number is appended
# where a name is taken.
SYLLABLES = """
    select set_config('bench.syllables', array_agg(s order by md5(s))::text, false)
    from unnest(string_to_array('b,d,f,g,h,j,k,l,m,n,p,r,s,t,v,w,z,ch,st,tr', ',')) as onset,
         unnest(string_to_array('a,e,i,o,u,y', ',')) as vowel,
         unnest(string_to_array(',n,r,s', ',')) as coda,
         lateral (select onset || vowel || coda as s) as syllable
"""
USERS = """
    with syllables as (
        select current_setting('bench.syllables')::text[] as of
    ), names as materialized (
        select i,
               syllables.of[1 + floor(480 * power(random(), 1.5))::integer]
               || syllables.of[1 + floor(480 * random())::integer]
               || case when random() < 0.7
                       then syllables.of[1 + floor(480 * random())::integer] else '' end
               || case when random() < 0.15
                       then syllables.of[1 + floor(480 * random())::integer] else '' end
               || case when random() < 0.3 then floor(random() * 100)::text else '' end as name
        from syllables, generate_series(0, %(users)s - 1) as i
    ), numbered as (
        select i, name, row_number() over (partition by name order by i) as nth from names
    )
    insert into users (id, username, email, password_hash, avatar, emblem, full_profile,
                       public_profile, created)
    select md5('user ' || i)::uuid,
           case when i %% 3 = 0 then initcap(name) else name end
           || case when nth > 1 then '_' || nth else '' end,
           'user' || i || '@example.com',
           case when i between %(first_writer)s and %(first_writer)s + %(writers)s - 1
                then %(password_hash)s else '-' end,
           case when i %% 2 = 0 then 'avatars/' || md5(i::text) || '.png' end,
           case when i %% 3 = 0 then md5('emblem ' || i %% 500)::uuid end,
           case when i %% 2 = 0 then 'Builds towers, races marbles, and lives near ' || name end,
           case when i %% 4 = 0 then 'Builds towers and races marbles' end,
           %(moment)s - make_interval(secs => random() * 1e8)
    from numbered order by i
"""
NOTIFICATIONS = """
    insert into notifications (user_id, seq, id, kind, data, created, read)
    select md5('user ' || u)::uuid, seq, numbered_id(seq, gen_random_uuid()), kind,
           case kind
               when 'Debug' then '{"kind":"Debug","text":"Number ' || seq || '"}'
               when 'FriendMessage' then '{"kind":"FriendMessage","sender":"' || sender
                                         || '","text":"Nineteen floors, then a gust"}'
               else '{"kind":"FriendRequest","sender":"' || sender || '"}' end,
           %(moment)s - make_interval(secs => (1000 - seq) * 1000), seq %% 3 = 0
    from (
        select u, seq from generate_series(1, %(notified)s) as seq,
                           generate_series(0, %(regulars)s - 1) as u
        union all
        select %(regulars)s + m %% %(others)s, m / %(others)s + 1
        from generate_series(0, %(notifications)s - %(regulars)s * %(notified)s - 1) as m
    ) as made (u, seq),
    lateral (select (array['FriendRequest', 'FriendMessage', 'Debug'])[1 + (u + seq) %% 3] as kind,
                    md5('user ' || (u + seq * 7) %% %(users)s)::uuid as sender) as said;
    insert into notification_counters (user_id, seq, unread, newest)
    select user_id, max(seq), count(*) filter (where not read),
           (array_agg(id order by seq desc))[1]
    from notifications group by 1
"""
# Their bytes are there, as far as the database knows. They have been announced lately, as clients
# do before they publish; `due` is far away, so that nothing lapses. Nobody makes smaller images of
# what is not there.
FILES = """
    insert into files (path, size, stored, due)
    select left(digest, 2) || '/' || digest
           || case when f %% %(published)s >= %(published)s - %(pictures)s then '.png' else '' end,
           100000 + f, true, '2100-01-01'
    from generate_series(%(first_writer)s,
                         least(%(first_writer)s + %(writers)s, %(users)s) - 1) as u,
         generate_series(0, %(files)s - 1) as f,
         lateral (select encode(sha256(('file ' || u || ' ' || f)::bytea), 'hex') as digest) as it;
    do $$ begin
        if exists (
            select from pg_attribute where attrelid = 'files'::regclass and attname = 'scaled'
        ) then
            update files set scaled = false;
        end if;
    end $$;
    insert into user_files (user_id, path, size, sent, due)
    select md5('user ' || u)::uuid, path, size, true, '2100-01-01'
    from generate_series(%(first_writer)s,
                         least(%(first_writer)s + %(writers)s, %(users)s) - 1) as u,
         generate_series(0, %(files)s - 1) as f,
         lateral (select encode(sha256(('file ' || u || ' ' || f)::bytea), 'hex') as digest) as it
         join files on path in (left(digest, 2) || '/' || digest,
                                left(digest, 2) || '/' || digest || '.png');
    insert into storage (user_id, used, pending)
    select user_id, sum(size), 0 from user_files group by 1
"""
REST = """
    insert into follows (follower, followed)
    select md5('user ' || u)::uuid, md5('user ' || (u * 31 + 7) %% %(users)s)::uuid
    from generate_series(0::bigint, %(users)s - 1) as u
    where u %% 2 = 0 and (u * 31 + 7) %% %(users)s <> %(star)s
    union all
    select md5('user ' || u)::uuid, md5('user ' || %(star)s)::uuid
    from generate_series(%(users)s - %(followers)s, %(users)s - 1) as u;
    insert into party_invites (sender, recipient, party, answer, changed)
    select md5('user ' || u)::uuid, md5('user ' || (u * 37 + 8) %% %(users)s)::uuid,
           md5('party ' || u)::uuid, (array['accept', 'decline', null])[1 + u %% 3], %(moment)s
    from generate_series(0::bigint, %(users)s - 1) as u where u %% 5 = 0;
    insert into progress (user_id, key, value, written, size)
    select md5('user ' || u)::uuid, 'save-' || n, value, %(moment)s, octet_length(value::text)
    from generate_series(0, %(users)s - 1) as u, generate_series(1, 3) as n,
         lateral (select json_build_object('level', n, 'coins', u %% 1000) as value) as made
    where u %% 5 = 0;
    insert into progress_usage (user_id, keys, bytes)
    select user_id, count(*), sum(size) from progress group by 1;
    insert into progress_deleted (user_id, key, version, deleted)
    select md5('user ' || u)::uuid, 'old', 2, %(moment)s
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0;
    insert into sessions (id, user_id, created, used, revoked)
    select md5('log-in ' || u)::uuid, md5('user ' || u)::uuid, %(moment)s, %(moment)s,
           case when u %% 50 = 0 then %(moment)s end
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0;
    insert into refresh_tokens (hash, session_id, expires)
    select decode(md5('refresh ' || u), 'hex'), md5('log-in ' || u)::uuid, %(moment)s + '1 year'
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0;
    insert into bans (user_id, reason)
    select md5('user ' || u)::uuid, 'Asked players for their passwords.'
    from generate_series(%(regulars)s + %(authors)s, %(users)s - 1) as u where u %% 1000 = 999
"""
FRIENDS = """
    insert into pairs (lesser, greater, friends, friends_since)
    select least(one, other), greatest(one, other), nextval('pair_numbers'), %(moment)s
    from generate_series(0, %(regulars)s - 1) as u, generate_series(0, %(friends)s - 1) as k,
         lateral (select md5('user ' || u)::uuid as one,
                         md5('user ' || %(first_writer)s
                             + (u * 131 + k) %% (%(users)s - %(first_writer)s))::uuid as other) p
"""
# All are open. A few subjects have most of them.
REPORTS = """
    create temp table reported as
        select n, s, (array['content', 'comment', 'user'])[1 + s %% 3] as kind,
               (array['spam', 'abuse', 'sexual', 'violence', 'copyright', 'cheating',
                      'other'])[1 + (n::bigint * n + s) %% 7] as reason
        from generate_series(1, %(reports)s) as n,
             lateral (select 1 + floor(power((n - 1)::float8 / %(reports)s, 2)
                                       * (%(reports)s / 4))::bigint as s) as subject;
    insert into report_subjects (number, kind, id, content_id, reports, reasons, oldest, newest)
    overriding system value
    select s, kind,
           case kind when 'content' then md5('content ' || s %% %(contents)s)::uuid::text
                     when 'comment' then (1 + s %% %(comments)s)::text
                     else md5('user ' || s %% %(users)s)::uuid::text end,
           case kind when 'comment' then
               (select content_id from comments where id = 1 + s %% %(comments)s) end,
           sum(reports), jsonb_object_agg(reason, reports), min(oldest), max(newest)
    from (select s, kind, reason, count(*) as reports, min(n) as oldest, max(n) as newest
          from reported group by 1, 2, 3) as r
    group by s, kind;
    insert into report_evidence (subject, digest, evidence)
    select number, sha256(convert_to(evidence, 'UTF8')), evidence
    from report_subjects, lateral (select '{"text":"As it was: ' || number || '"}' as evidence) e;
    insert into reports (number, subject, reporter, reason, text, digest, created)
    overriding system value
    select n, s, md5('user ' || n %% %(users)s)::uuid, reason, 'Please look at this.', digest,
           %(moment)s - make_interval(secs => %(reports)s - n)
    from reported join report_evidence on subject = s;
    insert into report_queue (subject, reason, kind, reports, newest)
    select number, '', kind, reports, newest from report_subjects
    union all
    select number, jsonb_object_keys(reasons), kind, reports, newest from report_subjects;
    select setval(pg_get_serial_sequence('report_subjects', 'number'), max(number))
    from report_subjects;
    select setval(pg_get_serial_sequence('reports', 'number'), %(reports)s);
    drop table reported
"""
