-- It does so, at once.

alter table content_ranks
    drop constraint content_ranks_number,
    add constraint content_ranks_number primary key using index content_ranks_next;
