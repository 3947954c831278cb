-- subscribe() also says whether somebody changes the content just now.

drop function subscribe(uuid, uuid, uuid, boolean, integer);
