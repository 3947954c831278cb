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
           'user' || i || '@example.com', '-',
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
    create temp table uploaded as
        select u, 100000 + f as size,
               left(digest, 2) || '/' || digest
               || case when f %% %(published)s + %(pictures)s < %(published)s
                       then '' else '.png' end as path
        from generate_series(%(first_writer)s,
                             least(%(first_writer)s + %(writers)s, %(users)s) - 1) as u,
             generate_series(0, %(files)s - 1) as f,
             lateral (select encode(sha256(('file ' || u || ' ' || f)::bytea), 'hex') as digest) d;
    insert into files (path, size, stored, scaled, due)
    select path, size, true, false, '2100-01-01' from uploaded;
    insert into user_files (user_id, path, size, sent, due)
    select md5('user ' || u)::uuid, path, size, true, '2100-01-01' from uploaded;
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
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0
"""
FRIENDS = """
    insert into pairs (lesser, greater, friends, friends_since)
    select least(one, other), greatest(one, other), nextval('pair_numbers'), %(moment)s
    from generate_series(0, %(regulars)s - 1) as u, generate_series(0, %(friends)s - 1) as k,
         lateral (select md5('user ' || u)::uuid as one,
                         md5('user ' || %(first_writer)s
                             + (u * 131 + k) %% (%(users)s - %(first_writer)s))::uuid as other) p
"""
