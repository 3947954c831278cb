-- An index that has the content's id too, to take the place of the primary key.

create unique index if not exists content_ranks_next on content_ranks (number)
    include (top, trending, listing_id, played, subscribed, content_id);
