-- Lists of what is public, by the latest publication.

create index if not exists contents_public_updated on contents (type, listing_id) where visibility = 'public';
