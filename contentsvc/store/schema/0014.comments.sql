-- 0010 has one that begins with the same column. Apart from it, for what builds an index keeps writers
-- waiting, and what drops one keeps readers waiting too.

drop index comments_author;
