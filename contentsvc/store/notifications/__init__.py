"""SQL of notifications: the log, its flags, the socket."""
