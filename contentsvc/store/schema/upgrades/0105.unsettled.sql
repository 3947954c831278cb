-- subscribe() also says whether somebody changes the content just now.

drop function if exists subscribe(uuid, uuid, uuid, boolean, integer);
