"""The Python client's part of the files of content: uploads, downloads, storage."""
