-- 0010 has one that begins with the same column. This is apart from it: writers wait while an index is
-- built, and readers too where one is dropped.

drop index comments_author;
