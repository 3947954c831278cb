-- Apart from 0019: writers and readers wait while these take their locks.

drop index contents_author;
drop index revisions_content;
alter table contents alter column number set not null;
