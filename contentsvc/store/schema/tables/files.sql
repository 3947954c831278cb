-- Files: the bytes behind the service's own paths (files#files).

create table files (
    -- ab/abcdef… of the digest, with .png, .jpg or .webp in the media bucket.
    path       text collate "C" constraint files_path primary key,
    -- In bytes; null until the bytes were there. Before, a length is only announced.
    size       bigint,
    -- Whether the bytes are there, as far as is known.
    stored     boolean not null default false,
    -- An image that is none, is not of its type, is too large, or has metadata.
    invalid    boolean not null default false,
    -- When to look whether nobody needs it any more: a day after the last POST /uploads that named it. Null if somebody
    -- needed it at that look; then whoever gives it up sets the time again.
    due        timestamptz default now() + interval '24 hours',
    -- Its bytes are being deleted, and its row goes with them. A task does that, which names the file.
    collecting boolean not null default false,
    -- Whether an image has its smaller ones: false if none can be made of it, null until that was tried since its bytes
    -- came.
    scaled     boolean,
    -- It is invalid because it has metadata, which the service refused when it came (`image_metadata`).
    metadata   boolean not null default false
);
create index files_due on files (due) where due is not null and not collecting;
create index files_unscaled on files (path)
    where stored and scaled is null and not invalid and not collecting and position('.' in path) > 0;

-- The row that is locked by whatever changes the files of a user, first. The two sums are those of the user's rows in
-- user_files, kept by its triggers.
create table storage (
    user_id uuid primary key references users on delete cascade,
    -- Bytes announced, stored or claimed.
    used    bigint not null default 0,
    -- Files without bytes from this user.
    pending integer not null default 0
);

-- The files that a user has announced, or that content of theirs has brought: each counts once.
create table user_files (
    user_id uuid not null,
    path    text collate "C" not null references files,
    -- In bytes: as announced, and as it is once that is known.
    size    bigint not null,
    -- The user has sent the bytes, or was told that they are there.
    sent    boolean not null default false,
    -- Stands for this announcement in upload URLs, and with a store's object. It says nothing of the user.
    token   uuid not null default gen_random_uuid() constraint user_files_token unique,
    -- Another user had announced the file before, or its bytes were there: uploads to a store go to a key of their own.
    -- So no two users write to one key, and each object shows who has sent it.
    apart   boolean not null default false,
    -- As that of the file: a day after the last POST /uploads by which this user named it.
    due     timestamptz default now() + interval '24 hours',
    -- For which it was announced last; null if that was not noted.
    use     text,
    primary key (user_id, path)
);
create index user_files_path on user_files (path);
create index user_files_due on user_files (due) where due is not null;

-- Who needs a file. A revision claims the files of all of its parts, whoever brought them; a content those of its
-- screenshots; a user that of the avatar; a challenge those of its emblems.
--
-- Foreign keys would cost a publication as much again: three look-ups for each row. They are not needed. Who claims a
-- file holds its row FOR KEY SHARE, or has announced it lately. The collector, who alone deletes rows, takes it FOR
-- UPDATE and then looks for claims and announcements. Triggers delete the claims of holders that go, and say so to the
-- files, which a foreign key would not.
create table claims (
    holder     uuid not null,
    -- revision, content, user, challenge, or decision: what a decision has taken away. A check would be parsed anew by each statement that inserts.
    kind       text collate "C" not null,
    path       text collate "C" not null,
    -- That of a revision, or of screenshots.
    content_id uuid,
    -- The user for whom the file counts: the author of the content that has brought it, or the one who wears it. Null
    -- for what is only used, and for challenges.
    owner_id   uuid,
    primary key (holder, path, kind)
);
create index claims_path on claims (path, owner_id);

-- Digests that admins have blocked, whether there is such a file or not. As long as there is a task for a digest, its
-- bytes may still come.
create table blocked_files (
    sha256  text collate "C" primary key,
    reason  text not null,
    created timestamptz not null default now()
);

-- The folder where the files lie, with the setting `local`: it has this id too. So a folder without it is a mount point
-- without its disk, or another folder. No row: no folder was ever prepared for this database.
create table file_folder (
    one     boolean primary key default true check (one),
    id      uuid not null,
    created timestamptz not null default now()
);
