"""SQL of the files of content: uploads, downloads, storage."""
