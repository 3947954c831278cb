"""Where the bytes of files lie (files#files)."""
