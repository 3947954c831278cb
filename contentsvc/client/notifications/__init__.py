"""The Python client's part of notifications: the log, its flags, the socket."""
