-- Lists of all content, by age and by the latest publication. Apart from 0025: writers wait while
-- these are built.

create index contents_newest on contents (type, number);
create index contents_updated on contents (type, listing_id);
