-- See 0021.

alter table contents drop constraint contents_listing_id_key;
