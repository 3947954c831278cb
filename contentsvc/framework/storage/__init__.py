"""Where the bytes of files lie (extensions §3)."""
